"""S2: kill -9 at each successive change of a file while a node writes."""

import collections
import os
import random
import re
import shutil
import subprocess

from row import Row, Verdict, check_all, check_at_rest, mesh

# System calls that change files; `when=N` below selects the N-th of them.
CALLS = "pwrite64,pwritev,write,fdatasync,fsync,ftruncate,unlink,unlinkat,rename,renameat2"


def need_strace():
    if shutil.which("strace") is None:
        raise SystemExit("this row needs strace")


def killed_at(place, words):
    """Runs a command and kills it at its n-th change of a file; returns the name of the file, or
    None if it finished before."""
    trace = f"/tmp/muster-moment-{os.getpid()}"
    done = subprocess.run(
        ["strace", "-f", "-qq", "-y", "-o", trace, "-e", f"trace={CALLS}",
         "-e", f"inject={CALLS}:signal=KILL:when={place}", *words],
        capture_output=True, text=True)
    with open(trace, errors="replace") as file:
        named = re.findall(r"<(/[^>]+)>", file.read())
    os.remove(trace)
    if done.returncode == 0:
        return None
    return os.path.basename(named[-1]) if named else "nothing yet"


class Laptop:
    """A node that does not run, and the results of killed commands on it."""

    def __init__(self, options, node, seed):
        self.options, self.node, self.draw = options, node, random.Random(seed)
        self.verdict, self.acknowledged = Verdict(""), []
        self.places = collections.Counter()
        self.recoveries = 0

    def words(self, *words):
        return [self.options.muster, *words, "--home", self.node.home]

    def kill(self, place, *words):
        """Returns whether it was killed; sometimes the next program that opens the files is too."""
        file = killed_at(place, self.words(*words))
        if file is None:
            return False
        self.places[file] += 1
        while self.draw.random() < 0.5:
            self.recoveries += killed_at(
                self.draw.randint(1, 25), self.words("status")) is not None
        return True

    def look(self, when):
        """Checks that everything verifies, acknowledged data is there, and writes succeed."""
        check_at_rest(self.verdict, self.node, self.acknowledged, when)
        words = self.words("report", "add", "--title", when, "--description", "m" * 3000)
        done = subprocess.run(words, capture_output=True, text=True)
        self.verdict.expect(
            done.returncode == 0, f"{when}: it accepts no report: {done.stderr}"[:400])
        self.acknowledged.append(done.stdout.strip())


def moments(options, words, node, seed, least):
    """Kills `words` at each successive change, from first to last, repeatedly."""
    turns = options.volume(40, 800)
    need_strace()
    made = mesh(options, 2)
    chosen = made.nodes[node]
    chosen.stop()
    laptop, place, kills, ends = Laptop(options, chosen, seed), 1, 0, 0
    # In steps if there is no time for each: the next round then starts between them.
    leap = options.volume(5, 1)
    for turn in range(turns):
        if laptop.kill(place, *words):
            kills += 1
            laptop.look(f"change {place}, turn {turn}")
            place += leap
        else:
            ends += 1
            place = 1 + ends % leap
        if len(laptop.verdict.problems) > 5:
            break
    files = ", ".join(f"{count} at {name}" for name, count in laptop.places.most_common(3))
    verdict = laptop.verdict
    verdict.volume = f"{kills} kills, {laptop.recoveries} more during the repair"
    verdict.note = files
    verdict.expect(kills >= turns // 2, f"only {kills} kills")
    verdict.expect(laptop.recoveries >= kills // 3, "too few during the repair")
    for name, count in least.items():
        verdict.expect(
            laptop.places[name] >= count * turns // 800,
            f"{laptop.places[name]} at {name}: too few for a result")
    made.start_on_loopback(chosen)
    check_all(verdict, made, laptop.acknowledged)
    return verdict


def writing(options):
    """Kills a commit, and the checkpoint that closes the database."""
    words = ("report", "add", "--title", "Landslide", "--description", "w" * 6000)
    return moments(options, words, 1, 11, {"muster.sqlite-wal": 200, "muster.sqlite": 100})


def rotating(options):
    """Kills the creation of a new group key, which is sealed to every device."""
    return moments(options, ("epoch", "rotate", "--yes"), 0, 12, {"muster.sqlite-wal": 200})


ROWS = [
    Row("S2", "kill -9 at each change: commit, checkpoint", writing),
    Row("S2", "kill -9 at each change: a new epoch", rotating),
]
