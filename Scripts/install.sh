#!/usr/bin/env bash
# Installs the program with its image helper, the dashboard's files, its manual page, completions for
# three shells, a handler for links of invites, and a systemd unit with its user and folders. The helper is beside PROGRAM. So may be
# the archive's program, which is installed with its own manual page, completions and unit.
#
# Usage: PREFIX=/usr/local DESTDIR= Scripts/install.sh PROGRAM
#   PREFIX   destination
#   DESTDIR  folder that replaces / when a package is built
set -euo pipefail

readonly program=$1
readonly prefix=${PREFIX:-/usr/local} root=${DESTDIR:-}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Writes the manual, completions and unit of a program to the scratch folder. They come first: a
# program that cannot print its help is not installed.
describe() {
  local name
  name=$(basename "$1")
  "$1" --experimental-dump-help | Scripts/manual.py >"$scratch/$name.1"
  for shell in bash zsh fish; do
    "$1" --generate-completion-script "$shell" >"$scratch/$name.$shell"
  done
  sed "s|@BINDIR@|$prefix/bin|" "Packaging/$name.service" >"$scratch/$name.service"
}

put() {
  install -D -m "$1" "$2" "$root$prefix/$3"
  printf '  %s\n' "$root$prefix/$3"
}

# Installs a program with what `describe` wrote.
put_program() {
  local name
  name=$(basename "$1")
  put 755 "$1" "bin/$name"
  put 644 "$scratch/$name.1" "share/man/man1/$name.1"
  put 644 "$scratch/$name.bash" "share/bash-completion/completions/$name"
  put 644 "$scratch/$name.zsh" "share/zsh/site-functions/_$name"
  put 644 "$scratch/$name.fish" "share/fish/vendor_completions.d/$name.fish"
  put 644 "$scratch/$name.service" "lib/systemd/system/$name.service"
}

programs=("$program")
archive=$(dirname "$program")/muster-archive
[[ ! -x $archive ]] || programs+=("$archive")
for each in "${programs[@]}"; do describe "$each"; done
for each in "${programs[@]}"; do put_program "$each"; done
for helper in muster-image muster-file; do
  put 755 "$(dirname "$program")/$helper" "bin/$helper"
done
# The program searches ../share/muster/dashboard, relative to its own folder.
readonly dashboard=Sources/MusterHTTP/Resources/dashboard
rm -rf "$root$prefix/share/muster/dashboard"
while IFS= read -r file; do
  install -D -m 644 "$dashboard/$file" "$root$prefix/share/muster/dashboard/$file"
done < <(cd "$dashboard" && find . -type f)
printf '  %s\n' "$root$prefix/share/muster/dashboard/"
put 644 Sources/MusterHTTP/Resources/world.pmtiles share/muster/world.pmtiles
put 644 Packaging/natural-earth.copyright share/muster/world.copyright
# The renderer of vector maps, as far as it was fetched.
if [[ -s .build/maplibre/maplibre-gl.js ]]; then
  put 644 .build/maplibre/maplibre-gl.js share/muster/maplibre/maplibre-gl.js
  put 644 Packaging/maplibre-gl.copyright share/muster/maplibre/LICENSE.txt
fi
# What opens muster:// links.
for file in muster-join.desktop join.sh; do
  sed "s|@BINDIR@|$prefix/bin|; s|@PREFIX@|$prefix|" "Packaging/$file" >"$scratch/$file"
done
put 644 "$scratch/muster-join.desktop" share/applications/muster-join.desktop
put 644 "$scratch/join.sh" share/muster/join.sh
put 644 Packaging/muster.sysusers lib/sysusers.d/muster.conf
put 644 Packaging/muster.tmpfiles lib/tmpfiles.d/muster.conf
