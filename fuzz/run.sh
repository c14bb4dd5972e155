#!/bin/sh
# Fuzzes each target for so many seconds (default 30), from a corpus made of the recorded reviews.
# Needs a nightly toolchain and cargo-fuzz (cargo install cargo-fuzz).
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-30}
./fuzz/seed.sh
for target in envelope model quantity; do
    cargo +nightly fuzz run "$target" -- -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536
done
