#!/usr/bin/env bash
# Runs the built tests with the given arguments. Lists failed and skipped tests at the end, where
# thousands of lines of output do not hide them.
#
# Three groups run one after another:
#
# - Tests that only compute, in parallel. They occupy their threads without a pause: a step of a
#   test may wait for minutes behind the others.
# - Tests of listeners, sockets and the node, one at a time: a connection that waited so long would
#   pass its time limit.
# - Tests of whole programs, which are serialized by themselves and mostly wait.
#
# MUSTER_MAY_SKIP names a file of tests that may be skipped: any other skipped test is a failure.
set -euo pipefail
readonly core='CRDT|Crypto|Geo|Interchange|Model|Proximity|Replica|Simulator|Status|Store|Sync'
readonly computing="^(Muster($core)Tests|SQLiteSealTests|TidyTests)\\."
readonly programs='^(ProcessTests|MusterArchiveTests)\.'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# run NAME ARGUMENT…
run() {
  swift test --skip-build --disable-xctest --event-stream-version 0 \
    --event-stream-output-path "$folder/$1.events" "${@:2}" 2>&1 | tee "$folder/$1.log"
}

status=0
run computing --filter "$computing" "$@" || status=$?
run parts --no-parallel --skip "$computing" --skip "$programs" "$@" || status=$?
run programs --filter "$programs" "$@" || status=$?
if [[ $status -ne 0 ]]; then
  printf '\nFailed:\n'
  grep -ahE -A6 'recorded an issue|Fatal error|signal code' "$folder"/*.log |
    grep -avE '^(◇|✔|--)' | cut -c 1-400 | head -n 100 || true
fi
cat "$folder"/*.events > "$folder/events"
if [[ -s $folder/events ]] && command -v python3 >/dev/null; then
  Scripts/skipped.py "$folder/events" ${MUSTER_MAY_SKIP:+"$MUSTER_MAY_SKIP"} || status=1
elif [[ -n ${MUSTER_MAY_SKIP:-} ]]; then
  echo "test: the record of skipped tests is missing" >&2
  status=1
fi
exit "$status"
