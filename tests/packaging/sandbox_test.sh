#!/usr/bin/env bash
# Checks that the service makes no system call that its unit forbids, for there
# the sandbox would fail it: starts it, visits, uses API, sign-in and metrics,
# backs it up, stops it, and compares.
# Usage: sandbox_test.sh <turnout binary> <turnout.service>
set -euo pipefail

turnout=$1
unit=$2
dir=$(mktemp -d)
tracer=
cleanup() {
  # The service first: it would go on without its tracer.
  [ -z "$tracer" ] || pkill -KILL -P "$tracer" || true
  [ -z "$tracer" ] || kill -9 "$tracer" 2>/dev/null || true
  rm -rf "$dir"
}
trap cleanup EXIT

# expand NAME...: system calls and groups of them, as system calls.
expand() {
  local name member
  for name in "$@"; do
    case $name in
      @*)
        while read -r member; do
          case $member in
            '#'* | '' | "$name") ;;
            *) expand "$member" ;;
          esac
        done < <(systemd-analyze syscall-filter --no-pager "$name")
        ;;
      *) echo "$name" ;;
    esac
  done
}
# The lines of the unit, in their order: the first allows, "~" takes away.
: >"$dir/allowed"
while IFS= read -r line; do
  read -ra names <<<"${line#\~}"
  expand "${names[@]}" | sort -u >"$dir/line"
  case $line in
    '~'*) comm -23 "$dir/allowed" "$dir/line" >"$dir/next" ;;
    *) sort -u "$dir/allowed" "$dir/line" >"$dir/next" ;;
  esac
  mv "$dir/next" "$dir/allowed"
done < <(sed -n 's/^SystemCallFilter=//p' "$unit")
[ "$(wc -l <"$dir/allowed")" -gt 100 ] || { echo "no filter in $unit"; exit 1; }

trace=(strace -f -qq --signal=none)
"${trace[@]}" -o "$dir/serve" "$turnout" serve --data-dir "$dir/data" \
  --listen 127.0.0.1:0 --operator-listen 127.0.0.1:0 >"$dir/out" 2>"$dir/log" &
tracer=$!
for _ in $(seq 600); do
  ! grep -q '^listening' "$dir/out" || break
  kill -0 "$tracer" || { cat "$dir/log"; exit 1; }
  sleep 0.1
done
address=$(sed -n 's|^listening public=\([^ ]*\).*|\1|p' "$dir/out")
operator=$(sed -n 's|.*operator=\([^ ]*\).*|\1|p' "$dir/out")
key=$(sed -n 's/^ *API key *//p' "$dir/out")
password=$(sed -n 's/^ *password *//p' "$dir/out")
status() {
  curl -s -o /dev/null -w '%{http_code}\n' "$@"
}
{
  status "$address/api/v1/public/links" -H "X-API-Key: $key" --json '{
    "name": "x", "slug": "sandbox", "variants": [
    {"label": "a", "destination_url": "https://a.example/", "weight": 50},
    {"label": "b", "destination_url": "https://b.example/", "weight": 50}]}'
  status "$address/sandbox" -A Mozilla/5.0
  status "$address/unknown"
  status "$address/auth/v1/token?grant_type=password" -H 'apikey: any' \
    --json "{\"email\": \"admin@localhost\", \"password\": \"$password\"}"
  status "$operator/metrics"
  status "$operator/readyz"
} >"$dir/statuses"
# The drain has something to do.
sleep 1
"${trace[@]}" -o "$dir/backup" "$turnout" backup "$dir/copy" \
  --data-dir "$dir/data" >/dev/null
# The journal before the store, or what is stored and trimmed in between is in
# neither. No test that counts can tell, so short is that time.
line_of() {
  grep -n "openat(.*$1\"" "$dir/backup" | cut -d: -f1
}
[ "$(line_of '\.journal' | tail -n 1)" -lt \
  "$(line_of 'turnout\.db' | head -n 1)" ] \
  || { echo 'backup opens the store before the journal'; exit 1; }
pkill -TERM -P "$tracer"
wait "$tracer" || { cat "$dir/log"; exit 1; }
tracer=
diff <(printf '%s\n' 201 302 404 200 200 200) "$dir/statuses"

cat "$dir/serve" "$dir/backup" | sed -nE 's/^[0-9]+ +([a-z_0-9]+)\(.*/\1/p' \
  | sort -u >"$dir/used"
# SQLite gives files to their directory's owner when root makes them; the user of
# the unit is not root.
[ "$(id -u)" != 0 ] || sed -i '/^fchown$/d' "$dir/used"
[ "$(wc -l <"$dir/used")" -gt 30 ] || { echo 'strace saw too little'; exit 1; }
forbidden=$(comm -23 "$dir/used" "$dir/allowed")
[ -z "$forbidden" ] || {
  printf 'the unit forbids what the service does:\n%s\n' "$forbidden"
  exit 1
}
