#!/usr/bin/env python3
"""How long one fix takes from the socket to the committed event (limit: 5 ms, median): a real node
hears a gpsd that this script plays, then a phone over HTTP; each fix walks in or out of a fence, and
`muster event follow` prints what came of it once that is durable."""

import http.client
import json
import select
import socket
import subprocess
import time
from datetime import datetime, timezone

import lab

LIMIT_MILLISECONDS = 5.0
INSIDE, OUTSIDE = 46.05, 46.06
# What one phone may send at once.
MOST_OF_A_PHONE = 250


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


class Phone:
    """A tracker that reports in OsmAnd's form."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)

    def say(self, latitude, moment):
        self.connection.request(
            "GET", f"/?id=truck&lat={latitude}&lon=14.5&accuracy=4"
                   f"&timestamp={moment.timestamp():.0f}")
        response = self.connection.getresponse()
        response.read()
        assert response.status == 200, response.status


def place(index):
    return OUTSIDE if index % 2 else INSIDE


def until_followed(source, follower, moment):
    """Walks in and out until the follower hears of it; from then on each walk is one line."""
    source.say(OUTSIDE, moment(-101))
    for index in range(-100, 0):
        source.say(place(index), moment(index))
        if select.select([follower.stdout], [], [], 0.5)[0]:
            follower.stdout.readline()
            # Outside again, where the measured walks begin.
            if index % 2 == 0:
                follow(source, follower, index + 1, moment)
            return
    raise SystemExit("`muster event follow` says nothing")


def follow(source, follower, index, moment):
    source.say(place(index), moment(index))
    line = follower.stdout.readline()
    assert line, "the follower ended"
    return json.loads(line)


def measure(bench, source, follower, fixes, moment):
    took = []
    for index in range(fixes):
        began = time.perf_counter()
        told = follow(source, follower, index, moment)
        took.append(1000 * (time.perf_counter() - began))
        assert told["type"] == ("EXIT" if index % 2 else "ENTER"), told
        time.sleep(0.01)
    took.sort()
    lab.emit(
        bench, lab.median(took), "ms", LIMIT_MILLISECONDS,
        f"median of {fixes}; 99th percentile {took[int(fixes * 0.99) - 1]:.1f} ms")


parser = lab.arguments(__doc__)
parser.add_argument("--fixes", type=int, default=300)
options = parser.parse_args()
lab.in_private_network()

node, gpsd, http_port = lab.Lab(options.muster, 1).nodes[0], Gpsd(), 7580
node.lab.start_on_loopback(
    node, "--gpsd", f"127.0.0.1:{gpsd.port}", "--http", f"127.0.0.1:{http_port}",
    "--trust-local")
gpsd.accept()
node.muster("fence", "add", "--name", "School", "--circle", f"{INSIDE},14.5,100")
events = subprocess.Popen(
    [options.muster, "event", "follow", "--json", "--home", node.home], stdout=subprocess.PIPE,
    bufsize=0)
start = time.time() - 60 * options.fixes


def at(index):
    """A minute apart, so that nobody jumps; within a day of the clock."""
    return datetime.fromtimestamp(start + 60 * index, timezone.utc)


until_followed(gpsd, events, at)
measure("fix-gpsd", gpsd, events, options.fixes, at)
phone = Phone(http_port)
phone.say(OUTSIDE, at(-1))
measure("fix-http", phone, events, min(options.fixes, MOST_OF_A_PHONE), at)
events.kill()
