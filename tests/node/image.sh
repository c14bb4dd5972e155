#!/usr/bin/env bash
# Makes a docker archive with one static program in it:  image.sh PROGRAM ARCHIVE TAG...
set -euo pipefail

program=$1 archive=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The same bytes each time, so that the image keeps its id.
pack() { tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -C "$1" -cf "$2" "${@:3}"; }

machine() { case $(uname -m) in aarch64) echo arm64 ;; *) echo amd64 ;; esac; }

mkdir "$work/layer"
install -m 0755 "$program" "$work/layer/pause"
pack "$work/layer" "$work/layer.tar" pause
layer=$(sha256sum "$work/layer.tar" | cut -d' ' -f1)
cat >"$work/config.json" <<EOF
{"architecture":"$(machine)","os":"linux","created":"1970-01-01T00:00:00Z","config":{"Entrypoint":["/pause"]},
 "rootfs":{"type":"layers","diff_ids":["sha256:$layer"]}}
EOF
tags=$(printf '"%s",' "$@")
echo "[{\"Config\":\"config.json\",\"RepoTags\":[${tags%,}],\"Layers\":[\"layer.tar\"]}]" >"$work/manifest.json"
pack "$work" "$archive" manifest.json config.json layer.tar
