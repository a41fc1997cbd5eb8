#!/bin/sh
# Installs or upgrades Muster from this folder, without internet: sudo sh install.sh
# For the program of a shared archive: sudo sh install.sh muster-archive
set -eu

[ "$(id -u)" = 0 ] || { echo "run: sudo sh $0" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
# apt reads this folder as a repository, whatever its path, and no other one. It installs from it
# what this laptop lacks.
ln -s "$(cd "$(dirname "$0")" && pwd)" "$scratch/muster"
echo "deb [trusted=yes] file:$scratch/muster ./" >"$scratch/sources.list"
mkdir -p "$scratch/lists/partial"
apt() {
  apt-get -q -o Dir::Etc::SourceList="$scratch/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$scratch/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
    -o APT::Sandbox::User=root "$@"
}
apt update >/dev/null
apt install -y "${1:-muster}"
# The maps of the stick, for all users of this laptop: a running node shows them too.
maps=${DESTDIR:-}/usr/local/share/muster/maps
for map in "$(dirname "$0")"/maps/*; do
  [ -f "$map" ] || continue
  install -D -m 644 "$map" "$maps/$(basename "$map")"
  echo "Map $(basename "$map") installed in $maps"
done
echo "Next: muster help, and man muster. To run it as a service: /usr/share/doc/muster/README.Debian"
