#!/usr/bin/env python3
"""A node's writes while PostgreSQL hangs, the follower's memory, and its catching up.

    hang.py [MINUTES [ROUNDS]]         default 10 and 40; 0 minutes measure the rounds only

Each round has three blocks of 2 s in drawn order: PostgreSQL runs, it is stopped, and the follower
is stopped instead. The first two are what a user has before and while it hangs. The third has as
little other work on the machine as the second: what differs between these two is what hanging does
to the node. What the machine does to a ratio is estimated from the rounds: they are drawn again a
thousand times, and nine of ten ratios are in the range that is printed. At last PostgreSQL is
stopped for all the minutes. Prints the seed; MUSTER_SEED replays it.
"""

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from cluster import PROGRAMS, Cluster, free_port, program

BLOCK_SECONDS, ROUNDS, DRAWS = 2, 40, 1000
RUNS, HANGS, ABSENT = KINDS = "runs", "hangs", "absent"
LIMIT_RATIO, LIMIT_MEBIBYTES = 1.05, 200


class Node:
    def __init__(self, home):
        program("muster", "init", "River flood", "--callsign", "Anna", "--home", home)
        self.port = free_port()
        self.process = subprocess.Popen(
            [PROGRAMS / "muster", "run", "--home", home, "--listen", "127.0.0.1:0",
             "--no-multicast", "--http", f"127.0.0.1:{self.port}", "--trust-local"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port)
        end = time.monotonic() + 60
        while True:
            try:
                self.frames()
                return
            except OSError:
                self.connection.close()
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)

    def ask(self, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        self.connection.request(method, "/api/v1/" + path, body and json.dumps(body), headers)
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{method} {path}: {answer.status} {content[:200]}")
        return json.loads(content)

    def frames(self):
        return self.ask("GET", "status")["frames"]

    def write(self, seconds):
        """Adds reports, and returns how many milliseconds each took until it was durable."""
        spans, end = [], time.monotonic() + seconds
        while time.monotonic() < end:
            begun = time.perf_counter()
            self.ask("POST", "reports", {"title": f"Smoke {begun}"})
            spans.append((time.perf_counter() - begun) * 1000)
            time.sleep(0.02)
        return spans


def p99(spans):
    return sorted(spans)[len(spans) * 99 // 100]


def set_stopped(cluster, is_stopped):
    for process in cluster.processes():
        os.kill(process, signal.SIGSTOP if is_stopped else signal.SIGCONT)


def resident(process):
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 10
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    seed = int(os.environ.get("MUSTER_SEED", time.time_ns() % 1_000_000))
    print(f"seed {seed}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder, Cluster() as cluster:
        node = Node(Path(folder) / "home")
        follower = subprocess.Popen(
            [PROGRAMS / "muster-archive", "follow", "--every", "1", "--home",
             Path(folder) / "home", "--database", cluster.url],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            node.write(BLOCK_SECONDS)
            measure_rounds(node, follower, cluster, rounds, random.Random(seed))
            if minutes:
                measure_hang(node, follower, cluster, minutes)
        finally:
            for process in (follower, node.process):
                process.terminate()
                process.wait()


def ratio(rounds, kind, base):
    """The p99 of the blocks of one kind as a part of that of another."""
    return p99(sum((each[kind] for each in rounds), [])) / p99(
        sum((each[base] for each in rounds), []))


def measure_rounds(node, follower, cluster, count, drawn):
    rounds = []
    for _ in range(count):
        spans = {}
        for kind in drawn.sample(KINDS, len(KINDS)):
            if kind == HANGS:
                set_stopped(cluster, True)
            elif kind == ABSENT:
                follower.send_signal(signal.SIGSTOP)
            spans[kind] = node.write(BLOCK_SECONDS)
            set_stopped(cluster, False)
            follower.send_signal(signal.SIGCONT)
        rounds.append(spans)
    for base, name in ((ABSENT, "without a follower"), (RUNS, "while it runs")):
        ratios = sorted(
            ratio(drawn.choices(rounds, k=count), HANGS, base) for _ in range(DRAWS))
        hung, others = (sum((each[kind] for each in rounds), []) for kind in (HANGS, base))
        print(json.dumps({
            "bench": f"archive-hang-write-p99-{base}", "value": round(p99(hung), 2), "unit": "ms",
            "limit": round(LIMIT_RATIO * p99(others), 2),
            "ratio": round(ratio(rounds, HANGS, base), 3),
            "note": f"{len(hung)} writes while PostgreSQL is stopped, {len(others)} {name}, in "
            f"{count} rounds; the ratio is {ratios[DRAWS // 20]:.2f} to {ratios[-DRAWS // 20]:.2f} "
            f"with 90 %; medians {median(hung):.2f} and {median(others):.2f} ms"}), flush=True)


def measure_hang(node, follower, cluster, minutes):
    set_stopped(cluster, True)
    peak, end = 0, time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        node.write(5)
        peak = max(peak, resident(follower))
    set_stopped(cluster, False)
    begun, frames = time.monotonic(), node.frames()
    while int(cluster.sql("SELECT count(*) FROM muster.frames")) < frames:
        if time.monotonic() > begun + 300:
            raise SystemExit("the follower does not catch up")
        time.sleep(0.5)
    print(json.dumps({
        "bench": "archive-hang-memory", "value": round(peak), "unit": "MiB",
        "limit": LIMIT_MEBIBYTES,
        "note": f"the follower, in {minutes:g} minutes; then {frames} frames were archived after "
        f"{time.monotonic() - begun:.1f} s"}), flush=True)


if __name__ == "__main__":
    main()
