#!/usr/bin/env python3
"""Holds every command of README.md and docs/ to a test that runs it.

Usage: commands_test.py [--list] <root of the repository> [<turnout binary>]

With --list it only checks that each command is accounted for; with the binary
it also runs what is to be run. A command is what stands in a fenced block of sh.
There are three ways to account for it:

1. A comment before the block has it run by this test, all such blocks of a page
   one after the other in one shell:

       <!-- tests/docs/commands_test.py runs these lines. -->

   It starts in a copy of the repository whose script/build builds nothing, with
   a fresh service. `turnout` is the binary; http://127.0.0.1:8080 and :9464 are
   the service's addresses, KEY=svc_sk_... and "..." as a password are made the
   first account's; ./data is its data directory, and pidof tells its process.

2. The comment names another script of tests/, which runs that block of the page:
   tests/CMakeLists.txt hands it the page, or it names the page, and the block if
   it has a name:

       <!-- tests/packaging/package_test.sh runs these lines: restore -->

3. tests/docs/commands.txt says below "<page>: <first line of the command>"

       by <test> in <file>: <text>     the test exists, the file has the text
       - none: <why no test runs it>

Comments of the shell are no part of a command.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = "tests/docs/commands_test.py"
LIST = "tests/docs/commands.txt"
SHELLS = {"sh", "bash", "shell", "console"}
PATIENCE = 120  # seconds


class Block:
    def __init__(self, page, line, language, runner, name=None):
        self.page = page
        self.line = line
        self.language = language
        self.runner = runner
        self.name = name
        self.lines = []

    def where(self):
        return f"{self.page}:{self.line}"


def read_blocks(page, text):
    """Returns the fenced blocks of a page."""
    blocks, block, before = [], None, ""
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r"\s*```(.*)", line)
        if fence and block is None:
            mark = re.match(r"<!-- (tests/\S+) runs these lines(?:: (.+?) -->)?",
                            before) or [None] * 3
            block = Block(page, number, fence[1].strip(), mark[1], mark[2])
        elif fence:
            blocks.append(block)
            block = None
        elif block is not None:
            block.lines.append(line)
        if block is None and line.strip():
            before = line.strip()
    return blocks


def is_whole(text):
    """Whether the shell needs no further line."""
    if text.endswith("\\\n"):
        return False
    done = subprocess.run(["bash", "-n"], input=text, capture_output=True,
                          text=True)
    return done.returncode == 0 and not done.stderr


def commands(block):
    """Returns the first lines of the commands of a block, comments left out."""
    result, text = [], ""
    for line in block.lines:
        if not text and (not line.strip() or line.lstrip().startswith("#")):
            continue
        text += line + "\n"
        if is_whole(text):
            first = re.sub(r"\s+#.*", "", text.split("\n")[0])
            result.append(" ".join(first.split()))
            text = ""
    if text:
        result.append(" ".join(text.split("\n")[0].split()))
    return result


def pages(root):
    return [root / "README.md"] + sorted((root / "docs").rglob("*.md"))


def read_list(root):
    """Returns what stands below each command of the list."""
    entries, key = {}, None
    for line in (root / LIST).read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if not line[0].isspace():
            key = line.strip()
            entries.setdefault(key, [])
        else:
            entries[key].append(line.strip())
    return entries


def is_run(root, block, cmake):
    """Whether the script that a block names knows of it."""
    name = block.runner.removeprefix("tests/")
    if re.search(rf"{re.escape(name)}\s+\$<TARGET_FILE:turnout>"
                 rf"\s+\S*/{re.escape(block.page)}", cmake):
        return True
    script = root / block.runner
    text = script.read_text() if script.is_file() else ""
    return block.page in text and (block.name or "").strip() in text


def check(root, tests):
    """Returns the blocks to run by page, and what is wrong."""
    errors, to_run, used = [], {}, set()
    cmake = (root / "tests/CMakeLists.txt").read_text()
    entries = read_list(root)
    for path in pages(root):
        page = str(path.relative_to(root))
        for block in read_blocks(page, path.read_text()):
            if not block.language:
                errors.append(f"{block.where()}: name the language of the block")
            if block.language not in SHELLS:
                if any(x.startswith("$ ") for x in block.lines):
                    errors.append(f"{block.where()}: commands belong into sh")
                continue
            if block.runner == HERE:
                to_run.setdefault(page, []).append(block)
                continue
            if block.runner:
                if not is_run(root, block, cmake):
                    errors.append(f"{block.where()}: neither "
                                  "tests/CMakeLists.txt nor the script itself "
                                  f"has {block.runner} run this block")
                continue
            for command in commands(block):
                key = f"{page}: {command}"
                used.add(key)
                if not entries.get(key):
                    errors.append(f"{block.where()}: nothing runs '{command}'; "
                                  f"{HERE} says what to do")
    for key, lines in entries.items():
        if key not in used:
            errors.append(f"{LIST}: no page has the command '{key}' any more")
        for line in lines:
            by = re.fullmatch(r"by (\S+) in (\S+): (.+)", line)
            if by:
                file = root / by[2]
                if by[1] != "ci" and by[1] not in tests:
                    errors.append(f"{LIST}: there is no test {by[1]}")
                if not file.is_file() or by[3] not in file.read_text():
                    errors.append(f"{LIST}: {by[2]} has no '{by[3]}'")
            elif not re.fullmatch(r"- none: \S.+", line):
                errors.append(f"{LIST}: cannot read '{line}'")
    return to_run, errors


class Sandbox:
    """A copy of the repository that builds nothing, a service, a database."""

    def __init__(self, root, binary):
        self.root = root
        self.dir = pathlib.Path(tempfile.mkdtemp())
        # Servers that run as another user look into it.
        self.dir.chmod(0o711)
        self.repo = self.dir / "turnout"
        self.bin = self.dir / "bin"
        (self.repo / "script").mkdir(parents=True)
        (self.repo / "build").mkdir()
        self.bin.mkdir()
        for path in root.iterdir():
            if path.name not in ("script", "build", "data", ".git"):
                (self.repo / path.name).symlink_to(path)
        for path in (root / "script").iterdir():
            (self.repo / "script" / path.name).symlink_to(path)
        for name in ("build", "bootstrap"):
            self.stub(self.repo / "script" / name, "exit 0")
        (self.repo / "build/release").symlink_to(binary.parent)
        (self.bin / "turnout").symlink_to(binary)
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith(("TURNOUT_", "PG"))}
        self.env["PATH"] = f"{self.bin}:{self.env['PATH']}"
        self.service = None
        self.has_database = False

    @staticmethod
    def stub(path, text):
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def start_service(self):
        """As README says."""
        out = self.dir / "out"
        self.service = subprocess.Popen(
            ["script/server", "--listen", "127.0.0.1:0", "--operator-listen",
             "127.0.0.1:0"], cwd=self.repo, env=self.env, stdout=out.open("w"),
            stderr=(self.dir / "log").open("w"))
        pattern = r"(?m)^listening public=(\S+) operator=(\S+)"
        end = time.monotonic() + PATIENCE
        while not re.search(pattern, out.read_text()):
            if self.service.poll() is not None or time.monotonic() > end:
                raise SystemExit("script/server does not come up:\n"
                                 + (self.dir / "log").read_text())
            time.sleep(0.05)
        text = out.read_text()
        self.public, self.operator = re.search(pattern, text).groups()
        self.key = re.search(r"API key +(\S+)", text)[1]
        self.password = re.search(r"password +(\S+)", text)[1]
        self.stub(self.bin / "pidof", f"echo {self.service.pid}")

    def start_database(self):
        """PostgreSQL, whose user turnout is for the page to make."""
        dsn = subprocess.run(
            [str(self.root / "script/postgresql"), "start", str(self.dir / "pg")],
            check=True, capture_output=True, text=True).stdout
        self.has_database = True
        port = re.search(r"port=(\d+)", dsn)[1]
        self.env.update(PGHOST="127.0.0.1", PGPORT=port, PGDATABASE="postgres")
        for user, sql in (("turnout", "CREATE ROLE admin SUPERUSER LOGIN"),
                          ("admin", "ALTER ROLE turnout RENAME TO first")):
            subprocess.run(["psql", "-X", "-q", "-c", sql], check=True,
                           env=dict(self.env, PGUSER=user))
        self.env["PGUSER"] = "admin"

    def run(self, page, blocks):
        text = "\n".join("\n".join(x.lines) for x in blocks) + "\n"
        if re.search(r"\b(createuser|createdb|pg_dump)\b", text):
            self.start_database()
        for old, new in (("http://127.0.0.1:8080", self.public),
                         ("http://127.0.0.1:9464", self.operator),
                         ("svc_sk_...", self.key),
                         ('"password": "..."', f'"password": "{self.password}"')):
            text = text.replace(old, new)
        prelude = (f"API={self.public}/api/v1/public S={self.public} "
                   f"OP={self.operator} KEY={self.key}\n")
        script = self.dir / "commands"
        script.write_text(prelude + text)
        done = subprocess.run(
            ["bash", "-euxo", "pipefail", str(script)], cwd=self.repo,
            env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=600)
        if done.returncode != 0:
            print(done.stdout)
            raise SystemExit(f"the commands of {page} fail, see above")
        print(f"ok: {page}: {sum(len(commands(x)) for x in blocks)} commands")

    def stop(self):
        if self.service and self.service.poll() is None:
            self.service.send_signal(signal.SIGTERM)
            self.service.wait(30)
        if self.has_database:
            subprocess.run([str(self.root / "script/postgresql"), "stop",
                            str(self.dir / "pg")], check=False)
        if (self.repo / "build/cluster").exists():
            subprocess.run(["script/cluster", "remove"], cwd=self.repo,
                           env=self.env, check=False)
        shutil.rmtree(self.dir, ignore_errors=True)


def main(args):
    list_only = "--list" in args
    args = [x for x in args if x != "--list"]
    if not args or (len(args) < 2 and not list_only):
        print(__doc__)
        return 2
    root = pathlib.Path(args[0]).resolve()
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    from contract_checklist_test import read_tests
    to_run, errors = check(root, read_tests(root / "tests"))
    for x in errors:
        print(f"wrong: {x}")
    if errors or list_only:
        return 1 if errors else 0
    for page, blocks in to_run.items():
        box = Sandbox(root, pathlib.Path(args[1]).resolve())
        try:
            box.start_service()
            box.run(page, blocks)
        finally:
            box.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
