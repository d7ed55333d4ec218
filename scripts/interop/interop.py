"""Cosimo against other tools, on the same FMUs. Every check prints a line; the first that fails ends the script with 1.

1. FMUs made by others (pythonfmu, pythonfmu3) go through info, validate --run and run, and agree with FMPy.
2. FMPy reads and validates our fixtures, simulates them and agrees with our traces; those of Model Exchange with its CVODE.
3. pandas, pyarrow and DuckDB read our Parquet with names, units and run metadata.
"""
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import fmpy
import numpy as np
from checks import COSIMO, ROOT, check, cosimo, passed, table
from fmpy.validation import validate_fmu

HERE = Path(__file__).resolve().parent


def number(text):
    return {"True": 1.0, "False": 0.0, "true": 1.0, "false": 0.0}.get(text) if text in ("True", "False", "true", "false") else float(text)


def difference(text, value):
    """How far our cell is from FMPy's value: relative for large numbers; text and whole numbers are equal or not."""
    if isinstance(value, (bytes, str)):
        return 0.0 if text == (value.decode() if isinstance(value, bytes) else value) else math.inf
    if isinstance(value, np.integer):
        return 0.0 if int(text) == int(value) else math.inf
    return abs(number(text) - float(value)) / max(1.0, abs(float(value)))


def worst_difference(ours, theirs, aliases=frozenset()):
    """Largest difference over all columns of `theirs`, row by row. FMPy takes an alias of an output for a column of its own."""
    names, rows = ours
    worst = 0.0
    assert len(rows) == len(theirs), f"{len(rows)} rows here, {len(theirs)} there"
    for name in theirs.dtype.names:
        if name in aliases:
            continue
        shape = theirs.dtype[name].shape
        elements = [name + "[" + ",".join(str(i + 1) for i in index) + "]" for index in np.ndindex(shape)] if shape else [name]
        for row, value in zip(rows, theirs[name]):
            for element, one in zip(elements, np.ravel(value) if shape else [value]):
                worst = max(worst, difference(row[names.index(element)], one))
    return worst


def export_foreign(folder):
    for tool, source in [("pythonfmu", "integrator.py"), ("pythonfmu", "oscillator.py"), ("pythonfmu3", "integrator3.py")]:
        subprocess.run([sys.executable, "-m", tool, "build", "-f", str(HERE / source), "-d", str(folder)],
                       check=True, capture_output=True, cwd=folder)
    return sorted(folder.glob("*.fmu"))


def foreign_fmus(folder):
    fmus = export_foreign(folder)
    check("three FMUs exported by pythonfmu and pythonfmu3", len(fmus) == 3, str(fmus))
    for fmu in fmus:
        info = json.loads(cosimo("info", fmu, "--json"))
        reference = fmpy.read_model_description(str(fmu), validate=False)
        check(f"info {fmu.name} lists the variables FMPy lists",
              [v["name"] for v in info["variables"]] == [v.name for v in reference.modelVariables])
        # The exporters leave InitialUnknowns incomplete; nothing else may be wrong.
        done = subprocess.run([*COSIMO, "validate", str(fmu), "--run", "--json"], capture_output=True, text=True, timeout=120)
        findings = json.loads(done.stdout)["findings"]
        errors = {f["code"] for f in findings if f["severity"] == "error"}
        check(f"validate --run {fmu.name} finds no error but incomplete initial unknowns",
              errors <= KNOWN_EXPORTER_ERRORS, json.dumps(findings, indent=1))
        out = folder / f"{fmu.stem}.csv"
        cosimo("run", fmu, "--start", 0, "--stop", 1, "--step", 0.05, "-o", out)
        theirs = fmpy.simulate_fmu(str(fmu), start_time=0, stop_time=1, output_interval=0.05, step_size=0.05,
                                   fmi_type="CoSimulation", validate=False)
        worst = worst_difference(table(out), theirs)
        check(f"run {fmu.name} agrees with FMPy", worst < 1e-12, f"{worst}")


KNOWN_EXPORTER_ERRORS = {"initial-unknown-missing"}

# Fixtures whose FMPy run needs no more than a default experiment; both tools step the same grid.
FIXTURES = {
    "Dahlquist": {},
    "BouncingBall": {},
    "Stair": {},
    "VanDerPol": {},
    "Feedthrough": {},
    "MassSpringDamperLeft": {},
    "MassSpringDamperRight": {},
    "StateSpace": {},
}


def our_fixtures(folder):
    for version in ("fmi2", "fmi3"):
        for name in FIXTURES:
            fmu = ROOT / "fixtures" / "build" / version / f"{name}.fmu"
            problems = validate_fmu(str(fmu))
            check(f"FMPy finds nothing in {version}/{name}", problems == [], "\n".join(problems))
            experiment = fmpy.read_model_description(str(fmu)).defaultExperiment
            stop = float(experiment.stopTime or 1)
            step = float(experiment.stepSize or stop / 100)
            out = folder / f"{version}-{name}.csv"
            cosimo("run", fmu, "--stop", stop, "--step", step, "-o", out)
            theirs = fmpy.simulate_fmu(str(fmu), stop_time=stop, output_interval=step, step_size=step,
                                       fmi_type="CoSimulation", use_event_mode=False, early_return_allowed=False)
            ours = at_grid(table(out), theirs)
            aliases = {a["name"] for v in json.loads(cosimo("info", fmu, "--json"))["variables"] for a in v["aliases"]}
            worst = worst_difference(ours, theirs, aliases)
            check(f"{version}/{name}: FMPy's trace is ours", worst < 1e-9, f"{worst}")


