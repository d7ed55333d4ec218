"""FMPy in a multiprocessing pool: Monte Carlo of the quarter car.

fmpy_study.py ssp  <jobs> <runs> <step in s> <steps> <system.ssp>          simulate_ssp, FMPy's own way to run systems, once per run
fmpy_study.py kept <jobs> <runs> <step in s> <steps> <road> <wheel> <chassis>   a Jacobi master by hand; FMUs are unpacked and instantiated
                                                                            once per process and reset between runs

Prints the seconds from the first run to the last row as JSON; importing and unpacking are not counted.
"""
import json
import multiprocessing
import random
import sys
import time

mode, jobs, runs, step, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5])
files = sys.argv[6:]
units = []


def prepare():
    import fmpy  # noqa: F401

    if mode == "ssp":
        return
    from fmpy import extract, read_model_description
    from fmpy.fmi2 import FMU2Slave

    for path in files:
        description = read_model_description(path)
        folder = extract(path)
        fmu = FMU2Slave(
            guid=description.guid,
            unzipDirectory=folder,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName=path,
        )
        fmu.instantiate()
        references = {variable.name: variable.valueReference for variable in description.modelVariables}
        units.append((fmu, references))


def whole_system(point):
    from fmpy.ssp.simulation import simulate_ssp

    rows = simulate_ssp(files[0], 0.0, step * steps, step)
    names = [name for name in rows.dtype.names if name.endswith(("z_c", ".F"))]
    return [float(rows[name][-1]) for name in names]


def kept_units(point):
    (road, r), (wheel, w), (chassis, c) = units
    for fmu, _ in units:
        fmu.reset()
        fmu.setupExperiment(startTime=0.0, stopTime=step * steps)
    chassis.setReal([c["c"], c["d"]], point)
    for fmu, _ in units:
        fmu.enterInitializationMode()
    for fmu, _ in units:
        fmu.exitInitializationMode()
    road_out, wheel_out, chassis_out = [r["v"]], [w["z_w"], w["v_w"]], [c["F"], c["z_c"]]
    wheel_in, chassis_in = [w["v_road"], w["F"]], [c["z_w"], c["v_w"]]
    (v,), (z_w, v_w), (force, z_c) = road.getReal(road_out), wheel.getReal(wheel_out), chassis.getReal(chassis_out)
    most = abs(force)
    for i in range(steps):
        t = i * step
        wheel.setReal(wheel_in, [v, force])
        chassis.setReal(chassis_in, [z_w, v_w])
        for fmu, _ in units:
            fmu.doStep(t, step)
        (v,), (z_w, v_w), (force, z_c) = road.getReal(road_out), wheel.getReal(wheel_out), chassis.getReal(chassis_out)
        most = max(most, abs(force))
    for fmu, _ in units:
        fmu.terminate()
    return [z_c, most]


if __name__ == "__main__":
    numbers = random.Random(1)
    points = [[numbers.uniform(10e3, 30e3), numbers.gauss(1500, 200)] for _ in range(runs)]
    run = whole_system if mode == "ssp" else kept_units
    with multiprocessing.Pool(jobs, initializer=prepare) as pool:
        pool.map(run, points[:jobs], chunksize=1)
        begun = time.perf_counter()
        rows = pool.map(run, points, chunksize=max(1, runs // (16 * jobs)))
        seconds = time.perf_counter() - begun
    print(json.dumps({"runs": len(rows), "seconds": seconds}))
