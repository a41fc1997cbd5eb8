#!/usr/bin/env bash
# Builds what is abused, and abuses it: see Tests/Abuse/README.md.
#
# Usage: Scripts/abuse.sh [--full] [ROW…]
set -euo pipefail

readonly flags=(--explicit-target-dependency-import-check error)
Scripts/build.sh "muster" "11 minutes" \
  swift build -c release "${flags[@]}" --product muster
Scripts/build.sh "the simulator" "2 minutes" \
  swift build -c release "${flags[@]}" --product muster-sim
# Seven times as quick as those of `make test`: rows which are tests have room for their volumes.
Scripts/build.sh "the tests, optimised" "30 minutes" \
  swift build -c release "${flags[@]}" --scratch-path .build/optimized -Xswiftc -enable-testing \
  --build-tests
Scripts/test-environment.sh
exec .build/python/bin/python3 Tests/Abuse/abuse.py "$@"
