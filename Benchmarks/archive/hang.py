#!/usr/bin/env python3
"""A node's writes while PostgreSQL hangs: their latency, the follower's memory, and its catching up.

    hang.py [MINUTES [BLOCKS]]         default 10 and 48; 0 minutes measure the blocks only

PostgreSQL is stopped for one of every two blocks of 5 s, so that both are measured on the same
machine, and at last for all the minutes. The blocks in which it runs are also compared with each
other: that ratio is what the machine does to the measure.
"""

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from cluster import PROGRAMS, Cluster, free_port, program

BLOCK_SECONDS, BLOCKS = 5, 48
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
    blocks = int(sys.argv[2]) if len(sys.argv) > 2 else BLOCKS
    with tempfile.TemporaryDirectory() as folder, Cluster() as cluster:
        node = Node(Path(folder) / "home")
        follower = subprocess.Popen(
            [PROGRAMS / "muster-archive", "follow", "--every", "1", "--home",
             Path(folder) / "home", "--database", cluster.url],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            node.write(BLOCK_SECONDS)
            measure_pairs(node, cluster, blocks)
            if minutes:
                measure_hang(node, follower, cluster, minutes)
        finally:
            for process in (follower, node.process):
                process.terminate()
                process.wait()


def measure_pairs(node, cluster, blocks):
    """Measures in turn: stopped, running, stopped, running. The order changes after each pair."""
    spans = {False: [], True: []}
    for block in range(blocks):
        is_stopped = block % 4 in (0, 3)
        set_stopped(cluster, is_stopped)
        spans[is_stopped].append(node.write(BLOCK_SECONDS))
        set_stopped(cluster, False)
    stopped, running = (sum(spans[kind], []) for kind in (True, False))
    one, other = sum(spans[False][::2], []), sum(spans[False][1::2], [])
    print(json.dumps({
        "bench": "archive-hang-write-p99", "value": round(p99(stopped), 2), "unit": "ms",
        "limit": round(LIMIT_RATIO * p99(running), 2),
        "ratio": round(p99(stopped) / p99(running), 3),
        "note": f"{len(stopped)} writes while PostgreSQL is stopped, {len(running)} while it runs, "
        f"in {blocks} blocks in turn; halves of those while it runs: "
        f"{p99(one) / p99(other):.3f}; medians {median(stopped):.2f} and {median(running):.2f} ms"
    }), flush=True)


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
