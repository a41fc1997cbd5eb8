#!/usr/bin/env bash
# Fills a folder, such as one on a memory stick, from which laptops with the same release of Debian
# or Ubuntu install Muster without internet: its packages, what they depend on, and `install.sh`.
# MAP is a file of a map, which `install.sh` installs for all users of the laptop.
#
# Usage: Scripts/stick.sh PACKAGES FOLDER [MAP]
set -euo pipefail

readonly packages=$1 folder=$2 map=${3:-}
if [[ -n $map && ! -f $map ]]; then
  echo "stick: there is no map $map: name a file, such as REGION=valley.pmtiles" >&2
  exit 1
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$folder" "$scratch/archives/partial"
touch "$scratch/status"

# Against an empty list of installed packages, apt downloads all that a laptop may lack. The archive
# stays out: PostgreSQL runs on a server.
mapfile -t wanted < <(dpkg-deb --field "$packages"/muster_*.deb Recommends | tr , '\n' |
  sed -E 's/^ *([^ ]+).*/\1/')
echo "stick: downloading what Muster depends on"
apt-get install -q -y --download-only --no-install-recommends \
  -o Dir::State::status="$scratch/status" -o Dir::Cache::archives="$scratch/archives" \
  -o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=true \
  "$(realpath "$packages"/muster_*.deb)" "${wanted[@]}" >"$scratch/log" ||
  { cat "$scratch/log" >&2; exit 1; }

rm -f "$folder"/*.deb
cp "$packages"/muster_*.deb "$scratch"/archives/*.deb "$folder/"
cp Packaging/deb/install.sh "$folder/"
if [[ -n $map ]]; then
  mkdir -p "$folder/maps"
  cp "$map" "$folder/maps/"
fi
(cd "$folder" && dpkg-scanpackages --multiversion . 2>/dev/null >Packages)
printf 'stick: %s packages, %s MB. On a laptop: sudo sh %s/install.sh\n' \
  "$(find "$folder" -name '*.deb' | wc -l)" "$(du -sm "$folder" | cut -f 1)" "$folder"
