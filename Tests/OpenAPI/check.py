#!/usr/bin/env python3
"""Sends valid and invalid requests, generated from the served OpenAPI document, to a node. Fails on
any response that the document does not define, and on any 5xx.

    muster run &
    python3 Tests/OpenAPI/check.py --requests 20000 --token "$(cat HOME/run/http-token)"

Needs schemathesis 4 (Tests/requirements.txt). Use a separate node: many rows
are written.
The event stream is excluded because it never ends; the tests of MusterHTTP cover it. Revocations are
excluded because revoking the node itself would end all writes, and new keys because they are kept
permanently."""

import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--url", default="http://127.0.0.1:7480")
    parser.add_argument("--token", help="of a node that was not started with --trust-local")
    parser.add_argument("--requests", type=int, default=20_000, help="at least so many")
    parser.add_argument("--examples", type=int, default=100, help="of each route in one round")
    parser.add_argument("--phases", default="coverage,fuzzing,stateful")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    sent, seed = 0, options.seed
    while sent < options.requests:
        done = round_of_requests(options, seed)
        sent += done
        print(f"{sent} requests, seed {seed}", flush=True)
        seed += 1
    print(f"{sent} requests: no mismatch, no 5xx")


def round_of_requests(options, seed):
    """Returns the number of requests; exits if a response was wrong."""
    words = [
        sys.executable, "-m", "schemathesis.cli", "--config-file", os.path.join(HERE, "schemathesis.toml"), "run",
        options.url + "/openapi.json", "--exclude-path", "/api/v1/stream",
        "--exclude-path", "/api/v1/devices/{id}/revoke",
        "--exclude-path", "/api/v1/epoch/rotate", "--warnings", "off",
        "--max-examples", str(options.examples), "--seed", str(seed), "--no-color",
        *(["--header", f"Authorization: Bearer {options.token}"] if options.token else []),
        "--generation-database", "none", "--continue-on-failure", "--phases", options.phases]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(words, capture_output=True, text=True, cwd=folder)
    count = re.search(r"^\s+([\d,]+) generated", done.stdout, re.MULTILINE)
    if done.returncode != 0 or count is None:
        print(done.stdout[-20_000:], done.stderr[-2_000:])
        raise SystemExit(f"failed at seed {seed}")
    return int(count.group(1).replace(",", ""))


if __name__ == "__main__":
    sys.exit(main())
