#!/usr/bin/env bash
# The first process of a test node's namespaces; node.sh starts it:  inside.sh NODE DIR KUBELET [FLAG...]
set -euo pipefail

node=$1 dir=$2 kubelet=$3
shift 3
flags=("$@")
logs=$dir/logs
socket=/run/containerd/containerd.sock
kubelet_pid=

main() {
  local pid
  # /proc is still the machine's: this is the number by which others find these namespaces.
  read -r pid _ </proc/self/stat
  echo "namespaces of $pid"
  # Relative, since the folder itself may just have been removed by its owner.
  cd "$dir"
  mkdir -p kubelet containerd
  hide_machine
  start_containerd
  start_kubelet
  obey
  # The namespace's first process ends, and the kernel takes all the others with it.
  stop_kubelet
}

# Nothing that kubelet and containerd write outside of DIR may reach the machine.
hide_machine() {
  local folder
  mount -t proc proc /proc
  for folder in /run /var/log /var/lib; do
    mount -t tmpfs -o mode=755 tmpfs "$folder"
  done
  mkdir /var/lib/kubelet
  mount --bind "$dir/kubelet" /var/lib/kubelet
  mount --make-rshared /
  pretend vm/overcommit_memory 1
  pretend vm/panic_on_oom 0
  pretend kernel/panic 10
  pretend kernel/panic_on_oops 1
  pretend kernel/keys/root_maxkeys 1000000
  pretend kernel/keys/root_maxbytes 25000000
}

# The kubelet insists on these settings: it sees a plain file that says what it wants to read.
pretend() {
  mkdir -p "/run/pretend/${1%/*}"
  echo "$2" >"/run/pretend/$1"
  mount --bind "/run/pretend/$1" "/proc/sys/$1"
}

start_containerd() {
  write_containerd_config >"$dir/containerd.toml"
  mkdir -p /run/cni
  echo '{"cniVersion": "0.4.0", "name": "lo", "type": "loopback"}' >/run/cni/10-lo.conf
  containerd --config "$dir/containerd.toml" </dev/null >"$logs/containerd.log" 2>&1 &
  containerd_pid=$!
  await "containerd" ctr --address $socket version
  ctr --address $socket --namespace k8s.io images import --snapshotter native "$dir/image.tar" >>"$logs/containerd.log" 2>&1
  echo "containerd started"
}

# native: the images are tiny, and it needs no overlay file system.
write_containerd_config() {
  cat <<EOF
version = 2
root = "$dir/containerd"
state = "/run/containerd"
oom_score = 0
[grpc]
  address = "$socket"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "draguard.test/pause:1"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
  [plugins."io.containerd.grpc.v1.cri".cni]
    conf_dir = "/run/cni"
    bin_dir = "/run/cni"
EOF
}

start_kubelet() {
  [ -z "$kubelet_pid" ] || return 0
  "$kubelet" --config "$dir/kubelet.yaml" --kubeconfig "$dir/kubeconfig" --hostname-override "$node" \
    --v 2 "${flags[@]}" </dev/null >>"$logs/kubelet.log" 2>&1 &
  kubelet_pid=$!
  echo "kubelet started"
}

# Killed, not asked: a kubelet has nothing to finish, and its pods run on.
stop_kubelet() {
  [ -n "$kubelet_pid" ] || return 0
  kill -9 "$kubelet_pid" 2>/dev/null || true
  wait "$kubelet_pid" 2>/dev/null || true
  kubelet_pid=
  echo "kubelet stopped"
}

obey() {
  local word
  while read -r word; do
    case $word in
      start-kubelet) start_kubelet ;;
      stop-kubelet) stop_kubelet ;;
      *) echo "unknown: $word" ;;
    esac
  done
}

await() {
  local what=$1 tries=100
  shift
  until "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    # Each try at a containerd that has ended takes ten seconds; without its image the node has lost its owner.
    kill -0 "$containerd_pid" 2>/dev/null && [ -e "$dir/image.tar" ] || { echo "failed: $what has ended"; exit 1; }
    [ $tries -gt 0 ] || { echo "failed: $what does not answer"; exit 1; }
    sleep 0.1
  done
}

main
