#!/usr/bin/env python3
"""One fix, from the socket to the committed event: how long it takes.

A real node hears a gpsd that this script plays (and, after it, a phone over HTTP); each fix walks in
or out of a fence, and `muster event follow` prints what came of it once that is durable. Prints one
JSON object a line, as muster-bench does.

Usage: Benchmarks/fix-latency.py [--muster .build/release/muster] [--fixes 300]
"""

import argparse
import http.client
import json
import os
import signal
import socket
import statistics
import subprocess
import tempfile
import time
from datetime import datetime, timezone

LIMIT_MILLISECONDS = 5.0
INSIDE, OUTSIDE = 46.05, 46.06


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def result(bench, seconds):
    milliseconds = sorted(value * 1000 for value in seconds)
    median = statistics.median(milliseconds)
    print(json.dumps({
        "bench": bench, "value": round(median, 3), "unit": "ms", "limit": LIMIT_MILLISECONDS,
        "ratio": round(median / LIMIT_MILLISECONDS, 3),
        "note": f"median of {len(milliseconds)}; p99 "
                f"{milliseconds[int(len(milliseconds) * 0.99) - 1]:.3f} ms",
    }), flush=True)


class Gpsd:
    """As much of a gpsd as a node needs."""

    def __init__(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]

    def accept(self):
        self.peer, _ = self.server.accept()
        self.peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        assert b"WATCH" in self.peer.recv(1024)

    def say(self, latitude, moment):
        report = {"class": "TPV", "mode": 3, "lat": latitude, "lon": 14.5, "eph": 4.0,
                  "time": moment.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"}
        self.peer.sendall(json.dumps(report).encode() + b"\r\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--muster", default=".build/release/muster")
    parser.add_argument("--fixes", type=int, default=300)
    arguments = parser.parse_args()
    muster = os.path.abspath(arguments.muster)
    with tempfile.TemporaryDirectory(prefix="mfl-") as folder:
        environment = dict(os.environ, MUSTER_STATE=folder + "/state", MUSTER_HOME=folder + "/home")

        def tell(*words):
            return subprocess.run([muster, *words], env=environment, check=True,
                                  capture_output=True, text=True).stdout

        tell("init", "Latency", "--callsign", "Anna")
        gpsd, phones = Gpsd(), free_port()
        log = open(folder + "/log", "w")
        node = subprocess.Popen(
            [muster, "run", "--listen", "127.0.0.1:0", "--no-multicast",
             "--gpsd", f"127.0.0.1:{gpsd.port}", "--http", f"127.0.0.1:{phones}"],
            env=environment, stderr=log)
        try:
            gpsd.accept()
            tell("fence", "add", "--name", "School", "--circle", f"{INSIDE},14.5,100")
            follower = subprocess.Popen(
                [muster, "event", "follow", "--json"], env=environment, stdout=subprocess.PIPE)
            time.sleep(1)
            measure(gpsd, phones, follower, arguments.fixes)
            follower.kill()
        finally:
            node.send_signal(signal.SIGTERM)
            node.wait(10)


def measure(gpsd, phones, follower, fixes):
    def event():
        line = follower.stdout.readline()
        assert line, "the follower ended"
        return time.perf_counter(), json.loads(line)

    def moment(index):
        # A minute apart, so that nobody jumps; within a day of the clock.
        return datetime.fromtimestamp(time.time() - 60 * (fixes - index), timezone.utc)

    gpsd.say(OUTSIDE, moment(-1))
    taken = []
    for index in range(fixes):
        start = time.perf_counter()
        gpsd.say(OUTSIDE if index % 2 else INSIDE, moment(index))
        end, told = event()
        assert told["type"] == ("EXIT" if index % 2 else "ENTER"), told
        taken.append(end - start)
        time.sleep(0.01)
    result("fix-to-event gpsd", taken)

    connection = http.client.HTTPConnection("127.0.0.1", phones, timeout=10)

    def phone(latitude, when):
        connection.request(
            "GET", f"/?id=truck&lat={latitude}&lon=14.5&accuracy=4&timestamp={when.timestamp():.0f}")
        response = connection.getresponse()
        response.read()
        assert response.status == 200, response.status

    fixes = min(fixes, 250)  # what one phone may send at once
    phone(OUTSIDE, moment(-1))
    taken = []
    for index in range(fixes):
        start = time.perf_counter()
        phone(OUTSIDE if index % 2 else INSIDE, moment(index))
        end, told = event()
        assert told["callsign"] == "truck", told
        taken.append(end - start)
        time.sleep(0.01)
    result("fix-to-event http", taken)


if __name__ == "__main__":
    main()
