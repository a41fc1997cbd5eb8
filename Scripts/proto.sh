#!/usr/bin/env bash
# Generates the Swift code of the .proto files anew, by the generator of the very swift-protobuf
# that we build with. Its output is checked in, so only whoever changes a .proto needs this.
set -euo pipefail

command -v protoc >/dev/null || {
  echo 'proto: there is no protoc here: install protobuf-compiler (brew install protobuf)' >&2
  exit 1
}

readonly proto=Sources/MusterSync/Wire/Proto code=Sources/MusterSync/Wire

swift package resolve
# In a build folder of its own: a plain `swift build` there would mix with ours.
readonly generator_build=$PWD/.build/protoc-gen-swift
Scripts/build.sh "protoc-gen-swift" "a minute" \
  swift build -c release --package-path .build/checkouts/swift-protobuf \
  --scratch-path "$generator_build" --product protoc-gen-swift

protoc -I "$proto" --plugin="$generator_build/release/protoc-gen-swift" \
  --swift_out="$code" --swift_opt=Visibility=Internal --swift_opt=FileNaming=DropPath \
  "$proto"/*.proto
printf 'Wrote %s/*.pb.swift\n' "$code"
