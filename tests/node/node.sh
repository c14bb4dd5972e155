#!/usr/bin/env bash
# A real node: kubelet and containerd in namespaces of their own, gone without a trace afterwards.
#
#   node.sh check                            says why no node can run here; code 77 then
#   node.sh run NODE DIR KUBELET [FLAG...]   runs one until standard input ends; flags are the kubelet's
#   node.sh clean                            removes the cgroups of a node that was killed
#
# DIR must hold `kubeconfig`, `kubelet.yaml`, `image.tar` and a folder `logs`; everything else is put there as well.
# Lines on standard input: start-kubelet, stop-kubelet. Lines on standard output: what has happened.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=cgroups.sh
. "$here/cgroups.sh"

main() {
  case ${1:-} in
    check) check ;;
    clean) only_one; remove_cgroups ;;
    run) shift; check; detach "$@" ;;
    detached) shift; run "$@" ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
}

check() {
  [ "$(id -u)" = 0 ] || skip "not root"
  local tool
  for tool in containerd ctr runc unshare flock setsid; do
    command -v $tool >/dev/null || skip "$tool is not installed (tests/node/setup.sh installs it)"
  done
  unshare --mount --pid --fork --mount-proc true 2>/dev/null || skip "no new namespaces allowed"
  [ -w /sys/fs/cgroup ] && [ -n "$(cgroup_roots)" ] || skip "cgroups are not writable"
}

skip() {
  echo "skip: $*"
  exit 77
}

# A session of its own: what ends the test's process group must leave the clean-up alive.
detach() { exec setsid --wait "$0" detached "$@"; }

run() {
  dir=$2
  only_one
  # Who has waited may have lost its owner, and the owner's folder with it.
  [ -e "$dir/image.tar" ] || { echo "nobody wants this node any more"; return; }
  remove_cgroups
  make_cgroups
  trap clean_up EXIT
  # --kill-child: whoever kills unshare kills the first process of the namespace, and so all of it.
  unshare --mount --pid --fork --kill-child "$here/inside.sh" "$@"
}

# The owner removes DIR, but for logs that are to be kept: what the node wrote after that must not stay.
clean_up() {
  [ -e "$dir/image.tar" ] || [ -e "$dir/logs" ] || rm -rf "$dir"
  remove_cgroups
}

# Cgroups have fixed names, so their root is the natural lock for all users of this machine. Every
# process of the node inherits it: as long as one lives, no other node starts.
only_one() {
  exec 9</sys/fs/cgroup
  flock -n 9 || { echo "waiting for another node"; flock 9; }
}

main "$@"
