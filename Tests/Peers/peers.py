#!/usr/bin/env python3
"""Connects real nodes to real programs of others, row by row; exits with 1 if a row fails.

    Tests/Peers/peers.py --muster .build/debug/muster [ROW…]

Needs Linux and root: each row runs in its own network namespace. Missing programs are installed."""

import argparse
import json
import os
import signal
import subprocess
import sys
import time

import row
import amazon
import archive
import bluetooth
import browsers
import exports
import foreign
import maps
import metrics
import phones
import receivers
import webhooks

ROWS = [entry for module in (maps, exports, foreign, receivers, phones, webhooks, amazon, metrics, browsers, bluetooth,
                             archive)
        for entry in module.ROWS]
# The limit of a row in seconds.
LIMIT = 300
REQUIREMENTS = os.path.join(row.ROOT, "Tests/Peers/requirements.txt")
LIBRARIES = os.path.join(row.ROOT, ".build/peers")


def install(chosen):
    """Installs Debian packages of the chosen rows, and the pinned Python packages."""
    packages = sorted({name for entry in chosen for name in entry.packages})
    subprocess.run([os.path.join(row.ROOT, "Scripts/deps.sh"), *packages], check=True)
    with open(REQUIREMENTS, encoding="utf-8") as file:
        wanted = file.read()
    stamp = os.path.join(LIBRARIES, "stamp")
    if os.path.exists(stamp) and open(stamp, encoding="utf-8").read() == wanted:
        return
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
         "--no-deps", "--upgrade", "--target", LIBRARIES, "--requirement", REQUIREMENTS],
        check=True)
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(wanted)


def play(entry, width):
    """Runs one row in its own network namespace; returns whether it holds."""
    print(f"{entry.name:10} {entry.title:{width}}  ", end="", flush=True)
    began = time.monotonic()
    words = ["unshare", "-n", sys.executable, *sys.argv, "--inner", entry.name]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        text, errors = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        # A clean end of the row, which removes its nodes and namespaces.
        process.terminate()
        text, errors = process.communicate(timeout=60)
        errors += f"\nnot finished after {LIMIT} s"
    seconds = time.monotonic() - began
    lines = text.strip().splitlines()
    if process.returncode != 0 or not lines:
        print(f"FAIL {seconds:5.0f} s  the row did not finish\n{errors.strip()[-1500:]}")
        return False
    result = json.loads(lines[-1])
    mark = "FAIL" if result["problems"] else "OK"
    print(f"{mark:4} {seconds:5.0f} s  {', '.join(result['figures'])}")
    for problem in result["problems"]:
        print(f"{'':11}- {problem}")
    return not result["problems"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--muster", default=os.path.join(row.ROOT, ".build/debug/muster"))
    parser.add_argument("--list", action="store_true", help="list the rows and exit")
    parser.add_argument("--inner", help=argparse.SUPPRESS)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="names of rows; all by default")
    options = parser.parse_args()
    if options.list:
        for entry in ROWS:
            print(f"{entry.name:10} {entry.title}")
        return
    named = {entry.name: entry for entry in ROWS}
    if options.inner:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
        sys.path.append(LIBRARIES)
        result = row.Result()
        named[options.inner].run(os.path.abspath(options.muster), result)
        print(json.dumps(vars(result)), flush=True)
        return
    if os.geteuid() != 0:
        raise SystemExit("peers.py needs root, because each row runs in its own network namespace")
    if unknown := set(options.rows) - set(named):
        raise SystemExit(f"peers.py: no row {', '.join(sorted(unknown))}; --list shows all rows")
    chosen = [entry for entry in ROWS if not options.rows or entry.name in options.rows]
    install(chosen)
    width = max(len(entry.title) for entry in chosen)
    failed = [entry.name for entry in chosen if not play(entry, width)]
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
