#!/usr/bin/env python3
"""Has a real Prometheus watch two nodes, through a fault and its end.

Usage: run.py <turnout binary> <country database>

One node is on SQLite, one on PostgreSQL (that of TURNOUT_TEST_POSTGRESQL, or one
of its own). Both are under load. While all is well every panel and every rule must
find series, and nothing may fire. Then the stores are broken: exactly the alerts
that follow must fire, each for its node, and all must be quiet once the stores are
back. In the rules a minute takes two seconds, see prometheus.py.
"""

import json
import os
import pathlib
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

from load import Load, raise_rate_limit, touch_everything, wait_for
from node import Api, Node
from prometheus import Prometheus

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Of these alerts it is the machine that decides: a loaded one is slow.
BY_THE_MACHINE = {"TurnoutRedirectsSlow"}

# Counted only in faults that this test does not make.
MAY_STAY_ZERO = {
    'turnout_redirects_total{outcome="unavailable"}',
    "turnout_http_requests_refused_total",
    'turnout_http_accept_pauses_total{reason="limit"}',
    'turnout_http_accept_pauses_total{reason="error"}',
    "turnout_exports_running", "turnout_exports_refused_total",
    'turnout_sign_ins_total{result="refused"}', "turnout_sign_in_queue_calls",
    'turnout_jwks_fetches_total{result="ok"}',
    'turnout_jwks_fetches_total{result="error"}', "turnout_jwks_waiting_calls",
    "turnout_drain_orphans_total", "turnout_actor_restarts_total",
    "turnout_store_queue_calls", "turnout_store_refused_total",
    "turnout_links_passivated_total", "turnout_drain_lag_seconds",
    "turnout_http_requests_in_flight"}

failures = []


def expect(right, what):
    if not right:
        failures.append(what)


def say(what):
    print(f"{time.monotonic() - began:6.1f} s  {what}", flush=True)


def run(*command, **options):
    return subprocess.run(list(map(str, command)), check=True, text=True,
                          capture_output=True, **options).stdout.strip()


def free_port():
    with socket.socket() as x:
        x.bind(("127.0.0.1", 0))
        return x.getsockname()[1]


def write_fresh_database(source, target):
    """Copies a country database and has it built now, so that no day comes on
    which the test finds it old."""
    content = source.read_bytes()
    mark = content.rindex(b"\xab\xcd\xefMaxMind.com")
    key = content.index(b"build_epoch", mark) + len(b"build_epoch")
    # A number of the type uint64, of which the lower bits tell the length.
    size = content[key] & 0x1F
    now = int(time.time()).to_bytes(size, "big")
    target.write_bytes(content[:key + 2] + now + content[key + 2 + size:])


