"""The rows of the table, and the checks at the end of every row."""

import json
import os
import sys
import time
from dataclasses import dataclass, field

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path += [os.path.join(ROOT, "Benchmarks/network"), os.path.join(ROOT, "Tests/Verifier")]

import lab  # noqa: E402

GROWTH_KIB = 64 * 1024


@dataclass
class Options:
    muster: str
    sim: str
    full: bool

    def volume(self, quick, full):
        return full if self.full else quick


@dataclass
class Verdict:
    """The volume of a row, its notes and its problems."""

    volume: str
    problems: list = field(default_factory=list)
    note: str = ""

    def expect(self, holds, problem):
        if not holds:
            self.problems.append(problem)


@dataclass(frozen=True)
class Row:
    """One row of the table; `run` takes the options and returns a verdict."""

    name: str
    title: str
    run: object


def resident_kib(node):
    for line in open(f"/proc/{node.process.pid}/status"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise SystemExit("no memory figure for the process")


def check_growth(verdict, node, before):
    """Checks the memory growth of a node since `before`; more than 64 MiB is a problem."""
    growth = resident_kib(node) - before
    verdict.expect(growth <= GROWTH_KIB, f"memory grew by {growth / 1024:.0f} MiB")
    return f"memory {growth / 1024:+.0f} MiB"


def mesh(options, count, network="loopback"):
    """Starts an operation with some nodes and waits until they have converged."""
    lab.run("ip", "link", "set", "lo", "up")
    made = lab.Lab(options.muster, count)
    made.start_on(network)
    made.until_in_step()
    return made


def check_all(verdict, made, acknowledged=(), seconds=60):
    """Checks that nodes are alive and converged, nothing is lost, and everything verifies."""
    for node in made.nodes:
        if node.process.poll() is not None:
            verdict.problems.append(f"node {node.index} died: {open(node.home + '.log').read()[-400:]}")
            return
    began = time.monotonic()
    try:
        made.until_in_step(seconds)
    except SystemExit as error:
        verdict.problems.append(str(error))
        return
    verdict.note += f"{', ' if verdict.note else ''}converged after {time.monotonic() - began:.1f} s"
    for node in made.nodes:
        held = {report["id"] for report in json.loads(node.muster("report", "list", "--json"))}
        lost = set(acknowledged) - held
        verdict.expect(not lost, f"node {node.index} lacks {len(lost)} acknowledged reports")
        verify(verdict, node)


def check_at_rest(verdict, node, acknowledged, when):
    """Checks a stopped node: everything verifies, and acknowledged data is there."""
    def muster(*words):
        return lab.subprocess.run(
            [node.lab.program, *words, "--home", node.home], capture_output=True, text=True)

    done = muster("verify")
    verdict.expect(done.returncode == 0, f"{when}: {done.stdout}{done.stderr}"[:400])
    listed = muster("report", "list", "--json")
    found = {entry["id"] for entry in json.loads(listed.stdout or "[]")}
    verdict.expect(set(acknowledged) <= found, f"{when}: acknowledged reports are missing")


def verify(verdict, node):
    words = [node.lab.program, "verify", "--home", node.home]
    done = lab.subprocess.run(words, capture_output=True, text=True)
    verdict.expect(done.returncode == 0, f"node {node.index}: {done.stdout}{done.stderr}"[:400])
