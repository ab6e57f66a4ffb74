#!/usr/bin/env bash
# Compares the manual pages and the completion with what --help says, and with
# the settings.
# Usage: reference_test.sh <turnout binary> <turnout.example.toml>
set -euo pipefail

turnout=$1
example=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0
complain() {
  printf '%s\n' "$*" >&2
  status=1
}

"$turnout" reference man >"$dir/turnout.1"
"$turnout" reference toml >"$dir/turnout.toml.5"
"$turnout" reference bash >"$dir/completion"
for page in turnout.1 turnout.toml.5; do
  warnings=$(groff -man -Tutf8 -ww -z "$dir/$page" 2>&1)
  [ -z "$warnings" ] || complain "$page: $warnings"
  MANWIDTH=1000 man -l "$dir/$page" | col -bx >"$dir/$page.txt"
done

# shellcheck disable=SC1091
. "$dir/completion"
# What may follow some words.
complete_words() {
  COMP_WORDS=(turnout "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _turnout
  printf '%s\n' "${COMPREPLY[@]}" | sort
}
# The options and commands that --help lists, with the words that arguments take.
listed() {
  "$turnout" "$@" --help | awk '
    /^Subcommands:/ { commands = 1; next }
    /^Positionals:/ { arguments = 1; next }
    /^[A-Z]/ { commands = arguments = 0 }
    commands && /^  [a-z]/ { print $1 }
    arguments && match($0, /\{[^}]*\}/) {
      n = split(substr($0, RSTART + 1, RLENGTH - 2), words, ",")
      for (i = 1; i <= n; i++) print words[i]
    }
    /^  -/ { n = split($1, names, ","); for (i = 1; i <= n; i++) print names[i] }
  ' | sort
}
commands_of() {
  "$turnout" "$@" --help | awk '
    /^Subcommands:/ { on = 1; next } /^[A-Z]/ { on = 0 }
    on && /^  [a-z]/ { print $1 }'
}

count=0
check() { # a command's words
  local sub wanted option
  wanted=$(listed "$@")
  diff <(echo "$wanted") <(complete_words "$@" '') \
    || complain "completion of \"turnout $*\" differs, see above"
  while read -r option; do
    [[ $option != --* ]] || grep -qF -- "$option" "$dir/turnout.1.txt" \
      || complain "turnout(1) lacks $option of \"turnout $*\""
  done <<<"$wanted"
  count=$((count + 1))
  for sub in $(commands_of "$@"); do
    check "$@" "$sub"
  done
  [ -n "$(commands_of "$@")" ] || grep -qx " *$*" "$dir/turnout.1.txt" \
    || complain "turnout(1) lacks \"turnout $*\""
}
check
[ "$count" -gt 12 ] || complain "only $count commands were found"

diff <(printf '%s\n' live publishable secret) \
  <(complete_words key create --type '') || complain 'values of --type differ'
diff <(echo serve) <(complete_words ser) || complain 'words do not end'
touch "$dir/a file.toml"
diff <(echo "$dir/a file.toml") <(complete_words serve --config "$dir/a") \
  || complain 'files are not completed'

section=
while read -r line; do
  case $line in
    '['*) section=${line//[\[\]]/} ;;
    '#'*' = '*)
      name=${line#\#}
      grep -qF "${name%% = *} = " "$dir/turnout.toml.5.txt" \
        || complain "turnout.toml(5) lacks $name"
      name=${section:+${section}_}${name%% = *}
      grep -qx " *TURNOUT_${name^^}" "$dir/turnout.toml.5.txt" \
        || complain "turnout.toml(5) lacks TURNOUT_${name^^}"
      ;;
  esac
done <"$example"
exit $status
