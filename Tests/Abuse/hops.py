"""H1: a phone calls for help three hops from command, and its caller sees that command saw it, also while another
login floods the phone's laptop and photos move through the laptops between them."""

import contextlib
import ctypes
import http.client
import json
import os
import random
import ssl
import subprocess
import tempfile
import threading
import time

from PIL import Image

# First, because it sets the path of the other modules.
from row import Row, Verdict, check_all

import lab
from doors import PASSPHRASE, POST
from reads import percentile

# The reads of a page that cost the most.
READS = ("history/events?from=2026-01-01T00:00:00Z", "alerts", "operation.kml", "users", "reports", "fences")
NEW_NETWORK = 0x40000000  # CLONE_NEWNET of setns(2)
MOST = 1.0
# Of one login: after 120 calls and cancellations it may send one in 5 s (`WriteLimits`).
CALLS = 50


@contextlib.contextmanager
def inside(node):
    """What this thread opens belongs to the network of a node."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/thread-self/ns/net") as here, open(f"/run/netns/{node.namespace}") as there:
        if libc.setns(there.fileno(), NEW_NETWORK) != 0:
            raise SystemExit("setns failed: this needs root")
        try:
            yield
        finally:
            libc.setns(here.fileno(), NEW_NETWORK)


class Browser:
    """A login's browser at the laptop of the phones; its connection stays open."""

    def __init__(self, node):
        self.node, self.cookie, self.line = node, "", None

    def ask(self, method, path, body=None):
        """Returns the status and the parsed body; a lost connection is opened again once."""
        words = {"Content-Type": "application/json"} if body is not None else {}
        if self.cookie:
            words["Cookie"] = self.cookie
        for attempt in range(2):
            if self.line is None:
                self.line = http.client.HTTPSConnection(
                    "127.0.0.1", POST, timeout=60, context=ssl._create_unverified_context())
                with inside(self.node):
                    self.line.connect()
            try:
                self.line.request(method, path, None if body is None else json.dumps(body), words)
                answer = self.line.getresponse()
                text = answer.read()
            except (OSError, http.client.HTTPException):
                self.line.close()
                self.line = None
                if attempt:
                    raise
                continue
            for value in answer.headers.get_all("Set-Cookie") or []:
                self.cookie = value.split(";")[0]
            is_json = "json" in (answer.headers["Content-Type"] or "")
            return answer.status, json.loads(text) if text and is_json else None

    def log_in(self, name):
        status, _ = self.ask("POST", "/api/v1/session", {"name": name, "passphrase": PASSPHRASE})
        if status != 204:
            raise SystemExit(f"{name} cannot log in: {status}")
        return self


def chain(options, phones):
    """Four laptops in a row: command, two members, and the member's laptop whose phones call."""
    made = lab.Lab(options.muster, 4)
    made.in_a_row()
    last = made.nodes[-1]
    path = os.path.join(made.folder, "words")
    with open(path, "w", encoding="utf-8") as file:
        file.write(PASSPHRASE)
    for name in phones + ["Mia"]:
        last.muster("login", "add", name, "--rights", "member", "--phone", "--passphrase-file", path)
    for node in made.nodes:
        serving = ["--serve", f"127.0.0.1:{POST}"] if node is last else []
        node.start("--listen", "0.0.0.0:7474", *serving)
    made.until_in_step()
    return made


def flood(node, ends, counts):
    """One connection of a login that sends positions, reports and dear reads as fast as it can."""
    browser, rng = Browser(node).log_in("Mia"), random.Random(counts["seed"])
    while time.monotonic() < ends():
        kind = rng.randrange(3)
        if kind == 0:
            place = {"lat": 46 + rng.random(), "lon": 7 + rng.random(), "accuracyMetres": 5}
            status, _ = browser.ask("POST", "/api/v1/me/position", place)
        elif kind == 1:
            status, _ = browser.ask("POST", "/api/v1/reports", {"title": f"flood {rng.random()}"})
        else:
            status, _ = browser.ask("GET", f"/api/v1/{rng.choice(READS)}")
        counts[status] = counts.get(status, 0) + 1


