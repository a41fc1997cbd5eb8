"""L1, L7: what the reads and the connections of one login cost everybody else.

Alone it measures at the full volume, and prints a line for each route:

    .build/python/bin/python3 Tests/Abuse/reads.py [--muster PROGRAM] [--quick]
"""

import argparse
import http.client
import json
import multiprocessing
import os
import socket
import ssl
import subprocess
import sys
import threading
import time

import row  # sets the paths of `lab` and others
import lab
from doors import LOCAL, POST, Door, context, open_post
from row import Row, Verdict, check_all, mesh, resident_kib

# The bars of decision 0109: an own call for help, milliseconds; the memory; seconds until normal.
# 64 MiB are asked: hundreds of TLS connections a second that hang up leave up to 211 MiB.
CALL_MS, GROWTH_KIB, RECOVERY = 250, 256 * 1024, 2
CONNECTIONS = 48


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0.0


def own(method, path, body=None, line=None):
    """Sends a request of the laptop's own page."""
    one = line or http.client.HTTPConnection("127.0.0.1", LOCAL, timeout=60)
    one.request(method, f"/api/v1/{path}", None if body is None else json.dumps(body),
                {"Content-Type": "application/json"})
    answer = one.getresponse()
    text = answer.read()
    if line is None:
        one.close()
    return answer.status, text


def in_parallel(count, act, workers=8):
    """Calls `act` with each number below `count`."""
    numbers, lock = iter(range(count)), threading.Lock()

    def work():
        line = http.client.HTTPConnection("127.0.0.1", LOCAL, timeout=60)
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return line.close()
            act(number, line)

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


