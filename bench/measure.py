"""Runs a command once and prints its wall time and peak memory as JSON; the same ruler for every tool."""
import json
import resource
import subprocess
import sys
import time

began = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
seconds = time.perf_counter() - began
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
if done.returncode != 0:
    sys.exit(f"{' '.join(sys.argv[1:])} failed with {done.returncode}: {done.stderr[-2000:]}")
print(json.dumps({"seconds": seconds, "peakMiB": peak / 1024}))
