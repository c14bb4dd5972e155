#!/usr/bin/env bash
# Installs what a real node needs from Debian's packages. Nothing else in the tests installs anything.
# The packages' own containerd service is not used and not started.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

main() {
  [ "$(id -u)" = 0 ] || { echo "setup: run this as root" >&2; exit 1; }
  local absent=()
  local package
  for package in containerd runc; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || absent+=("$package")
  done
  [ ${#absent[@]} = 0 ] || install_packages "${absent[@]}"
  "$here/node.sh" check
}

install_packages() {
  export DEBIAN_FRONTEND=noninteractive
  # Debian's packages start their services; this file forbids it, as in a container image.
  local policy=/usr/sbin/policy-rc.d made=
  [ -e $policy ] || { printf '#!/bin/sh\nexit 101\n' >$policy; chmod +x $policy; made=1; }
  apt-get update -q
  apt-get install -y -q --no-install-recommends "$@" || { [ -z $made ] || rm -f $policy; exit 1; }
  [ -z $made ] || rm -f $policy
}

main "$@"
