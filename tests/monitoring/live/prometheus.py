"""A real Prometheus with the shipped rules, in which a minute takes two seconds."""

import json
import math
import pathlib
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

# How many times as fast as it is the clock of the rules runs.
SCALE = 30

UNITS = {"s": 1, "m": 60, "h": 3600}


def scaled(number, unit):
    return f"{max(1, round(int(number) * UNITS[unit] / SCALE))}s"


def scale_rules(text):
    """Shortens ranges, how long an alert must hold, and ages."""
    text = re.sub(r"\[(\d+)([smh])\]",
                  lambda x: f"[{scaled(x[1], x[2])}]", text)
    text = re.sub(r"(\bfor: )(\d+)([smh])\b",
                  lambda x: x[1] + scaled(x[2], x[3]), text)
    return re.sub(r"(_event_age_seconds > )(\d+)",
                  lambda x: f"{x[1]}{int(x[2]) / SCALE}", text)


class Prometheus:
    @classmethod
    def at(cls, port):
        """One that somebody else started."""
        result = cls.__new__(cls)
        result.url = f"http://127.0.0.1:{port}"
        return result

    def __init__(self, directory, rules, targets, port):
        self.url = f"http://127.0.0.1:{port}"
        directory = pathlib.Path(directory)
        directory.mkdir()
        for file in rules:
            (directory / file.name).write_text(scale_rules(file.read_text()))
        config = {
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s",
                       "evaluation_interval": "1s"},
            "rule_files": ["*.rules.yml"],
            "scrape_configs": [{
                "job_name": "turnout",
                "static_configs": [{"targets": targets}]}]}
        # YAML takes JSON.
        (directory / "prometheus.yml").write_text(json.dumps(config))
        self.log = open(directory / "log", "wb")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={directory}/prometheus.yml",
             f"--storage.tsdb.path={directory}/data",
             f"--web.listen-address=127.0.0.1:{port}"],
            stdout=self.log, stderr=self.log)

    def get(self, path, **query):
        address = f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as err:
            raise RuntimeError(f"{address}: {err.read().decode()}") from err

    def is_ready(self):
        try:
            urllib.request.urlopen(self.url + "/-/ready", timeout=5).close()
            return True
        except OSError:
            return False

    def query(self, expression):
        """The samples of an instant query that are numbers."""
        found = self.get("query", query=expression)["result"]
        return [x for x in found if not math.isnan(float(x["value"][1]))]

    def firing(self):
        """Pairs of an alert and the node it names."""
        return {(x["labels"]["alertname"], x["labels"].get("instance"))
                for x in self.get("alerts")["alerts"]
                if x["state"] == "firing"}

    def ever_fired(self, since):
        """Like firing, of all the time since a moment of time.time()."""
        seconds = max(1, int(time.time() - since))
        found = self.query(
            f'count_over_time(ALERTS{{alertstate="firing"}}[{seconds}s])')
        return {(x["metric"]["alertname"], x["metric"].get("instance"))
                for x in found}

    def rules(self):
        return [rule for group in self.get("rules")["groups"]
                for rule in group["rules"]]

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()
