#!/usr/bin/env python3
"""Holds the rules, dashboards, runbook and list of metrics to each other.

Usage: shipped_test.py [<root of the repository>]

No service runs: what the rules and dashboards find in a real one is for
live_test.py.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 \
    else pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "monitoring" / "prometheus"
GRAFANA = ROOT / "monitoring" / "grafana"

# Metrics that Prometheus itself makes.
OWN_OF_PROMETHEUS = {"up"}

# Units of Grafana that the dashboards may use.
UNITS = {"short", "s", "bytes", "ops", "reqps", "percentunit"}

# What each section of the runbook answers.
QUESTIONS = ["*Meaning:*", "*What users notice:*", "*How to look:*",
             "*What to do:*", "*How to see that it is over:*"]

problems = []


def check(right, problem):
    if not right:
        problems.append(problem)


def metrics_in(text):
    """The names of metrics in an expression or a page."""
    return set(re.findall(r"(?<![\w:])(?:turnout|process)_[a-z_]+"
                          r"(?:_total|_seconds|_bytes|_events|_calls|_info|_fds"
                          r"|_threads|_loaded|_limit|_open|_running|_slugs"
                          r"|_active|_flight|_up)"
                          r"(?:_bucket|_sum|_count)?(?![\w:])", text))


def selectors_in(expression):
    """Every name in an expression that can only be that of a series."""
    code = re.sub(r'"[^"]*"|\{[^}]*\}|\[[^]]*\]', " ", expression)
    code = re.sub(r"\b(?:by|on|without|ignoring)\s*\([^)]*\)", " ", code)
    words = re.findall(r"[a-zA-Z_:][\w:]*(?!\w|:|\s*\()", code)
    return {w for w in words
            if w not in {"and", "or", "unless", "by", "on", "le", "e"}}


def read_golden():
    """Names with their types."""
    text = (ROOT / "tests/monitoring/metric_names.txt").read_text()
    return dict(line.split() for line in text.splitlines()
                if line and not line.startswith("#"))


def series_of(golden):
    """Every name that the exposition of these metrics has."""
    result = set()
    for name, kind in golden.items():
        if kind == "histogram":
            result |= {name + x for x in ("_bucket", "_sum", "_count")}
        else:
            result.add(name)
    return result


def check_page_of_metrics(golden):
    text = (ROOT / "docs" / "metrics.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \|", text, re.M)
    check(len(rows) == len(dict(rows)), "docs/metrics.md: a metric twice")
    for name in golden.keys() | dict(rows).keys():
        check(golden.get(name) == dict(rows).get(name),
              f"docs/metrics.md: {name} is {dict(rows).get(name)} there, "
              f"and {golden.get(name)} in metric_names.txt")


def check_names_in_pages(golden, known):
    for page in [*(ROOT / "docs").glob("*.md"), ROOT / "README.md"]:
        for name in metrics_in(page.read_text()):
            check(name in known or name in golden,
                  f"{page.name}: there is no metric {name}")


def read_rules():
    """Alerts and recorded names, each with its expression."""
    alerts, recorded = {}, {}
    for file in sorted(RULES.glob("*.rules.yml")):
        for group in yaml.safe_load(file.read_text())["groups"]:
            for rule in group["rules"]:
                target = alerts if "alert" in rule else recorded
                name = rule.get("alert") or rule["record"]
                check(name not in target, f"{name}: twice")
                target[name] = rule
    return alerts, recorded


def check_rules(alerts, recorded, known):
    for name, rule in {**alerts, **recorded}.items():
        used = selectors_in(rule["expr"])
        check(used, f"{name}: asks for no series")
        for x in used - known - set(recorded) - OWN_OF_PROMETHEUS:
            check(False, f"{name}: there is no metric {x}")
    for name in recorded:
        check(re.fullmatch(r"\w+:\w+:\w+", name),
              f"{name}: is not level:metric:operation")


def check_alerts(alerts):
    runbook = (ROOT / "docs" / "runbook.md").read_text()
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", runbook,
                               re.M | re.S))
    check(sections.keys() == alerts.keys(),
          f"docs/runbook.md: {sections.keys() ^ alerts.keys()} are not both an "
          "alert and a section")
    for name, alert in alerts.items():
        severity = alert["labels"]["severity"]
        check(severity in ("critical", "warning"), f"{name}: {severity}?")
        notes = alert["annotations"]
        for key in ("summary", "description"):
            check(notes.get(key), f"{name}: has no {key}")
        check(notes["runbook_url"] == f"docs/runbook.md#{name.lower()}",
              f"{name}: {notes['runbook_url']} is not its section")
        section = sections.get(name, "")
        for question in QUESTIONS:
            check(section.count(question) == 1,
                  f"docs/runbook.md: {name} lacks {question}")
        check(section.strip().startswith("**Critical.**")
              == (severity == "critical"),
              f"docs/runbook.md: {name} does not say that it is {severity}")
    for anchor in re.findall(r"\]\(#(\w+)\)", runbook):
        check(anchor in map(str.lower, alerts),
              f"docs/runbook.md: nothing is at #{anchor}")


def run(*command, cwd=ROOT):
    result = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    check(result.returncode == 0,
          f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}")


def check_with_promtool(alerts):
    run("promtool", "check", "config", RULES / "prometheus.yml")
    run("promtool", "check", "rules", *sorted(RULES.glob("*.rules.yml")))
    tests = ROOT / "tests" / "monitoring" / "alerts_test.yml"
    fires, quiet = set(), set()
    for test in yaml.safe_load(tests.read_text())["tests"]:
        for case in test["alert_rule_test"]:
            (fires if case["exp_alerts"] else quiet).add(case["alertname"])
    for name in alerts:
        check(name in fires, f"alerts_test.yml: {name} never fires")
        check(name in quiet, f"alerts_test.yml: {name} is never quiet")
    with tempfile.TemporaryDirectory() as directory:
        for file in RULES.glob("*.rules.yml"):
            rules = yaml.safe_load(file.read_text())
            for group in rules["groups"]:
                for rule in group["rules"]:
                    rule.pop("annotations", None)
            (pathlib.Path(directory) / file.name).write_text(yaml.dump(rules))
        (pathlib.Path(directory) / "test.yml").write_text(tests.read_text())
        run("promtool", "test", "rules", "test.yml", cwd=directory)


def check_dashboard(file, recorded, known):
    board = json.loads(file.read_text())
    where = f"{file.name}: "
    check(board["uid"] == f"turnout-{file.stem}", where + "has another uid")
    check(board["title"].startswith("Turnout: "), where + "has no title")
    check("id" not in board, where + "has an id, so it cannot be provisioned")
    variables = {x["name"]: x for x in board["templating"]["list"]}
    check(list(variables) == ["datasource", "job", "instance"],
          where + "has other variables")
    check(variables["datasource"]["type"] == "datasource",
          where + "does not ask for the data source")
    taken, ids, titles = set(), set(), set()
    for panel in board["panels"]:
        title = panel["title"]
        name = f"{where}{title}: "
        check(title and title not in titles, name + "is no title of its own")
        titles.add(title)
        check(panel["id"] not in ids, name + "has another's id")
        ids.add(panel["id"])
        check(panel["description"].endswith("."), name + "is not described")
        check(panel["fieldConfig"]["defaults"]["unit"] in UNITS,
              name + "has no unit that is known")
        box = panel["gridPos"]
        check(box["x"] + box["w"] <= 24, name + "is out of the grid")
        cells = {(x, y) for x in range(box["x"], box["x"] + box["w"])
                 for y in range(box["y"], box["y"] + box["h"])}
        check(not cells & taken, name + "lies over another")
        taken |= cells
        check(panel["targets"], name + "shows nothing")
        for target in panel["targets"]:
            expression = target["expr"]
            for source in (panel["datasource"], target["datasource"]):
                check(source["uid"] == "${datasource}",
                      name + "has a data source of its own")
            for labels in re.findall(r"\{([^}]*)\}", expression):
                check('job=~"$job", instance=~"$instance"' in labels,
                      name + "is not about the nodes that were chosen")
            used = selectors_in(expression)
            check(used, name + "asks for no series")
            for x in used - known - set(recorded) - OWN_OF_PROMETHEUS:
                check(False, f"{name}there is no metric {x}")
    return {x for panel in board["panels"] for target in panel["targets"]
            for x in selectors_in(target["expr"])}


def check_dashboards(golden, recorded, known):
    files = {x.name: x for x in GRAFANA.glob("*.json")}
    shown = set()
    for file in files.values():
        shown |= check_dashboard(file, recorded, known)
    for name in golden:
        check(shown & {name, name + "_bucket", name + "_sum"},
              f"{name} is on no dashboard")
    with tempfile.TemporaryDirectory() as directory:
        run(sys.executable, ROOT / "script" / "generate-dashboards.py",
            directory)
        made = {x.name: x for x in pathlib.Path(directory).glob("*.json")}
        check(made.keys() == files.keys(),
              "monitoring/grafana has other files than "
              "script/generate-dashboards.py makes")
        for name in made.keys() & files.keys():
            check(made[name].read_text() == files[name].read_text(),
                  f"{name} is not what script/generate-dashboards.py makes")


def main():
    golden = read_golden()
    known = series_of(golden)
    alerts, recorded = read_rules()
    check_page_of_metrics(golden)
    check_names_in_pages(golden, known)
    check_rules(alerts, recorded, known)
    check_alerts(alerts)
    check_with_promtool(alerts)
    check_dashboards(golden, recorded, known)
    for x in problems:
        print(x, file=sys.stderr)
    print(f"{len(golden)} metrics, {len(alerts)} alerts, {len(recorded)} "
          f"recorded series: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
