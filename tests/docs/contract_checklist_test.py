#!/usr/bin/env python3
"""Holds every row of the contract to a test.

Usage: contract_checklist_test.py [--keys] [<root of the repository>]

Rows are read from docs/contract/*.md: each body row of a table, each item of a
list, and each sentence group of a paragraph (up to a line that ends in a full
stop). tests/docs/contract_checklist.txt names for each row the tests that hold
it:

    interface: Link: slug
      api.slugs_test.case_07_legal_characters
    interface: Gaps: Fields of the winner recommendation
      - none: decided by decisions.md

A key (file: section: first cell or words) stands at the start of a line, what
holds the row stands indented below. A test is named folder.suite.name, or by
the NAME of its add_test. Instead of a test a row may have

    - none: <why there is nothing to test>
    - later: <the milestone that brings it>   (accepted, and listed)
    todo: <test>                              (refused, and listed)

--keys prints the keys of all rows in the order of the contract.
"""

import pathlib
import re
import sys

# What a key takes of a row: as many words as fit.
MAX_TITLE = 60


def plain(text):
    """Takes Markdown's marks off, so that a key reads like the text."""
    return " ".join(re.sub(r"\*\*|`", "", text).replace("\\|", "|").split())


def title(text):
    """Shortens a row's first words to what fits into a key."""
    text = plain(text).rstrip(".:")
    if len(text) <= MAX_TITLE:
        return text
    return text[: MAX_TITLE + 1].rsplit(" ", 1)[0].rstrip(",;:.(")


def cells(line):
    """Divides a row of a table; a bar after a backslash is text."""
    return [x.strip() for x in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def read_rows(name, text):
    """Returns the keys of the rows of one file, in order."""
    keys = []
    section = "introduction"
    header = None  # cells of the table's head, while in a table
    paragraph = ""

    def add(row):
        key = f"{name}: {section}: {row}"
        n = 2
        while key in keys:
            key = f"{name}: {section}: {row} ({n})"
            n += 1
        keys.append(key)

    def flush():
        nonlocal paragraph
        if paragraph:
            add(title(paragraph))
        paragraph = ""

    for line in text.splitlines():
        line = line.strip()
        if line.startswith("|"):
            flush()
            row = cells(line)
            if header is None:
                header = row
            elif not all(re.fullmatch(r":?-+:?", x) for x in row):
                # A method alone says nothing without its path.
                first = row[:2] if plain(header[0]) == "Method" else row[:1]
                add(title(" ".join(first)))
            continue
        header = None
        heading = re.match(r"#+ (.*)", line)
        item = re.match(r"(?:\d+\.|[-*]) (.*)", line)
        if not line or heading or item:
            flush()
        if heading:
            section = re.sub(r"^\d+\. ", "", plain(heading[1]))
        elif line:
            paragraph = (paragraph + " " + (item[1] if item else line)).strip()
            if line.endswith("."):
                flush()
    flush()
    return keys


def without_comments(code):
    """Takes C++ comments out; strings that look like one survive."""
    pattern = r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/'
    return re.sub(
        pattern,
        lambda x: x[0] if x[0].startswith('"') else " ",
        code,
        flags=re.DOTALL,
    )


def read_tests(tests):
    """Returns the names of all tests in the sources below a folder."""
    names = set()
    macro = re.compile(
        r"\b(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)"
        r"\(\s*(\w+)\s*,\s*(\w+)\s*\)"
    )
    for path in sorted(tests.glob("*/**/*.cpp")):
        folder = path.relative_to(tests).parts[0]
        for suite, name in macro.findall(without_comments(path.read_text())):
            # One that does not run holds nothing.
            if "DISABLED_" not in suite + name:
                names.add(f"{folder}.{suite}.{name}")
    for path in sorted(tests.glob("**/CMakeLists.txt")):
        code = re.sub(r"#[^\n]*", "", path.read_text())
        names.update(re.findall(r"\badd_test\(\s*NAME\s+([\w.]+)", code))
    return names


def read_checklist(text):
    """Returns the lines below each key, and what is wrong with the form."""
    entries, errors, key = {}, [], None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line[0].isspace():
            key = line.strip()
            if key in entries:
                errors.append(f"line {number}: a second entry for '{key}'")
            entries.setdefault(key, [])
        elif key is None:
            errors.append(f"line {number}: stands below no row")
        else:
            entries[key].append(line.strip())
    return entries, errors


def check(rows, tests, text):
    """Returns what is wrong, and what comes later."""
    entries, errors = read_checklist(text)
    later = []
    for row in rows:
        if row not in entries:
            errors.append(f"no entry for the row '{row}'")
    for row, lines in entries.items():
        if row not in rows:
            errors.append(f"the contract has no row '{row}' any more")
        if not lines:
            errors.append(f"neither test nor reason for '{row}'")
        for line in lines:
            note = re.fullmatch(r"- (none|later):\s*(.*)", line)
            todo = re.fullmatch(r"todo:\s*(.*)", line)
            if note and not note[2]:
                errors.append(f"'{line}' says nothing, for '{row}'")
            elif note and note[1] == "none" and len(lines) > 1:
                errors.append(f"a test and '- none' for '{row}'")
            elif note and note[1] == "later":
                later.append(f"{row}: {note[2]}")
            elif todo:
                errors.append(f"to do: {todo[1]} for '{row}'")
            elif not note and line not in tests:
                errors.append(f"no such test: {line}, named for '{row}'")
    return errors, later


def main(args):
    keys_only = "--keys" in args
    args = [x for x in args if x != "--keys"]
    here = pathlib.Path(__file__).resolve()
    root = pathlib.Path(args[0]) if args else here.parents[2]
    rows = []
    for path in sorted((root / "docs/contract").glob("*.md"), reverse=True):
        rows += read_rows(path.stem, path.read_text())
    if keys_only:
        print("\n".join(rows))
        return 0
    checklist = root / "tests/docs/contract_checklist.txt"
    if not rows:
        print(f"no contract in {root}/docs/contract")
        return 1
    if not checklist.exists():
        print(f"no {checklist}")
        return 1
    tests = read_tests(root / "tests")
    errors, later = check(rows, tests, checklist.read_text())
    for x in later:
        print(f"later: {x}")
    for x in errors:
        print(f"wrong: {x}")
    print(
        f"{len(rows)} rows, {len(tests)} tests, {len(later)} for later, "
        f"{len(errors)} wrong"
    )
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
