#!/usr/bin/env bash
# Builds the publisher and the pause image's program into the cache outside the source tree; prints
# "<name> <file>" on stdout for each name.
#
#   build.sh [NAME...]     names: v1.36 v1.37 pause (default: all)
#
# DRAGUARD_BUILD_JOBS      how many compilers may run at once (default: 2)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/draguard/publisher

main() {
  [ $# -gt 0 ] || set -- v1.36 v1.37 pause
  local name file
  for name in "$@"; do
    file=$cache/$name-$(key_of "$name")
    [ -x "$file" ] || compile_once "$name" "$file"
    echo "$name $file"
  done
}

# One build at a time. The lock is held only by this subshell: a compiler that outlives it must not.
compile_once() {
  mkdir -p "$cache"
  ( exec 9>"$cache/$1.lock"
    flock 9
    [ -x "$2" ] || compile "$1" "$2" 9>&- )
}

compile() {
  local name=$1 file=$2 start=$SECONDS
  echo "publisher: building $name" >&2
  command -v go >/dev/null || { echo "publisher: the Go toolchain is missing" >&2; exit 1; }
  (cd "$(folder_of "$name")" && CGO_ENABLED=0 GOFLAGS= go build -p "${DRAGUARD_BUILD_JOBS:-2}" -mod=readonly \
    -buildvcs=false -trimpath -ldflags '-s -w' -o "$file.new" .) >&2
  mv -f "$file.new" "$file"
  echo "publisher: built $name in $((SECONDS - start)) s" >&2
}

folder_of() {
  if [ "$1" = pause ]; then echo "$here/../node/pause"; else echo "$here/$1"; fi
}

# All that goes into the binary: its own module, and the shared one.
key_of() {
  (cd "$(folder_of "$1")" && find . "$here/common" -type f | sort | xargs cat | sha256sum | cut -c1-12)
}

main "$@"
