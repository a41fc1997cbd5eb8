"""W3: the listener for other machines: permissions on every route, slow clients, large heads."""

import http.client
import json
import os
import random
import socket
import ssl
import time

from row import Row, Verdict, check_all, check_growth, mesh, resident_kib

LOCAL, POST = 7480, 7443
PASSPHRASE = "correct horse battery staple"
# A connection ends after a minute, however slow the client is.
LIFETIME = 60


def context():
    """Returns a TLS context without verification: the certificate is not under test here."""
    made = ssl.create_default_context()
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE
    return made


class Door:
    """A browser at the command post's listener."""

    def __init__(self, cookie=None):
        self.cookie, self.line = cookie, None

    def ask(self, method, path, body=None, headers=()):
        """Returns status and headers; reopens a closed connection once."""
        words = {"Host": f"127.0.0.1:{POST}", **dict(headers)}
        if body is not None:
            words.setdefault("Content-Type", "application/json")
        if self.cookie:
            words["Cookie"] = f"__Host-muster={self.cookie}"
        for _ in range(2):
            if self.line is None:
                self.line = http.client.HTTPSConnection(
                    "127.0.0.1", POST, timeout=30, context=context())
            try:
                self.line.request(method, path, body, words)
                answer = self.line.getresponse()
                answer.read()
                return answer.status, answer.headers
            except (OSError, http.client.HTTPException):
                self.line.close()
                self.line = None
        return 0, {}

    def log_in(self, name):
        body = json.dumps({"name": name, "passphrase": PASSPHRASE})
        status, headers = self.ask("POST", "/api/v1/session", body)
        if status != 204:
            raise SystemExit(f"{name} cannot log in: {status}")
        self.cookie = headers["Set-Cookie"].split(";")[0].split("=")[1]
        return self


def open_post(made, *more):
    """Starts node 0 as a command post: logins of a commander, an observer and an observer's phone."""
    node = made.nodes[0]
    path = os.path.join(made.folder, "passphrase")
    with open(path, "w", encoding="utf-8") as file:
        file.write(PASSPHRASE)
    for name, rights, *words in (
            ("Maria", "command"), ("Otto", "observer"), ("Pia", "observer", "--phone")):
        node.muster("login", "add", name, "--rights", rights, "--passphrase-file", path, *words)
    node.stop()
    made.start_on_loopback(
        node, "--http", f"127.0.0.1:{LOCAL}", "--trust-local", "--serve", f"127.0.0.1:{POST}", *more)
    made.until_in_step()
    return node


def local(path):
    """Returns the answer to this machine and the time it took."""
    began = time.perf_counter()
    line = http.client.HTTPConnection("127.0.0.1", LOCAL, timeout=30)
    line.request("GET", path)
    answer = line.getresponse()
    body = answer.read()
    line.close()
    return answer.status, time.perf_counter() - began, body


class Requests:
    """Yields random requests of every route and of similar paths, from a seed."""

    bodies = [
        None, "{}", "[]", "null", '{"title":"x"}', '{"name":"x","circle":{"lat":1,"lon":1,'
        '"radiusMetres":9}}', '{"kind":"message","text":"x"}', '{"safety":"safe"}', '{"team":"x"}',
        '{"lat":1,"lon":1}', '{"status":"resolved"}', '{"role":"command"}', '{"text":"x"}',
        '{"url":"http://127.0.0.1:9/x"}', '{"silenceSeconds":60}', '{"user":"Anna"}', "{" * 500]
    heads = [
        {}, {}, {}, {"X-HTTP-Method-Override": "DELETE"}, {"X-Original-URL": "/api/v1/status"},
        {"Authorization": "Basic QTpC"}, {"Authorization": "Bearer x"}, {"If-Match": "*"},
        {"Cookie": "__Host-muster=" + "0" * 64}, {"Content-Type": "text/plain"},
        {"X-Forwarded-For": "127.0.0.1"}, {"Transfer-Encoding": "identity"}]
    twists = [
        lambda p: p, lambda p: p, lambda p: p, lambda p: p.replace("/api", "//api"),
        lambda p: p + "/", lambda p: p.upper(), lambda p: p.replace("v1", "v1/../v1"),
        lambda p: p + "?x=1", lambda p: p.replace("/api", "/%61pi"), lambda p: "/dashboard/.." + p,
        lambda p: p + "%00", lambda p: p + ";x=1"]

    def __init__(self, document, ids):
        self.dice = random.Random(1)
        self.ids = ids
        self.routes = [
            (method.upper(), path) for path, entry in sorted(document["paths"].items())
            for method in sorted(entry) if path != "/api/v1/stream"]
        self.methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"]

    def draw(self):
        method, path = self.dice.choice(self.routes)
        if self.dice.random() < 0.3:
            method = self.dice.choice(self.methods)
        for name in ("{id}", "{z}", "{x}", "{y}"):
            path = path.replace(name, self.dice.choice(self.ids))
        path = self.dice.choice(self.twists)(path)
        body = None if method == "GET" else self.dice.choice(self.bodies)
        return method, path, body, self.dice.choice(self.heads)


