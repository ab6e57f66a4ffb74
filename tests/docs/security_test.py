#!/usr/bin/env python3
"""Holds every line of the threats in docs/security.md to a test that exists.

Usage: security_test.py <root of the repository>

The rows of each table whose last column is named "shown by" name at least one
test there, in backquotes: folder.suite.name, folder.suite for all of a suite,
or the NAME of an add_test.
"""

import pathlib
import re
import sys


def check(text, tests):
    """Returns the number of rows and what is wrong."""
    errors, rows, inside = [], 0, False
    suites = {x.rpartition(".")[0] for x in tests if x.count(".") > 1}
    for line in text.splitlines():
        if not line.startswith("|"):
            inside = False
            continue
        cells = [x.strip() for x in line.strip("|").split("|")]
        if cells[-1] == "shown by":
            inside = True
            continue
        if not inside or set(cells[-1]) <= set(":-"):
            continue
        rows += 1
        named = re.findall(r"`([^`]+)`", cells[-1])
        if not named:
            errors.append(f"no test shows '{cells[0]}'")
        if not all(cells):
            errors.append(f"an empty cell in '{cells[0]}'")
        for name in named:
            if name not in tests and name not in suites:
                errors.append(f"no such test: {name}, named for '{cells[0]}'")
    return rows, errors


def main(args):
    here = pathlib.Path(__file__).resolve().parent
    sys.path.insert(0, str(here))
    from contract_checklist_test import read_tests
    root = pathlib.Path(args[0]) if args else here.parents[1]
    # That of the proxies is made in a loop.
    tests = read_tests(root / "tests") | {
        f"proxies.{x}" for x in ("nginx", "haproxy", "caddy")
        if (root / "tests/proxies/proxies_test.py").exists()}
    probe = "| a | shown by |\n|---|---|\n| x | none |\n| y | `a.b.none` |\n"
    assert len(check(probe, tests)[1]) == 2
    rows, errors = check((root / "docs/security.md").read_text(), tests)
    for x in errors:
        print(f"wrong: {x}")
    print(f"{rows} lines of the threat model")
    return 1 if errors or rows < 20 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
