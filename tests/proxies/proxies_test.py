#!/usr/bin/env python3
"""Runs a proxy with the file that docs/proxies.md shows before the real binary
and checks over TLS what the page promises.

Usage: proxies_test.py <turnout binary> <root of the repository> nginx|haproxy|caddy

Only ports, the paths of the certificate and Turnout's address are substituted.
Between proxy and service stands a relay that counts connections and keeps what
was sent.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

# Loopback addresses that are not trusted: the visitor's as the proxy sees it.
VISITOR = "127.5.6.7"
NAME = "go.example"
PATIENCE = 60  # seconds


class Relay:
    """Hands bytes on between the proxy and the service."""

    def __init__(self, port):
        self.port = port
        self.connections = 0
        self.sent = b""  # by the proxy
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.accept, daemon=True).start()

    def address(self):
        return "127.0.0.1:%d" % self.listener.getsockname()[1]

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            with self.lock:
                self.connections += 1
            service = socket.create_connection(("127.0.0.1", self.port))
            for pair in ((client, service, True), (service, client, False)):
                threading.Thread(target=self.pump, args=pair, daemon=True).start()

    def pump(self, source, target, keep):
        try:
            while data := source.recv(65536):
                if keep:
                    with self.lock:
                        self.sent += data
                target.sendall(data)
        except OSError:
            pass
        # Half of a connection that ends is all of it, as for both programs.
        for x in (source, target):
            try:
                x.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def take(self):
        with self.lock:
            result, self.sent = self.sent, b""
        return result.decode("latin-1")


def free_port():
    with socket.socket() as x:
        x.bind(("127.0.0.1", 0))
        return x.getsockname()[1]


def wait_for(what, condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("%s did not come" % what)
        time.sleep(0.05)


def check(holds, what):
    if not holds:
        raise SystemExit("does not hold: %s" % what)
    print("ok:", what)


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as x:
            x.bind(("::1", 0))
        return True
    except OSError:
        return False


class Answer:
    def __init__(self, text, version, status):
        self.version = version
        self.status = int(status)
        # Of interim answers, such as 100, nothing is kept.
        head, _, self.body = text.partition("\r\n\r\n")
        while re.match(r"HTTP/[\d.]+ 1\d\d", head):
            head, _, self.body = self.body.partition("\r\n\r\n")
        self.headers = {}
        for line in head.split("\r\n")[1:]:
            name, _, value = line.partition(":")
            self.headers[name.lower()] = value.strip()

    def json(self):
        return json.loads(self.body)


class Test:
    def __init__(self, binary, root, proxy):
        self.binary = os.path.abspath(binary)
        self.root = pathlib.Path(root)
        self.proxy = proxy
        self.dir = pathlib.Path(tempfile.mkdtemp())
        self.children = []
        self.https = free_port()
        self.http = free_port()

    def start(self, name, args, **options):
        out = open(self.dir / (name + ".out"), "w")
        child = subprocess.Popen(args, stdout=out, stderr=subprocess.STDOUT,
                                 cwd=self.dir, **options)
        self.children.append((name, child))
        return child

    def output(self, name):
        return (self.dir / (name + ".out")).read_text()

    def start_service(self):
        env = {k: v for k, v in os.environ.items() if not k.startswith("TURNOUT_")}
        env.update(TURNOUT_HTTP_SHORT_BASE="https://%s" % NAME,
                   TURNOUT_HTTP_BASE_URL="https://%s/api/v1" % NAME,
                   TURNOUT_HTTP_TRUSTED_PROXIES="127.0.0.1",
                   TURNOUT_JOURNAL_DRAIN_INTERVAL_MS="50")
        child = self.start("turnout", [
            self.binary, "serve", "--data-dir", str(self.dir / "data"), "--listen",
            "127.0.0.1:0", "--operator-listen", "127.0.0.1:0"], env=env)
        pattern = r"^listening public=http://127\.0\.0\.1:(\d+) operator=(\S+)"
        wait_for("the service", lambda: child.poll() is not None
                 or re.search(pattern, self.output("turnout"), re.M))
        out = self.output("turnout")
        self.relay = Relay(int(re.search(pattern, out, re.M)[1]))
        self.key = re.search(r"API key +(\S+)", out)[1]
        self.password = re.search(r"password +(\S+)", out)[1]

    def make_certificate(self):
        cert, key = self.dir / "fullchain.pem", self.dir / "privkey.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
             "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
             "/CN=" + NAME, "-addext", "subjectAltName=DNS:" + NAME, "-keyout",
             str(key), "-out", str(cert)], check=True, capture_output=True)
        (self.dir / "haproxy.pem").write_text(cert.read_text() + key.read_text())
        self.cert = cert

    def substituted(self, file):
        text = (self.root / "docs/proxies" / file).read_text()
        if not has_ipv6():
            text = re.sub(r"(?m)^.*\[::\].*\n", "", text)
        if os.geteuid() != 0:
            text = re.sub(r"(?m)^ *(user|group) .*\n", "", text)
        for pattern, port in ((r"\b443\b", self.https), (r"\b80\b", self.http)):
            text, n = re.subn(pattern, str(port), text)
            check(n > 0, "%s names port %s" % (file, pattern))
        text = text.replace("localhost:2019", "localhost:%d" % free_port())
        check("/etc/ssl/turnout/" in text, "%s names the certificate" % file)
        text = text.replace("/etc/ssl/turnout/", str(self.dir) + "/")
        check("127.0.0.1:8080" in text, "%s names the service" % file)
        text = text.replace("127.0.0.1:8080", self.relay.address())
        path = self.dir / file
        path.write_text(text)
        return str(path)

    def start_proxy(self):
        if self.proxy == "nginx":
            site = self.substituted("nginx.conf")
            main = self.dir / "main.conf"
            temp = "".join("  %s_temp_path %s/%s;\n" % (x, self.dir, x) for x in
                           ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
            # What Debian's own file has around, without its paths.
            user = "user root;\n" if os.geteuid() == 0 else ""
            main.write_text(
                "%sdaemon off;\npid %s/nginx.pid;\nerror_log stderr;\n"
                "worker_processes 1;\nevents {}\nhttp {\n  access_log off;\n"
                "%s  include %s;\n}\n" % (user, self.dir, temp, site))
            args = ["/usr/sbin/nginx", "-e", "stderr", "-c", str(main), "-p",
                    str(self.dir)]
        elif self.proxy == "haproxy":
            args = ["/usr/sbin/haproxy", "-db", "-f",
                    self.substituted("haproxy.cfg")]
        else:
            args = ["/usr/bin/caddy", "run", "--adapter", "caddyfile", "--config",
                    self.substituted("Caddyfile")]
        env = dict(os.environ, HOME=str(self.dir), XDG_DATA_HOME=str(self.dir),
                   XDG_CONFIG_HOME=str(self.dir))
        child = self.start(self.proxy, args, env=env)

        def ready():
            if child.poll() is not None:
                raise SystemExit("%s ended:\n%s" % (self.proxy,
                                                    self.output(self.proxy)))
            try:
                socket.create_connection(("127.0.0.1", self.https)).close()
                return True
            except OSError:
                return False

        wait_for(self.proxy, ready)

    def curl(self, path, *args, scheme="https"):
        port = self.https if scheme == "https" else self.http
        result = subprocess.run(
            ["curl", "-sS", "--http2", "--cacert", str(self.cert), "--interface",
             VISITOR, "--connect-to", "%s::127.0.0.1:%d" % (NAME, port),
             "--max-time", "60", "-i", "-w", "\n%{http_version} %{http_code}",
             "%s://%s%s" % (scheme, NAME, path), *args],
            capture_output=True)
        if result.returncode != 0:
            raise SystemExit("curl %s: %s\n%s" % (path, result.stderr.decode(),
                                                  self.output(self.proxy)))
        text, _, last = result.stdout.decode("latin-1").rpartition("\n")
        return Answer(text, *last.split())

    def api(self, path, *args):
        return self.curl("/api/v1/public" + path, "-H", "X-API-Key: " + self.key,
                         *args)

    def run(self):
        self.start_service()
        self.make_certificate()
        self.start_proxy()
        made = self.api("/links", "--json", json.dumps({
            "name": "x", "slug": "spring", "variants": [
                {"label": "A", "destination_url": "https://a.example/?x=%20y",
                 "weight": 100},
                {"label": "B", "destination_url": "https://b.example/",
                 "weight": 0}]}))
        check(made.status == 201 and made.version == "2",
              "a link is made over HTTP/2")
        link = made.json()
        check(link["short_url"] == "https://%s/spring" % NAME, "its address is ours")
        check(made.headers["x-ratelimit-limit"] == "1000"
              and "x-ratelimit-remaining" in made.headers
              and "x-ratelimit-reset" in made.headers, "rate-limit headers pass")

        self.relay.take()
        visit = self.curl("/spring?utm=1", "-H", "X-Forwarded-For: 8.8.8.8",
                          "-H", "X-Real-IP: 8.8.8.8", "-H", "CF-IPCountry: US",
                          "-A", "Mozilla/5.0 Firefox/128.0")
        check(visit.status == 302 and visit.version == "2",
              "a visit over HTTP/2 gets its 302")
        check(visit.headers["location"] == "https://a.example/?x=%20y&utm=1",
              "the redirect is handed on as it is")
        check("secure" in visit.headers["set-cookie"].lower(),
              "the cookie is for https only")
        sent = self.relay.take()
        check(re.search(r"(?mi)^Host: %s(:\d+)?\r$" % re.escape(NAME), sent),
              "Host is kept")
        check(sent.startswith("GET /spring?utm=1 HTTP/1.1\r\n"),
              "the service is asked in HTTP/1.1")
        check("8.8.8.8" not in sent, "a claimed address is dropped")
        check(not re.search(r"(?mi)^CF-IPCountry: US", sent),
              "a claimed country is dropped")

        def click():
            items = self.api("/links/%s/clicks" % link["id"]).json()["items"]
            return items[0] if items else None

        wait_for("the click", click)
        check(click()["ip_address"] == "127.5.6.0", "the visitor's address is known")
        check(click()["country"] is None, "and is no other's")

        # Each curl is a new visitor with a connection of its own to the proxy.
        before = self.relay.connections
        for _ in range(40):
            check_visit = self.curl("/spring")
            if check_visit.status != 302:
                raise SystemExit("a visit got %d" % check_visit.status)
        opened = self.relay.connections - before
        check(opened <= 4, "connections are reused (40 visits opened %d)" % opened)

        unknown = self.api("/links/01890000-0000-7000-8000-000000000000")
        check(unknown.status == 404
              and unknown.json() == {"detail": "Link not found"},
              "errors pass in the service's words")
        check(self.curl("/nothing-here").status == 404, "an unknown slug is 404")
        check(self.curl("/api/v1/public/links").status == 401, "no key is 401")
        for size in (1_500_000, 5_000_000):
            body = self.dir / "body"
            body.write_text('{"name":"%s"}' % ("x" * size))
            large = self.api("/links", "--json", "@" + str(body))
            check(large.status == 413 and list(large.json()) == ["detail"],
                  "a body of %d bytes is 413 in the service's words" % size)
        session = self.curl("/auth/v1/token?grant_type=password", "-H", "apikey: x",
                            "--json", json.dumps({"email": "admin@localhost",
                                                  "password": self.password}))
        check(session.status == 200, "sign-in works")
        keys = self.curl("/api/v1/public/keys", "-H", "Authorization: Bearer "
                         + session.json()["access_token"])
        check(keys.status == 200, "and so does its session")
        pixel = self.curl("/c/%s.gif" % link["id"])
        check(pixel.status == 200 and pixel.headers["content-type"] == "image/gif",
              "the pixel passes")
        head = self.curl("/spring", "-I")
        check(head.status == 302, "HEAD passes")
        old = self.curl("/spring", "--http1.1")
        check(old.status == 302 and old.version == "1.1", "HTTP/1.1 works too")
        plain = self.curl("/spring?x=1", scheme="http")
        check(plain.status in (301, 308)
              and plain.headers["location"].startswith("https://%s" % NAME)
              and plain.headers["location"].endswith("/spring?x=1"),
              "http leads to https")
        wait_for("all visits", lambda: self.api(
            "/links/%s/clicks" % link["id"]).json()["total"] == 42)
        items = self.api("/links/%s/clicks" % link["id"]).json()["items"]
        check({x["ip_address"] for x in items} == {"127.5.6.0"},
              "every click has the visitor's address")

    def stop(self):
        for name, child in reversed(self.children):
            if child.poll() is None:
                child.send_signal(signal.SIGTERM)
                try:
                    child.wait(20)
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.wait()
        shutil.rmtree(self.dir, ignore_errors=True)


def main():
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    test = Test(*sys.argv[1:])
    try:
        test.run()
    except BaseException:
        for name, _ in test.children:
            print("--- %s\n%s" % (name, test.output(name)))
        raise
    finally:
        test.stop()


if __name__ == "__main__":
    main()
