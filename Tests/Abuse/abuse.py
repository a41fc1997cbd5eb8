#!/usr/bin/env python3
"""Runs fault tests on real nodes, row by row, and prints the results; exits with 1 on a failure."""

import argparse
import json
import os
import subprocess
import sys
import time

import row
import bombs
import crashes
import crowding
import disks
import doors
import floods
import hops
import lives
import logins
import machine
import migrations
import moments
import reads
import replays
import secrets_left

ROWS = [
    entry
    for module in (
        floods, crowding, hops, replays, bombs, doors, reads, logins, crashes, moments, migrations, disks,
        lives, secrets_left, machine)
    for entry in module.ROWS]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    build = os.path.join(row.ROOT, ".build/release")
    parser.add_argument("--muster", default=os.path.join(build, "muster"))
    parser.add_argument("--sim", default=os.path.join(build, "muster-sim"))
    parser.add_argument("--full", action="store_true", help="run the full volume of every row (hours)")
    parser.add_argument("--list", action="store_true", help="list the rows and exit")
    parser.add_argument("--inner", help=argparse.SUPPRESS)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="rows such as A2, S3; all by default")
    options = parser.parse_args()
    if options.list:
        for entry in ROWS:
            print(f"{entry.name:4} {entry.title}")
        return
    settings = row.Options(options.muster, options.sim, options.full)
    if options.inner is not None:
        verdict = ROWS[int(options.inner)].run(settings)
        print(json.dumps(vars(verdict)), flush=True)
        return
    if os.geteuid() != 0:
        raise SystemExit("abuse.py needs root, because each row runs in its own network namespace")
    unknown = set(options.rows) - {entry.name for entry in ROWS}
    if unknown:
        raise SystemExit(f"abuse.py: no row {', '.join(sorted(unknown))}; --list shows all rows")
    chosen = [i for i, entry in enumerate(ROWS) if not options.rows or entry.name in options.rows]
    widths = max(len(ROWS[i].title) for i in chosen)
    failed = sum(not play(index, widths) for index in chosen)
    sys.exit(1 if failed else 0)


def play(index, width):
    """Runs one row in its own network namespace; returns whether all promises held."""
    entry = ROWS[index]
    print(f"{entry.name:4} {entry.title:{width}}  ", end="", flush=True)
    began = time.monotonic()
    words = ["unshare", "-n", sys.executable, *sys.argv, "--inner", str(index)]
    done = subprocess.run(words, capture_output=True, text=True)
    seconds = time.monotonic() - began
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        print(f"BROKEN after {seconds:.0f} s\n{done.stderr.strip()[-1500:]}")
        return False
    verdict = json.loads(lines[-1])
    mark = "FAILED" if verdict["problems"] else "holds"
    print(f"{mark:6} {seconds:5.0f} s  {verdict['volume']}"
          + (f" ({verdict['note']})" if verdict["note"] else ""))
    for problem in verdict["problems"]:
        print(f"       ✗ {problem}")
    return not verdict["problems"]


if __name__ == "__main__":
    main()
