#!/usr/bin/env python3
"""A node's writes while PostgreSQL hangs: their latency, the follower's memory, and its catching up.

    hang.py [MINUTES [PAIRS]]          default 10 and 60; 0 minutes measure the pairs only

PostgreSQL is stopped in one block of each pair of 2 s, so that both are measured on the same
machine, and at last for all the minutes. The order within a pair is drawn, so that nothing periodic
falls on the same kind of block. What the machine does to the ratio is estimated from the pairs:
they are drawn again a thousand times, and nine of ten ratios are in the range that is printed.
Prints the seed; MUSTER_SEED replays it.
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

BLOCK_SECONDS, PAIRS, DRAWS = 2, 60, 1000
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
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else PAIRS
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
            measure_pairs(node, cluster, pairs, random.Random(seed))
            if minutes:
                measure_hang(node, follower, cluster, minutes)
        finally:
            for process in (follower, node.process):
                process.terminate()
                process.wait()


def ratio(pairs):
    """The latency of writes while PostgreSQL is stopped, as a part of that while it runs."""
    stopped, running = (sum((pair[kind] for pair in pairs), []) for kind in (True, False))
    return p99(stopped) / p99(running)


def measure_pairs(node, cluster, count, drawn):
    pairs = []
    for _ in range(count):
        pair = {}
        for is_stopped in drawn.sample((True, False), 2):
            set_stopped(cluster, is_stopped)
            pair[is_stopped] = node.write(BLOCK_SECONDS)
            set_stopped(cluster, False)
        pairs.append(pair)
    stopped, running = (sum((pair[kind] for pair in pairs), []) for kind in (True, False))
    ratios = sorted(ratio(drawn.choices(pairs, k=count)) for _ in range(DRAWS))
    low, high = ratios[DRAWS // 20], ratios[-DRAWS // 20]
    print(json.dumps({
        "bench": "archive-hang-write-p99", "value": round(p99(stopped), 2), "unit": "ms",
        "limit": round(LIMIT_RATIO * p99(running), 2), "ratio": round(ratio(pairs), 3),
        "note": f"{len(stopped)} writes while PostgreSQL is stopped, {len(running)} while it runs, "
        f"in {count} pairs of blocks; the ratio is {low:.2f} to {high:.2f} with 90 %; medians "
        f"{median(stopped):.2f} and {median(running):.2f} ms"}), flush=True)


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
