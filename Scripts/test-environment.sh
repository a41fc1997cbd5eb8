#!/usr/bin/env bash
# Installs external programs that the tests need: a Python environment in .build/python, MapLibre GL
# in .build/maplibre, and programs from Debian packages. Prints nothing if nothing is missing. It
# never fails: a test whose program is missing is reported as skipped, with the reason.
#
# Usage: Scripts/test-environment.sh
set -euo pipefail

readonly requirements=Tests/requirements.txt environment=.build/python
# A command or file, and the Debian package that provides it.
readonly programs=(
  python3:python3
  chromium:chromium
  chromedriver:chromium-driver
  node:nodejs
  pdftoppm:poppler-utils
  /usr/share/javascript/leaflet/leaflet.js:libjs-leaflet
  gpsd:gpsd
  gpsfake:gpsd-clients
  ip:iproute2
  tc:iproute2
  nft:nftables
  pgrep:procps
  flock:util-linux
  dbus-daemon:dbus-daemon
  /usr/lib/python3/dist-packages/dbusmock:python3-dbusmock
  setpriv:util-linux
  pg_lsclusters:postgresql
  /usr/share/doc/postgresql-postgis:postgresql-postgis
  /usr/share/zoneinfo/zone.tab:tzdata
  ogrinfo:gdal-bin
  curl:curl
  openssl:openssl
  /usr/lib/python3/dist-packages/osgeo_utils:python3-gdal
)

# Some of the programs are in folders that are only in root's PATH.
PATH=$PATH:/usr/sbin:/sbin

note() { printf 'test environment: %s\n' "$*"; }

is_present() { command -v "$1" >/dev/null || [[ -e $1 ]]; }

missing_programs() {
  local entry
  for entry in "${programs[@]}"; do
    is_present "${entry%%:*}" || printf '%s\n' "${entry##*:}"
  done | sort -u
}

install_programs() {
  local missing package
  mapfile -t missing < <(missing_programs)
  ((${#missing[@]} > 0)) || return 0
  if command -v apt-get >/dev/null && { ((EUID == 0)) || command -v sudo >/dev/null; }; then
    # One at a time: a package that is missing in this release must not block the others.
    for package in "${missing[@]}"; do
      Scripts/deps.sh "$package" || ((EUID == 0)) || break
    done
    mapfile -t missing < <(missing_programs)
  fi
  ((${#missing[@]} == 0)) || note "missing: ${missing[*]}; tests that need them are skipped"
}

# The stamp is a copy of the requirements and is written last. Without it, or if it differs, the
# environment is rebuilt.
install_python() {
  if cmp -s "$requirements" "$environment/stamp" && "$environment/bin/python3" -c '' 2>/dev/null
  then return 0; fi
  command -v python3 >/dev/null || return 0
  if ! python3 -c 'import ensurepip' 2>/dev/null; then
    Scripts/deps.sh python3-venv || true
  fi
  note "installing $requirements into $environment"
  rm -rf "$environment"
  mkdir -p "${environment%/*}"
  if python3 -m venv "$environment" &&
    "$environment/bin/python3" -m pip install --quiet --disable-pip-version-check --no-deps \
      --requirement "$requirements" &&
    "$environment/bin/python3" -m pip check --quiet --disable-pip-version-check; then
    cp "$requirements" "$environment/stamp"
  else
    note "the Python packages could not be installed; tests that need them are skipped"
  fi
}

install_programs
install_python
Scripts/maplibre.sh
