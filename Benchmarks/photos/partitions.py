#!/usr/bin/env python3
"""One photo of 300 KB from one node to another through 30 % loss, with a partition every 20 s: seconds
until it is whole, how many of its datagrams were lost, and how many arrived again: after the loss of an
acknowledgement, or without a loss. Needs root and `nft`.

    python3 Benchmarks/photos/partitions.py --muster .build/release/muster [--loss 30]
"""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "network"))
import lab  # noqa: E402
from sharing import add_photo, complete  # noqa: E402

# The least length of a packet with a full part: shorter ones are requests, paths and other data.
LONG = 1000


parser = lab.arguments(__doc__.split("\n\n")[0])
parser.add_argument("--loss", type=float, default=30, help="percent, in each direction")
parser.add_argument("--bytes", type=int, default=300_000)
parser.add_argument("--every", type=float, default=20, help="seconds between partitions")
parser.add_argument("--rate", default="128kbit", help="of each link, so that partitions hit it")
parser.add_argument("--most", type=float, default=900, help="seconds")
options = parser.parse_args()


def inside(node, *words):
    return lab.run("ip", "netns", "exec", node.namespace, *words)


mesh = lab.Lab(options.muster, 2)
mesh.on_bridge()
author, reader = mesh.nodes
for node in mesh.nodes:
    inside(node, "tc", "qdisc", "replace", "dev", "radio", "root", "tbf", "rate", options.rate,
           "burst", "5000", "latency", "400ms")
    # Parts of photos are the only datagrams of this size: counted when sent, and after the loss.
    inside(node, "nft", "add table inet air; add chain inet air in { type filter hook input priority 0; }; "
           "add chain inet air out { type filter hook output priority 0; }; "
           f"add rule inet air out meta length > {LONG} counter; "
           f"add rule inet air in numgen random mod 1000 < {int(options.loss * 10)} drop; "
           f"add rule inet air in meta length > {LONG} counter")
    node.start()
lab.wait("the nodes have met", lambda: reader.status()["peers"], 120, poll=0.2)
report = author.add_report("Photo", "")
add_photo(author, report, 1, options.bytes)
began, cuts, next_cut = time.perf_counter(), 0, options.every / 4
while not complete(reader, [report]):
    passed = time.perf_counter() - began
    if passed > options.most:
        raise SystemExit(f"not whole after {passed:.0f} s, {cuts} partitions")
    if passed > next_cut:
        cuts, next_cut = cuts + 1, next_cut + options.every
        lab.run("ip", "-n", mesh.prefix + "hub", "link", "set", "p1", "down")
        time.sleep(options.every / 4)
        lab.run("ip", "-n", mesh.prefix + "hub", "link", "set", "p1", "up")
    time.sleep(0.1)
seconds = time.perf_counter() - began
sent, arrived = (
    int(inside(node, "nft", "list", "chain", "inet", "air", chain)
        .split("counter packets ")[1].split()[0])
    for node, chain in ((author, "out"), (reader, "in")))
what = (f"{options.bytes} bytes, {options.loss:g} % loss each way, {cuts} partitions of "
        f"{options.every / 4:g} s, {options.rate}")
lab.emit("photos-partitions", seconds, "s", note=what)
# Acknowledgements of what was sent last may be in flight.
time.sleep(2)
again = reader.status()["retransmissions"]["receivedParts"]
repeated = author.status()["retransmissions"]
after_loss = repeated["afterLoss"]
# What the author did not send again itself was requested again.
without = max(repeated["withoutLoss"], again - after_loss)
lab.emit("photos-again", again, "datagrams", note=(
         f"of {arrived} that arrived; {sent} were sent, {sent - arrived} of them lost; {after_loss} arrived "
         f"twice after the loss of an acknowledgement; twice without a loss: {without}; {what}"))
reader.muster("verify")
mesh.close()
