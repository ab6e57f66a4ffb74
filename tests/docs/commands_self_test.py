#!/usr/bin/env python3
"""Shows that commands_test.py finds what nothing runs."""

import pathlib
import tempfile
import unittest

from commands_test import Block, check, commands, read_blocks


def first_lines(*lines):
    block = Block("p", 1, "sh", None)
    block.lines = list(lines)
    return commands(block)


class Commands(unittest.TestCase):
    def test_commands_are_told_apart(self):
        self.assertEqual(first_lines("# only talk", "", "a b   c # why", "d"),
                         ["a b c", "d"])
        self.assertEqual(first_lines("a \\", "  b", "c 'x", "y'", "d"),
                         ["a \\", "c 'x", "d"])
        self.assertEqual(first_lines("cat >f <<'E'", "no command", "E", "d"),
                         ["cat >f <<'E'", "d"])
        self.assertEqual(first_lines("for x in 1; do", "  a", "done", "never 'ends"),
                         ["for x in 1; do", "never 'ends"])


class Check(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.root = pathlib.Path(self.dir.name)
        for name in ("docs", "tests/docs"):
            (self.root / name).mkdir(parents=True)
        self.write("tests/CMakeLists.txt", "docs/x.sh $<TARGET_FILE:turnout> ${R}/README.md")
        self.write("README.md", "")
        self.write("tests/docs/commands.txt", "")

    def write(self, name, text):
        (self.root / name).write_text(text)

    def errors(self):
        return check(self.root, {"t.one"})[1]

    def test_a_command_of_a_new_page_is_found(self):
        self.assertEqual(self.errors(), [])
        self.write("docs/new.md", "```sh\nrm -rf x\n```\n")
        self.assertIn("nothing runs 'rm -rf x'", self.errors()[0])

    def test_the_list_names_tests_that_exist(self):
        self.write("docs/new.md", "```sh\nrun me\n```\n")
        for entry, wrong in (("by t.one in README.md: here", False),
                             ("by t.two in README.md: here", True),
                             ("by t.one in README.md: there", True),
                             ("- none: because", False), ("- none:", True),
                             ("whatever", True), ("", True)):
            self.write("README.md", "here")
            self.write("tests/docs/commands.txt",
                       f"docs/new.md: run me\n  {entry}\n")
            self.assertEqual(bool(self.errors()), wrong, entry)

    def test_what_left_its_page_leaves_the_list(self):
        self.write("tests/docs/commands.txt", "docs/old.md: gone\n  - none: x\n")
        self.assertIn("any more", self.errors()[0])

    def test_blocks_with_a_mark_are_run(self):
        self.write("README.md", "<!-- tests/docs/commands_test.py runs these lines. -->\n"
                                "```sh\na\n```\n")
        to_run, errors = check(self.root, set())
        self.assertEqual((list(to_run), errors), (["README.md"], []))

    def test_a_script_must_be_handed_the_page(self):
        page = "<!-- tests/docs/x.sh runs these lines -->\n```sh\na\n```\n"
        self.write("README.md", page)
        self.assertEqual(self.errors(), [])
        self.write("docs/other.md", page)
        self.assertIn("neither", self.errors()[0])

    def test_or_a_script_names_the_page_and_the_block(self):
        self.write("README.md", "<!-- tests/run.sh runs these lines: restore -->\n"
                                "```sh\na\n```\n")
        self.assertIn("neither", self.errors()[0])
        self.write("tests/run.sh", "README.md")
        self.assertIn("neither", self.errors()[0])
        self.write("tests/run.sh", "README.md restore")
        self.assertEqual(self.errors(), [])

    def test_no_command_hides_in_another_block(self):
        self.write("README.md", "```text\n$ a\n```\n\n```\nb\n```\n")
        self.assertEqual(len(self.errors()), 2)

    def test_the_mark_is_for_the_next_block_only(self):
        blocks = read_blocks("p", "<!-- tests/docs/x.sh runs these lines -->\n"
                                  "```sh\na\n```\n\n```sh\nb\n```\n")
        self.assertEqual([x.runner for x in blocks], ["tests/docs/x.sh", None])


if __name__ == "__main__":
    unittest.main()
