#!/usr/bin/env bash
# Runs the built tests with the given arguments. Lists failed and skipped tests at the end, where
# thousands of lines of output do not hide them.
#
# MUSTER_MAY_SKIP names a file of tests that may be skipped: any other skipped test is a failure.
set -euo pipefail
log=$(mktemp)
events=$(mktemp)
trap 'rm -f "$log" "$events"' EXIT
status=0
swift test --skip-build --disable-xctest --event-stream-output-path "$events" \
  --event-stream-version 0 "$@" 2>&1 | tee "$log" || status=$?
if [[ $status -ne 0 ]]; then
  printf '\nFailed:\n'
  grep -aE -A6 'recorded an issue|Fatal error|signal code' "$log" |
    grep -avE '^(◇|✔|--)' | cut -c 1-400 | head -n 100 || true
fi
if [[ -s $events ]] && command -v python3 >/dev/null; then
  Scripts/skipped.py "$events" ${MUSTER_MAY_SKIP:+"$MUSTER_MAY_SKIP"} || status=1
elif [[ -n ${MUSTER_MAY_SKIP:-} ]]; then
  echo "test: the record of skipped tests is missing" >&2
  status=1
fi
exit "$status"
