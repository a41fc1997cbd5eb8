#!/usr/bin/env bash
# Builds Debian packages of programs that were built with --static-swift-stdlib: `muster`, and
# `muster-archive` if that program is beside PROGRAM. What they depend on follows from the libraries
# that they link. They fit the release of Debian or Ubuntu on which the programs were built.
#
# Usage: Scripts/deb.sh PROGRAM [FOLDER]                     (default: .build/deb)
#   SHLIBDEPS    options of dpkg-shlibdeps
#   COMPRESSION  as of dpkg-deb (default: xz)
set -euo pipefail

readonly program=$1 folder=${2:-.build/deb}
readonly packaging=$PWD/Packaging/deb
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$folder"

number=$("$program" --version | cut -d , -f 1)
changed=$(git log -1 --format=%ct 2>/dev/null || date +%s)
version=$number+git$(date -u -d "@$changed" +%Y%m%d%H%M)
architecture=$(dpkg --print-architecture)
export SOURCE_DATE_EPOCH=$changed

DESTDIR=$scratch/muster PREFIX=/usr Scripts/install.sh "$program" >/dev/null
rm -f "$folder"/muster{,-archive}_*.deb
packages=(muster)

# The archive has a package of its own: it needs libpq, which no laptop of a node does.
if [[ -x $scratch/muster/usr/bin/muster-archive ]]; then
  packages+=(muster-archive)
  while IFS= read -r file; do
    mkdir -p "$scratch/muster-archive/$(dirname "$file")"
    mv "$scratch/muster/$file" "$scratch/muster-archive/$file"
  done < <(cd "$scratch/muster" && find usr -name 'muster-archive*' -type f -o \
    -name _muster-archive -type f)
fi

# What Debian places elsewhere, or compressed.
for package in "${packages[@]}"; do
  usr=$scratch/$package/usr
  mv "$usr/share/zsh/site-functions" "$usr/share/zsh/vendor-completions"
  gzip -9n "$usr/share/man/man1/$package.1"
  install -d "$usr/share/doc/$package"
done
install -m 644 "$packaging/README.Debian" "$scratch/muster/usr/share/doc/muster/"

# The licenses of what the programs contain.
swift=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")/share/swift/LICENSE.txt
for source in .build/checkouts/* .build/install/checkouts/* "$swift"; do
  [[ -e $source ]] || continue
  name=$(basename "$source")
  [[ $source != "$swift" ]] || name=swift
  for file in "$source"/LICENSE* "$source"/NOTICE* "$source"; do
    [[ ! -f $file ]] || install -D -m 644 "$file" \
      "$scratch/muster/usr/share/doc/muster/licenses/$name/$(basename "$file")"
  done
done

# Prints `field: value` for the libraries that programs need; those of the second are recommended.
# The C library must read packed relocations if they have any; dpkg-shlibdeps does not know those.
libraries() {
  mkdir -p "$scratch/debian"
  printf 'Source: muster\n\nPackage: muster\nArchitecture: any\n' >"$scratch/debian/control"
  (cd "$scratch" && dpkg-shlibdeps -O ${SHLIBDEPS-} -dDepends "-e$1" ${2:+-dRecommends "-e$2"}) |
    sed -n 's/^shlibs:\([A-Za-z]*\)=/\1: /p' |
    if readelf -VW "$scratch/$1" | grep -q GLIBC_ABI_DT_RELR; then
      sed 's/libc6 ([^)]*)/libc6 (>= 2.36)/'
    else
      cat
    fi
}

describe() {
  case $1 in
  muster)
    libraries muster/usr/bin/muster muster/usr/bin/muster-image |
      sed 's/^Recommends: .*/&, libjs-leaflet, tzdata/'
    echo 'Suggests: gpsd, bluez'
    echo 'Description: shows who is safe and who is in danger, without internet'
    echo ' Laptops of fire brigades, flood and search teams synchronize reports, positions and zones'
    echo ' with each other over any network that there is. No server and no internet is needed.'
    ;;
  muster-archive)
    libraries muster-archive/usr/bin/muster-archive
    echo 'Recommends: postgresql, postgresql-postgis'
    echo 'Description: collects the operations of many Muster nodes in PostgreSQL'
    echo ' Stores verified frames of many command posts, projects them into tables with PostGIS, and'
    echo ' serves them over HTTP.'
    ;;
  esac
}

for package in "${packages[@]}"; do
  root=$scratch/$package
  install -d "$root/DEBIAN"
  {
    echo "Package: $package"
    echo "Version: $version"
    echo "Architecture: $architecture"
    echo 'Maintainer: Muster <muster@localhost>'
    echo 'Section: net'
    echo 'Priority: optional'
    echo "Installed-Size: $(du -sk --exclude DEBIAN "$root" | cut -f 1)"
    describe "$package"
  } >"$root/DEBIAN/control"
  for script in prerm $([[ $package != muster ]] || echo postinst postrm); do
    sed "s/@NAME@/$package/" "$packaging/$script" >"$root/DEBIAN/$script"
    chmod 755 "$root/DEBIAN/$script"
  done
  chmod -R u=rwX,go=rX "$root"
  file=$folder/${package}_${version}_$architecture.deb
  dpkg-deb --build --root-owner-group "-Z${COMPRESSION:-xz}" "$root" "$file" >/dev/null
  printf '  %s, %s MB\n' "$file" "$(($(stat -c %s "$file") / 1000000))"
done
