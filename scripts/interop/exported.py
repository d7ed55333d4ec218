"""Exported FMUs in FMPy and libcosim: `cosimo export` makes one FMU of a scenario or an adaptation, FMPy finds nothing wrong with its
description, both run it, and get the trace that Cosimo has for the original.

FMPy counts communication points as we do (t = start + i*h), the C inside does what the interpreter does, and no number is rounded on its
way, so whole scenarios are compared bit for bit. An adaptation is run by Cosimo inside a scenario of its own with constant inputs.
"""
import importlib.util
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
from checks import ROOT, check, cosimo, passed, table
from fmpy import extract, read_model_description, simulate_fmu
from fmpy.build import build_platform_binary
from fmpy.validation import validate_fmu

EXAMPLES = ROOT / "examples"
# Adapted units of the power window, and what they are fed with. The last one is an adaptation around one around one more.
ADAPTATIONS = {
    "window.sa": {"displacement": 0.5, "speed": 1.0, "reaction_force": -3.0},
    "power.sa": {"u": 1.0, "d": 0.0, "tau": 0.25},
    "rate.sa": {"displacement": 0.5, "speed": 1.0},
}


def columns(path):
    header, rows = table(path)
    return {name: np.array([float(row[c]) for row in rows]) for c, name in enumerate(header)}


def in_fmpy(fmu, stop, step, start_values=None):
    names = [v.name for v in read_model_description(str(fmu)).modelVariables if v.causality == "output"]
    result = simulate_fmu(str(fmu), stop_time=stop, step_size=step, output_interval=step, output=names,
                          start_values=start_values or {}, fmi_call_logger=None)
    return {name: np.array(result[name], dtype=float) for name in result.dtype.names}


def compare(what, mine, theirs, prefix=""):
    shared = [name for name in mine if name != "time" and name.removeprefix(prefix) in theirs]
    check(f"{what}: there is something to compare", len(shared) > 0)
    for name in shared:
        ours, others = mine[name], theirs[name.removeprefix(prefix)]
        same = len(ours) == len(others) and np.array_equal(ours, others)
        detail = f"{len(ours)} and {len(others)} rows" if len(ours) != len(others) else f"{np.max(np.abs(ours - others))}"
        check(f"{what}: {name} is ours, bit for bit", same, detail)


def scenario(folder, example, stop, step, *options):
    original = EXAMPLES / example
    trace = folder / "scenario.csv"
    cosimo("run", original, *options, "-o", trace)
    for version in (2, 3):
        fmu = folder / f"scenario-{version}.fmu"
        cosimo("export", original, "-o", fmu, "--fmi", version)
        problems = validate_fmu(str(fmu))
        check(f"FMPy finds nothing wrong with {example} as FMI {version}", problems == [], "\n".join(problems))
        compare(f"{example} as FMI {version} in FMPy", columns(trace), in_fmpy(fmu, stop, step))


def adaptation(folder, name, inputs):
    original = EXAMPLES / "power-window" / name
    stop, step = 1.0, 0.002
    wrapped = folder / "adaptation.yaml"
    values = ", ".join(f"{key}: {value}" for key, value in inputs.items())
    wrapped.write_text(f"name: adapted\nunits:\n  it: {{ adaptation: {original}, set: {{ {values} }} }}\n"
                       f"experiment: {{ stop: {stop} s, step: {step} s }}\nmaster: jacobi\n")
    trace = folder / "adaptation.csv"
    cosimo("run", wrapped, "-o", trace)
    for version in (2, 3):
        fmu = folder / f"adaptation-{version}.fmu"
        cosimo("export", original, "-o", fmu, "--fmi", version)
        problems = validate_fmu(str(fmu))
        check(f"FMPy finds nothing wrong with {name} as FMI {version}", problems == [], "\n".join(problems))
        compare(f"{name} as FMI {version} in FMPy", columns(trace), in_fmpy(fmu, stop, step, inputs), "it.")


def in_libcosim(fmu, names, stop, step):
    from libcosimpy.CosimEnums import CosimVariableType
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave
    log_output_level(CosimLogLevel.FATAL)
    execution = CosimExecution.from_step_size(int(step * 1e9))
    index = execution.add_local_slave(CosimLocalSlave(str(fmu), "it"))
    observer = CosimObserver.create_time_series()
    execution.add_observer(observer)
    references = {v.name.decode(): v.reference for v in execution.slave_variables(index)}
    for name in names:
        observer.start_time_series(index, references[name], CosimVariableType.REAL)
    steps = round(stop / step)
    check("libcosim takes all steps of an exported FMU", execution.step(steps))
    return {name: np.array(observer.time_series_real_samples(index, references[name], 1, steps)[2]) for name in names}


def libcosim(folder):
    """It counts nanoseconds: the step is one that both count exactly."""
    original = folder / "masses.yaml"
    text = (EXAMPLES / "coupled-masses" / "scenario.yaml").read_text()
    stop, step = 10, 1 / 128
    original.write_text(text.replace("../../", f"{ROOT}/").replace("step: 100 ms", "step: 7.8125 ms"))
    trace, fmu = folder / "masses.csv", folder / "masses.fmu"
    cosimo("run", original, "-o", trace)
    cosimo("export", original, "-o", fmu)
    mine = {name: values[1:] for name, values in columns(trace).items() if name != "time"}
    compare("coupled-masses in libcosim", mine, in_libcosim(fmu, list(mine), stop, step))


def sources(folder):
    """Without a binary the FMU is built from its sources, by FMPy, and then does the same."""
    original = EXAMPLES / "coupled-masses" / "scenario.yaml"
    trace = folder / "sources.csv"
    cosimo("run", original, "-o", trace)
    fmu = folder / "sources.fmu"
    cosimo("export", original, "-o", fmu, "--fmi", 3, "--sources-only")
    unpacked = extract(str(fmu), unzipdir=str(folder / "sources"))
    check("there is no binary in an FMU of sources", not (Path(unpacked) / "binaries").exists())
    # The cmake that it wants lies beside this interpreter.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    build_platform_binary(unpacked)
    compare("coupled-masses, built by FMPy", columns(trace), in_fmpy(unpacked, 10, 0.1))


with tempfile.TemporaryDirectory() as name:
    place = Path(name)
    scenario(place, "coupled-masses/scenario.yaml", 10, 0.1)
    for file, given in ADAPTATIONS.items():
        adaptation(place, file, given)
    sources(place)
    if importlib.util.find_spec("libcosimpy"):
        libcosim(place)
    if importlib.util.find_spec("OMSimulator"):
        print("skipped: OMSimulator is here, but no comparison is written: it was never there to try one")
print(f"{passed()} checks: FMUs that Cosimo exports do in other tools what Cosimo does")
