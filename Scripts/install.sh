#!/usr/bin/env bash
# Installs the program with its image helper, the dashboard's files, its manual page, completions for
# three shells, and a systemd unit with its user and folders. The helper is beside PROGRAM.
#
# Usage: PREFIX=/usr/local DESTDIR= Scripts/install.sh PROGRAM
#   PREFIX   destination
#   DESTDIR  folder that replaces / when a package is built
set -euo pipefail

readonly program=$1
readonly prefix=${PREFIX:-/usr/local} root=${DESTDIR:-}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The manual comes first: a program that cannot print its help is not installed.
"$program" --experimental-dump-help | Scripts/manual.py >"$scratch/muster.1"
for shell in bash zsh fish; do
  "$program" --generate-completion-script "$shell" >"$scratch/completion.$shell"
done
sed "s|@BINDIR@|$prefix/bin|" Packaging/muster.service >"$scratch/muster.service"

put() {
  install -D -m "$1" "$2" "$root$prefix/$3"
  printf '  %s\n' "$root$prefix/$3"
}
put 755 "$program" bin/muster
put 755 "$(dirname "$program")/muster-image" bin/muster-image
# The program searches ../share/muster/dashboard, relative to its own folder.
readonly dashboard=Sources/MusterHTTP/Resources/dashboard
rm -rf "$root$prefix/share/muster/dashboard"
while IFS= read -r file; do
  install -D -m 644 "$dashboard/$file" "$root$prefix/share/muster/dashboard/$file"
done < <(cd "$dashboard" && find . -type f)
printf '  %s\n' "$root$prefix/share/muster/dashboard/"
# The renderer of vector maps, as far as it was fetched.
if [[ -s .build/maplibre/maplibre-gl.js ]]; then
  put 644 .build/maplibre/maplibre-gl.js share/muster/maplibre/maplibre-gl.js
  put 644 Packaging/maplibre-gl.copyright share/muster/maplibre/LICENSE.txt
fi
put 644 "$scratch/muster.1" share/man/man1/muster.1
put 644 "$scratch/completion.bash" share/bash-completion/completions/muster
put 644 "$scratch/completion.zsh" share/zsh/site-functions/_muster
put 644 "$scratch/completion.fish" share/fish/vendor_completions.d/muster.fish
put 644 "$scratch/muster.service" lib/systemd/system/muster.service
put 644 Packaging/muster.sysusers lib/sysusers.d/muster.conf
put 644 Packaging/muster.tmpfiles lib/tmpfiles.d/muster.conf
