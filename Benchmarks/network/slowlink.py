#!/usr/bin/env python3
"""25 nodes on one radio channel of 64 kbit/s that all share: each moves and reports its position
every 20 s, and once a minute somebody files a report. What has arrived, and how late.

With `--photos 20 --nodes 10`, members also add that many reports with a photo each at the start: when
the command post has all their thumbnails."""

import json
import subprocess
import sys
import time

import lab

sys.path.insert(0, lab.os.path.join(lab.ROOT, "Benchmarks/photos"))
import sharing  # noqa: E402

parser = lab.arguments(__doc__)
parser.add_argument("--nodes", type=int, default=25)
parser.add_argument("--minutes", type=float, default=10)
parser.add_argument("--rate", type=int, default=64_000)
parser.add_argument("--loss", type=float, default=0)
parser.add_argument("--sos", action="store_true",
                    help="a call for help once a minute, instead of a report")
parser.add_argument("--photos", type=int, default=0, help="reports with a photo of 300 KB")
options = parser.parse_args()


def thumbnails(node, reports):
    """How many of these reports have their thumbnail at a node."""
    return sum(
        photo["thumbnail"]["percent"] == 100 for report in reports
        for photo in node.ask({"photos": {"_0": report}}).get("photos", {}).get("_0", []))


mesh = lab.Lab(options.muster, options.nodes)
hub = mesh.prefix + "hub"
lab.run("ip", "netns", "add", hub)
for node in mesh.nodes:
    mesh.namespace(node)
    lab.run("ip", "-n", hub, "link", "add", f"p{node.index}", "type", "veth", "peer", "name",
            "radio", "netns", node.namespace)
    lab.run("ip", "-n", hub, "link", "set", f"p{node.index}", "up")
    mesh.address(node)
lab.run("ip", "netns", "exec", hub, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")
air = subprocess.Popen(
    ["ip", "netns", "exec", hub, sys.executable, lab.os.path.join(lab.ROOT, "Benchmarks/network/air.py"),
     str(options.nodes), "--rate", str(options.rate), "--loss", str(options.loss)],
    stdout=subprocess.PIPE, text=True)
mesh.airs.append(air)
air.stdout.readline()
for node in mesh.nodes:
    node.start("--link-rate", f"{options.rate // 1000}kbit")
lab.log("waiting until all are in step …")
began = time.perf_counter()
mesh.until_in_step(1200)
lab.log(f"all met and agree after {time.perf_counter() - began:.0f} s")

# What each node says of the others: the time of the newest position it knows, and the reports.
sent, late = {}, []
began, before = time.perf_counter(), mesh.sent_bytes()
step = 20 / options.nodes
ends = began + options.minutes * 60
next_position, next_report, next_look = began, began + 5, began + 1
pending = {}
counts = {"positions": 0, "reports": 0, "arrived": 0}
pictured, photographed = [], None
for number in range(options.photos):
    author = mesh.nodes[1 + number % (options.nodes - 1)]
    pictured.append(author.add_report(f"Photo {number}", ""))
    sharing.add_photo(author, pictured[-1], number, 300_000)
while time.perf_counter() < ends or pending and time.perf_counter() < ends + 60:
    now = time.perf_counter()
    if pictured and photographed is None and now >= next_look:
        next_look = now + 0.5
        if thumbnails(mesh.nodes[0], pictured) == options.photos:
            photographed = now - began
    if now >= next_position and now < ends:
        node = mesh.nodes[counts["positions"] % options.nodes]
        place = f"{40 + node.index / 100:.4f},{-7 - counts['positions'] / 10000:.4f}"
        node.muster("position", "set", place)
        sent[node.index] = (place, now)
        counts["positions"] += 1
        next_position += step
    if now >= next_report and now < ends:
        writer = mesh.nodes[counts["reports"] * 7 % options.nodes]
        if options.sos:
            report = writer.call_for_help(f"call {counts['reports']:03}")
        else:
            report = writer.add_report(f"Hazard {counts['reports']}", "x" * 200, evacuate=True)
        pending[report] = (now, set(range(options.nodes)))
        counts["reports"] += 1
        next_report += 60
    for report, (written, lacking) in list(pending.items()):
        for index in sorted(lacking):
            has = lab.Node.has_call if options.sos else lab.Node.has_report
            if has(mesh.nodes[index], report):
                lacking.discard(index)
                late.append(time.perf_counter() - written)
                counts["arrived"] += 1
        if not lacking:
            del pending[report]
    time.sleep(0.02)
time.sleep(25)
agree = 0
for node in mesh.nodes:
    places = {user["callsign"]: (user["lat"], user["lon"])
              for user in json.loads(node.muster("user", "list", "--json"))}
    for other in mesh.nodes:
        latitude, longitude = (float(part) for part in sent[other.index][0].split(","))
        there = places.get(f"N{other.index}")
        agree += there is not None and there[0] is not None and (
            abs(there[0] - latitude) < 1e-6 and abs(there[1] - longitude) < 1e-6)
late.sort()
note = (
    f"{options.nodes} nodes on a shared {options.rate} bit/s, loss {options.loss:g} %, "
    f"{options.minutes:g} min, {counts['positions']} positions, {counts['reports']} "
    + ("calls for help" if options.sos else "hazards"))
what = "calls for help" if options.sos else "hazards"
if options.photos:
    lab.emit("slowlink-thumbnails", photographed or float("inf"), "s", 120,
             f"until the command post has the thumbnails of {options.photos} reports; " + note)
lab.emit(f"slowlink-{'sos' if options.sos else 'hazards'}",
         100 * counts["arrived"] / max(1, counts["reports"] * options.nodes), "%", 100,
         f"of {what} arrived; " + note)
lab.emit("slowlink-behind", late[-1] if late else 0, "s", 10,
         f"the latest of the {what}; median {lab.median(late) if late else 0:.2f} s; " + note)
lab.emit("slowlink-positions", 100 * agree / options.nodes ** 2, "%", 100,
         "of newest positions known everywhere at the end; " + note)
lab.emit("slowlink-bytes", (mesh.sent_bytes() - before) / options.minutes / 60 / options.nodes,
         "bytes/s", options.rate / 8 / options.nodes, "sent by each node; " + note)
