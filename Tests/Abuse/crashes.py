"""S2: kill -9 at any moment, and stops of any length."""

import os
import random
import shutil
import signal
import subprocess
import threading
import time

from row import Row, Verdict, check_all, mesh


class Writer(threading.Thread):
    """Adds reports by a door of its own until the node dies, and keeps what was acknowledged."""

    def __init__(self, node, size):
        super().__init__()
        self.node, self.size, self.acknowledged = node, size, []

    def run(self):
        try:
            while True:
                number = len(self.acknowledged)
                self.acknowledged.append(self.node.add_report(f"Report {number}", "z" * self.size))
        except (SystemExit, OSError):
            pass


def kills(options):
    """A node is killed at a moment that is drawn: while it starts, writes, moves its log."""
    count = options.volume(150, 1000)
    lab = mesh(options, 2)
    victim, draw, acknowledged, begun = lab.nodes[1], random.Random(4), [], 0
    for turn in range(count):
        if turn % 3 == 2:
            # While it starts: the process is there, its door perhaps not.
            victim.process.kill()
            victim.process.wait()
            starting = subprocess.Popen(
                [lab.program, "run", "--listen", "127.0.0.1:7501", "--no-multicast", "--no-http",
                 "--home", victim.home],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(draw.random() * 0.15)
            starting.kill()
            starting.wait()
            begun += 1
        else:
            writer = Writer(victim, draw.choice([50, 700, 6000]))
            writer.start()
            # A start first asks its peers for its own heads.
            ends = time.monotonic() + 5
            while not writer.acknowledged and time.monotonic() < ends:
                time.sleep(0.002)
            time.sleep(draw.random() * 0.25)
            victim.process.kill()
            victim.process.wait()
            writer.join()
            acknowledged += writer.acknowledged
        lab.start_on_loopback(victim)
    verdict = Verdict(f"{count} kills, {begun} of them while starting",
                      note=f"{len(acknowledged)} acknowledged")
    verdict.expect(len(acknowledged) > count / 4, "hardly anything was acknowledged")
    check_all(verdict, lab, acknowledged)
    return verdict


class Interrupted:
    """A command that is killed at a drawn moment of its course, and then given once more."""

    def __init__(self, seed, seconds):
        # How long it takes where nobody kills it.
        self.draw, self.seconds = random.Random(seed), seconds

    def run(self, words):
        """What came of the second time."""
        began = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(self.draw.random() * self.seconds * 1.2)
        began.kill()
        began.wait()
        start = time.monotonic()
        again = subprocess.run(words, capture_output=True, text=True)
        if again.returncode == 0:
            self.seconds = time.monotonic() - start
        return again


def founding(options):
    """Killed while it founds an operation: what is left can be gone on with, or founded anew."""
    count = options.volume(60, 200)
    lab = mesh(options, 1)
    command, verdict, done = Interrupted(5, 0.1), Verdict(f"{count} kills"), 0
    for turn in range(count):
        home = os.path.join(lab.folder, f"f{turn}")
        words = [lab.program, "init", "Flood", "--callsign", "Anna", "--home", home]
        again = command.run(words)
        if again.returncode != 0:
            # It was founded before the kill: then it must be whole.
            whole = subprocess.run(
                [lab.program, "verify", "--home", home], capture_output=True, text=True)
            verdict.expect(whole.returncode == 0, f"neither founded nor whole: {again.stderr}")
            done += 1
        shutil.rmtree(home, ignore_errors=True)
    verdict.note = f"{done} were founded before they were killed"
    return verdict


def joining(options):
    """Killed while it joins by file: what is left can be gone on with, or joined with again."""
    count = options.volume(40, 200)
    lab = mesh(options, 1)
    command, verdict, done = Interrupted(6, 0.15), Verdict(f"{count} kills"), 0
    for turn in range(count):
        home = os.path.join(lab.folder, f"j{turn}")
        request, grant = home + ".request", home + ".grant"
        subprocess.run([lab.program, "join", "--request", request, "--callsign", f"J{turn}",
                        "--home", home], check=True, capture_output=True)
        lab.nodes[0].muster("admit", request, "--out", grant)
        words = [lab.program, "join", "--grant", grant, "--home", home]
        again = command.run(words)
        done += again.returncode != 0
        whole = subprocess.run(
            [lab.program, "verify", "--home", home], capture_output=True, text=True)
        verdict.expect(whole.returncode == 0, f"neither joined nor whole: {again.stderr}")
        shutil.rmtree(home, ignore_errors=True)
    verdict.note = f"{done} had joined before they were killed"
    return verdict


def stops(options):
    """The lids of most laptops are closed for a while; one goes on, and they wake all at once."""
    sleepers, turns, seconds = options.volume((3, 2, 10), (25, 4, 600))
    lab = mesh(options, sleepers + 1)
    awake, asleep = lab.nodes[0], lab.nodes[1:]
    verdict = Verdict(f"{sleepers * turns} stops of {seconds} s, {sleepers} at once")
    acknowledged, slowest = [], 0
    for turn in range(turns):
        for node in asleep:
            node.process.send_signal(signal.SIGSTOP)
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            acknowledged.append(awake.add_report(f"Asleep {turn}", "s" * 100))
            time.sleep(seconds / 100)
        for node in asleep:
            node.process.send_signal(signal.SIGCONT)
        woken = time.monotonic()
        for node in asleep:
            acknowledged.append(node.add_report(f"Awake {turn}", "s" * 100))
        lab.until_in_step(60)
        slowest = max(slowest, time.monotonic() - woken)
    verdict.note = f"{slowest:.1f} s at most until all were in step again"
    check_all(verdict, lab, acknowledged)
    return verdict


ROWS = [
    Row("S2", "kill -9 while it starts, writes, syncs", kills),
    Row("S2", "kill -9 while it founds an operation", founding),
    Row("S2", "kill -9 while it joins by file", joining),
    Row("S2", "stopped and woken", stops),
]
