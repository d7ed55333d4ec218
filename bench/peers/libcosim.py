"""libcosim runs a system: libcosim.py <system.ssp> <step in ns> <steps>. No observers: nothing is recorded."""
import sys

from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimLogging import CosimLogLevel, log_output_level

ssp, step, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
log_output_level(CosimLogLevel.FATAL)
execution = CosimExecution.from_ssp_file(ssp, step)
# One call for all steps: the loop is libcosim's, not Python's.
if not execution.step(steps):
    sys.exit("libcosim could not take the steps")
