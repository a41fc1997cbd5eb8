"""A4: a replay of all recorded datagrams."""

import json
import socket
import time

import datagrams
from row import Row, Verdict, check_all, mesh


def shown(node):
    """Returns the visible state, which must not change."""
    status = node.status()
    return [status["frames"], status["logs"], status["stateHash"]] + [
        sorted(entry["id"] for entry in json.loads(node.muster(kind, "list", "--json")))
        for kind in ("report", "user", "event")]


def replay(captured, target):
    end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for number, (_, _, _, data) in enumerate(captured):
        end.sendto(data, ("127.0.0.1", target))
        if number % 64 == 63:
            time.sleep(0.002)


def replays(options):
    """Replays recorded work three times to the same node, to others, and after a restart."""
    recorder = datagrams.Recorder()
    lab = mesh(options, 3)
    fence = lab.nodes[0].muster("fence", "add", "--name", "Camp", "--kind", "muster",
                                "--circle", "46.0,14.0,100")
    assert fence
    acknowledged = []
    for turn in range(options.volume(40, 2000)):
        node = lab.nodes[turn % 3]
        acknowledged.append(node.add_report(f"Report {turn}", "y" * 150))
        if turn % 5 == 0:
            north = 46.0 + (0.01 if turn % 2 else 0)
            node.muster("position", "set", f"{north},14.0")
    lab.until_in_step()
    captured = recorder.stop()
    assert len(captured) > 100, "too little was recorded"
    before = [shown(node) for node in lab.nodes]
    verdict = Verdict(f"{len(captured):,} datagrams of {len(acknowledged)} writes, 3 times to each of 3, "
                      "once more after a restart")
    for _ in range(3):
        for node in lab.nodes:
            replay(captured, 7500 + node.index)
    after = [shown(node) for node in lab.nodes]
    verdict.expect(after == before, "a replay changed the visible state")
    restarted = lab.nodes[1]
    restarted.stop()
    lab.start_on_loopback(restarted)
    replay(captured, 7501)
    lab.until_in_step()
    verdict.expect(shown(restarted) == before[1], "a replay was accepted after a restart")
    check_all(verdict, lab, acknowledged)
    return verdict


ROWS = [Row("A4", "replay of recorded datagrams", replays)]
