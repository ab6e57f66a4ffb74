"""What visitors and users do to the service."""

import collections
import random
import threading
import time

from node import Api, BROWSER, Connection, query_of, sticky_cookie

SIGN_IN = "/auth/v1/token?grant_type="


def raise_rate_limit(node):
    node.run("user", "rate-limit", "admin@localhost", "1000000")


def touch_everything(node):
    """Does once whatever a metric counts, and that needs no fault."""
    visitor, api = Connection(node.public), Api(node)
    link = api.make_link("touch-all",
                         conversion_redirect_url="https://thanks.example/")
    path, id_ = "/touch-all", link["id"]
    # Visits: counted, excluded, unknown twice.
    cookie = sticky_cookie(visitor.send("GET", path))
    visitor.send("HEAD", path)
    visitor.send("GET", path, headers={"Sec-Purpose": "prefetch"})
    visitor.send("GET", path, headers={"User-Agent": "Googlebot/2.1"})
    visitor.send("GET", path, headers={
        "User-Agent": "facebookexternalhit/1.1"})
    wait_for(lambda: visitor.send("GET", "/nobody-has-this").status == 404
             and node.value(
                 'turnout_directory_lookups_total{result="unknown"}') > 0)
    # Conversions: by pixel, by redirect, by call, and of nobody.
    visitor.send("GET", f"/c/{id_}.gif", headers={"Cookie": cookie})
    visitor.send("GET", f"/c/{id_}", headers={"Cookie": cookie})
    visitor.send("GET", f"/c/{id_}.gif", headers={
        "X-Forwarded-For": "8.8.8.8", "User-Agent": BROWSER + " other"})
    api.call("POST", "/conversions", {"link_id": id_})
    # The API, right and wrong.
    api.call("GET", f"/links/{id_}/clicks.csv")
    api.call("PUT", f"/links/{id_}", {"name": "touched"})
    api.call("POST", "/links", {"name": ""})
    api.call("GET", "/nothing-here")
    use_sessions(node, visitor)
    exceed_limits(node, visitor)
    find_winner(node, visitor, api)
    visitor.close()


def use_sessions(node, visitor):
    user = {"email": "admin@localhost", "password": node.password}
    session = visitor.send("POST", SIGN_IN + "password", user).json()
    visitor.send("POST", SIGN_IN + "refresh_token",
                 {"refresh_token": session["refresh_token"]})
    bearer = {"Authorization": "Bearer " + session["access_token"]}
    key = visitor.send("POST", "/api/v1/public/keys" + query_of(name="x"),
                       headers=bearer).json()
    visitor.send("DELETE", "/api/v1/public/keys/" + key["id"], headers=bearer)
    wait_for(lambda: visitor.send(
        "POST", SIGN_IN + "password",
        {"email": "guess@example.com", "password": "wrong"}).status == 429)


def exceed_limits(node, visitor):
    node.run("user", "add", "--email", "limited@example.com",
             "--password-stdin", given="a long enough password\n")
    node.run("user", "rate-limit", "limited@example.com", "1")
    limited = Api(node, node.run("key", "create", "--email",
                                 "limited@example.com", "--name", "x"))
    wait_for(lambda: limited.call("GET", "/links").status == 429)
    wait_for(lambda: visitor.send("GET", "/api/v1/public/links").status == 429)


def find_winner(node, visitor, api):
    link = api.make_link("clear-case", auto_winner=True,
                         auto_winner_threshold=10)
    best = link["variants"][0]["destination_url"]
    for _ in range(150):
        visit = visitor.send("GET", "/clear-case")
        if visit.headers["Location"] == best:
            visitor.send("GET", f"/c/{link['id']}.gif",
                         headers={"Cookie": sticky_cookie(visit)})
    wait_for(lambda: node.value("turnout_winner_recommendations_total") > 0)


def wait_for(condition, seconds=60):
    """Waits until something holds; a test that waits in vain fails."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError("waited in vain")
        time.sleep(0.05)


class Load:
    """Visits and API calls that go on in the background until it is closed."""

    def __init__(self, node, slug, signing_in=0):
        """signing_in: how many users do."""
        self.node = node
        self.slug = slug
        self.id = Api(node).make_link(slug)["id"]
        self.visits = collections.Counter()
        self.calls = collections.Counter()
        self.stopping = threading.Event()
        self.threads = [
            threading.Thread(target=f, daemon=True)
            for f in [self.visit, self.use_api, self.change]
            + [self.sign_in] * signing_in]
        for x in self.threads:
            x.start()

    def visit(self):
        visitor = Connection(self.node.public)
        # Long, so that a small journal fills in seconds.
        headers = {"Referer": "https://news.example/" + "x" * 2000}
        while not self.stopping.wait(0.004):
            answer = visitor.send("GET", "/" + self.slug, headers=headers)
            self.visits[answer.status] += 1

    def use_api(self):
        """Reads."""
        api = Api(self.node)
        link = f"/links/{self.id}"
        paths = ["/links", link, link + "/analytics", link + "/clicks",
                 link + "/analytics/winner"]
        while not self.stopping.is_set():
            for path in paths:
                self.calls[api.call("GET", path).status] += 1
                if self.stopping.wait(0.1):
                    return

    def change(self):
        """Writes; apart, as it waits for a lock much longer."""
        api = Api(self.node)
        n = 0
        while not self.stopping.wait(0.3):
            n += 1
            answer = api.call("PUT", f"/links/{self.id}", {"name": f"n {n}"})
            self.calls[answer.status] += 1

    def sign_in(self):
        """Unlike the calls above, which share their wait for the rate limiter,
        these fail one by one when the store cannot be written to."""
        user = {"email": "admin@localhost", "password": self.node.password}
        connection = Connection(self.node.public)
        # Not all at once.
        self.stopping.wait(random.uniform(0, 3))
        while not self.stopping.is_set():
            answer = connection.send("POST", SIGN_IN + "password", user)
            self.calls[answer.status] += 1
            self.stopping.wait(3)

    def close(self):
        self.stopping.set()
        for x in self.threads:
            x.join()
