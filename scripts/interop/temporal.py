"""Robustness of temporal formulas against rtamt, an independent implementation: random formulas over random samples, all rows.

rtamt's discrete time: one sample per second, intervals are whole seconds, windows end where the samples do. `iff` is left out: rtamt takes the
distance of the two sides, which is not robustness where a side is infinite; here it is the conjunction of both implications.
"""
import json
import math
import random
import subprocess

from checks import ROOT, check, passed

try:
    import rtamt
except ImportError as problem:
    print(f"skipped: rtamt cannot be used here: {problem}")
    raise SystemExit(0)

CASES = 400
TOLERANCE = 1e-9


def number(rng, depth):
    """An arithmetic expression as both tools write it."""
    kind = rng.randrange(6 if depth > 0 else 2)
    if kind == 0:
        value = f"{rng.uniform(-5, 5):.3f}"
        return (f"({value})", f"({value})")
    if kind == 1:
        name = rng.choice("xy")
        return (f"u.{name}", name)
    if kind == 2:
        ours, theirs = number(rng, depth - 1)
        return (f"abs({ours})", f"abs({theirs})")
    left, right = number(rng, depth - 1), number(rng, depth - 1)
    operator = rng.choice("+-*")
    return tuple(f"({a} {operator} {b})" for a, b in zip(left, right))


def interval(rng):
    if rng.random() < 0.3:
        return ("", "")
    begin = rng.randrange(4)
    end = begin + rng.randrange(5)
    return (f"[{begin} s, {end} s]", f"[{begin}:{end}]")


def formula(rng, depth):
    kind = rng.randrange(9) if depth > 0 else 0
    if kind <= 1:
        operator = rng.choice(["<", "<=", ">", ">=", "==", "!="])
        left, right = number(rng, 2), number(rng, 1)
        # rtamt writes "not equal" as !==.
        theirs = "!==" if operator == "!=" else operator
        return (f"({left[0]} {operator} {right[0]})", f"({left[1]} {theirs} {right[1]})")
    one = formula(rng, depth - 1)
    if kind == 2:
        return (f"(not {one[0]})", f"(not {one[1]})")
    if kind == 3:
        ours, theirs = rng.choice([("rises", "rise"), ("falls", "fall")])
        return (f"{ours}({one[0]})", f"{theirs}({one[1]})")
    if kind in (4, 5):
        operator = rng.choice(["always", "eventually", "historically", "once"])
        ours, theirs = interval(rng)
        return (f"({operator}{ours} {one[0]})", f"({operator}{theirs} {one[1]})")
    two = formula(rng, depth - 1)
    if kind in (6, 7):
        operator = rng.choice(["and", "or", "implies"])
        return (f"({one[0]} {operator} {two[0]})", f"({one[1]} {operator.replace('implies', '->')} {two[1]})")
    operator = rng.choice(["until", "since"])
    ours, theirs = interval(rng)
    return (f"({one[0]} {operator}{ours} {two[0]})", f"({one[1]} {operator}{theirs} {two[1]})")


def their_robustness(text, case):
    specification = rtamt.StlDiscreteTimeSpecification()
    specification.declare_var("x", "float")
    specification.declare_var("y", "float")
    specification.spec = text
    specification.parse()
    found = specification.evaluate({name: list(case[name]) for name in ("time", "x", "y")})
    return [value for _, value in found]


def main():
    rng = random.Random(7)
    cases, expected = [], []
    for _ in range(CASES):
        ours, theirs = formula(rng, rng.randrange(1, 5))
        length = rng.randrange(2, 30)
        case = {
            "formula": ours,
            "time": list(range(length)),
            "x": [rng.uniform(-10, 10) for _ in range(length)],
            "y": [float(rng.randrange(-3, 4)) for _ in range(length)],
        }
        cases.append(case)
        expected.append(their_robustness(theirs, case))
    done = subprocess.run(["node", str(ROOT / "scripts" / "interop" / "robustness.mjs")], input=json.dumps(cases),
                          capture_output=True, text=True, timeout=120)
    check("robustness.mjs evaluates all formulas", done.returncode == 0, done.stderr)
    values = 0
    worst = 0.0
    for case, theirs, ours in zip(cases, expected, json.loads(done.stdout)):
        found = [float(value.replace("Infinity", "inf")) if isinstance(value, str) else value for value in ours]
        assert len(found) == len(theirs), f"{len(found)} rows here, {len(theirs)} there: {case['formula']}"
        for row, (a, b) in enumerate(zip(found, theirs)):
            distance = 0.0 if a == b else abs(a - b)
            scale = max(1.0, abs(b)) if math.isfinite(b) else 1.0
            if not distance / scale <= TOLERANCE:
                check("robustness as rtamt has it", False, f"{case['formula']} at row {row}: {a} here, {b} there\n{case}")
            worst = max(worst, distance / scale)
            values += 1
    check(f"robustness of {CASES} random formulas at {values} rows as rtamt has it, within {worst:.1e}", values > 1000)
    print(f"{passed()} checks passed")


main()
