#!/usr/bin/env bash
# Cosimo and other tools on the same FMUs: FMUs that others exported run here, our fixtures run there, and the numbers
# agree. Needs python3 with pip; says so and goes on where they are missing.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v python3 >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  apt-get update -qq >/dev/null && apt-get install -y -qq python3 python3-venv libpython3-dev >/dev/null || true
fi
if ! python3 -c 'import venv, ensurepip' >/dev/null 2>&1; then
  echo "skipped: interop needs python3 with venv and pip (apt-get install python3-venv)"
  exit 0
fi

venv=node_modules/.cache/interop
stamp="$venv/.installed-$(sha256sum scripts/interop/requirements.txt | cut -c1-16)"
if [ ! -e "$stamp" ]; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  if ! "$venv/bin/pip" install -q --disable-pip-version-check -r scripts/interop/requirements.txt; then
    echo "skipped: the packages of scripts/interop/requirements.txt cannot be installed"
    exit 0
  fi
  touch "$stamp"
fi

# Tools that run whole systems. Each may be missing; why is kept, because trying takes a while. To try again, remove the file.
peers="$venv/.peers-$(sha256sum scripts/interop/peers.txt | cut -c1-16)"
if [ ! -e "$peers" ]; then
  : > "$peers.new"
  while read -r peer; do
    if ! log=$("$venv/bin/pip" install -q --disable-pip-version-check "$peer" 2>&1); then
      echo "skipped: $peer cannot be installed: $(echo "$log" | grep -i 'error: ' | grep -v -m1 subprocess | sed 's/^ *//' | cut -c1-200)" >> "$peers.new"
    fi
  done < scripts/interop/peers.txt
  mv "$peers.new" "$peers"
fi
cat "$peers"

"$venv/bin/python" scripts/interop/interop.py
"$venv/bin/python" scripts/interop/system.py
"$venv/bin/python" scripts/interop/schemas.py
"$venv/bin/python" scripts/interop/exported.py
"$venv/bin/python" scripts/interop/notebook.py docs/notebooks/scenarios.ipynb
"$venv/bin/python" scripts/interop/temporal.py
