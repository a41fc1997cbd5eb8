#!/usr/bin/env bash
# Checks the requirements of the build, and installs missing packages with apt where available.
# Uses root only for that, and prints what it installs. Prints nothing if nothing is missing.
#
# Usage: Scripts/deps.sh [EXTRA-DEBIAN-PACKAGE…]
set -euo pipefail

# The highest minimum version of all dependencies.
readonly swift_minimum=6.2
readonly packages=(libsodium-dev libsqlite3-dev libqrencode-dev libssl-dev libvips-dev zlib1g-dev
  libpq-dev libdbus-1-dev pkg-config git ca-certificates "$@")
readonly libraries=(libsodium sqlite3 libqrencode libcrypto vips zlib libpq dbus-1)

note() { printf 'deps: %s\n' "$*"; }

fail() {
  printf 'deps: %s\n' "$@" >&2
  exit 1
}

check_swift() {
  command -v swift >/dev/null ||
    fail "Swift is missing: install $swift_minimum or newer, https://www.swift.org/install"
  local version
  version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p')
  [[ -n $version ]] || fail "'swift --version' does not work: see https://www.swift.org/install"
  [[ $(printf '%s\n' "$swift_minimum" "$version" | sort -V | head -n 1) == "$swift_minimum" ]] ||
    fail "Swift $version is too old: install $swift_minimum or newer, https://www.swift.org/install"
}

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    # Another package may provide the command, such as pkgconf for pkg-config.
    if ! command -v "$package" >/dev/null &&
      [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
      printf '%s\n' "$package"
    fi
  done
}

as_root() {
  if ((EUID == 0)); then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

install() {
  as_root apt-get install -y -q --no-install-recommends "$@"
}

with_apt() {
  local missing
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]} > 0)) || return 0
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    fail "missing: ${missing[*]}" "run as root: apt-get install ${missing[*]}"
  fi
  note "installing ${missing[*]} with apt-get$( ((EUID == 0)) || echo ', by sudo')"
  # A fresh system or container has no package lists; outdated lists name removed files.
  if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null || ! install "${missing[@]}"; then
    note "fetching the package lists first"
    as_root apt-get update -q
    install "${missing[@]}" || fail "apt-get could not install ${missing[*]}"
  fi
}

# Without apt, requirements are only checked: package managers differ too much.
without_apt() {
  local hint="with your package manager: pkg-config; libsodium, sqlite, qrencode, OpenSSL 3, libvips, zlib, libpq and libdbus with headers"
  [[ $(uname -s) != Darwin ]] || hint="with: brew install libsodium sqlite qrencode openssl@3 vips libpq dbus pkg-config"
  command -v pkg-config >/dev/null || fail "pkg-config is missing; install it $hint"
  local library
  for library in "${libraries[@]}"; do
    pkg-config --exists "$library" || fail "the library $library is missing; install it $hint"
  done
}

check_swift
if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
  with_apt
else
  without_apt
fi
