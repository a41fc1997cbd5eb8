#!/usr/bin/env bash
# Runs all tests under the address sanitizer and the thread sanitizer, one test target at a time,
# and prints a table. The thread sanitizer must first report a planted race.
#
# Usage: Scripts/sanitize.sh [FILTER]     a regular expression that selects tests
set -euo pipefail

filter=${1:-}
# Optimised: otherwise the longest tests do not finish under the thread sanitizer.
readonly flags=(
  -c release --explicit-target-dependency-import-check error -Xswiftc -enable-testing)

sanitize() {
  local sanitizer=$1
  shift
  swift test "${flags[@]}" --scratch-path ".build/$sanitizer" --sanitize "$sanitizer" \
    --skip-build --disable-xctest "$@"
}

build() {
  local sanitizer=$1
  shift
  Scripts/build.sh "the tests with the $sanitizer sanitizer" "40 minutes" \
    swift build "${flags[@]}" --scratch-path ".build/$sanitizer" --sanitize "$sanitizer" \
    --build-tests "$@"
}

build address
mkdir -p .build/thread
clang -c -O1 Scripts/tsan-swift.c -o .build/thread/tsan-swift.o
build thread -Xlinker "$PWD/.build/thread/tsan-swift.o"

log=.build/thread/planted-race.log
TSAN_OPTIONS=halt_on_error=0 MUSTER_PLANTED_RACE=1 \
  sanitize thread --filter PlantedRaceTests >"$log" 2>&1 || true
grep -qE 'ThreadSanitizer: (data|Swift access) race' "$log" || {
  echo "sanitize: the planted race was not reported, see $log" >&2
  exit 1
}
echo "The planted race was reported."

export ASAN_OPTIONS=detect_leaks=0
export TSAN_OPTIONS="halt_on_error=1 suppressions=$PWD/Scripts/tsan.supp"
if [[ -n $filter ]]; then
  sanitize address --filter "$filter"
  sanitize thread --filter "$filter"
  exit
fi

# All targets at once would slow each other down for half an hour and exceed their time limits.
status=0
printf '%-8s %-22s %7s  %s\n' "" target seconds verdict
for sanitizer in address thread; do
  for folder in Tests/*Tests; do
    target=${folder#Tests/}
    log=.build/$sanitizer/$target.log
    start=$SECONDS
    verdict=clean
    sanitize "$sanitizer" --filter "^$target\\." >"$log" 2>&1 || {
      verdict="FAILED: see $log"
      status=1
    }
    printf '%-8s %-22s %7d  %s\n' "$sanitizer" "$target" $((SECONDS - start)) "$verdict"
  done
done
exit "$status"
