"""One system in three tools: `cosimo export` writes system.yaml as SSP 1.0; FMPy, libcosim and Cosimo run it and agree.

All three are Jacobi masters with the same step, call the same binaries, and get every number exactly, so the traces must be
equal, not close. What differs is what a row means:

- FMPy labels with t what it read after the step from t to t+h; its row at t is compared with ours at t+h.
- Our rows hold inputs and outputs of one instant. Both peers read outputs before new inputs arrive, so an output that an
  input acts on at once (load.F_c, filter.y[3]) still shows the inputs held over the step. load.F_c is therefore compared
  with the force that our columns give for the old inputs: three roundings, 1e-14 of a number near 1.
- libcosim's input columns hold what was applied over the step: they are our inputs one row earlier.
- FMPy leaves the parameters of an SSD alone: it is handed them.
"""
import importlib.util
import tempfile
from pathlib import Path

import numpy as np
from checks import check, cosimo, passed, table
from fmpy.ssp.simulation import simulate_ssp
from fmpy.ssp.ssd import Parameter, ParameterSet

HERE = Path(__file__).resolve().parent
STEP = 1 / 128
STOP = 10
STEPS = int(STOP / STEP)
STATES = ["mass.x_1", "mass.v_1", "load.x_2", "load.v_2", "filter.y[1]", "filter.y[2]"]
INPUTS = ["mass.F_e", "load.x_c", "load.v_c", "filter.u[1]"]
# As in system.yaml.
PARAMETERS = {"mass.c": 4, "load.m": 2, "load.c": 4, "load.d": 0.1, "filter.A[2,2]": -1}
# F_c for the values of the fixture: both the stiffness and the damping of the coupling are 1.
ROUNDING = 1e-14


def ours(ssp, folder):
    out = folder / f"{ssp.stem}.csv"
    names = ",".join([*STATES, *INPUTS, "load.F_c"]).replace("[", "?").replace("]", "?")
    cosimo("run", ssp, "--stop", STOP, "--record", names, "-o", out)
    header, rows = table(out)
    return {name: np.array([float(row[c]) for row in rows]) for c, name in enumerate(header)}


def fmpy_trace(ssp):
    parameters = ParameterSet(parameters=[Parameter(name=name, value=value) for name, value in PARAMETERS.items()])
    result = simulate_ssp(str(ssp), 0.0, float(STOP), STEP, parameter_set=parameters)
    return {name: np.array(result[name]) for name in result.dtype.names}


def libcosim_trace(ssp):
    from libcosimpy.CosimEnums import CosimVariableCausality, CosimVariableType
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
    from libcosimpy.CosimObserver import CosimObserver
    log_output_level(CosimLogLevel.FATAL)
    execution = CosimExecution.from_ssp_file(str(ssp), int(STEP * 1e9))
    observer = CosimObserver.create_time_series()
    execution.add_observer(observer)
    watched = {}
    for info in execution.slave_infos():
        unit = info.name.decode()
        index = execution.slave_index_from_instance_name(unit)
        for variable in execution.slave_variables(index):
            if variable.causality in (CosimVariableCausality.INPUT.value, CosimVariableCausality.OUTPUT.value):
                observer.start_time_series(index, variable.reference, CosimVariableType.REAL)
                watched[f"{unit}.{variable.name.decode()}"] = (index, variable.reference)
    check("libcosim takes all steps", execution.step(STEPS))
    samples = {name: observer.time_series_real_samples(*where, 1, STEPS) for name, where in watched.items()}
    return {name: np.array(values) for name, (_, _, values) in samples.items()}


def worst(a, b):
    return float(np.max(np.abs(a - b))) if len(a) == len(b) else float("inf")


def compare(peer, mine, theirs, applied_inputs):
    """`applied_inputs`: their inputs are those of the step behind, not those of the step ahead."""
    for name in STATES:
        check(f"{peer}: {name} is ours, bit for bit", np.array_equal(theirs[name], mine[name][1:]), f"{worst(theirs[name], mine[name][1:])}")
    for name in INPUTS:
        expected = mine[name][:-1] if applied_inputs else mine[name][1:]
        check(f"{peer}: {name} is ours, bit for bit", np.array_equal(theirs[name], expected), f"{worst(theirs[name], expected)}")
    x_c, v_c = mine["load.x_c"][:-1], mine["load.v_c"][:-1]
    force = (mine["load.x_2"][1:] - x_c) + (mine["load.v_2"][1:] - v_c)
    check(f"{peer}: load.F_c is the force of our columns", worst(theirs["load.F_c"], force) < ROUNDING, f"{worst(theirs['load.F_c'], force)}")


with tempfile.TemporaryDirectory(prefix="cosimo-system-") as temporary:
    folder = Path(temporary)
    ssp = folder / "system.ssp"
    cosimo("export", HERE / "system.yaml", "-o", ssp)
    mine = ours(ssp, folder)
    check("the system moves", np.max(np.abs(mine["load.x_2"])) > 0.1)
    compare("FMPy", mine, fmpy_trace(ssp), applied_inputs=False)
    if importlib.util.find_spec("libcosimpy"):
        compare("libcosim", mine, libcosim_trace(ssp), applied_inputs=True)
    if importlib.util.find_spec("OMSimulator"):
        print("skipped: OMSimulator is here, but no comparison is written: it was never there to try one")
print(f"interop of systems: {passed()} checks")