def rights(options):
    """Checks that no request of a stranger or an observer has an effect, and none is answered 5xx."""
    made = mesh(options, 2)
    node = open_post(made)
    kept = [node.add_report("Before", "x")]
    maria, otto, pia = (Door().log_in(name) for name in ("Maria", "Otto", "Pia"))
    verdict, before = Verdict(""), resident_kib(node)
    document = json.loads(local("/openapi.json")[2])
    ids = [kept[0], node.status()["device"], "Anna", "0000", "..", "%2e%2e%2f", "1"]
    state = node.status()["stateHash"]
    doors = {"stranger": Door(), "observer": otto, "phone": pia}
    requests, counts = Requests(document, ids), {who: {} for who in doors}
    volume = options.volume(2_000, 50_000)
    for who, door in doors.items():
        for number in range(volume):
            method, path, body, headers = requests.draw()
            # A phone's user may report for themself.
            if path.startswith("/api/v1/session") or who == "phone" and "/me/" in path:
                continue
            cookie = door.cookie
            if "Cookie" in headers:
                door.cookie = None
            status, _ = door.ask(method, path, body, headers)
            door.cookie = cookie
            counts[who][status] = counts[who].get(status, 0) + 1
            what = f"{who}: {method} {path} {headers} was answered {status}"
            verdict.expect(status < 500, what)
            may = who != "stranger" and method in ("GET", "HEAD", "OPTIONS")
            verdict.expect(may or not 200 <= status < 300, what)
            if number % 1_000 == 0:
                verdict.expect(maria.ask("GET", "/api/v1/session")[0] == 200, f"{what}: Maria is logged out")
    verdict.expect(node.status()["stateHash"] == state, "something was written")
    took = stream_ends(otto.cookie, lambda: node.muster("login", "remove", "Otto"))
    verdict.expect(took <= 20, f"a removed login still receives events after {took:.0f} s")
    title = json.dumps({"title": "Of Maria"})
    verdict.expect(maria.ask("POST", "/api/v1/reports", title)[0] == 201, "Maria cannot write")
    verdict.volume = f"{len(doors) * volume} requests"
    totals = lambda who: " ".join(f"{n} × {status}" for status, n in sorted(counts[who].items()))
    verdict.note = (f"stranger {totals('stranger')}; observer {totals('observer')}; "
                    f"phone {totals('phone')}; "
                    + check_growth(verdict, node, before))
    check_all(verdict, made, kept)
    return verdict


def stream_ends(cookie, act):
    """Returns how long a client still receives events after that."""
    line = connect(POST)
    line.sendall(b"GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                 b"Cookie: __Host-muster=%s\r\n\r\n" % (POST, cookie.encode()))
    if not line.recv(65_536).startswith(b"HTTP/1.1 200"):
        raise SystemExit("an observer cannot subscribe")
    act()
    began = time.monotonic()
    line.settimeout(60)
    try:
        while line.recv(65_536):
            pass
    except OSError:
        pass
    line.close()
    return time.monotonic() - began


def slow(options):
    """Sends slow and endless heads: they end within a minute, and other clients do not wait."""
    made = mesh(options, 2)
    node = open_post(made)
    kept = [node.add_report("Before", "x")]
    verdict, before = Verdict(""), resident_kib(node)
    clients = options.volume(200, 500)
    began = time.monotonic()
    lines = [trickle(port) for _ in range(clients) for port in (LOCAL, POST)]
    slowest, rounds = 0.0, 0
    while time.monotonic() - began < LIFETIME + 15:
        for line in lines:
            try:
                line.send(b"X")
            except OSError:
                pass
        status, took, _ = local("/api/v1/status")
        rounds += 1
        slowest = max(slowest, took)
        verdict.expect(status == 200, f"meanwhile this machine is answered {status}")
        time.sleep(0.5)
    verdict.expect(slowest <= 1, f"this machine waited {slowest:.2f} s")
    left = sum(not has_ended(line) for line in lines)
    verdict.expect(left == 0, f"{left} of {len(lines)} slow connections are still open")
    for line in lines:
        line.close()
    headers = options.volume(20, 200)
    for _ in range(headers):
        for port in (LOCAL, POST):
            verdict.expect(greathead(port), f"a head of 100,000 lines at {port} is accepted")
    maria = Door().log_in("Maria")
    verdict.expect(maria.ask("GET", "/api/v1/status")[0] == 200, "the command post does not answer")
    verdict.volume = f"{len(lines)} slow clients, {2 * headers} heads of 100,000 lines"
    verdict.note = (f"this machine answered {rounds} times, {slowest * 1000:.0f} ms at most; "
                    + check_growth(verdict, node, before))
    check_all(verdict, made, kept)
    return verdict


def connect(port):
    line = socket.create_connection(("127.0.0.1", port), timeout=30)
    return line if port == LOCAL else context().wrap_socket(line)


def trickle(port):
    """A client that sends one letter of its head at a time."""
    line = connect(port)
    line.sendall(b"GET /api/v1/status HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-Slow: " % port)
    line.settimeout(0.2)
    return line


def has_ended(line):
    try:
        while line.recv(65_536):
            pass
        return True
    except TimeoutError:
        return False
    except OSError:
        return True


def greathead(port):
    """Returns whether a head of a hundred thousand lines is rejected."""
    line = connect(port)
    head = b"GET /api/v1/status HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % port
    try:
        line.sendall(head + b"X: 1\r\n" * 100_000 + b"\r\n")
        answer = line.recv(64)
    except OSError:
        return True
    finally:
        line.close()
    return not answer.startswith(b"HTTP/1.1 2")


ROWS = [
    Row("W3", "permissions of strangers and observers", rights),
    Row("W3", "slow clients and large heads", slow),
]
