#!/usr/bin/env bash
# Runs every part of script/bench for a moment, with little data:
#   short_run.sh <root of the repository> <build directory>
# The figures say nothing; that there are some for each part is the test.
set -euo pipefail

dir=$(mktemp -d)
# PostgreSQL runs as another user.
chmod 711 "$dir"
trap 'rm -rf "$dir"' EXIT
# A part that fails makes it end with 1.
python3 "$1/bench/main.py" --build "$2" --work "$dir/work" --seconds 1 \
  --rounds 1 --links 300 --stored 500 --clicks 3000 --minutes 0.02 \
  --json "$dir/figures.json"
parts="redirect latency flood reactors sustained memory cold reads create"
for part in $parts; do
  jq -e --arg part "$part" 'any(.rows[]; .part == $part)' \
    "$dir/figures.json" >/dev/null \
    || { echo "no figures of $part" >&2; exit 1; }
done
python3 "$1/bench/main.py" compare "$dir/figures.json" "$dir/figures.json"
