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
    """Adds reports on its own connection until the node dies, and records the acknowledged ones."""

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
    """Kills a node at random moments: while it starts, writes, or checkpoints its log."""
    count = options.volume(150, 1000)
    lab = mesh(options, 2)
    victim, draw, acknowledged, begun = lab.nodes[1], random.Random(4), [], 0
    for turn in range(count):
        if turn % 3 == 2:
            # While it starts, the process exists, but perhaps not its socket.
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
            # A start first requests its own heads from its peers.
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
    verdict.expect(len(acknowledged) > count / 4, "too few writes were acknowledged")
    check_all(verdict, lab, acknowledged)
    return verdict


class Interrupted:
    """Kills a command at a random moment, and runs it again."""

    def __init__(self, seed, seconds):
        # The duration without a kill.
        self.draw, self.seconds = random.Random(seed), seconds

    def run(self, words):
        """Returns the result of the second run."""
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
    """Kills `init`: the result can be used, or `init` can be repeated."""
    count = options.volume(60, 200)
    lab = mesh(options, 1)
    command, verdict, done = Interrupted(5, 0.1), Verdict(f"{count} kills"), 0
    for turn in range(count):
        home = os.path.join(lab.folder, f"f{turn}")
        words = [lab.program, "init", "Flood", "--callsign", "Anna", "--home", home]
        again = command.run(words)
        if again.returncode != 0:
            # The operation was created before the kill, and must be complete.
            whole = subprocess.run(
                [lab.program, "verify", "--home", home], capture_output=True, text=True)
            verdict.expect(whole.returncode == 0, f"neither created nor complete: {again.stderr}")
            done += 1
        shutil.rmtree(home, ignore_errors=True)
    verdict.note = f"{done} were created before the kill"
    return verdict


def joining(options):
    """Kills `join` by file: the result can be used, or `join` can be repeated."""
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
        verdict.expect(whole.returncode == 0, f"neither joined nor complete: {again.stderr}")
        shutil.rmtree(home, ignore_errors=True)
    verdict.note = f"{done} had joined before the kill"
    return verdict


def stops(options):
    """Stops most nodes for a while; one continues, and all others resume at once."""
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
    verdict.note = f"{slowest:.1f} s at most until all converged"
    check_all(verdict, lab, acknowledged)
    return verdict


ROWS = [
    Row("S2", "kill -9 during start, write, sync", kills),
    Row("S2", "kill -9 during init", founding),
    Row("S2", "kill -9 during a join by file", joining),
    Row("S2", "stopped and resumed", stops),
]