# Model Exchange, each with the largest difference to FMPy's CVODE run that the tolerances allow. Both tools keep errors per step below 1e-8
# relative to the states; over an experiment they add up to some hundred times that. Where events follow each other, the error of a state at one event is the error in time
# of the next: the ball loses a digit over its bounces. The oscillator at mu = 1000 runs with 1e-5 (see below), and a state that creeps towards a jump amplifies
# errors a thousandfold. The relay is compared over its first 0.6 s, some 240 switches: FMPy misses one of the next fifty and leaves the band.
EXCHANGE = {
    "ExchangeRobertson": 1e-6,
    "ExchangeVanDerPol": 2e-2,
    "ExchangeBall": 1e-5,
    "ExchangeRelay": 1e-4,
    "ExchangeSampler": 1e-6,
    "ExchangeChain": 1e-6,
    "ExchangePhase": None,
    "VanDerPol": 1e-5,
    "Dahlquist": 1e-6,
}


def exchange(folder):
    for version in ("fmi2", "fmi3"):
        for name, allowed in EXCHANGE.items():
            fmu = ROOT / "fixtures" / "build" / version / f"{name}.fmu"
            if name.startswith("Exchange"):
                problems = validate_fmu(str(fmu))
                check(f"FMPy finds nothing in {version}/{name}", problems == [], "\n".join(problems))
            if allowed is None:
                continue
            experiment = fmpy.read_model_description(str(fmu)).defaultExperiment
            stop, step = float(experiment.stopTime), float(experiment.stepSize)
            stop = 0.6 if name == "ExchangeRelay" else stop
            # FMPy's CVODE takes 500 steps per interval of its output at most: too few for the jumps of the oscillator with less than this.
            tolerance = 1e-5 if name == "ExchangeVanDerPol" else 1e-8
            out = folder / f"{version}-{name}-exchange.csv"
            cosimo("run", fmu, "--interface", "model-exchange", "--tolerance", tolerance, "--stop", stop, "--step", step, "-o", out)
            theirs = fmpy.simulate_fmu(str(fmu), stop_time=stop, output_interval=step, fmi_type="ModelExchange",
                                       solver="CVode", relative_tolerance=tolerance, record_events=False)
            check_exchange(f"{version}/{name}", table(out), theirs, allowed)


def check_exchange(title, ours, theirs, allowed):
    """Largest difference of the real columns, relative to the largest value of each, on FMPy's grid away from events."""
    names, rows = at_grid(ours, theirs)
    worst = 0.0
    for column, name in enumerate(names):
        if name == "time" or theirs.dtype[name].kind != "f":
            continue
        values = np.array([float(row[column]) for row in rows])
        scale = max(1e-300, np.max(np.abs(theirs[name])))
        # At an event the two tools may be on different sides of it.
        differences = np.sort(np.abs(values - theirs[name]) / scale)
        worst = max(worst, float(differences[: max(1, len(differences) - len(differences) // 50)][-1]))
    check(f"{title}: FMPy's CVODE trace is ours", worst < allowed, f"{worst}")


def at_grid(ours, theirs):
    """Our last row at each of FMPy's times: we also record the instants of events, before and after."""
    names, rows = ours
    times = [float(row[0]) for row in rows]
    kept = []
    i = 0
    for t in theirs["time"]:
        while i + 1 < len(times) and times[i + 1] <= t + 1e-9 * max(1.0, abs(t)):
            i += 1
        kept.append(rows[i])
    return names, kept


def parquet(folder):
    import duckdb
    import pandas
    import pyarrow.parquet as pq
    out = folder / "ball.parquet"
    cosimo("run", ROOT / "fixtures" / "build" / "fmi2" / "BouncingBall.fmu", "-o", out)
    frame = pandas.read_parquet(out)
    check("pandas reads the columns", list(frame.columns)[0] == "time" and "h" in frame.columns, str(list(frame.columns)))
    check("pandas reads the numbers", len(frame) > 10 and math.isclose(frame["h"].iloc[0], 1.0))
    meta = {k.decode(): json.loads(v) for k, v in pq.read_schema(out).metadata.items() if k.startswith(b"cosimo.")}
    check("pyarrow reads the units", meta["cosimo.units"]["h"] == "m", str(meta))
    check("pyarrow reads what was run", "BouncingBall" in json.dumps(meta["cosimo.run"]), str(meta))
    rows, top = duckdb.sql(f"select count(*), max(h) from '{out}'").fetchall()[0]
    check("DuckDB reads the table", rows == len(frame) and math.isclose(top, frame["h"].max()))


with tempfile.TemporaryDirectory(prefix="cosimo-interop-") as name:
    foreign_fmus(Path(name))
    our_fixtures(Path(name))
    exchange(Path(name))
    parquet(Path(name))
print(f"interop: {passed()} checks with FMPy {fmpy.__version__}, numpy {np.__version__}")
