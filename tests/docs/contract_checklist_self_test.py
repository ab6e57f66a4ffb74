#!/usr/bin/env python3
"""Shows that contract_checklist_test.py finds what it is there to find."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import contract_checklist_test as checklist  # noqa: E402

CONTRACT = """# Contract

Holds always.

## 1. Errors
| status | when |
|---|---|
| 404 | unknown \\| gone |
| `409` | taken |

Body is JSON,
in one line. More of it.
And a second row.

### Calls
| Method | Path | Output |
|:---|---|---:|
| GET | /a | 200 |
| GET | /b | 200 |

1. **First** rule
   goes on here
2. Second rule: of many words that are far too long to be a key of their own
- A bullet.
- A bullet.
"""

ROWS = [
    "c: Contract: Holds always",
    "c: Errors: 404",
    "c: Errors: 409",
    "c: Errors: Body is JSON, in one line. More of it",
    "c: Errors: And a second row",
    "c: Calls: GET /a",
    "c: Calls: GET /b",
    "c: Calls: First rule goes on here",
    "c: Calls: Second rule: of many words that are far too long to be a key",
    "c: Calls: A bullet",
    "c: Calls: A bullet (2)",
]

CODE = """
TEST(plain, one) {}
TEST_F(fixture,
       two) {}
TEST_P(values, three) {}
TYPED_TEST(types, four) {}
TEST(plain, DISABLED_five) {}
TEST(DISABLED_plain, six) {}
// TEST(plain, commented_out) {}
/* TEST(plain, in_a_block) {
} */
auto url = "https://x"; TEST(plain, after_a_url) {}
"""

TESTS = {"api.plain.one", "api.plain.two"}


class rows(unittest.TestCase):
    def test_of_every_kind(self):
        self.assertEqual(checklist.read_rows("c", CONTRACT), ROWS)

    def test_of_a_table_keep_their_key_when_others_come(self):
        more = CONTRACT.replace("| 404", "| 400 | bad |\n| 404")
        self.assertEqual(
            [x for x in checklist.read_rows("c", more) if x not in ROWS],
            ["c: Errors: 400"],
        )


class sources(unittest.TestCase):
    def test_of_tests(self):
        with tempfile.TemporaryDirectory() as name:
            tests = pathlib.Path(name)
            (tests / "api/deep").mkdir(parents=True)
            (tests / "api/deep/x_test.cpp").write_text(CODE)
            (tests / "CMakeLists.txt").write_text(
                "add_test(NAME docs.tour COMMAND x)\n"
                "# add_test(NAME docs.gone COMMAND x)\n"
            )
            self.assertEqual(
                checklist.read_tests(tests),
                {
                    "api.plain.one",
                    "api.fixture.two",
                    "api.values.three",
                    "api.types.four",
                    "api.plain.after_a_url",
                    "docs.tour",
                },
            )


class entries(unittest.TestCase):
    def errors(self, text, contract_rows=("a: b: c",)):
        return checklist.check(list(contract_rows), TESTS, text)[0]

    def test_that_hold(self):
        text = "# comment\n\na: b: c\n  api.plain.one\n  api.plain.two\n"
        self.assertEqual(self.errors(text), [])

    def test_with_a_reason(self):
        self.assertEqual(self.errors("a: b: c\n  - none: not shown\n"), [])

    def test_of_a_later_milestone_are_listed(self):
        text = "a: b: c\n  api.plain.one\n  - later: import\n"
        self.assertEqual(
            checklist.check(["a: b: c"], TESTS, text),
            ([], ["a: b: c: import"]),
        )

    def test_row_without_entry(self):
        self.assertEqual(self.errors(""), ["no entry for the row 'a: b: c'"])

    def test_row_that_is_gone(self):
        text = "a: b: c\n  api.plain.one\na: b: old\n  api.plain.one\n"
        self.assertEqual(
            self.errors(text), ["the contract has no row 'a: b: old' any more"]
        )

    def test_unknown_test(self):
        self.assertEqual(
            self.errors("a: b: c\n  api.plain.oen\n"),
            ["no such test: api.plain.oen, named for 'a: b: c'"],
        )

    def test_neither_test_nor_reason(self):
        self.assertEqual(
            self.errors("a: b: c\n"), ["neither test nor reason for 'a: b: c'"]
        )

    def test_reason_that_says_nothing(self):
        for note in ("none", "later"):
            self.assertEqual(
                self.errors(f"a: b: c\n  - {note}:\n"),
                [f"'- {note}:' says nothing, for 'a: b: c'"],
            )

    def test_to_do(self):
        self.assertEqual(
            self.errors("a: b: c\n  api.plain.one\n  todo: api.plain.new\n"),
            ["to do: api.plain.new for 'a: b: c'"],
        )

    def test_reason_beside_a_test(self):
        self.assertEqual(
            self.errors("a: b: c\n  api.plain.one\n  - none: not shown\n"),
            ["a test and '- none' for 'a: b: c'"],
        )

    def test_two_entries_for_a_row(self):
        text = "a: b: c\n  api.plain.one\na: b: c\n  api.plain.two\n"
        self.assertEqual(
            self.errors(text), ["line 3: a second entry for 'a: b: c'"]
        )

    def test_line_below_no_row(self):
        text = "  api.plain.one\na: b: c\n  api.plain.two\n"
        self.assertEqual(self.errors(text), ["line 1: stands below no row"])


class program(unittest.TestCase):
    def run_on(self, entry):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "docs/contract").mkdir(parents=True)
            (root / "docs/contract/c.md").write_text("# T\nA rule.\n")
            (root / "tests/docs").mkdir(parents=True)
            (root / "tests/docs/contract_checklist.txt").write_text(entry)
            (root / "tests/api").mkdir()
            (root / "tests/api/x_test.cpp").write_text(CODE)
            return subprocess.run(
                [sys.executable, checklist.__file__, root],
                capture_output=True,
                text=True,
                check=False,
            )

    def test_passes(self):
        result = self.run_on("c: T: A rule\n  api.plain.one\n")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_fails(self):
        result = self.run_on("c: T: A rule\n  api.plain.none\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("wrong: no such test: api.plain.none", result.stdout)

    def test_fails_without_a_contract(self):
        with tempfile.TemporaryDirectory() as name:
            result = subprocess.run(
                [sys.executable, checklist.__file__, name],
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(result.returncode, 1)


if __name__ == "__main__":
    unittest.main()
