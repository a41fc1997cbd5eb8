"""A4: everything that was ever said, said again."""

import json
import socket
import time

import datagrams
from row import Row, Verdict, check_all, mesh


def shown(node):
    """What a user would see: nothing of it may change."""
    status = node.status()
    return [status["frames"], status["logs"], status["stateHash"]] + [
        sorted(entry["id"] for entry in json.loads(node.muster(kind, "list", "--json")))
        for kind in ("report", "user", "event")]


def replay(heard, target):
    end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for number, (_, _, _, data) in enumerate(heard):
        end.sendto(data, ("127.0.0.1", target))
        if number % 64 == 63:
            time.sleep(0.002)


def replays(options):
    """A recorded hour of work: thrice to the same laptop, to another, and after a restart."""
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
    heard = recorder.stop()
    assert len(heard) > 100, "hardly anything was recorded"
    before = [shown(node) for node in lab.nodes]
    verdict = Verdict(f"{len(heard):,} datagrams of {len(acknowledged)} writes, 3 times to each of 3, "
                      "once more after a restart")
    for _ in range(3):
        for node in lab.nodes:
            replay(heard, 7500 + node.index)
    after = [shown(node) for node in lab.nodes]
    verdict.expect(after == before, "a repetition changed what is shown")
    restarted = lab.nodes[1]
    restarted.stop()
    lab.start_on_loopback(restarted)
    replay(heard, 7501)
    lab.until_in_step()
    verdict.expect(shown(restarted) == before[1], "a repetition counted after a restart")
    check_all(verdict, lab, acknowledged)
    return verdict


ROWS = [Row("A4", "what was recorded, repeated", replays)]
