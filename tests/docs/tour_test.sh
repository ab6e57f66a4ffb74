#!/usr/bin/env bash
# Runs README's tour against a fresh service and compares what it prints with
# what README says it prints.
# Usage: tour_test.sh <turnout binary> <README.md>
set -euo pipefail

turnout=$1
readme=$2
dir=$(mktemp -d)
pid=
cleanup() {
  [[ -z $pid ]] || kill "$pid" 2>/dev/null || :
  [[ -z $pid ]] || wait "$pid" 2>/dev/null || :
  rm -rf "$dir"
}
trap cleanup EXIT

"$turnout" serve --data-dir "$dir/data" --listen 127.0.0.1:0 \
  --operator-listen 127.0.0.1:0 >"$dir/out" 2>"$dir/log" &
pid=$!
for _ in $(seq 600); do
  grep -q '^listening' "$dir/out" && break
  kill -0 "$pid" || { cat "$dir/log"; exit 1; }
  sleep 0.1
done
address=$(sed -n 's|^listening public=http://\([^ ]*\).*|\1|p' "$dir/out")
key=$(sed -n 's/^ *API key *//p' "$dir/out")

# The first block after the mark is the tour, the second what it prints.
block() {
  awk -v wanted="$1" '/tour_test.sh/ { on = 1 }
    on && /^```/ { inside = !inside; if (inside) n++; next }
    inside && n == wanted' "$readme"
}
block 1 | sed -e "s|127.0.0.1:8080|$address|" -e "s|^KEY=.*|KEY=$key|" >"$dir/tour"
grep -q promote-winner "$dir/tour" || { echo "no tour in $readme"; exit 1; }

# Which variant a visit gets is drawn.
normal() { sed -e "s|$address|127.0.0.1:8080|" -e 's|example.com/[ab]|example.com/?|'; }
(cd "$dir" && bash -euo pipefail tour) | normal >"$dir/printed"
block 2 | normal >"$dir/expected"
diff "$dir/expected" "$dir/printed"
