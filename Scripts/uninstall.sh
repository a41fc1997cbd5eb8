#!/usr/bin/env bash
# Removes what Scripts/install.sh installed with the same PREFIX and DESTDIR. The homes of nodes, and
# the user of the service, stay.
set -euo pipefail

cd "${DESTDIR:-}${PREFIX:-/usr/local}"
for name in muster muster-archive; do
  rm -f "bin/$name" "share/man/man1/$name.1" "share/bash-completion/completions/$name" \
    "share/zsh/site-functions/_$name" "share/fish/vendor_completions.d/$name.fish" \
    "lib/systemd/system/$name.service"
done
rm -f bin/muster-image bin/muster-file share/applications/muster-join.desktop lib/sysusers.d/muster.conf \
  lib/tmpfiles.d/muster.conf
rm -rf share/muster
