"""I15: a member writes as fast as its laptop can; calls and reports of others are as prompt as before.

Alone it measures for longer, and prints each delay:

    .build/python/bin/python3 Tests/Abuse/crowding.py [--muster PROGRAM]
"""

import argparse
import http.client
import json
import socket
import subprocess
import sys
import threading
import time

# First, because it sets the path of the other modules.
from row import ROOT, Options, Row, Verdict, check_all, mesh

import lab
from sink import Sink

# A receiver of a webhook that takes so long for each post.
ANSWER_SECONDS = 0.05
LATER_SECONDS = 1.0
WRITERS = 8


def arrival(sink, kind, text):
    """When a post of this kind of change with this text arrived; None if it did not."""
    kind = f'"change":"{kind}"'.encode()
    return next((at for at, body in list(sink.posts) if kind in body and text in body), None)


def write_reports(home, seconds, writer, counts):
    """Files reports that request an evacuation over one connection, each as soon as the last one is
    acknowledged."""
    line = http.client.HTTPConnection("localhost")
    line.sock = socket.socket(socket.AF_UNIX)
    line.sock.connect(f"{home}/run/muster.sock")
    ends, number = time.monotonic() + seconds, 0
    while time.monotonic() < ends:
        draft = {"title": f"Flood {writer}.{number}", "details": "x" * 50, "toEvacuate": True}
        line.request("POST", "/api/v1/commands",
                     json.dumps({"command": {"_0": {"addReport": {"_0": draft}}}}),
                     {"Content-Type": "application/json"})
        answer = line.getresponse()
        answer.read()
        if answer.status == 200:
            number += 1
        else:
            time.sleep(0.01)
    line.close()
    counts.append(number)


def delays(made, sink, rounds, name):
    """Calls for help and files a report at node 1, again and again; returns how long each took to be
    posted to the webhook, raised as an alert and listed at the post."""
    post, other = made.nodes[0], made.nodes[1]
    found = {"webhook": [], "alert": [], "change": []}
    for number in range(rounds):
        note = f"{name}-{number}-end"
        began = time.perf_counter()
        call = other.call_for_help(note)
        lab.wait("the call is an alert at the post", lambda: post.has_call(call), 120, poll=0.005)
        found["alert"].append(time.perf_counter() - began)
        text = note.encode()
        found["webhook"].append(
            lab.wait("the call is posted", lambda: arrival(sink, "raised", text), 120, poll=0.005) - began)
        other.call("PUT", "me/safety", {"safety": "safe"})
        # A call within the same review of the alerts would be part of this one.
        lab.wait("the end of the call is posted", lambda: arrival(sink, "cleared", text), 120)
        began = time.perf_counter()
        report = other.add_report(note, "")
        lab.wait("the report is at the post", lambda: post.has_report(report), 120, poll=0.005)
        found["change"].append(time.perf_counter() - began)
    return found


def crowded(options):
    verdict = Verdict("")
    rounds = options.volume(10, 40)
    made = mesh(options, 3)
    with Sink(ANSWER_SECONDS) as sink:
        made.nodes[0].call("PUT", "webhooks/board", {"url": sink.url, "events": ["ENTER", "EXIT", "ALERT"], "datasets": ["reports"]})
        before = delays(made, sink, rounds, "before")
        frames, began = made.nodes[0].frame_count(), time.monotonic()
        seconds = rounds * 4
        flood = subprocess.Popen(
            [sys.executable, __file__, "--flood", made.nodes[2].home, "--seconds", str(seconds)],
            stdout=subprocess.PIPE, text=True)
        lab.wait("the flood arrives", lambda: made.nodes[0].frame_count() > frames + 100, 60)
        during = delays(made, sink, rounds, "during")
        took = time.monotonic() - began
        arrived = made.nodes[0].frame_count() - frames
        counts = json.loads(flood.communicate(timeout=seconds + 120)[0])
    verdict.volume = (f"{counts['reports'] / counts['seconds']:,.0f} reports/s, "
                      f"{arrived / took:,.0f} frames/s arrived")
    for what in before:
        usual, now = lab.median(before[what]), lab.median(during[what])
        verdict.note += (f"{', ' if verdict.note else ''}{what} {usual:.2f} s, {now:.2f} s during "
                         f"(at most {max(during[what]):.2f} s)")
        verdict.expect(max(during[what]) - usual <= LATER_SECONDS,
                       f"{what}: {max(during[what]):.2f} s instead of {usual:.2f} s")
    check_all(verdict, made, seconds=300)
    return verdict


ROWS = [Row("I15", "a member that writes as fast as it can, beside calls of others", crowded)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--muster", default=f"{ROOT}/.build/release/muster")
    parser.add_argument("--flood", metavar="HOME", help="only write reports at the node of this home")
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    if options.flood is None:
        lab.in_private_network()
        verdict = crowded(Options(options.muster, "", True))
        print(json.dumps(vars(verdict), indent=2))
        sys.exit(1 if verdict.problems else 0)
    counts, began = [], time.monotonic()
    writers = [threading.Thread(target=write_reports, args=(options.flood, options.seconds, n, counts))
               for n in range(WRITERS)]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    print(json.dumps({"reports": sum(counts), "seconds": time.monotonic() - began}))


if __name__ == "__main__":
    main()
