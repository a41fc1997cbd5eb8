"""Rows of the table, and the operation of real nodes that they share."""

import os
import subprocess
import sys
from dataclasses import dataclass, field

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path += [os.path.join(ROOT, "Benchmarks/network"), os.path.join(ROOT, "Tests/Browser")]

import lab  # noqa: E402
from lab import free_port, wait  # noqa: E402, F401

# Positions are whole 1e-7 degrees.
TOLERANCE = 1.5e-7


@dataclass
class Result:
    """The figures of a row, and what was wrong."""

    figures: list = field(default_factory=list)
    problems: list = field(default_factory=list)

    def figure(self, text):
        self.figures.append(text)

    def check(self, holds, problem):
        if not holds:
            self.problems.append(problem)

    def equal(self, what, got, wanted):
        self.check(got == wanted, f"{what}: {shortened(got)}, not {shortened(wanted)}")

    def same_places(self, what, got, wanted):
        """Compares {name: (longitude, latitude)}; reports the first three differences."""
        missing = [name for name in wanted if name not in got]
        more = [name for name in got if name not in wanted]
        moved = [name for name in wanted if name in got and any(
            distance(a, b) > TOLERANCE for a, b in zip(got[name], wanted[name], strict=True))]
        for label, names in (("missing", missing), ("unexpected", more)):
            self.check(not names, f"{what}: {len(names)} {label}, such as {names[:3]}")
        self.check(not moved, f"{what}: {len(moved)} at another position, such as "
                   + str([(name, got[name], wanted[name]) for name in moved[:3]]))


@dataclass(frozen=True)
class Row:
    """One row of the table. `run` takes the program and a result, in its own network namespace."""

    name: str
    title: str
    packages: tuple
    run: object


def distance(one, other):
    """Degrees between two angles: 180 and -180 are the same, and GPX permits only -180."""
    return abs((one - other + 180) % 360 - 180)


def shortened(value):
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + "…"


def bridged(muster, count, *words, env=None):
    """Starts an operation of `count` nodes, each in its own network namespace, on one bridge."""
    os.environ.update(env or {})
    lab.run("ip", "link", "set", "lo", "up")
    made = lab.Lab(muster, count)
    made.on_bridge()
    for node in made.nodes:
        node.start(*words)
    made.until_in_step()
    return made


def items(node, path):
    """Returns all rows of a set."""
    return node.call("GET", f"{path}?limit=10000")["items"]


def output(*words, **more):
    """Returns what a program prints; its failure is a failure of the row."""
    done = subprocess.run(words, capture_output=True, timeout=240, **more)
    if done.returncode != 0:
        errors = (done.stderr or done.stdout).decode(errors="replace")
        raise SystemExit(f"`{' '.join(words)[:300]}` failed: {errors[-1200:]}")
    return done.stdout.decode()
