#!/usr/bin/env bash
# Facts about tracked files that review overlooks: addresses in the lockfile, absolute paths, binaries.
set -euo pipefail
cd "$(dirname "$0")/.."
fail=0
if grep -nE '"resolved": "https?:' package-lock.json; then
  echo "package-lock.json records download addresses: run npm install with omit-lockfile-registry-resolved=true"
  fail=1
fi
if git grep -nIE '(^|[^A-Za-z0-9_.])/(home|root|Users|work)/[A-Za-z0-9_.-]+' -- . ':!scripts/check-tree.sh' ':!package-lock.json'; then
  echo "an absolute path of one machine is written down"
  fail=1
fi
if git ls-files | grep -E '\.(so|dll|dylib|fmu|o|a|node|wasm)$'; then
  echo "a generated binary is tracked"
  fail=1
fi
exit "$fail"