def photos(node, ends, counts):
    """Reports with photos, one after another, of the laptop next to that of the phones."""
    while time.monotonic() < ends():
        with tempfile.NamedTemporaryFile(suffix=".jpg") as file:
            Image.frombytes("RGB", (900, 700), os.urandom(900 * 700 * 3)).save(file.name, quality=90)
            done = subprocess.run(
                [node.lab.program, "report", "add", "--title", "Photo", "--photo", file.name, "--home", node.home],
                capture_output=True, text=True)
        outcome = "photos" if done.returncode == 0 else "refused"
        counts[outcome] = counts.get(outcome, 0) + 1
        time.sleep(1)


def call_once(command, phone, number):
    """One call and its way back, in seconds: to the first row at command, and back to its caller."""
    began = time.perf_counter()
    status, _ = phone.ask("PUT", "/api/v1/me/safety", {"safety": "help", "note": f"call {number}"})
    if status >= 300:
        raise SystemExit(f"call {number} was answered with {status}")

    def first():
        rows = command.call("GET", "alerts")["items"]
        is_call = rows and rows[0]["kind"] == "help" and rows[0]["text"].endswith(f"call {number}")
        return rows[0] if is_call else None

    row = lab.wait(f"call {number} is the first row at command", first, poll=0.005)
    there = time.perf_counter() - began
    began = time.perf_counter()
    # As the page states the act of its user.
    command.call("POST", f"alerts/{row['id']}/acknowledge", {"person": True})
    lab.wait(
        f"the caller sees who saw call {number}",
        lambda: ((phone.ask("GET", "/api/v1/me/call")[1] or {}).get("call") or {}).get("seenBy"), poll=0.005)
    back = time.perf_counter() - began
    status, _ = phone.ask("PUT", "/api/v1/me/safety", {"safety": "safe"})
    if status >= 300:
        raise SystemExit(f"the end of call {number} was answered with {status}")
    lab.wait(f"call {number} has ended at command", lambda: first() is None, poll=0.005)
    return there, back


def worst(seconds):
    return percentile(seconds, 0.99)


def called(options):
    lab.run("ip", "link", "set", "lo", "up")
    rounds, verdict = options.volume(20, 100), Verdict("")
    names = [f"Rui {index}" for index in range(-(-2 * rounds // CALLS))]
    made = chain(options, names)
    command, last = made.nodes[0], made.nodes[-1]
    phones, notes, number = [Browser(last).log_in(name) for name in names], [], 0
    for what in ("alone", "with a login that floods and photos"):
        counts, threads, going = [], [], [True]
        if what != "alone":
            ends = lambda: float("inf") if going[0] else 0
            for index in range(9):
                counts.append({"seed": index})
                run, node = (photos, made.nodes[2]) if index == 8 else (flood, last)
                threads.append(threading.Thread(target=run, args=(node, ends, counts[-1]), daemon=True))
                threads[-1].start()
        there, back = [], []
        for _ in range(rounds):
            seconds = call_once(command, phones[number // CALLS], number)
            number += 1
            there.append(seconds[0])
            back.append(seconds[1])
        going[0] = False
        for thread in threads:
            thread.join(60)
        sums = {}
        for one in counts:
            for key, count in one.items():
                if key != "seed":
                    sums[key] = sums.get(key, 0) + count
        notes.append(
            f"{what}: to command p50 {lab.median(there):.2f} s, p99 {worst(there):.2f} s; back p50 "
            f"{lab.median(back):.2f} s, p99 {worst(back):.2f} s" + (f" {sums}" if sums else ""))
        verdict.expect(worst(there) <= MOST, f"{what}: a call took {worst(there):.2f} s to command")
        verdict.expect(worst(back) <= MOST, f"{what}: an acknowledgement took {worst(back):.2f} s")
    verdict.volume = f"{2 * rounds} calls over three hops"
    verdict.note = "; ".join(notes)
    check_all(verdict, made)
    return verdict


ROWS = [Row("H1", "calls for help over three hops, and their way back", called)]
