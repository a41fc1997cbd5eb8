#!/usr/bin/env bash
# Fetches MapLibre GL JS 5.3.0, which draws vector maps in the dashboard, from the Python package
# `maplibre` on PyPI, and verifies its SHA-256. Does nothing if it is there. It never fails: without
# it, the dashboard shows maps of images only.
#
# Usage: Scripts/maplibre.sh [FOLDER]   (default: .build/maplibre)
set -euo pipefail

readonly folder=${1:-.build/maplibre} version=0.3.6
readonly hash=eeafab617d4a1b71c0c174c71405f67c4b4e494fe1b27968d4d2359bc160e277
readonly script=maplibre-gl.js

note() { printf 'maplibre: %s\n' "$*"; }

[[ ! -s $folder/$script ]] || exit 0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The Python of the tests, else the system's, else a temporary environment.
python=
for candidate in .build/python/bin/python3 python3; do
  if "$candidate" -m pip --version >/dev/null 2>&1; then
    python=$candidate
    break
  fi
done
if [[ -z $python ]] && python3 -m venv "$scratch/venv" >/dev/null 2>&1; then
  python=$scratch/venv/bin/python3
fi

printf 'maplibre==%s --hash=sha256:%s\n' "$version" "$hash" >"$scratch/requirements.txt"
if [[ -z $python ]] ||
  ! "$python" -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes \
    --requirement "$scratch/requirements.txt" --dest "$scratch" 2>"$scratch/errors" ||
  ! (cd "$scratch" && python3 -m zipfile -e maplibre-*.whl unpacked); then
  note "not installed: vector maps need it. Run Scripts/maplibre.sh $folder with internet and pip"
  exit 0
fi
install -D -m 644 "$scratch/unpacked/maplibre/srcjs/$script" "$folder/$script"
note "installed MapLibre GL JS 5.3.0 (BSD-3-Clause) in $folder"
