"""S5: restored backups and cloned laptops."""

import os
import shutil
import time

from row import Row, Verdict, check_all, mesh


def restored(options):
    """Restores a home from a backup that is some writes old."""
    count = options.volume(12, 200)
    made = mesh(options, 2)
    node, acknowledged = made.nodes[1], []
    backup = node.home + ".backup"
    for turn in range(count):
        node.stop()
        shutil.rmtree(backup, ignore_errors=True)
        shutil.copytree(node.home, backup, ignore=shutil.ignore_patterns("*.sock"))
        made.start_on_loopback(node)
        for number in range(1 + turn % 4):
            acknowledged.append(node.add_report(f"Before {turn}.{number}", "b" * 90))
        if turn % 2:
            made.until_in_step()
        else:
            # Data that only this disk held is lost with it, so it must have been sent before.
            wait_for(made.nodes[0], acknowledged)
        node.stop()
        shutil.rmtree(node.home)
        shutil.copytree(backup, node.home)
        made.start_on_loopback(node)
        acknowledged.append(node.add_report(f"After {turn}", "a" * 90))
    verdict = Verdict(f"{count} backups restored")
    made.until_in_step()
    forked = [node.status().get("forkedLogs", 0) for node in made.nodes]
    verdict.expect(not any(forked), f"an honest laptop forked its own log: {forked}")
    accused = [node.index for node in made.nodes if node.status()["clones"]]
    verdict.expect(not accused, f"nodes {accused} report a clone of a restored laptop")
    check_all(verdict, made, acknowledged)
    return verdict


ALARM_SECONDS = 60


def cloned(options):
    """Copies a home and runs both copies for a while."""
    count = options.volume(6, 200)
    made = mesh(options, 3)
    original, twin = made.nodes[1], made.nodes[2]
    verdict, acknowledged, slowest, alarms = Verdict(f"{count} clones"), [], 0.0, []
    for turn in range(count):
        original.stop()
        twin.stop()
        shutil.rmtree(twin.home)
        shutil.copytree(original.home, twin.home, ignore=shutil.ignore_patterns("*.sock"))
        # As on another machine: without the sentinel that belongs to the first copy.
        state = os.environ["XDG_STATE_HOME"]
        told_before = lives_told(made.nodes[0])
        made.start_on_loopback(original)
        acknowledged.append(original.add_report(f"Original {turn}", "o" * 90))
        os.environ["XDG_STATE_HOME"] = os.path.join(made.folder, f"state{turn}")
        if turn % 2:
            # The sentinel was copied too: nothing local reveals another machine.
            shutil.copytree(state, os.environ["XDG_STATE_HOME"])
        made.start_on_loopback(twin)
        os.environ["XDG_STATE_HOME"] = state
        began = time.monotonic()
        for number in range(3):
            acknowledged.append(original.add_report(f"One {turn}.{number}", "o" * 90))
            acknowledged.append(twin.add_report(f"Two {turn}.{number}", "t" * 90))
        alarms.append(wait_for_alarm(made.nodes, told_before, began))
        verdict.expect(
            alarms[-1] is not None,
            f"clone {turn}: not every node reported it within {ALARM_SECONDS} s")
        wait_for(made.nodes[0], acknowledged)
        slowest = max(slowest, time.monotonic() - began)
    known = sorted(seconds for seconds in alarms if seconds is not None)
    if known:
        verdict.note = (
            f"alarm on all nodes in {len(known)} of {count}, after {known[len(known) // 2]:.1f} s "
            f"median and {known[-1]:.1f} s at most; ")
    verdict.note += f"command had everything after {slowest:.1f} s at most"
    lost = [report for report in acknowledged if not made.nodes[0].has_report(report)]
    verdict.expect(not lost, f"command lacks {len(lost)} acknowledged reports")
    twin.stop()
    made.nodes.pop()
    check_all(verdict, made, acknowledged)
    return verdict


def lives_told(node):
    """Returns the devices that a node's status reports as in use twice."""
    return {
        life["incarnation"] for clone in node.status()["clones"] for life in clone["lives"]}


def wait_for_alarm(nodes, told_before, began):
    """Returns the seconds until every node reports a new clone; None if not in time."""
    waiting = list(nodes)
    while time.monotonic() - began <= ALARM_SECONDS:
        waiting = [node for node in waiting if not lives_told(node) - told_before]
        if not waiting:
            return time.monotonic() - began
        time.sleep(0.1)
    return None


def wait_for(node, reports, seconds=60):
    ends = time.monotonic() + seconds
    while not all(node.has_report(report) for report in reports):
        if time.monotonic() > ends:
            return
        time.sleep(0.1)


ROWS = [
    Row("S5", "backups restored", restored),
    Row("S5", "a laptop in use twice", cloned),
]
