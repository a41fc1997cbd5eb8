#!/usr/bin/env bash
# Generates the Swift code of the .proto files, with the generator of the swift-protobuf version
# that the build uses. The output is checked in, so this is needed only after a change of a .proto.
set -euo pipefail

command -v protoc >/dev/null || {
  echo 'proto: protoc is missing: install protobuf-compiler (brew install protobuf)' >&2
  exit 1
}

readonly proto=Sources/MusterSync/Wire/Proto code=Sources/MusterSync/Wire

swift package resolve
# A separate build folder, so that this build does not mix with the main build.
readonly generator_build=$PWD/.build/protoc-gen-swift
Scripts/build.sh "protoc-gen-swift" "a minute" \
  swift build -c release --package-path .build/checkouts/swift-protobuf \
  --scratch-path "$generator_build" --product protoc-gen-swift

protoc -I "$proto" --plugin="$generator_build/release/protoc-gen-swift" \
  --swift_out="$code" --swift_opt=Visibility=Internal --swift_opt=FileNaming=DropPath \
  "$proto"/*.proto
printf 'Wrote %s/*.pb.swift\n' "$code"
