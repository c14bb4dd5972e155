#!/bin/sh
# Fills fuzz/corpus: reviews as they are, the objects in them, and the quantities in those.
set -eu
cd "$(dirname "$0")/.."
mkdir -p fuzz/corpus/envelope fuzz/corpus/model fuzz/corpus/quantity
for file in tests/fixtures/*/*.json; do
    name=$(printf '%s' "$file" | tr '/' '-')
    cp "$file" "fuzz/corpus/envelope/$name"
    # The object is what stands between these two keys, one space deep.
    sed -n '/^  "object": {/,/^  }/p' "$file" | sed '1s/.*/{/; $s/}.*/}/' > "fuzz/corpus/model/$name"
done
nth=0
grep -ohE '"-?[0-9][0-9.]*([eE]-?[0-9]+|[numkMGTPE]i?|[KMGTPE]i)?"' tests/fixtures/*/*.json | tr -d '"' | sort -u |
    while read -r quantity; do
        nth=$((nth + 1))
        printf '%s' "$quantity" > "fuzz/corpus/quantity/$nth"
    done
