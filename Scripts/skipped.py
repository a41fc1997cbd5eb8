#!/usr/bin/env python3
"""Lists skipped tests with their reasons, from the event stream of `swift test`. With a list of
tests that may be skipped, it fails if others were skipped.

Usage: Scripts/skipped.py EVENTS [LIST]
  EVENTS  the file written by `swift test --event-stream-output-path EVENTS`
  LIST    a file with lines `TEST: reason`, and comments in lines that begin with `#`. TEST is the
          id of a test, as this program prints it, or of a suite"""

import json
import re
import sys

KINDS = {"testSkipped", "testCancelled", "testCaseCancelled"}


def name(test_id):
    """Returns the id without the source location, which changes with edits: Target.Suite/`test`()."""
    return re.sub(r"/[^/]*\.swift:\d+:\d+$", "", test_id)


def skipped(lines):
    """Returns the reasons by test. Suites have no entry, because each of their tests has one."""
    tests, reasons = set(), {}
    for line in lines:
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            break  # The run was killed while it wrote this line, and has failed anyway.
        payload = record["payload"]
        if record["kind"] == "test" and payload["kind"] == "function":
            tests.add(payload["id"])
        elif record["kind"] == "event" and payload["kind"] in KINDS:
            comments = payload.get("_comments") or [part["text"] for part in payload["messages"]]
            reasons[payload["testID"]] = " ".join(comments) or "no reason given"
    return {name(test): reason for test, reason in reasons.items() if test in tests}


def permitted(lines):
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        # A name in backticks may have a colon in it, and so have labels: `test`(label:).
        entry = re.match(r"((?:`[^`]*`|[^`:]|:(?! ))+): \S", line)
        if not entry:
            raise SystemExit(f"skipped.py: not `TEST: reason`: {line.rstrip()}")
        yield entry.group(1)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        reasons = skipped(file)
    allowed = None
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            allowed = list(permitted(file))
    if reasons:
        print(f"\nSkipped ({len(reasons)}):")
    unexpected = 0
    for test, reason in sorted(reasons.items()):
        expected = allowed is None or any(
            test == entry or test.startswith(entry + "/") for entry in allowed)
        unexpected += not expected
        print(f"  {'' if expected else 'NOT PERMITTED  '}{test}: {reason}")
    if unexpected:
        print(f"{unexpected} skipped tests are not listed in {sys.argv[2]}.")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
