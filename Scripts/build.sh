#!/usr/bin/env bash
# Builds and prints progress in one line. The output goes to a log, from which errors are printed.
#
# Usage: Scripts/build.sh WHAT FIRST-TIME swift build ARGUMENT…
#   WHAT        description of the target
#   FIRST-TIME  approximate duration of a clean build
set -euo pipefail

readonly what=$1 first_time=$2
shift 2

mkdir -p .build
log=$(mktemp .build/build-XXXXXX)
build=
stop() {
  [[ -z $build ]] || kill "$build" 2>/dev/null || true
  rm -f "$log"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

printf 'Building %s (clean build: about %s; incremental: seconds) …\n' "$what" "$first_time"

"$@" >"$log" 2>&1 &
build=$!

shown=0
while kill -0 "$build" 2>/dev/null; do
  sleep 0.5
  if [[ -t 1 ]]; then
    printf '\r\033[K%4d s  %.70s' "$SECONDS" "$(tail -n 1 "$log")"
  elif ((SECONDS >= shown + 30)); then
    shown=$SECONDS
    printf '%4d s  %.70s\n' "$SECONDS" "$(tail -n 1 "$log")"
  fi
done
[[ ! -t 1 ]] || printf '\r\033[K'

status=0
wait "$build" || status=$?
build=
if ((status != 0)); then
  # Errors with their context, or the end of the log if no line is marked as an error.
  grep -A 6 -E '(^|[ /])[^ ]*error:' "$log" >&2 || tail -n 30 "$log" >&2
  printf 'The build of %s failed.\n' "$what" >&2
  exit "$status"
fi
# The linker warns about the address sanitizer's own symbols, which does not concern this code.
grep -E 'warning:' "$log" | grep -v 'Cannot export local symbol' | sort -u || true
printf 'Built %s in %d s.\n' "$what" "$SECONDS"
