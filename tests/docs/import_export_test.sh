#!/usr/bin/env bash
# Runs the example of docs/import-export.md and compares what it prints with what
# the page says it prints.
# Usage: import_export_test.sh <turnout binary> <import-export.md>
set -euo pipefail

turnout=$1
page=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# The first block after the mark is the example, the second what it prints.
block() {
  awk -v wanted="$1" '/import_export_test.sh/ { on = 1 }
    on && /^```/ { inside = !inside; if (inside) n++; next }
    inside && n == wanted' "$page"
}
block 1 >"$dir/example"
grep -q 'turnout export' "$dir/example" || { echo "no example in $page"; exit 1; }
mkdir "$dir/bin" "$dir/work"
ln -s "$turnout" "$dir/bin/turnout"

# Commands warn of variables that are no settings, such as those of the tests.
while read -r variable; do
  unset "$variable"
done < <(compgen -e TURNOUT_ || true)

cd "$dir/work"
PATH=$dir/bin:$PATH
turnout migrate >/dev/null
turnout user add --email owner@example.com >/dev/null 2>&1
bash -euo pipefail "$dir/example" >"$dir/printed" 2>&1
sed -i 's/^schema version [0-9]*$/schema version SCHEMA/' "$dir/printed"
block 2 >"$dir/expected"
diff "$dir/expected" "$dir/printed"