class Database:
    """A database of PostgreSQL, of a server that is there or its own."""

    def __init__(self, directory):
        self.own = None
        self.server = os.environ.get("TURNOUT_TEST_POSTGRESQL")
        if not self.server:
            self.own = directory / "postgresql"
            self.server = run(ROOT / "script" / "postgresql", "start", self.own)
        self.name = f"test_live_{os.getpid()}"
        self.run(f"CREATE DATABASE {self.name} TEMPLATE template0")
        self.dsn = f"{self.server} dbname={self.name}"

    def run(self, *statements):
        for x in statements:
            run("psql", self.server, "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", x)

    def take_away(self):
        self.run(f"ALTER DATABASE {self.name} ALLOW_CONNECTIONS false",
                 "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                 f"WHERE datname = '{self.name}'")

    def give_back(self):
        self.run(f"ALTER DATABASE {self.name} ALLOW_CONNECTIONS true")

    def drop(self):
        self.run(f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)")
        if self.own:
            run(ROOT / "script" / "postgresql", "stop", self.own)


def panel_expressions():
    """Every expression of every dashboard, with its place."""
    for file in sorted((ROOT / "monitoring" / "grafana").glob("*.json")):
        for panel in json.loads(file.read_text())["panels"]:
            for target in panel["targets"]:
                expression = target["expr"]
                for name, value in {"$__rate_interval": "10s", "$__range": "1m",
                                    "$job": "turnout",
                                    "$instance": ".*"}.items():
                    expression = expression.replace(name, value)
                assert "$" not in expression, expression
                yield f"{file.stem}: {panel['title']}", expression


def selectors(expression):
    """The series that an expression asks for."""
    plain = re.sub(r"\b(by|on)\s*\([^)]*\)", " ", expression)
    for found in re.finditer(r"([a-z_]\w*:?[\w:]*)(\{[^}]*\})?(?![\w(:\s]*\()",
                             plain):
        if ":" in found[1] or re.match(r"up\b|turnout_|process_", found[1]):
            yield found[0].strip()


def check_panels(prometheus):
    panels = list(panel_expressions())
    for place, expression in panels:
        try:
            wait_for(lambda: prometheus.query(expression), 20)
        except RuntimeError as err:
            expect(False, f"{place}: {err}: {expression}")
    say(f"{len(panels)} expressions of panels have series")


def check_rules(prometheus):
    for rule in prometheus.rules():
        name = rule["name"]
        if rule["type"] == "recording":
            expect(prometheus.query(name), f"{name} is not recorded")
        expect(rule["health"] == "ok", f"{name}: {rule.get('lastError')}")
    say(f"{len(prometheus.rules())} rules evaluate")


def check_selectors(prometheus):
    asked = 0
    for rule in prometheus.rules():
        name = rule["name"]
        found = set(selectors(rule["query"]))
        expect(found, f"{name}: asks for nothing")
        for x in found:
            asked += 1
            # What is not a number is data too: 0 of 0 visits.
            expect(prometheus.get("query", query=x)["result"],
                   f"{name}: there is no {x}")
    say(f"{asked} selectors of rules have series")


def relevant(alerts):
    return {x for x in alerts if x[0] not in BY_THE_MACHINE}


def check_firing(prometheus, wanted, when):
    """Waits until these alerts fire, and no other one."""
    before = relevant(prometheus.firing())

    def firing():
        nonlocal before
        now = relevant(prometheus.firing())
        for x in sorted(now ^ before, key=str):
            say(f"  {x[0]} {'fires' if x in now else 'ends'}")
        before = now
        return now
    try:
        wait_for(lambda: firing() == wanted, 120)
    except RuntimeError:
        expect(False, f"{when}: {sorted(firing(), key=str)} fire, not "
               f"{sorted(wanted, key=str)}")
    say(f"{when}: {sorted(x[0] for x in wanted) or 'nothing'} fires")


def check_exposition(node):
    text = node.metrics()
    lint = subprocess.run(["promtool", "check", "metrics"], input=text,
                          text=True, capture_output=True)
    expect(lint.returncode == 0, "promtool check metrics: "
           + lint.stdout + lint.stderr)
    for secret in (node.key, node.key[:11], node.password, "touch-all",
                   "clear-case", "admin@localhost", "example.com", "127.0.0.1",
                   str(node.directory)):
        expect(secret not in text, f"{secret} is in the metrics")
    names = set(re.findall(r"^# TYPE (\w+ \w+)$", text, re.M))
    golden = {x for x in
              (ROOT / "tests/monitoring/metric_names.txt").read_text()
              .splitlines() if not x.startswith("#")}
    expect(names == golden, f"other metrics than in metric_names.txt: "
           f"{names ^ golden}")


def check_touched(nodes):
    """Sees that the load left no metric at 0 on all nodes."""
    touched = set()
    seen = set()
    for node in nodes:
        for line in node.metrics().splitlines():
            if line.startswith("#") or "_bucket{" in line:
                continue
            series, value = line.rsplit(" ", 1)
            seen.add(series)
            if float(value) != 0:
                touched.add(series)
    for series in seen - touched - MAY_STAY_ZERO:
        expect(False, f"{series} is 0 on all nodes")


def check_runbook(node):
    """Runs what the runbook has one look at first."""
    page = (ROOT / "docs" / "runbook.md").read_text()
    block = re.search(r"```sh\n(.*?)```", page, re.S)[1]
    address = f"OP=http://{node.operator}"
    script = block.replace("OP=http://127.0.0.1:9464", address)
    expect(address in script, "docs/runbook.md: does not set OP")
    shown = run("bash", "-euo", "pipefail", "-c", script)
    expect(shown.startswith("okok") and "turnout_store_up 1" in shown,
           f"docs/runbook.md: the first look shows {shown}")


def check_setup(directory):
    """Runs what docs/metrics.md has one set up, on a port of its own."""
    page = (ROOT / "docs" / "metrics.md").read_text()
    command = re.search(r"^prometheus .*", page, re.M)[0]
    port = free_port()
    with open(directory / "setup.log", "wb") as log:
        process = subprocess.Popen(
            ["bash", "-c", f"exec {command} --storage.tsdb.path={directory}/"
             f"setup --web.listen-address=127.0.0.1:{port}"],
            cwd=ROOT, stdout=log, stderr=log)
    try:
        as_shipped = Prometheus.at(port)
        wait_for(as_shipped.is_ready)
        wait_for(as_shipped.rules)

        def targets():
            return as_shipped.get("targets")["activeTargets"]
        wait_for(targets)
        jobs = {x["labels"]["job"] for x in targets()}
        expect(jobs == {"turnout"}, f"prometheus.yml: the jobs are {jobs}")
        expect({x["type"] for x in as_shipped.rules()}
               == {"alerting", "recording"},
               "prometheus.yml: does not load both files of rules")
    finally:
        process.terminate()
        process.wait()


def watch(prometheus, nodes, loads, database, directory):
    on_sqlite, on_postgresql = nodes
    check_setup(directory)
    wait_for(prometheus.is_ready)
    wait_for(lambda: len(prometheus.query("up == 1")) == 2)
    wait_for(lambda: prometheus.query(
        "count_over_time(turnout_build_info[1h]) > 10"))
    # Before its first look at the nodes Prometheus takes them for absent.
    check_firing(prometheus, set(), "all is well")
    begin = time.time()
    check_rules(prometheus)
    check_panels(prometheus)
    for node in nodes:
        check_exposition(node)
    check_runbook(on_sqlite)
    ever = relevant(prometheus.ever_fired(begin))
    expect(not ever, f"{ever} fired though all was well")

    say("the stores break")
    wanted = {
        # Locked: it can be read, but not changed.
        ("TurnoutEventsLate", on_sqlite.operator),
        ("TurnoutApiErrors", on_sqlite.operator),
        # Gone, and the journal is small.
        ("TurnoutStoreDown", on_postgresql.operator),
        ("TurnoutJournalFilling", on_postgresql.operator),
        ("TurnoutClicksLost", on_postgresql.operator)}
    lock = sqlite3.connect(on_sqlite.directory / "data" / "turnout.db",
                           timeout=60, isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    database.take_away()
    check_firing(prometheus, wanted, "while the stores are broken")
    check_selectors(prometheus)
    check_touched(nodes)
    lock.execute("ROLLBACK")
    lock.close()
    database.give_back()
    say("the stores are whole again")
    check_firing(prometheus, set(), "after the stores are back")
    for x in loads:
        x.close()
        expect(set(x.visits) == {302},
               f"{x.slug}: visits were answered {x.visits}")
    ever = relevant(prometheus.ever_fired(begin))
    expect(ever == wanted, f"{ever ^ wanted} fired too, or never")
    check_lost(on_postgresql, loads[1])

    on_postgresql.kill()
    check_firing(prometheus, {("TurnoutDown", on_postgresql.operator)},
                 "while a node is dead")
    on_postgresql.start()
    check_firing(prometheus, set(), "after it is started again")


def check_lost(node, load):
    """What the metric says is lost is what the counts lack."""
    made = load.visits[302]
    lost = node.value("turnout_clicks_lost_total")
    expect(lost > 0, "no click was lost")
    api = Api(node)

    def counted():
        page = api.call("GET", f"/links/{load.id}/analytics").json()
        return page["total_clicks"]
    try:
        wait_for(lambda: counted() == made - lost)
    except RuntimeError:
        expect(False, f"{made} visits less {lost} lost are not {counted()}")
    say(f"{made} visits, {lost:.0f} lost, {counted()} counted")


def main():
    binary, countries = sys.argv[1:]
    directory = pathlib.Path(tempfile.mkdtemp(prefix="turnout-live-"))
    # A server of PostgreSQL may run as another user.
    directory.chmod(0o711)
    running = []
    try:
        write_fresh_database(pathlib.Path(countries), directory / "geo.mmdb")
        common = {"TURNOUT_GEO_DATABASE": str(directory / "geo.mmdb"),
                  "TURNOUT_RATE_LIMIT_BAD_KEYS_PER_MINUTE": "5",
                  "TURNOUT_HTTP_REACTORS": "1",
                  # Of those who wait for a lock none holds up the others.
                  "TURNOUT_STORAGE_WORKERS": "8"}
        database = Database(directory)
        running.append(database.drop)
        nodes = [
            Node(binary, directory / "sqlite", common),
            Node(binary, directory / "postgresql", {
                **common, "TURNOUT_STORAGE_PLUGIN": "postgresql",
                "TURNOUT_STORAGE_DSN": database.dsn,
                "TURNOUT_JOURNAL_MAX_BYTES": str(4 << 20)})]
        for x in nodes:
            x.start()
            running.append(x.stop)
            raise_rate_limit(x)
        touch_everything(nodes[0])
        loads = [Load(nodes[0], "load-0", signing_in=4),
                 Load(nodes[1], "load-1")]
        say("the nodes are under load")
        prometheus = Prometheus(
            directory / "prometheus",
            sorted((ROOT / "monitoring" / "prometheus").glob("*.rules.yml")),
            [x.operator for x in nodes], free_port())
        running.append(prometheus.stop)
        watch(prometheus, nodes, loads, database, directory)
    finally:
        for stop in reversed(running):
            stop()
        if failures or sys.exc_info()[0]:
            for log in sorted(directory.glob("*/log")):
                print(f"--- {log}\n{log.read_text()[-4000:]}")
        shutil.rmtree(directory, ignore_errors=True)
    say(f"{len(failures)} failures")
    for x in failures:
        print(x)
    return 1 if failures else 0


began = time.monotonic()

if __name__ == "__main__":
    sys.exit(main())
