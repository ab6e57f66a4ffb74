"""The servers that are measured: how each is started, watched and stopped."""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

BENCH = pathlib.Path(__file__).resolve().parent
TICKS = os.sysconf("SC_CLK_TCK")


class Failure(Exception):
    """What cannot be measured, for whoever started the benchmark."""


def wait_until(what, check, seconds=60):
    end = time.monotonic() + seconds
    while not check():
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {seconds} s")
        time.sleep(0.002)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def accepts(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def program(name):
    path = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")
    if path is None:
        raise Failure(f"{name} is missing: run script/bootstrap bench")
    return path


def stolen_so_far(cores):
    """Returns the time and the seconds that the host kept from these cores
    ("0,1") until then, since neighbours of a virtual machine had them."""
    ticks = 0
    for line in pathlib.Path("/proc/stat").read_text().splitlines():
        name, *fields = line.split()
        if name[:3] == "cpu" and name[3:] in cores.split(","):
            ticks += int(fields[7])
    return time.monotonic(), ticks / TICKS


def stolen_share(begin, end):
    """The stolen part of the time between two results of stolen_so_far."""
    return (end[1] - begin[1]) / (end[0] - begin[0])


class Server:
    """Processes that answer on one port, all pinned to some cores."""

    def __init__(self, name, directory, cores):
        self.name = name
        self.directory = pathlib.Path(directory)
        self.cores = cores
        self.port = 0
        self.processes = []
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def start(self):
        raise NotImplementedError

    def spawn(self, *command, env=None):
        with open(self.directory / "output", "ab") as log:
            process = subprocess.Popen(
                ["taskset", "-c", self.cores, *map(str, command)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, **(env or {})})
        self.processes.append(process)
        return process

    def stop(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = []

    def check_alive(self):
        for process in self.processes:
            if process.poll() is not None:
                log = (self.directory / "output").read_text(errors="replace")
                raise Failure(f"{self.name} ended: {log[-2000:]}")

    def pids(self):
        """Returns the processes and their children."""
        result = []
        waiting = [p.pid for p in self.processes]
        while waiting:
            pid = waiting.pop()
            result.append(pid)
            try:
                path = f"/proc/{pid}/task/{pid}/children"
                waiting += map(int, pathlib.Path(path).read_text().split())
            except OSError:
                pass
        return result

    def cpu_seconds(self):
        """User and system time of all processes since their start."""
        ticks = 0
        for pid in self.pids():
            stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
            fields = stat.rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / TICKS

    def resident_mib(self):
        kib = 0
        for pid in self.pids():
            status = pathlib.Path(f"/proc/{pid}/status").read_text()
            found = re.search(r"VmRSS:\s+(\d+)", status)
            kib += int(found[1]) if found else 0
        return kib / 1024

    def finish(self):
        """Waits for what the server does after its answers."""

    def configuration(self, name):
        text = (BENCH / name).read_text()
        for key, value in (("DIR", self.directory), ("PORT", self.port),
                           ("BENCH", BENCH)):
            text = text.replace(f"@{key}@", str(value))
        path = self.directory / name
        path.write_text(text)
        return path

    def wait_for_port(self):
        def ready():
            self.check_alive()
            return accepts(self.port)
        wait_until(f"{self.name} listens", ready)


class Nginx(Server):
    """Nothing but the redirect, with a line in the access log for each."""

    def start(self):
        # The worker must be able to reopen its files.
        os.chmod(self.directory, 0o755)
        self.port = free_port()
        path = self.configuration("nginx.conf")
        self.spawn(program("nginx"), "-e", self.directory / "error.log",
                   "-g", user_directive(), "-c", path)
        self.wait_for_port()

    def finish(self):
        # Only its cost counts, the file would fill the disk.
        with open(self.directory / "access.log", "r+b") as log:
            log.truncate()


class NginxLuaRedis(Server):
    """The split test made by hand, without loss."""

    def __init__(self, directory, cores, slugs):
        super().__init__("nginx + Lua + Redis", directory, cores)
        self.slugs = slugs

    def start(self):
        self.port = free_port()
        self.spawn(program("redis-server"), self.configuration("redis.conf"))
        path = self.directory / "redis.sock"

        def redis_ready():
            self.check_alive()
            return path.exists()
        wait_until("Redis listens", redis_ready)
        self.load_links(path)
        self.spawn(program("nginx"), "-e", self.directory / "error.log",
                   "-g", user_directive(), "-c",
                   self.configuration("nginx-lua.conf"))
        self.wait_for_port()

    def load_links(self, path):
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(str(path))
            replies = s.makefile("rb")
            for begin in range(0, len(self.slugs), 1000):
                part = self.slugs[begin:begin + 1000]
                out = []
                for i, slug in enumerate(part, begin):
                    site = f"https://www.example.com/campaigns/{i}"
                    value = "".join(
                        f"{weight} {site}/{x}?utm_source=link\n"
                        for weight, x in ((50, "a"), (30, "b"), (20, "c")))
                    key = f"link:{slug}"
                    out.append(f"*3\r\n$3\r\nSET\r\n${len(key)}\r\n{key}\r\n"
                               f"${len(value)}\r\n{value}\r\n")
                s.sendall("".join(out).encode())
                for _ in part:
                    if replies.readline() != b"+OK\r\n":
                        raise Failure("Redis does not take the links")


class Turnout(Server):
    """The service, everything on."""

    def __init__(self, binary, directory, cores, store, reactors=1,
                 name="turnout", env=None, plugin="sqlite", dsn=""):
        super().__init__(name, directory, cores)
        self.binary = binary
        self.operator = ""
        self.ready_after = 0.0
        self.env = {"TURNOUT_HTTP_LISTEN": "127.0.0.1:0",
                    "TURNOUT_HTTP_OPERATOR_LISTEN": "127.0.0.1:0",
                    "TURNOUT_HTTP_REACTORS": str(reactors),
                    "TURNOUT_STORAGE_PLUGIN": plugin,
                    "TURNOUT_STORAGE_DSN": dsn,
                    "TURNOUT_DATA_DIR": str(self.directory / "data"),
                    **(env or {})}
        if store:
            subprocess.run(["cp", "-r", "--reflink=auto", store,
                            self.directory / "data"], check=True)

    def start(self):
        begin = time.monotonic()
        self.spawn(self.binary, "serve", env=self.env)
        found = []

        def listens():
            self.check_alive()
            text = (self.directory / "output").read_text(errors="replace")
            found[:] = re.findall(
                r"listening public=http://127.0.0.1:(\d+) operator=(\S+)", text)
            return found
        wait_until(f"{self.name} listens", listens)
        self.port, self.operator = int(found[0][0]), found[0][1]
        wait_until(f"{self.name} is ready", self.is_ready)
        self.ready_after = time.monotonic() - begin

    def is_ready(self):
        try:
            with urllib.request.urlopen(self.operator + "/readyz") as answer:
                return answer.status == 200
        except urllib.error.URLError:
            return False

    def metrics(self):
        """Returns each sample of /metrics by its name with labels."""
        with urllib.request.urlopen(self.operator + "/metrics") as answer:
            lines = answer.read().decode().splitlines()
        return {name: float(value) for name, _, value in
                (line.rpartition(" ") for line in lines
                 if line and not line.startswith("#"))}

    def backlog(self):
        x = self.metrics()
        return (x["turnout_journal_events_total"]
                - x["turnout_drain_events_total"])

    def finish(self):
        wait_until("the journal is drained", lambda: (
            time.sleep(0.1) or self.backlog() <= 0), 3600)

    def data_bytes(self):
        total = 0
        for path in (self.directory / "data").rglob("*"):
            try:
                total += path.stat().st_size
            except OSError:
                pass
        return total


def user_directive():
    # Started by root, nginx gives its workers to another user, who cannot
    # write into a directory of ours.
    return "user root;" if os.geteuid() == 0 else ";"
