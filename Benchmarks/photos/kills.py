#!/usr/bin/env python3
"""Kills one of three nodes, without warning, while photos are added to the first, fetched by the second,
and merged from bundles of the first by the third, which is not connected. Fails if an acknowledged
photo is lost, if a photo that was complete is not after the restart, or if `muster verify` finds a
problem at the end.

With `--picture FILE` it kills `muster-image` instead, the process that reads pictures, while it reads
this one. Fails unless each answer is a photo or a clear error, the next picture is read, and the photos
that exist are those that were acknowledged.

    python3 Benchmarks/photos/kills.py --muster .build/release/muster [--kills 200]
    python3 Benchmarks/photos/kills.py --muster .build/release/muster --kills 50 --picture 12mp.jpg
"""

import base64
import http.client
import json
import os
import pathlib
import random
import signal
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "network"))
import lab  # noqa: E402
from sharing import add_photo  # noqa: E402

parser = lab.arguments(__doc__.split("\n\n")[0])
parser.add_argument("--kills", type=int, default=200)
parser.add_argument("--photos", type=int, default=60)
parser.add_argument("--bytes", type=int, default=300_000)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--picture", help="a JPEG, to kill muster-image while it reads it")
options = parser.parse_args()


def percents(node, report):
    """The progress of each photo, by its id."""
    answer = node.ask({"photos": {"_0": report}})
    return {photo["id"]: photo["original"]["percent"]
            for photo in answer.get("photos", {}).get("_0", [])}


def kill(node):
    node.process.kill()
    node.process.wait()


class Adding(threading.Thread):
    """Adds photos, spread over all kills, until it is stopped; counts those that were acknowledged."""

    def __init__(self, node, report):
        super().__init__(daemon=True)
        self.node, self.report = node, report
        self.acknowledged, self.tried, self.over = 0, 0, False
        self.allowed = 1

    def run(self):
        while not self.over:
            if self.tried >= self.allowed:
                time.sleep(0.01)
                continue
            try:
                add_photo(self.node, self.report, self.tried, options.bytes)
                self.acknowledged += 1
            except (SystemExit, OSError):
                time.sleep(0.1)
                continue
            finally:
                self.tried += 1


def bundle(node):
    """The bytes of a bundle of all that a node has."""
    file, place = b"", ""
    while True:
        piece = node.ask({"bundlePiece": {"at": place}})["bundlePiece"]["_0"]
        file += base64.b64decode(piece["bytes"])
        place = piece["next"]
        if not place:
            return file


def merge(node, file):
    """Merges a bundle, as a memory stick brings it."""
    place, start = "", 0
    while True:
        part = file[start:start + (256 << 10)]
        step = node.ask({"mergeBundle": {
            "_0": base64.b64encode(part).decode(), "at": place,
            "isLast": start + len(part) == len(file)}})["bundleProgress"]["_0"]
        start, place = start + step["consumed"], step["next"]
        if step.get("end"):
            return


class Merging(threading.Thread):
    """Merges newer and newer bundles of one node at another until it is stopped."""

    def __init__(self, source, node):
        super().__init__(daemon=True)
        self.source, self.node, self.merged, self.over = source, node, 0, False

    def run(self):
        while not self.over:
            try:
                merge(self.node, bundle(self.source))
                self.merged += 1
            except (SystemExit, OSError, KeyError):
                time.sleep(0.1)


def helper(node):
    """The process that reads pictures for a node; None while there is none."""
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            name, rest = (entry / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
        except OSError:
            continue
        if name == "muster-image" and int(rest.split()[1]) == node.process.pid:
            return int(entry.name)
    return None


def post(node, report, picture):
    """Adds a picture as the page does. Returns the status and the answer."""
    connection = http.client.HTTPConnection("localhost")
    connection.sock = node.connect()
    connection.sock.settimeout(60)
    connection.request("POST", f"/api/v1/reports/{report}/photos", picture,
                       {"Content-Type": "image/jpeg", "Connection": "close"})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read() or "{}")


