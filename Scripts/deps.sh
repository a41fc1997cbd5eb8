#!/usr/bin/env bash
# Makes sure that what the build needs is here, and installs what is missing where apt can. Asks for
# root only then, and says what it is about to do. Says nothing when nothing is missing.
#
# Usage: Scripts/deps.sh [EXTRA-DEBIAN-PACKAGE…]
set -euo pipefail

# The newest that one of our dependencies asks for.
readonly swift_minimum=6.2
readonly packages=(libsodium-dev libsqlite3-dev libqrencode-dev pkg-config git ca-certificates "$@")
readonly libraries=(libsodium sqlite3 libqrencode)

say() { printf 'deps: %s\n' "$*"; }

fail() {
  printf 'deps: %s\n' "$@" >&2
  exit 1
}

check_swift() {
  command -v swift >/dev/null ||
    fail "there is no Swift here: install $swift_minimum or newer, https://www.swift.org/install"
  local version
  version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p')
  [[ -n $version ]] || fail "'swift --version' does not work: see https://www.swift.org/install"
  [[ $(printf '%s\n' "$swift_minimum" "$version" | sort -V | head -n 1) == "$swift_minimum" ]] ||
    fail "Swift $version is too old: install $swift_minimum or newer, https://www.swift.org/install"
}

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    # A command may come from elsewhere, such as pkgconf in place of pkg-config.
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
  say "installing ${missing[*]} with apt-get$( ((EUID == 0)) || echo ', by sudo')"
  # A fresh system or container has no package lists yet; old ones name files that are gone.
  if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null || ! install "${missing[@]}"; then
    say "fetching the package lists first"
    as_root apt-get update -q
    install "${missing[@]}" || fail "apt-get could not install ${missing[*]}"
  fi
}

# Without apt we only look: package managers differ too much to guess.
without_apt() {
  local hint="with your package manager: pkg-config; libsodium, sqlite and qrencode with headers"
  [[ $(uname -s) != Darwin ]] || hint="with: brew install libsodium sqlite qrencode pkg-config"
  command -v pkg-config >/dev/null || fail "there is no pkg-config here; install it $hint"
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
