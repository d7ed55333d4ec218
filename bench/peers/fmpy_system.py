"""FMPy runs a system: fmpy_system.py <system.ssp> <step in s> <steps>. It records every connector, in memory; it has no other way."""
import sys

from fmpy.ssp.simulation import simulate_ssp

ssp, step, steps = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
rows = simulate_ssp(ssp, 0.0, step * steps, step)
if len(rows) != steps:
    sys.exit(f"FMPy made {len(rows)} rows in {steps} steps")