def fill(reports, phones, rounds):
    """Fills an operation as after a long day."""
    in_parallel(reports, lambda n, line: own("POST", "reports", {
        "title": f"Tree on the road {n}", "description": "Blocks both lanes. " * 8, "severity": n % 5 + 1,
        "lat": 46.0 + n % 100 / 500, "lon": 7.0 + n // 100 / 500}, line))
    in_parallel(60, lambda n, line: own("POST", "fences", {
        "name": f"Zone {n}", "kind": "hazard" if n % 2 else "assembly",
        "circle": {"lat": 46.0 + n / 300, "lon": 7.0 + n / 300, "radiusMetres": 900}}, line))
    stamp = int(time.time()) - 3600 * 4
    for turn in range(rounds):
        def send(number, line):
            line.request("GET", f"/?id=P{number}&lat={46 + number / 900 + turn / 3000:.5f}&lon=7.1"
                                f"&timestamp={stamp + turn * 600}")
            line.getresponse().read()
        in_parallel(phones, send)


def routes(person):
    """Returns the paths to read, those that cost the laptop's own page the longest time first."""
    document = json.loads(http_get("/openapi.json")[1])
    paths = [
        path for path, entry in document["paths"].items()
        if "get" in entry and "{" not in path and "stream" not in path
        and not any(p.get("required") for p in entry["get"].get("parameters", []))]
    paths += [
        "/api/v1/history/events?from=2020-01-01T00:00:00Z",
        "/api/v1/history?at=" + time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60)),
        f"/api/v1/tracks/{person}?limit=10000", "/api/v1/reports?limit=10000",
        "/ogc/collections/tracks/items?limit=100", "/ogc/collections/events/items?limit=10000",
        "/ogc/collections/reports/items?limit=10000", "/api/v1/sync/reports?limit=10000",
        "/api/v1/sync/users?limit=10000", "/api/v1/point-in-fences?lat=46&lon=7"]
    timed = []
    for path in paths:
        began = time.perf_counter()
        status, _ = http_get(path)
        if status == 200:
            timed.append((time.perf_counter() - began, path))
    return [path for _, path in sorted(timed, reverse=True)]


def http_get(path):
    line = http.client.HTTPConnection("127.0.0.1", LOCAL, timeout=60)
    line.request("GET", path)
    answer = line.getresponse()
    text = answer.read()
    line.close()
    return answer.status, text


def flood(cookie, paths, seconds, hangs_up, counts):
    """Reads as fast as it can over many connections, as one session. Runs in its own process."""
    ends, tally, lock = time.monotonic() + seconds, {}, threading.Lock()
    made = context()

    def connect():
        line = made.wrap_socket(socket.create_connection(("127.0.0.1", POST), 10))
        line.settimeout(10)
        return line

    def work(number):
        line, turn = None, number
        while time.monotonic() < ends:
            turn += 1
            head = (f"GET {paths[turn % len(paths)]} HTTP/1.1\r\nHost: 127.0.0.1:{POST}\r\n"
                    f"Cookie: __Host-muster={cookie}\r\n\r\n").encode()
            try:
                line = line or connect()
                line.sendall(head)
                if hangs_up:
                    time.sleep(0.02)
                    line.close()
                    line, status = None, "abandoned"
                else:
                    answer = http.client.HTTPResponse(line)
                    answer.begin()
                    answer.read()
                    status = str(answer.status)
            except (OSError, http.client.HTTPException):
                line, status = None, "closed"
            with lock:
                tally[status] = tally.get(status, 0) + 1

    threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(CONNECTIONS)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(max(0.1, ends + 3 - time.monotonic()))
    counts.put(tally)


class Watch:
    """What others notice meanwhile: own calls for help, a cheap command, a peer, the memory."""

    def __init__(self, made):
        self.node, self.peer = made.nodes[0], made.nodes[1]
        self.calls, self.turns, self.peers, self.most = [], [], [], 0
        self.ends = threading.Event()

    def __enter__(self):
        self.threads = [threading.Thread(target=one) for one in (
            self.watch_calls, self.watch_queue, self.watch_peer, self.watch_memory)]
        for one in self.threads:
            one.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        for one in self.threads:
            one.join()

    def timed(self, into, act, pause):
        while not self.ends.wait(pause):
            began = time.perf_counter()
            act()
            into.append(time.perf_counter() - began)

    def watch_calls(self):
        """By the page and by the command line in turn: a call for help, and its end."""
        def call():
            number = len(self.calls)
            body = {"safety": "help" if number % 2 == 0 else "safe"}
            if number % 4 < 2:
                status = own("PUT", "me/safety", body)[0]
                assert status == 204, status
            else:
                self.node.call("PUT", "me/safety", body)
        self.timed(self.calls, call, 0.05)

    def watch_queue(self):
        self.timed(self.turns, lambda: self.node.ask({"writtenThrough": {}}), 0.01)

    def watch_peer(self):
        """Until a report of a peer is here."""
        def arrive():
            report = self.peer.add_report("From the peer", "")
            lab.wait("a report of a peer arrives", lambda: self.node.has_report(report), 30)
        self.timed(self.peers, arrive, 0.5)

    def watch_memory(self):
        while not self.ends.wait(0.2):
            self.most = max(self.most, resident_kib(self.node))


def attack(verdict, made, cookie, paths, seconds, hangs_up, name):
    """Floods, judges what others notice, and prints a line."""
    before, counts = resident_kib(made.nodes[0]), multiprocessing.Queue()
    attacker = multiprocessing.Process(
        target=flood, args=(cookie, paths, seconds, hangs_up, counts))
    with Watch(made) as watch:
        attacker.start()
        tally = counts.get()
        attacker.join()
    began = time.monotonic()
    while time.monotonic() - began < 60:
        asked = time.perf_counter()
        own("PUT", "me/safety", {"safety": "safe"})
        http_get("/api/v1/users")
        if time.perf_counter() - asked < 2 * CALL_MS / 1000:
            break
    recovery = time.monotonic() - began
    call, growth = percentile(watch.calls, 0.99) * 1000, max(0, watch.most - before)
    peer = percentile(watch.peers, 0.99)
    lab.log(f"{name:64} own call {call:4.0f} ms (max {max(watch.calls) * 1000:4.0f}), queue "
            f"{percentile(watch.turns, 0.99) * 1000:4.0f} ms (max {max(watch.turns) * 1000:4.0f}), "
            f"peer {peer * 1000:4.0f} ms, memory +{growth / 1024:.0f} MiB, "
            f"normal after {recovery:.1f} s, {tally}")
    verdict.expect(len(watch.calls) > seconds, f"{name}: only {len(watch.calls)} own calls")
    verdict.expect(call <= CALL_MS, f"{name}: an own call for help took {call:.0f} ms (p99)")
    verdict.expect(growth <= GROWTH_KIB, f"{name}: memory grew by {growth / 1024:.0f} MiB")
    verdict.expect(recovery <= RECOVERY, f"{name}: normal only after {recovery:.1f} s")
    verdict.expect(watch.peers and peer <= 2, f"{name}: a report of a peer took {peer:.1f} s")
    return call, sum(tally.values())


def reads(options):
    """Floods the dearest routes, one by one and all together, with and without hanging up."""
    made = mesh(options, 2)
    node, verdict = open_post(made), Verdict("")
    fill(options.volume(1500, 4000), options.volume(60, 200), options.volume(6, 24))
    made.until_in_step()
    otto = Door().log_in("Otto").cookie
    person = json.loads(own("GET", "users")[1])["items"][0]["id"]
    own("PUT", "me/safety", {"safety": "safe"})
    dearest = routes(person)[:10]
    worst, requests = 0, 0
    for hangs_up in (False, True):
        plan = [([path], options.volume(2, 10), path) for path in dearest]
        plan.append((dearest, options.volume(8, 60), "all mixed"))
        for paths, seconds, name in plan:
            name += ", hung up" if hangs_up else ""
            call, count = attack(verdict, made, otto, paths, seconds, hangs_up, name)
            worst, requests = max(worst, call), requests + count
    verdict.volume = f"{requests:,} requests, {len(dearest)} routes"
    verdict.note = f"own call for help {worst:.0f} ms at most (p99)"
    check_all(verdict, made)
    node.stop()
    return verdict


def places(options):
    """Takes all the connections that one session, or a client without one, can get."""
    made = mesh(options, 2)
    node, verdict = open_post(made), Verdict("")
    otto, pia = Door().log_in("Otto"), Door().log_in("Pia")
    lines = []
    for number in range(600):
        cookie = (otto if number % 2 else pia).cookie
        line = held(f"GET /api/v1/changes HTTP/1.1\r\nHost: x\r\nCookie: __Host-muster={cookie}\r\n\r\n")
        if line:
            lines.append(line)
    verdict.expect(Door().ask("GET", "/join")[0] == 200, "another client is not served")
    maria = Door().log_in("Maria")
    verdict.expect(maria.ask("GET", "/api/v1/users")[0] == 200, "another login is not served")
    for safety in ("help", "safe"):
        status = Door(pia.cookie).ask("PUT", "/api/v1/me/safety", json.dumps({"safety": safety}))[0]
        verdict.expect(status == 204, f"`{safety}` of a login without a free connection: {status}")
    silent = [socket.create_connection(("127.0.0.1", POST), 10) for _ in range(400)]
    verdict.expect(Door().ask("GET", "/join")[0] == 200, "silent clients keep others out")
    verdict.expect(own("GET", "status")[0] == 200, "the laptop's own page is not served")
    began = time.monotonic()
    for line in silent:
        line.settimeout(30)
        try:
            while line.recv(4096):
                pass
        except OSError:
            pass
    took = time.monotonic() - began
    verdict.expect(took <= 20, f"silent connections end after {took:.0f} s")
    for name, head in (("two hosts", "Host: x\r\nHost: y\r\n"),
                       ("an unknown transfer coding", "Host: x\r\nTransfer-Encoding: gzip\r\n"),
                       ("two transfer codings", "Host: x\r\nTransfer-Encoding: gzip, chunked\r\n")):
        status = first_line(f"GET /join HTTP/1.1\r\n{head}\r\n")
        verdict.expect(" 400 " in status, f"{name}: {status}")
    for line in lines:
        line.close()
    verdict.volume = f"{len(lines)} connections of two logins, {len(silent)} silent ones"
    began = time.monotonic()
    node.stop()
    took = time.monotonic() - began
    verdict.expect(took <= 5, f"SIGTERM took {took:.1f} s")
    made.start_on_loopback(node)
    check_all(verdict, made)
    return verdict


def held(head):
    """Returns a connection that stays open after an answer; None if it was refused."""
    try:
        line = context().wrap_socket(socket.create_connection(("127.0.0.1", POST), 10))
        line.settimeout(10)
        line.sendall(head.encode())
        if line.recv(4096).startswith(b"HTTP/1.1 200"):
            return line
        line.close()
    except OSError:
        pass
    return None


def first_line(text):
    line = context().wrap_socket(socket.create_connection(("127.0.0.1", POST), 10))
    line.settimeout(10)
    line.sendall(text.encode())
    try:
        return line.recv(4096).split(b"\r\n")[0].decode() + " "
    except OSError as error:
        return str(error)
    finally:
        line.close()


ROWS = [
    Row("L1", "reads of an observer", reads),
    Row("L7", "connections of one session", places),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--muster", default=os.path.join(row.ROOT, ".build/release/muster"))
    parser.add_argument("--quick", action="store_true", help="the volume of `make abuse`")
    options = parser.parse_args()
    if os.environ.get("MUSTER_BENCH_INNER") != "1":
        lab.in_private_network()
    verdict = reads(row.Options(options.muster, "", not options.quick))
    print(verdict.volume, verdict.note, *verdict.problems, sep="\n")
    sys.exit(1 if verdict.problems else 0)


if __name__ == "__main__":
    main()
