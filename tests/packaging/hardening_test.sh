#!/usr/bin/env bash
# Checks that the flags of the release build make what script/check-hardening
# asks for (script/package checks the release itself), and that it notices each
# one that is missing.
# Usage: hardening_test.sh <source directory>
set -euo pipefail

source=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
flag() {
  jq -r --arg preset "$1" --arg name "$2" '.configurePresets[]
    | select(.name == $preset).cacheVariables[$name]' \
    "$source/CMakePresets.json" | sed "s|\${sourceDir}|$dir|g"
}
read -ra compile <<<"$(flag release CMAKE_CXX_FLAGS_RELWITHDEBINFO)"
read -ra link <<<"$(flag base CMAKE_EXE_LINKER_FLAGS)"
[ "$(flag base CMAKE_MODULE_LINKER_FLAGS)" = "${link[*]}" ]
cat >"$dir/program.cpp" <<'END'
#include <cstring>
#include <iostream>
int main(int argc, char** argv) {
  char copy[16];
  std::strcpy(copy, argv[argc - 1]);
  std::cout << copy << '\n';
}
END

# check WANTED [flag of the compiler]...
check() {
  local wanted=$1 found=good
  shift
  "${CXX:-g++}" "$dir/program.cpp" -o "$dir/program" "$@"
  "$source/script/check-hardening" --optimised "$dir/program" \
    2>"$dir/complaint" || found=bad
  [ "$found" = "$wanted" ] || {
    printf '%s, but %s expected: %s\n' "$found" "$wanted" "$*"
    cat "$dir/complaint"
    exit 1
  }
}
all=(-fPIE -pie "${compile[@]}" "${link[@]}")
check good "${all[@]}"
check bad "${all[@]}" -no-pie
check bad "${all[@]}" -fno-stack-protector
check bad "${all[@]}" -U_FORTIFY_SOURCE
check bad "${all[@]}" -Wl,-z,lazy
check bad "${all[@]}" -Wl,-z,norelro
check bad "${all[@]}" -Wl,-z,execstack
check bad "${all[@]}" -Wl,-rpath,/tmp
