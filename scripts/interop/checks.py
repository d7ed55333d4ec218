"""What the interop scripts share: a check is a line on the terminal, and the first that fails ends the script with 1."""
import csv
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COSIMO = ["node", str(ROOT / "packages" / "cosimo" / "bin" / "cosimo.js")]
_passed = 0


def check(what, ok, detail=""):
    global _passed
    print(("ok    " if ok else "FAIL  ") + what + (f": {detail}" if detail and not ok else ""), flush=True)
    if not ok:
        sys.exit(1)
    _passed += 1


def passed():
    return _passed


def cosimo(*args, expect=0):
    done = subprocess.run([*COSIMO, *map(str, args)], capture_output=True, text=True, timeout=120)
    check(f"cosimo {' '.join(Path(str(a)).name for a in args[:4])} exits with {expect}",
          done.returncode == expect, f"{done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def table(path):
    with open(path, newline="") as f:
        rows = list(csv.reader(f))
    return rows[0], rows[1:]
