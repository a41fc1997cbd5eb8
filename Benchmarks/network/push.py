#!/usr/bin/env python3
"""One fresh write to all: milliseconds until the last of 15 nodes has it and bytes for it, by
sessions on loopback (which has no multicast) and by multicast on a bridge, beside serf's user event
(a program that prints its figures as JSON, given by --peer)."""

import json
import subprocess
import sys
import time

import lab

parser = lab.arguments(__doc__)
parser.add_argument("--nodes", type=int, default=15)
parser.add_argument("--events", type=int, default=30)
parser.add_argument("--network", choices=["loopback", "bridge"], default="loopback")
parser.add_argument("--sos", action="store_true",
                    help="calls for help, until every node raises the alarm, instead of reports")
parser.add_argument("--peer", help="serf_peer.py, run before for the figures to divide by")
options = parser.parse_args()

limit = {}
if options.peer:
    lab.log("running serf …")
    out = subprocess.run(
        [sys.executable, options.peer, "--agents", str(options.nodes), "--encrypt"],
        capture_output=True, text=True)
    limit = json.loads(out.stdout.splitlines()[-1])
    lab.log(json.dumps(limit))
if options.network == "loopback":
    lab.in_private_network()

mesh = lab.Lab(options.muster, options.nodes)
mesh.start_on(options.network)
lab.log("waiting until all are in step …")
mesh.until_in_step()
idle = 0
if not options.sos:
    time.sleep(150)  # until the traffic of meeting has died down: what is idle is subtracted
    quiet_from, quiet_bytes = time.perf_counter(), mesh.sent_bytes()
    time.sleep(20)
    idle = (mesh.sent_bytes() - quiet_bytes) / (time.perf_counter() - quiet_from)

times, halves, missed = [], [], 0
began, before = time.perf_counter(), mesh.sent_bytes()
for event in range(options.events):
    author = mesh.nodes[event % options.nodes]
    start = time.perf_counter()
    if options.sos:
        fresh, has = author.call_for_help(f"call {event:03}"), lab.Node.has_call
    else:
        fresh = author.add_report(f"probe {event}", "x" * (256 - len(f"probe {event}")))
        has = lab.Node.has_report
    written = time.perf_counter() - start
    arrived = sorted(written + t for t in mesh.until_all_have(fresh, 20, has=has) if t is not None)
    missed += options.nodes - len(arrived)
    times.append(arrived[-1] * 1000)
    halves.append(arrived[len(arrived) // 2] * 1000)
    time.sleep(0.2)
time.sleep(5)
seconds = time.perf_counter() - began
spent = (mesh.sent_bytes() - before - idle * seconds) / options.events

times.sort()
if options.sos:
    lab.emit(
        f"sos-{options.network}", lab.median(times), "ms", 100,
        f"{options.nodes} nodes, from the call until the last one raises the alarm, median of "
        f"{options.events}; max {times[-1]:.0f}, half of the nodes {lab.median(halves):.0f}; "
        f"missed {missed}")
    sys.exit()
lab.emit(
    f"push-{options.network}", lab.median(times), "ms", limit.get("event_all_ms", {}).get("median"),
    f"{options.nodes} nodes, report of 256 bytes to all, median of {options.events}; p95 "
    f"{times[int(len(times) * 0.95)]:.0f}, max {times[-1]:.0f}, half of the nodes "
    f"{lab.median(halves):.0f}; missed {missed}; limit: serf's user event")
lab.emit(
    f"push-{options.network}-bytes", spent, "bytes", limit.get("bytes_per_event"),
    f"sent by all nodes for one write, link headers included, idle traffic ({idle:.0f} B/s in all) "
    "subtracted; limit: serf's user event")
