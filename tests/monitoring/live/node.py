"""The service under test: the real binary, on free ports."""

import http.client
import json
import os
import pathlib
import re
import subprocess
import threading
import urllib.parse

BROWSER = ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like "
           "Gecko) Chrome/120.0.0.0 Safari/537.36")


def clean_environment(settings):
    """The environment without settings of whoever runs the tests."""
    result = {k: v for k, v in os.environ.items()
              if not k.startswith("TURNOUT_")}
    result.update(settings)
    return result


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    def json(self):
        return json.loads(self.body)


class Connection:
    """A connection that is kept open; for one thread."""

    def __init__(self, address):
        self.http = http.client.HTTPConnection(address, timeout=60)

    def send(self, method, path, body=None, headers=None):
        data = None if body is None else json.dumps(body)
        for last_try in (False, True):
            try:
                self.http.request(method, path, data,
                                  {"User-Agent": BROWSER, **(headers or {})})
                return Answer(self.http.getresponse())
            except (http.client.HTTPException, OSError):
                # The service closes connections that are idle for long.
                self.http.close()
                if last_try:
                    raise

    def close(self):
        self.http.close()


class Node:
    """A process of the service and the account of its first start."""

    def __init__(self, binary, directory, settings):
        self.binary = binary
        self.directory = pathlib.Path(directory)
        self.settings = settings
        self.public = self.operator = "127.0.0.1:0"
        self.password = self.key = None

    def start(self):
        self.directory.mkdir(exist_ok=True)
        with open(self.directory / "log", "ab") as log:
            self.process = subprocess.Popen(
                [self.binary, "serve", "--data-dir", self.directory / "data",
                 "--listen", self.public, "--operator-listen", self.operator],
                env=clean_environment(self.settings), stdout=subprocess.PIPE,
                stderr=log, text=True)
        for line in self.process.stdout:
            if found := re.search(r"password +(\S+)", line):
                self.password = found[1]
            if found := re.search(r"API key +(\S+)", line):
                self.key = found[1]
            if found := re.search(r"listening public=http://(\S+) "
                                  r"operator=http://(\S+)", line):
                self.public, self.operator = found[1], found[2]
                # Nobody else reads what comes after.
                threading.Thread(target=self.process.stdout.read,
                                 daemon=True).start()
                return
        raise RuntimeError("the service did not start:\n" + self.log())

    def log(self):
        return (self.directory / "log").read_text()

    def run(self, *arguments, given=None):
        """Runs a command of the service on its data; what it printed."""
        result = subprocess.run(
            [self.binary, *arguments, "--data-dir", self.directory / "data"],
            env=clean_environment(self.settings), capture_output=True,
            text=True, input=given)
        if result.returncode != 0:
            raise RuntimeError(f"{arguments} failed: {result.stderr}")
        return result.stdout.strip()

    def metrics(self):
        connection = Connection(self.operator)
        try:
            return connection.send("GET", "/metrics").body.decode()
        finally:
            connection.close()

    def value(self, series):
        """The value of a series as it stands in the exposition."""
        for line in self.metrics().splitlines():
            if line.startswith(series + " "):
                return float(line.rsplit(" ", 1)[1])
        raise RuntimeError(f"there is no {series}")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Api:
    """Calls of one account; for one thread."""

    def __init__(self, node, key=None):
        self.connection = Connection(node.public)
        self.headers = {"X-API-Key": key or node.key}

    def call(self, method, path, body=None, headers=None):
        return self.connection.send(method, "/api/v1/public" + path, body,
                                    {**self.headers, **(headers or {})})

    def make_link(self, slug, **fields):
        answer = self.call("POST", "/links", {
            "name": slug, "slug": slug, "variants": [
                {"label": "A", "weight": 50,
                 "destination_url": "https://a.example/"},
                {"label": "B", "weight": 50,
                 "destination_url": "https://b.example/"}], **fields})
        if answer.status != 201:
            raise RuntimeError(f"no link: {answer.status} {answer.body}")
        return answer.json()


def sticky_cookie(answer):
    return (answer.headers["Set-Cookie"] or "").split(";")[0]


def query_of(**values):
    return "?" + urllib.parse.urlencode(values)
