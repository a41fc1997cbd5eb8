#!/usr/bin/env python3
"""Bytes a second that a node sends while all are in step and nothing happens (limit: 60)."""

import time

import lab

parser = lab.arguments(__doc__)
parser.add_argument("--nodes", type=int, default=8)
parser.add_argument("--minutes", type=float, default=10)
parser.add_argument("--settle", type=float, default=30, help="seconds before it counts")
parser.add_argument("--network", choices=["loopback", "bridge"], default="bridge")
options = parser.parse_args()
if options.network == "loopback":
    lab.in_private_network()
mesh = lab.Lab(options.muster, options.nodes)
mesh.start_on(options.network)
mesh.until_in_step()
time.sleep(options.settle)
began, before = time.perf_counter(), mesh.sent_bytes()
for minute in range(int(options.minutes)):
    time.sleep(60)
    spent = (mesh.sent_bytes() - before) / (time.perf_counter() - began) / options.nodes
    lab.log(f"{minute + 1} min: {spent:.1f} B/s a node")
time.sleep(options.minutes % 1 * 60)
spent = (mesh.sent_bytes() - before) / (time.perf_counter() - began) / options.nodes
lab.emit(
    f"idle-{options.network}", spent, "bytes/s", 60,
    f"sent by each of {options.nodes} nodes in step over {options.minutes:g} minutes, link headers "
    f"(14 bytes a datagram) included, from {options.settle:g} s after all agreed")
