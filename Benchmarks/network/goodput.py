#!/usr/bin/env python3
"""Catching up through a narrow link: bytes of frames a second through 10 Mbit/s (tbf), beside a TCP
connection in the same namespaces, at 0 and 1 % random loss; five rounds in turn, medians."""

import subprocess
import sys
import time

import lab
from frames import frames

parser = lab.arguments(__doc__)
parser.add_argument("--rate", default="10mbit")
parser.add_argument("--loss", type=float, nargs="*", default=[0, 1])
parser.add_argument("--reports", type=int, default=8000)
parser.add_argument("--rounds", type=int, default=3)
options = parser.parse_args()

SINK = """
import socket, sys, time
s = socket.create_server(("0.0.0.0", 9000)); print("ready", flush=True)
c, _ = s.accept(); n = 0; t = None
while True:
    d = c.recv(1 << 16)
    if not d: break
    t = t or time.perf_counter(); n += len(d)
print(n / (time.perf_counter() - t), flush=True)
"""
SOURCE = """
import socket, sys
c = socket.create_connection(("10.9.0.1", 9000)); c.sendall(bytes(int(sys.argv[1]))); c.close()
"""


def shape(mesh, loss):
    for node in mesh.nodes:
        run = lambda *words: lab.run("ip", "netns", "exec", node.namespace, *words)
        lab.run("ip", "netns", "exec", node.namespace, "tc", "qdisc", "replace", "dev", "radio",
                "root", "tbf", "rate", options.rate, "burst", "15000", "latency", "50ms")
        run("nft", "flush", "ruleset")
        if loss:
            share = int(loss / 100 * 1000)
            run("nft", "add table inet air; add chain inet air in { type filter hook input "
                "priority 0; }; add rule inet air in numgen random mod 1000 < "
                f"{share} drop")


def tcp(mesh, size):
    inside = lambda node: ["ip", "netns", "exec", node.namespace, sys.executable, "-c"]
    sink = subprocess.Popen([*inside(mesh.nodes[0]), SINK], stdout=subprocess.PIPE, text=True)
    sink.stdout.readline()
    subprocess.run([*inside(mesh.nodes[1]), SOURCE, str(size)], check=True)
    return float(sink.stdout.readline())


def catch_up(loss):
    """A newcomer takes everything; bytes of frames a second from the first to the last."""
    mesh = lab.Lab(options.muster, 2)
    try:
        mesh.on_bridge()
        author, newcomer = mesh.nodes
        author.start()
        for index in range(options.reports):
            author.add_report(f"Report {index}", f"{index:06d} " + "water over the road " * 34)
        count, size = frames(author)
        shape(mesh, loss)
        newcomer.start()
        # The newcomer's own log comes on top of what the author held.
        began = None
        while True:
            got = newcomer.frame_count()
            if began is None and got > 8:
                began, first = time.perf_counter(), got
            if got >= count:
                break
            time.sleep(0.01)
        seconds = time.perf_counter() - began
        return size * (count - first) / count / seconds, mesh, size
    except BaseException:
        mesh.close()
        raise


for loss in options.loss:
    ours, theirs = [], []
    for turn in range(options.rounds):
        rate, mesh, size = catch_up(loss)
        for node in mesh.nodes:
            node.stop()
        theirs.append(tcp(mesh, size))
        ours.append(rate)
        mesh.close()
        lab.log(f"loss {loss:g} %: ours {ours[-1]:.0f} B/s, TCP {theirs[-1]:.0f} B/s")
    lab.emit(
        f"goodput-loss-{loss:g}", lab.median(ours), "bytes/s", lab.median(theirs),
        f"bodies and signatures of frames, {size} bytes through {options.rate} (tbf), {loss:g} % "
        f"loss, median of {options.rounds}; limit: TCP in the same namespaces")
