#!/usr/bin/env bash
# Builds the real control plane from its Go modules, once for each version, into a cache outside the
# source tree. Talks on stderr; prints "<name> <folder with the binaries>" on stdout for each name.
#
#   build.sh [NAME...]     names: etcd v1.36 v1.37 v1.36-kubelet v1.37-kubelet (default: all)
#
# DRAGUARD_CONTROL_PLANE_DIR   ready-made binaries instead: a folder with one folder for each name
# DRAGUARD_BUILD_JOBS          how many compilers may run at once (default: 2)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/draguard/control-plane
jobs=${DRAGUARD_BUILD_JOBS:-2}
names=(etcd v1.36 v1.37 v1.36-kubelet v1.37-kubelet)

say() { echo "control-plane: $*" >&2; }
die() { say "$*"; exit 1; }

main() {
  [ $# -gt 0 ] || set -- "${names[@]}"
  local name
  for name in "$@"; do
    [[ " ${names[*]} " == *" $name "* ]] || die "unknown name '$name' (known: ${names[*]})"
    if [ -n "${DRAGUARD_CONTROL_PLANE_DIR:-}" ]; then ready_made "$name"; else built "$name"; fi
  done
}

ready_made() {
  local dir
  dir=$DRAGUARD_CONTROL_PLANE_DIR/$(module_of "$1")
  complete "$1" "$dir" || die "DRAGUARD_CONTROL_PLANE_DIR is set, but $dir lacks: $(missing "$1" "$dir")"
  echo "$1 $dir"
}

built() {
  local name=$1 module version dir
  module=$(module_of "$name")
  version=$(version_of "$module")
  dir=$cache/$module-$version-$(key_of "$module")
  if ! complete "$name" "$dir"; then
    command -v go >/dev/null || die "the Go toolchain is missing: install go (https://go.dev/dl) or set DRAGUARD_CONTROL_PLANE_DIR"
    mkdir -p "$cache"
    # Held only by this subshell; compilers that outlive a killed build must not inherit it.
    ( exec 9>"$cache/$module.lock"
      flock -n 9 || { say "waiting for another build of $module"; flock 9; }
      complete "$name" "$dir" || compile "$name" "$version" "$dir" 9>&- )
  fi
  echo "$name $dir"
}

# One binary after the other, each moved into place when it is whole: an interrupted build goes on there.
compile() {
  local name=$1 version=$2 dir=$3 start=$SECONDS binary package
  say "building $name $version with $jobs compilers at once (minutes when nothing is cached) into $dir"
  mkdir -p "$dir"
  for binary in $(missing "$name" "$dir"); do
    package=k8s.io/kubernetes/cmd/$binary
    [ "$name" != etcd ] || package=go.etcd.io/etcd/server/v3
    go_build "$name" "$version" -o "$dir/.$binary" "$package"
    mv -f "$dir/.$binary" "$dir/$binary"
    say "  $binary after $((SECONDS - start)) s"
  done
  say "built $name $version in $((SECONDS - start)) s"
}

go_build() {
  local name=$1 version=$2 minor
  shift 2
  minor=$(echo "$version" | cut -d. -f2)
  local base=k8s.io/component-base/version client=k8s.io/client-go/pkg/version
  (cd "$here/$(module_of "$name")" && CGO_ENABLED=0 GOFLAGS= go build -p "$jobs" -mod=readonly -buildvcs=false -trimpath \
    -ldflags "-s -w -X $base.gitVersion=$version -X $base.gitMajor=1 -X $base.gitMinor=$minor -X $client.gitVersion=$version" \
    "$@")
}

# The lock of a module is its go.mod and go.sum, so they are the key of its binaries.
key_of() { cat "$here/$1/go.mod" "$here/$1/go.sum" | sha256sum | cut -c1-12; }

# A kubelet comes from the module of its control plane and lies beside it.
module_of() { echo "${1%-kubelet}"; }

version_of() {
  local main=k8s.io/kubernetes
  [ "$1" != etcd ] || main=go.etcd.io/etcd/server/v3
  awk -v m="$main" '$1 == m { print $2; exit } $1 == "require" && $2 == m { print $3; exit }' "$here/$1/go.mod"
}

binaries_of() {
  case $1 in
    etcd) echo etcd ;;
    *-kubelet) echo kubelet ;;
    *) echo kube-apiserver kube-scheduler kube-controller-manager kubectl ;;
  esac
}

missing() {
  local binary
  for binary in $(binaries_of "$1"); do [ -x "$2/$binary" ] || echo -n "$binary "; done
}

complete() { [ -z "$(missing "$1" "$2")" ]; }

main "$@"