def kill_helpers():
    """Kills the process that reads pictures, at a drawn moment of each."""
    lab.in_private_network()
    drawn = random.Random(options.seed)
    mesh = lab.Lab(options.muster, 1)
    node = mesh.nodes[0]
    mesh.start_on_loopback(node)
    # A report has at most 64 photos.
    report, picture = None, pathlib.Path(options.picture).read_bytes()
    acknowledged, refused, errors = {}, 0, set()
    for number in range(options.kills):
        if number % 30 == 0:
            report = node.add_report(f"Photos {number}", "")
            acknowledged[report] = 0
        answers = []
        began = time.perf_counter()
        status, _ = post(node, report, picture)
        took = time.perf_counter() - began
        if status != 201:
            raise SystemExit(f"kill {number}: the picture before it was refused: {status}")
        acknowledged[report] += 1
        thread = threading.Thread(target=lambda: answers.append(post(node, report, picture)))
        thread.start()
        time.sleep(drawn.uniform(0, took))
        victim = helper(node)
        if victim:
            os.kill(victim, signal.SIGKILL)
        thread.join()
        status, answer = answers[0]
        if status == 201:
            acknowledged[report] += 1
        else:
            refused += 1
            errors.add(f"{status} {answer}")
    for report, count in acknowledged.items():
        found = len(percents(node, report))
        if found != count:
            raise SystemExit(f"{count} photos were acknowledged, {found} exist")
    if any("muster-image" not in error for error in errors):
        raise SystemExit(f"an error that does not name the cause: {errors}")
    node.muster("verify")
    lab.emit("photos-helper-kills", options.kills, "kills", note=(
        f"{sum(acknowledged.values())} photos acknowledged and present, {refused} refused: "
        f"{' / '.join(sorted(errors))}"))
    mesh.close()


def main():
    lab.in_private_network()
    drawn = random.Random(options.seed)
    mesh = lab.Lab(options.muster, 3)
    author, reader, merger = mesh.nodes
    starts = {
        author.index: lambda: mesh.start_on_loopback(author),
        reader.index: lambda: mesh.start_on_loopback(reader),
        merger.index: lambda: merger.start("--listen", "127.0.0.1:7600", "--no-multicast")}
    for start in starts.values():
        start()
    report = author.add_report("Photos", "")
    lab.wait("the reader has the report", lambda: reader.has_report(report))
    adding, merging = Adding(author, report), Merging(author, merger)
    adding.start()
    merging.start()
    for number in range(options.kills):
        node = mesh.nodes[drawn.randrange(3)]
        adding.allowed = 1 + number * options.photos // options.kills
        time.sleep(drawn.uniform(0.05, 0.5))
        complete = {photo for photo, percent in percents(node, report).items() if percent == 100}
        time.sleep(drawn.uniform(0, 0.2))
        kill(node)
        starts[node.index]()
        now = percents(node, report)
        lost = [photo for photo in complete if now.get(photo) != 100]
        if lost:
            raise SystemExit(f"kill {number} of node {node.index}: no longer complete: {lost}")
    adding.over = merging.over = True
    adding.join()
    merging.join()
    merge(merger, bundle(author))
    for node in (reader, merger):
        lab.wait(f"node {node.index} has every photo", lambda: (
            len(percents(author, report)) >= adding.acknowledged
            and percents(node, report) == percents(author, report)
            and set(percents(node, report).values()) == {100}), 300, poll=0.5)
    for node in mesh.nodes:
        node.muster("verify")
    lab.emit("photos-kills", options.kills, "kills", note=(
        f"{adding.acknowledged} of {adding.tried} photos acknowledged, "
        f"{len(percents(author, report))} present at all, none lost; "
        f"{merging.merged} bundles merged"))


if __name__ == "__main__":
    kill_helpers() if options.picture else main()
