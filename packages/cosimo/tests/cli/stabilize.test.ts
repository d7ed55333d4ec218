/**
 * `cosimo stability stabilize` as a user meets it, and guards from its file to a run that obeys
 * them.
 */
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../src/base/diagnostic.ts";
import { parseGuard } from "../../src/lang/guard/parse-guard.ts";
import { checkSequence } from "../../src/model/decision-guard.ts";
import { doubleMass, pendulum } from "../../src/stability/testing/coupled-examples.ts";
import { fixture, numbersOf, Workplace } from "./cosimo.ts";
import { steppedMasses } from "./stepped-masses.ts";

const place = new Workplace();
const EXAMPLE = join(import.meta.dirname, "..", "..", "..", "..", "examples", "double-mass");
for (const side of ["Left", "Right"] as const)
  copyFileSync(fixture(`fmi2/SteppedMass${side}`), place.path(`${side}.fmu`));
copyFileSync(join(EXAMPLE, "policies.json"), place.path("policies.json"));

const scenario = (guard: string): string =>
  `${steppedMasses("Left.fmu", "Right.fmu", "{ stop: 20 s, step: 100 ms }")}  guard: ${guard}\n`;

const rows = (a: Float64Array): number[][] =>
  [0, 1, 2, 3].map((i) => [...a.subarray(4 * i, 4 * i + 4)]);

