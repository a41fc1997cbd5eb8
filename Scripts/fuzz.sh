#!/usr/bin/env bash
# Fuzzes every entry point for external bytes with libFuzzer and the address sanitizer, one target
# per processor, and prints a table. The target `image` is a script: it mutates pictures and gives them
# to muster-image. The target `file` is a test: it gives 10,000 mutated files of shapes to muster-file.
# Inputs that crash are stored in .build/fuzz/crashes.
#
# Usage: Scripts/fuzz.sh MINUTES [TARGET…]
set -euo pipefail

minutes=${1:?missing argument: total minutes}
shift
targets=("$@")
((${#targets[@]} > 0)) ||
  targets=(datagram packet frame-body control-frame joining bundle gpx geojson overlay nmea gpsd osmand owntracks
    exposure sighting image file)
readonly processors=$(nproc)
readonly rounds=$(((${#targets[@]} + processors - 1) / processors))
seconds=$((minutes * 60 / rounds))
((seconds > 0)) || {
  echo "fuzz: $minutes minutes are too few for ${#targets[@]} targets" >&2
  exit 64
}
readonly build=.build/fuzz seeds=$PWD/.build/fuzz/seeds corpus=.build/fuzz/corpus
readonly crashes=.build/fuzz/crashes
# The flags of make.
readonly flags=(--explicit-target-dependency-import-check error)

Scripts/build.sh "the fuzzers" "8 minutes" \
  swift build --package-path Fuzz --scratch-path "$build" -c release \
  --sanitize fuzzer -Xswiftc -sanitize=fuzzer,address -Xswiftc -enable-testing
Scripts/build.sh "the tests, which make the seeds" "7 minutes" \
  swift build "${flags[@]}" --build-tests
MUSTER_FUZZ_SEEDS=$seeds swift test "${flags[@]}" \
  --skip-build --disable-xctest --filter FuzzSeedTests >/dev/null
Scripts/test-environment.sh
mkdir -p "$seeds"/{gpx,geojson,overlay,nmea,gpsd,osmand,owntracks,sighting} "$crashes"
[[ ! -d ../shared/tracks ]] || cp -f ../shared/tracks/*.gpx "$seeds/gpx/"
cp -f simulations/tracks/*.gpx "$seeds/gpx/" 2>/dev/null || true
echo '<kml><Placemark><name>A</name><Point><coordinates>7.5,46.5</coordinates></Point></Placemark></kml>' \
  >"$seeds/overlay/kml"
echo 'GPRMC,092751.000,A,5321.6802,N,00630.3371,W,0.06,31.66,280511,,,A' >"$seeds/nmea/rmc"
echo 'GPGGA,092751.000,5321.6802,N,00630.3371,W,1,8,1.03,61.7,M,55.3,M,,' >"$seeds/nmea/gga"
echo '{"class":"TPV","mode":3,"time":"2026-11-21T14:34:44.280Z","lat":46.4,"lon":7.5,"eph":4.6}' \
  >"$seeds/gpsd/tpv"
echo 'id=a&lat=46.05&lon=14.5&timestamp=1795300000&hdop=1.2&accuracy=4' >"$seeds/osmand/query"
echo '{"_type":"location","lat":46.05,"lon":14.5,"acc":12,"tst":1795300000,"tid":"mj"}' \
  >"$seeds/owntracks/location"
echo '{"uuid":"8be6cd37-1c5c-8916-04bf-be49df845096","name":"Ben","rssi":-61,"timestamp":1585785601.5}' \
  >"$seeds/sighting/line"

fuzz() {
  local target=$1 log=$build/$1.log verdict=clean status=0
  if [[ $target == image ]]; then
    .build/python/bin/python3 Fuzz/images.py .build/debug/muster-image "$seconds" "$crashes"
    return
  fi
  if [[ $target == file ]]; then
    # Its name, and how many mutations it makes.
    MUSTER_MUTATIONS=10000 swift test --explicit-target-dependency-import-check error --skip-build --disable-xctest \
      --filter 'no changed byte makes a reader trap' >"$log" 2>&1 || {
      verdict="FAILED: see $log"
      status=1
    }
    printf '%-14s %12s %9s %8s  %s\n' file 10000 - - "$verdict"
    return "$status"
  fi
  mkdir -p "$corpus/$target" "$seeds/$target"
  # Allocation stacks are not recorded: 10 % more inputs, and crashes can be replayed.
  ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16:malloc_context_size=1 \
    "$build/release/fuzz-$target" "$corpus/$target" "$seeds/$target" \
    -max_total_time="$seconds" -timeout=1 -rss_limit_mb=512 -print_final_stats=1 \
    -artifact_prefix="$crashes/$target-" >"$log" 2>&1 || {
    verdict="CRASH: see $log"
    status=1
  }
  stat() { sed -nE "s/^stat::$1: *([0-9]+)/\1/p" "$log"; }
  printf '%-14s %12s %9s %8s  %s\n' "$target" "$(stat number_of_executed_units)" \
    "$(stat average_exec_per_sec)" "$(find "$corpus/$target" -type f | wc -l)" "$verdict"
  return "$status"
}
export -f fuzz
export build corpus crashes seconds seeds

printf '%-14s %12s %9s %8s  %s\n' target inputs inputs/s corpus verdict
printf '%s\n' "${targets[@]}" | xargs -P "$processors" -I{} bash -c 'fuzz "$1"' fuzz {}
