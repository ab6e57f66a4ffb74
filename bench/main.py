"""Measures the service and what could be used instead; script/bench runs it."""

import argparse
import contextlib
import datetime
import json
import os
import pathlib
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time

from contenders import (BENCH, Failure, Nginx, NginxLuaRedis, Turnout,
                        program, stolen_share, stolen_so_far)
from report import compare, print_rows

ROOT = BENCH.parent
SEPARATOR = b"\x1e"


def read_lines(name):
    return (BENCH / "data" / name).read_text().splitlines()


# -- requests -----------------------------------------------------------------

def visits(slugs, seed=1):
    """Returns a visit of each slug as browsers send them."""
    draw = random.Random(seed)
    browsers = read_lines("browsers.txt")
    referrers = read_lines("referrers.txt")
    networks = [line.split()[1] for line in read_lines("networks.txt")]
    languages = ["en-US,en;q=0.9", "de-DE,de;q=0.9,en;q=0.8", "fr-FR,fr;q=0.9",
                 "ja,en-US;q=0.7,en;q=0.3", "pt-BR,pt;q=0.9,en;q=0.8"]
    for slug in slugs:
        referrer = draw.choice(referrers + [""])
        lines = [
            f"GET /{slug} HTTP/1.1",
            "Host: go.example.com",
            f"X-Forwarded-For: {draw.choice(networks)}.{draw.randrange(256)}",
            f"User-Agent: {draw.choice(browsers)}",
            "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,"
            "image/avif,image/webp,*/*;q=0.8",
            f"Accept-Language: {draw.choice(languages)}",
            "Accept-Encoding: gzip, deflate, br",
            "Sec-Fetch-Dest: document",
            "Sec-Fetch-Mode: navigate",
            "Sec-Fetch-Site: cross-site",
            "Upgrade-Insecure-Requests: 1",
            "Connection: keep-alive",
        ]
        if referrer:
            lines.insert(4, f"Referer: {referrer}")
        yield ("\r\n".join(lines) + "\r\n\r\n").encode()


def api_request(method, path, key, body=""):
    head = [f"{method} {path} HTTP/1.1", "Host: go.example.com",
            f"X-API-Key: {key}", "Accept: application/json"]
    if body:
        head += ["Content-Type: application/json",
                 f"Content-Length: {len(body)}"]
    return ("\r\n".join(head) + "\r\n\r\n" + body).encode()


# -- the bench ----------------------------------------------------------------