describe("cosimo stability stabilize", () => {
  it("[SB10] [SB11] makes a guard, tells what it forbids, and proves it again from the file", async () => {
    const { matrices, names } = pendulum();
    const named = Object.fromEntries(matrices.map((a, k) => [names[k], rows(a)]));
    place.write("pendulum.json", JSON.stringify({ matrices: named }));
    const made = await place.run(
      ...["stability", "stabilize", "pendulum.json", "--exact", "-o", "pendulum-guard.json"],
    );
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(made.stdout).toContain("7.2568898 of 8 choices per step");
    expect(made.stdout).toContain("the most that this memory allows");
    expect(made.stdout).toContain("Forbidden  7 sequences of 2");
    const checked = await place.run("stability", "stabilize", "pendulum-guard.json", "--verify");
    expect(checked).toMatchObject({ code: 0, stderr: "" });
    expect(checked.stdout).toContain("the proof holds");
    const guard = unwrap(parseGuard(place.read("pendulum-guard.json"), "guard"));
    expect(guard.system.matrices).toEqual(matrices);
    const other = await place.run(
      "stability",
      "jsr",
      "pendulum-guard.json",
      "--json",
      "--tolerance",
      "0.05",
    );
    expect(other.code).toBe(0);
    expect(JSON.parse(other.stdout).verdict).toBe("stable");
  });

  it("[SB8] sees that a guard was changed", async () => {
    await place.run("stability", "stabilize", "policies.json", "-o", "guard.json");
    const text = place.read("guard.json");
    const looser = text.replace(/"edges": \[\n/, (edges) => `${edges}[1, 1, "quick"],\n`);
    place.write("looser.json", looser);
    const checked = await place.run("stability", "stabilize", "looser.json", "--verify", "--json");
    expect(looser).not.toBe(text);
    expect(checked.code).toBe(3);
    expect(JSON.parse(checked.stdout).holds).toBe(false);
    const page = await place.run("stability", "stabilize", "looser.json", "--verify");
    expect(page.stdout).toMatch(/the sequence quick · .* · … \(250 steps\) does not shrink/);
    const refused = await place.run("run", place.write("looser.yaml", scenario("looser.json")));
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("guard-unusable");
  });

  it("[SB12] [SB13] [SB14] says why something is forbidden, and when it does not know", async () => {
    const { matrices, names } = doubleMass();
    const named = Object.fromEntries(matrices.map((a, k) => [names[k], rows(a)]));
    place.write("sixteen.json", JSON.stringify({ matrices: named }));
    const made = await place.run("stability", "stabilize", "sixteen.json", "--lift", "0");
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(made.stdout).toContain(
      "  (E,1)(E,1)\n    because it grows: product (E,1)(E,1), rate at least 1.0025062 per step",
    );
    const words = ["stability", "stabilize", "sixteen.json", "--lift", "2", "--budget", "10ms"];
    const cut = await place.run(...words, "-o", "cut.json");
    expect(cut.code).toBe(3);
    expect(cut.stdout).toContain("not proved either way within the budget of 10ms");
    expect(cut.stdout).toContain("fix: allow more time (--budget 100ms)");
    expect(cut.stdout).not.toContain("Forbidden");
    expect(() => place.read("cut.json")).toThrow();
    const reported = JSON.parse((await place.run(...words, "--json")).stdout);
    expect(reported).toMatchObject({
      isEmpty: false,
      forbidden: [],
      undecided: { because: "budget" },
    });
  });

  it("[SB15] ends with --timeout, undecided, and a check with it does not hold", async () => {
    const { matrices, names } = doubleMass();
    const named = Object.fromEntries(matrices.map((a, k) => [names[k], rows(a)]));
    place.write("timed.json", JSON.stringify({ matrices: named }));
    const made = ["stability", "stabilize", "timed.json", "--lift", "0", "-o", "timed-guard.json"];
    const cut = await place.run(...made, "--timeout", "0.001");
    expect(cut.code).toBe(3);
    expect(cut.stdout).toContain("not proved either way");
    expect((await place.run(...made)).code).toBe(0);
    const check = ["stability", "stabilize", "timed-guard.json", "--verify"];
    const late = await place.run(...check, "--timeout", "0.001");
    expect(late.code).toBe(3);
    expect(late.stdout).toContain("the time was up before all sequences were examined");
    expect((await place.run(...check, "--timeout", "60")).code).toBe(0);
  });

  it("[SB10] says when nothing is left", async () => {
    place.write("growing.yaml", "matrices: { a: [[2]], b: [[3]] }");
    const made = await place.run("stability", "stabilize", "growing.yaml", "-o", "none.json");
    expect(made.code).toBe(3);
    expect(made.stdout).toContain("Nothing is left");
    expect(() => place.read("none.json")).toThrow();
  });

  it.each([
    [["--lift", "1.5"], "--lift wants a whole number"],
    [["--lift", "99"], "--lift wants a whole number"],
    [["--rate", "1.5"], "--rate wants a part"],
    [["--lif", "1"], "did you mean --lift?"],
    [["--budget", "soon"], "--budget soon is not a time"],
  ])("[SB10] refuses %s", async (words, said) => {
    const reported = await place.run("stability", "stabilize", "policies.json", ...words);
    expect(reported.code).toBe(2);
    expect(reported.stderr).toContain(said);
  });

  it("[SB10] names the place of what is wrong in a file", async () => {
    const cases = [
      ["missing.yaml", undefined, "file-unreadable"],
      ["empty.yaml", "matrices: {}", "switched-no-matrices"],
      [
        "twice.yaml",
        "matrices: { a: [[0.5]] }\nautomaton: { edges: [[1, 2, a], [1, 1, a], [2, 1, a]] }",
        "guard-ambiguous",
      ],
    ] as const;
    for (const [file, text, code] of cases) {
      if (text !== undefined) place.write(file, text);
      const reported = await place.run("stability", "stabilize", file);
      expect(reported.code).toBe(1);
      expect(reported.stderr).toContain(code);
      expect(reported.stderr).toContain("fix:");
    }
    const unproved = await place.run("stability", "stabilize", "policies.json", "--verify");
    expect(unproved.code).toBe(1);
    expect(unproved.stderr).toContain("guard-missing");
  });
});

describe("a run with a guard", () => {
  it("[GU6] [GU10] [GU12] obeys it, and its trace proves that", async () => {
    const made = await place.run(
      ...["stability", "stabilize", "policies.json", "--lift", "3", "--rate", "0.9985"],
      ...["-o", "slow.json"],
    );
    expect(made.code).toBe(0);
    place.write("guarded.yaml", scenario("slow.json"));
    const done = await place.run("run", "guarded.yaml", "-o", "guarded.csv");
    expect(done.code).toBe(0);
    expect(`${done.stdout}${done.stderr}`).toContain("all 200 decisions were allowed");
    const guard = unwrap(parseGuard(place.read("slow.json"), "slow.json"));
    const taken = numbersOf(place.trace("guarded.csv"), "master.policy").slice(1);
    const modes = taken.map((policy) => guard.policies.indexOf(policy === 1 ? "quick" : "careful"));
    expect(checkSequence(guard, modes)).toMatchObject({ isAllowed: true, decisions: 200 });
    expect(new Set(taken)).toEqual(new Set([1, 2]));
    const free = await place.run(
      "run",
      place.write("free.yaml", scenario("off")),
      "-o",
      "free.csv",
    );
    expect(free.code).toBe(0);
    const all = numbersOf(place.trace("free.csv"), "master.policy").slice(1);
    const freely = all.map((policy) => guard.policies.indexOf(policy === 1 ? "quick" : "careful"));
    expect(checkSequence(guard, freely).isAllowed).toBe(false);
  });

  it("[GU10] does not begin without the guard that it names", async () => {
    const reported = await place.run("run", place.write("lost.yaml", scenario("lost.json")));
    expect(reported.code).toBe(1);
    expect(reported.stderr).toContain("cannot use the guard 'lost.json': there is no such file");
  });

  it("[GU9] [GU12] has an example whose guard is the one that its README makes", async () => {
    const made = await place.run(
      ...["stability", "stabilize", "policies.json", "--lift", "3", "--rate", "0.9985"],
      ...["--exact", "-o", "again.json"],
    );
    expect(made.code).toBe(0);
    const again = unwrap(parseGuard(place.read("again.json"), "again"));
    const kept = unwrap(parseGuard(readFileSync(join(EXAMPLE, "guard.json"), "utf8"), "kept"));
    expect(kept.automaton).toEqual(again.automaton);
    expect(kept.system.matrices).toEqual(again.system.matrices);
  });
});
