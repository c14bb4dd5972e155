#!/bin/sh
# Fuzzes each target for so many seconds (default 30), from a corpus made of the recorded reviews.
# Needs cargo-fuzz (cargo install cargo-fuzz). The sanitizer's flags are unstable: the pinned compiler takes them when it
# is told to.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-30}
./fuzz/seed.sh
for target in envelope model quantity; do
    RUSTC_BOOTSTRAP=1 cargo fuzz run "$target" -- -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536
done
