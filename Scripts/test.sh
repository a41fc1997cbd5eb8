#!/usr/bin/env bash
# Runs the tests that are built, with the arguments given, and says at the end what failed: in the
# thousands of lines before it nobody would find that.
set -euo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
swift test --skip-build --disable-xctest "$@" 2>&1 | tee "$log" || status=$?
if [[ $status -ne 0 ]]; then
  printf '\nWhat failed:\n'
  grep -aE -A6 'recorded an issue|Fatal error|signal code' "$log" |
    grep -avE '^(◇|✔|--)' | cut -c 1-400 | head -n 100 || true
fi
exit "$status"