class Bench:
    def __init__(self, options):
        self.options = options
        self.build = pathlib.Path(options.build).resolve()
        self.turnout = self.build / "turnout"
        self.work = pathlib.Path(options.work or ROOT / "build" / "bench")
        self.work.mkdir(parents=True, exist_ok=True)
        self.rows = []
        self.server_cores = "0"
        # Without a second core everything shares one.
        self.client_cores = "1" if os.cpu_count() > 1 else "0"

    # -- what is measured with ------------------------------------------------

    def store(self, links, clicks=0, hot=0.0):
        """Returns a filled store: its directory, key, slugs and link ids. It is
        kept for the next run."""
        name = f"store-{links}-{clicks}-{hot}"
        directory = self.work / name
        if not (directory / "complete").exists():
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir()
            say(f"filling a store with {links:,} links and {clicks:,} clicks")
            self.fill(directory, links, clicks, hot, "--data-dir",
                      directory / "data")
        return (directory / "data", *self.contents(directory))

    def fill(self, directory, links, clicks, hot, *where):
        """Fills a store and keeps in the directory what is to be known of it."""
        out = subprocess.run(
            [self.build / "fill_store", *where, "--links", str(links),
             "--clicks", str(clicks), "--hot", str(hot), "--slugs",
             directory / "slugs"],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        (directory / "key").write_text(out.split()[1])
        (directory / "complete").touch()

    @staticmethod
    def contents(directory):
        pairs = [line.split() for line in
                 (directory / "slugs").read_text().splitlines()]
        return ((directory / "key").read_text(), [x[0] for x in pairs],
                [x[1] for x in pairs])

    @contextlib.contextmanager
    def postgresql_store(self, links, clicks, hot):
        """Starts a PostgreSQL server with a filled store, which is kept for the
        next run, and yields its connection string, key, slugs and link ids."""
        name = f"store-postgresql-{links}-{clicks}-{hot}"
        directory = self.work / name
        script = ROOT / "script" / "postgresql"
        if not (directory / "complete").exists():
            subprocess.run([script, "stop", directory / "server"], check=True)
            directory.mkdir(exist_ok=True)
        dsn = subprocess.run(
            [script, "start", directory / "server"], check=True,
            stdout=subprocess.PIPE, text=True).stdout.strip()
        try:
            if not (directory / "complete").exists():
                say(f"filling PostgreSQL with {links:,} links and "
                    f"{clicks:,} clicks")
                self.fill(directory, links, clicks, hot, "--storage",
                          "postgresql", "--dsn", dsn)
            yield (dsn, *self.contents(directory))
        finally:
            subprocess.run([script, "halt", directory / "server"], check=True)

    def requests(self, name, texts):
        path = self.work / f"{name}.requests"
        path.write_bytes(SEPARATOR.join(texts))
        return path

    def wrk(self, server, requests, seconds, connections=64):
        """As fast as one client thread can."""
        out = subprocess.run(
            ["taskset", "-c", self.client_cores, program("wrk"), "-t1",
             f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s",
             BENCH / "requests.lua", f"http://127.0.0.1:{server.port}/"],
            env={**os.environ, "BENCH_REQUESTS": str(requests)},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        found = re.search(r"^JSON (.*)$", out.stdout, re.M)
        if not found:
            raise Failure(f"wrk failed: {out.stdout}")
        result = json.loads(found[1])
        result["per_second"] = result["answered"] / result["seconds"]
        return result

    def load(self, server, requests, seconds, rate=0.0, connections=64):
        out = subprocess.run(
            ["taskset", "-c", self.client_cores, self.build / "bench_load",
             "--port", str(server.port), "--requests", requests, "--seconds",
             str(seconds), "--rate", str(rate), "--connections",
             str(connections)], stdout=subprocess.PIPE, check=True)
        return json.loads(out.stdout)

    def measure(self, server, run):
        """Runs the load and adds what it cost, late work included."""
        before = server.cpu_seconds()
        begin = stolen_so_far(server.cores)
        result = run()
        result["stolen"] = stolen_share(begin, stolen_so_far(server.cores))
        result["cpu_us_answering"] = (
            (server.cpu_seconds() - before) * 1e6 / max(1, result["answered"]))
        result["resident_mib"] = server.resident_mib()
        server.finish()
        result["cpu_us"] = (
            (server.cpu_seconds() - before) * 1e6 / max(1, result["answered"]))
        server.check_alive()
        return result

    def warm(self, server, requests):
        """Has every request answered once, so that all links are in memory."""
        left = requests.read_bytes().count(SEPARATOR) + 1
        end = time.monotonic() + 120
        seconds = 2
        while left > 0 and time.monotonic() < end:
            # One run, as each begins with the first request.
            got = self.wrk(server, requests, seconds)["answered"]
            seconds = min(60, int(seconds * left / max(1, got)) + 2)
            left = 0 if got >= left else left
        server.finish()

    def interleave(self, servers, requests):
        """Measures the servers in turn, A B A B, and returns the median of each
        figure by server."""
        for server in servers:
            self.warm(server, requests)
        found = {server.name: [] for server in servers}
        for _ in range(self.options.rounds):
            for server in servers:
                found[server.name].append(self.measure(server, lambda: self.wrk(
                    server, requests, self.options.seconds)))
        for name, results in found.items():
            if any(x["status_errors"] or x["failed"] for x in results):
                raise Failure(f"{name} gave errors: {results}")
        return {name: {key: statistics.median(x[key] for x in results)
                       for key in results[0]}
                for name, results in found.items()}

    def show(self, part, name, figures, bar="", verdict=None):
        row = {"part": part, "name": name, "bar": bar,
               "holds": verdict, "figures": figures}
        self.rows.append(row)

    # -- parts ----------------------------------------------------------------

    def redirect(self):
        store, _, slugs, _ = self.store(self.options.links)
        shuffled = slugs[:]
        random.Random(2).shuffle(shuffled)
        cold = self.requests("random", visits(shuffled))
        hot = self.requests("hot", visits([slugs[0]] * 1000))
        with Nginx("nginx", self.work / "nginx", self.server_cores) as plain, \
                NginxLuaRedis(self.work / "lua", self.server_cores,
                              slugs) as lua, \
                Turnout(self.turnout, self.work / "turnout", self.server_cores,
                        store) as ours:
            for kind, requests in (("random slugs", cold), ("one slug", hot)):
                found = self.interleave([plain, lua, ours], requests)
                x = found[ours.name]
                for short, other in (("nginx", plain), ("lua", lua)):
                    y = found[other.name]
                    self.show("redirect", f"{other.name}, {kind}", y)
                    # By CPU time: what the core could keep up for ever, the
                    # drain included, whoever else uses the machine.
                    x[f"ratio_{short}"] = y["cpu_us"] / x["cpu_us"]
                    x[f"rate_{short}"] = x["per_second"] / y["per_second"]
                self.show(
                    "redirect", f"turnout, {kind}", x,
                    "CPU ratio at least 0.6 to nginx (aim 1.0), 3 to Lua + "
                    "Redis" if kind == "random slugs" else "",
                    x["ratio_nginx"] >= 0.6 and x["ratio_lua"] >= 3
                    if kind == "random slugs" else None)

    def latency(self):
        store, _, slugs, _ = self.store(self.options.links)
        requests = self.requests("latency", visits(slugs))
        seconds = self.options.seconds * self.options.rounds
        with Nginx("nginx", self.work / "nginx", self.server_cores) as plain, \
                Turnout(self.turnout, self.work / "turnout", self.server_cores,
                        store) as ours:
            self.warm(ours, requests)
            begin = time.monotonic()
            burst = self.wrk(ours, requests, seconds)
            ours.finish()
            # What it takes with all that follows from it, as the CPU time is.
            most = burst["answered"] / (time.monotonic() - begin)
            # The client's core, too, is taken from it: by the machine's host,
            # and by the kernel when writes to the disk end.
            wanted = ("p99 at most 2 ms, p99.9 at most 10 ms, without the "
                      "time for which the client did not run")
            for server, half_of, rate, bar in (
                    (ours, "its maximum rate", most, wanted),
                    (plain, "the same", most, ""),
                    (ours, "a burst", burst["per_second"], "")):
                x = self.measure(server, lambda: self.load(
                    server, requests, seconds, rate / 2))
                check_answers(x, "302")
                self.show("latency", f"{server.name} at half of {half_of}", x,
                          bar, x["unstalled_p99_ms"] <= 2
                          and x["unstalled_p999_ms"] <= 10 if bar else None)

    def sustained(self):
        store, _, slugs, _ = self.store(self.options.links)
        requests = self.requests("sustained", visits(slugs))
        seconds = max(self.options.seconds, int(self.options.minutes * 60))
        with Turnout(self.turnout, self.work / "turnout", self.server_cores,
                     store) as ours:
            self.warm(ours, requests)
            most = self.sustain(ours, ["wrk", requests, seconds])
            self.show("sustained", "turnout at its full rate", most,
                      "freshness under 120 s, memory flat, disk reclaimed",
                      most["freshness_s"] < 120
                      and most["grown_mib"] < 50
                      and most["journal_mib_after"] < 150)
            half = self.sustain(ours, ["load", requests, seconds,
                                       most["per_second"] / 2])
            self.show("sustained", "turnout at half its rate", half,
                      "freshness under 5 s", half["freshness_s"] < 5)

    def sustain(self, server, what):
        """Runs a load and looks at the server meanwhile."""
        begin = server.cpu_seconds()
        result = {}
        failure = []

        def run():
            try:
                result.update(getattr(self, what[0])(server, *what[1:]))
            except Exception as x:  # for the thread that waits
                failure.append(x)
        runner = threading.Thread(target=run)
        runner.start()
        samples = []
        stolen = [stolen_so_far(server.cores)]
        while runner.is_alive():
            runner.join(1)
            stolen.append(stolen_so_far(server.cores))
            x = server.metrics()
            samples.append((x["turnout_drain_lag_seconds"],
                            x["turnout_journal_depth_events"],
                            x["turnout_journal_size_bytes"] / 2**20,
                            server.resident_mib()))
        if failure:
            raise failure[0]
        end = time.monotonic()
        server.finish()
        half = samples[len(samples) // 2:]
        lost = server.metrics()["turnout_clicks_lost_total"]
        result.update(
            freshness_s=max(x[0] for x in samples),
            backlog=max(x[1] for x in samples),
            journal_mib=max(x[2] for x in samples),
            resident_mib=max(x[3] for x in samples),
            grown_mib=half[-1][3] - half[0][3],
            caught_up_s=time.monotonic() - end,
            lost=lost,
            stolen=stolen_share(stolen[0], stolen[-1]),
            # Some ten seconds each.
            stolen_at_worst=max(map(stolen_share, stolen, stolen[10:]),
                                default=0.0),
            journal_mib_after=(
                server.metrics()["turnout_journal_size_bytes"] / 2**20),
            cpu_us=(server.cpu_seconds() - begin) * 1e6
            / max(1, result["answered"]))
        return result

    def reactors(self):
        store, _, slugs, _ = self.store(self.options.links)
        random_slugs = self.requests("reactors", visits(slugs))
        one_slug = self.requests("reactors-hot", visits([slugs[0]] * 1000))
        both = f"{self.server_cores},{self.client_cores}"
        with Turnout(self.turnout, self.work / "one", both, store, 1,
                     "one reactor") as one, \
                Turnout(self.turnout, self.work / "two", both, store, 2,
                        "two reactors") as two:
            for kind, requests, bar in (
                    ("random slugs", random_slugs, "CPU at most 1.15 of one"),
                    ("one slug", one_slug, "")):
                found = self.interleave([one, two], requests)
                self.show("reactors", f"{one.name}, {kind}", found[one.name])
                x = found[two.name]
                x["ratio"] = x["cpu_us"] / found[one.name]["cpu_us"]
                self.show("reactors", f"{two.name}, {kind}", x, bar,
                          x["ratio"] <= 1.15 if bar else None)

    def flood(self):
        store, _, slugs, _ = self.store(self.options.links)
        draw = random.Random(3)

        def unknown(count):
            # Slugs of the store have 8 characters.
            return ["".join(draw.choices("abcdefghijkmnpqrstuvwxyz", k=9))
                    for _ in range(count)]
        known = self.requests("flood-base", visits(slugs))
        few = self.requests("flood", visits(unknown(20_000)))
        many = self.requests("flood-many", visits(unknown(500_000)))
        looks = 'turnout_directory_lookups_total{result="miss"}'
        with Turnout(self.turnout, self.work / "turnout", self.server_cores,
                     store) as ours:
            self.warm(ours, known)
            base = self.measure(ours, lambda: self.wrk(ours, known,
                                                       self.options.seconds))
            self.warm(ours, few)
            before = ours.metrics()
            x = self.measure(ours, lambda: self.wrk(ours, few,
                                                    self.options.seconds))
            after = ours.metrics()
            x["rate_ratio"] = x["per_second"] / base["per_second"]
            x["ratio"] = base["cpu_us"] / x["cpu_us"]
            x["looks_into_store"] = after.get(looks, 0) - before.get(looks, 0)
            self.show("flood", "same unknown slugs again", x,
                      "at least the rate of redirects, no look into the store",
                      x["ratio"] >= 1 and x["looks_into_store"] == 0)
            y = self.measure(ours, lambda: self.wrk(ours, many,
                                                    self.options.seconds * 2))
            y["grown_mib"] = y["resident_mib"] - x["resident_mib"]
            self.show("flood", "ever new unknown slugs", y, "memory bounded",
                      y["grown_mib"] < 100)

    def memory(self):
        store, _, slugs, _ = self.store(self.options.stored)
        active = random.Random(4).sample(slugs, min(len(slugs),
                                                    self.options.links))
        requests = self.requests("memory", visits(active))
        with Turnout(self.turnout, self.work / "turnout", self.server_cores,
                     store) as ours:
            ready = ours.ready_after
            self.warm(ours, requests)
            loaded = ours.metrics()["turnout_links_loaded"]
            x = {"ready_s": ready, "resident_mib": ours.resident_mib(),
                 "links_loaded": loaded}
            self.show("memory", f"{len(slugs):,} links, {len(active):,} active",
                      x, "at most 400 MiB, ready within 2 s",
                      x["resident_mib"] <= 400 and ready <= 2)

    def cold(self):
        store, _, slugs, _ = self.store(self.options.links)
        shuffled = slugs[:]
        random.Random(6).shuffle(shuffled)
        requests = self.requests("cold", visits(shuffled))
        seconds = self.options.seconds
        # At the second rate most visits are of links that are in memory soon.
        for rate, name in ((2000, "each link for the first time"),
                           (30_000, "a start under load")):
            with Turnout(self.turnout, self.work / "turnout",
                         self.server_cores, store) as ours:
                x = self.measure(ours, lambda: self.load(
                    ours, requests, seconds, rate))
                check_answers(x, "302")
                x["links_loaded"] = ours.metrics()["turnout_links_loaded"]
                self.show("cold", name, x)

    def reads(self):
        clicks = self.options.clicks
        store, *contents = self.store(1000, clicks, 0.5)
        with Turnout(self.turnout, self.work / "turnout", self.server_cores,
                     store) as ours:
            self.read("SQLite", ours, *contents)
        with self.postgresql_store(1000, clicks, 0.5) as (dsn, *contents), \
                Turnout(self.turnout, self.work / "turnout", self.server_cores,
                        None, plugin="postgresql", dsn=dsn) as ours:
            self.read("PostgreSQL", ours, *contents)

    def read(self, store, ours, key, slugs, ids):
        """Measures what an owner reads of the largest link, one request after
        the other, while there are visits."""
        today = datetime.datetime.now(datetime.timezone.utc).date()

        def since(days):
            # The clicks end yesterday.
            first = today - datetime.timedelta(days=days)
            last = today - datetime.timedelta(days=1)
            return f"analytics?from_date={first}&to_date={last}"
        of_link = f"/api/v1/public/links/{ids[0]}"
        paths = [("list", "/api/v1/public/links?per_page=100", 300),
                 ("detail", of_link, 300),
                 ("analytics of 1 day", f"{of_link}/{since(1)}", 300),
                 ("analytics of 30 days", f"{of_link}/{since(30)}", 300),
                 ("analytics of 90 days", f"{of_link}/{since(90)}", 50),
                 ("click page 1", f"{of_link}/clicks?page=1", 300),
                 ("click page 10,000", f"{of_link}/clicks?page=10000", 300)]
        others = self.requests("visits", visits(slugs))
        seconds = self.options.seconds
        result = {}
        background = threading.Thread(target=lambda: result.update(self.load(
            ours, others, (seconds + 1) * len(paths), rate=500)))
        background.start()
        rows = []
        for name, path, bar in paths:
            one = self.requests("reads", [api_request("GET", path, key)])
            rows.append((name, bar, self.load(ours, one, seconds,
                                              connections=1)))
        background.join()
        for name, bar, x in rows:
            check_answers(x, "200")
            self.show("reads", f"{store}, {name}", x, f"p99 at most {bar} ms",
                      x["p99_ms"] <= bar)
        check_answers(result, "302")
        self.show("reads", f"{store}, visits meanwhile", result)

    def create(self):
        store, key, _, _ = self.store(self.options.links)
        variants = [{"label": x, "weight": 50,
                     "destination_url": f"https://www.example.com/{x}?from=go"}
                    for x in ("A", "B")]
        body = json.dumps({"name": "Made by the benchmark",
                           "variants": variants})
        requests = self.requests("create", [
            api_request("POST", "/api/v1/public/links", key, body)])
        with Turnout(self.turnout, self.work / "turnout", self.server_cores,
                     store) as ours:
            x = self.measure(ours, lambda: self.load(
                ours, requests, self.options.seconds))
            check_answers(x, "201")
            self.show("create", "turnout", x, "at least 5,000 a second",
                      x["per_second"] >= 5000)


PARTS = ["redirect", "latency", "flood", "reactors", "sustained", "memory",
         "cold", "reads", "create"]


def check_answers(x, status):
    other = {k: v for k, v in x["status"].items() if k != status}
    if other or x["failed"] or x["unanswered"]:
        raise Failure(f"answers other than {status}: {other}, "
                      f"{x['failed']} failed, {x['unanswered']} unanswered")


def say(text):
    print(text, file=sys.stderr, flush=True)


def describe_machine():
    model = re.search(r"model name\s*:\s*(.*)",
                      pathlib.Path("/proc/cpuinfo").read_text())
    return (f"{os.cpu_count()} cores, {model[1] if model else 'unknown'}, "
            f"Linux {platform.release()}, load "
            f"{os.getloadavg()[0]:.1f} at the start")


def main():
    parser = argparse.ArgumentParser(
        prog="script/bench",
        description="Measures the service beside what could be used instead; "
        "\"script/bench compare OLD.json NEW.json\" compares two results.")
    parser.add_argument("parts", nargs="*", metavar="part",
                        help="one or more of " + ", ".join(PARTS)
                        + "; all when none is given")
    parser.add_argument("--seconds", type=int, default=8,
                        help="of one measurement (default 8)")
    parser.add_argument("--rounds", type=int, default=3,
                        help="measurements of each server (default 3)")
    parser.add_argument("--links", type=int, default=100_000,
                        help="that are visited (default 100000)")
    parser.add_argument("--stored", type=int, default=1_000_000,
                        help="links in the store of part memory")
    parser.add_argument("--clicks", type=int, default=20_000_000,
                        help="in the store of part reads, half of them on "
                        "one link")
    parser.add_argument("--minutes", type=float, default=10,
                        help="of part sustained, twice (default 10)")
    parser.add_argument("--json", metavar="FILE",
                        help="where to write the figures (default in "
                        "build/bench)")
    parser.add_argument("--work", help="directory for stores and requests "
                        "(default build/bench)")
    parser.add_argument("--build", metavar="DIR",
                        default=ROOT / "build" / "release",
                        help="where the programs are (default build/release)")
    options = parser.parse_args()
    if options.parts[:1] == ["compare"]:
        if len(options.parts) != 3:
            parser.error("compare takes two files")
        return compare(*options.parts[1:])
    for part in options.parts:
        if part not in PARTS:
            parser.error(f"there is no part {part}; take " + ", ".join(PARTS))
    commit = subprocess.run(
        ["git", "-C", ROOT, "describe", "--always", "--dirty"],
        stdout=subprocess.PIPE, text=True).stdout.strip()
    result = {"date": datetime.datetime.now().isoformat(timespec="seconds"),
              "commit": commit, "machine": describe_machine(), "rows": []}
    bench = Bench(options)
    print(f"{result['date']}, {commit}, {result['machine']}")
    status = 0
    for part in options.parts or PARTS:
        say(f"measuring {part}")
        first = len(bench.rows)
        try:
            getattr(bench, part)()
        except Failure as x:
            say(f"bench: {part}: {x}")
            status = 1
        print_rows(bench.rows[first:])
        sys.stdout.flush()
    result["rows"] = bench.rows
    path = pathlib.Path(options.json) if options.json else (
        bench.work / f"{result['date'].replace(':', '')}.json")
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(f"figures: {path}")
    return status


if __name__ == "__main__":
    sys.exit(main())
