#!/usr/bin/env python3
"""Kills one of two nodes, without warning, while photos are added to one and fetched by the other.
Fails if an acknowledged photo is lost, if a photo that was complete is not after the restart, or if
`muster verify` finds a problem at the end.

    python3 Benchmarks/photos/kills.py --muster .build/release/muster [--kills 200]
"""

import pathlib
import random
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
    """Adds photos until it is stopped; counts those that were acknowledged."""

    def __init__(self, node, report):
        super().__init__(daemon=True)
        self.node, self.report = node, report
        self.acknowledged, self.tried, self.over = 0, 0, False

    def run(self):
        while not self.over and self.tried < options.photos:
            try:
                add_photo(self.node, self.report, self.tried, options.bytes)
                self.acknowledged += 1
            except (SystemExit, OSError):
                time.sleep(0.1)
                continue
            finally:
                self.tried += 1


def main():
    lab.in_private_network()
    drawn = random.Random(options.seed)
    mesh = lab.Lab(options.muster, 2)
    mesh.on_loopback()
    author, reader = mesh.nodes
    report = author.add_report("Photos", "")
    lab.wait("the reader has the report", lambda: reader.has_report(report))
    adding = Adding(author, report)
    adding.start()
    for number in range(options.kills):
        node = mesh.nodes[drawn.randrange(2)]
        time.sleep(drawn.uniform(0.05, 0.5))
        complete = {photo for photo, percent in percents(node, report).items() if percent == 100}
        time.sleep(drawn.uniform(0, 0.2))
        kill(node)
        mesh.start_on_loopback(node)
        now = percents(node, report)
        lost = [photo for photo in complete if now.get(photo) != 100]
        if lost:
            raise SystemExit(f"kill {number} of node {node.index}: no longer complete: {lost}")
    adding.over = True
    adding.join()
    lab.wait("the reader has every photo", lambda: (
        len(percents(author, report)) >= adding.acknowledged
        and percents(reader, report) == percents(author, report)
        and set(percents(reader, report).values()) == {100}), 300, poll=0.5)
    for node in mesh.nodes:
        node.muster("verify")
    lab.emit("photos-kills", options.kills, "kills", note=(
        f"{adding.acknowledged} of {adding.tried} photos acknowledged, "
        f"{len(percents(author, report))} present at both, none lost"))


if __name__ == "__main__":
    main()
