#!/usr/bin/env python3
"""How long a call for help takes to the first row at command, and command's acknowledgement to the caller: over the
hops of a row of laptops, each hearing only its neighbours (limit: 1 s at the 99th percentile).

`--load` lets two clients of the caller's laptop read the dearest routes without a pause."""

import threading
import time

import lab

LIMIT = 1000

parser = lab.arguments(__doc__)
parser.add_argument("--nodes", type=int, default=4)
parser.add_argument("--calls", type=int, default=100)
parser.add_argument("--load", action="store_true")
options = parser.parse_args()

mesh = lab.Lab(options.muster, options.nodes)
mesh.in_a_row()
for node in mesh.nodes:
    node.start()
mesh.until_in_step()
command, caller = mesh.nodes[0], mesh.nodes[-1]
over = threading.Event()


def flood():
    while not over.is_set():
        for path in ("history/events", "alerts", "users", "changes"):
            try:
                caller.call("GET", path)
            except SystemExit:
                pass


def first_row():
    """The call's row at command: the person listed first, and the alert."""
    people = command.call("GET", "users")["items"]
    return people[0]["callsign"] == f"N{caller.index}" and people[0]["status"] == "mayday"


def alert():
    for one in command.call("GET", "alerts")["items"]:
        if one["kind"] == "help" and one["acknowledgedBy"] is None:
            return one
    return None


def timed(condition):
    began = time.perf_counter()
    while not condition():
        if time.perf_counter() - began > 60:
            raise SystemExit("it did not arrive in 60 s")
        time.sleep(0.002)
    return 1000 * (time.perf_counter() - began)


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


threads = [threading.Thread(target=flood, daemon=True) for _ in range(2 if options.load else 0)]
for thread in threads:
    thread.start()
rows, alerts, acknowledged = [], [], []
for number in range(options.calls):
    began = time.perf_counter()
    caller.call("PUT", "me/safety", {"safety": "help", "note": f"call {number}"})
    timed(first_row)
    rows.append(1000 * (time.perf_counter() - began))
    timed(lambda: alert() is not None)
    alerts.append(1000 * (time.perf_counter() - began))
    one = alert()
    began = time.perf_counter()
    command.call("POST", f"alerts/{one['id']}/acknowledge", {"person": True})
    timed(lambda: caller.call("GET", "me/call")["call"]["seenBy"])
    acknowledged.append(1000 * (time.perf_counter() - began))
    caller.call("PUT", "me/safety", {"safety": "safe"})
    timed(lambda: not any(one["kind"] == "help" for one in command.call("GET", "alerts")["items"]))
over.set()
how = "while clients flood reads" if options.load else "on a quiet mesh"
for name, values in (("row", rows), ("alert", alerts), ("seen", acknowledged)):
    lab.emit(
        f"call.{name}", percentile(values, 0.99), "ms", LIMIT,
        f"99th percentile of {options.calls} over {options.nodes - 1} hops, {how}; "
        f"median {lab.median(values):.0f} ms")
