/**
 * Model Exchange FMUs on the command line: alone, in scenarios under every master, beside machine
 * code, with checkpoints, in exports.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fixture, Workplace } from "./cosimo.ts";

const place = new Workplace();

function rows(file: string): Record<string, number>[] {
  const [head = "", ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const names = head.split(",").map((name) => name.replaceAll('"', ""));
  return lines.map((line) => {
    const cells = line.split(",").map(Number);
    return Object.fromEntries(names.map((name, i) => [name, cells[i]!]));
  });
}

async function run(...args: string[]): Promise<Record<string, number>[]> {
  const out = place.path(`trace-${Math.random()}.csv`);
  const ended = await place.run("run", ...args, "-o", out);
  expect(ended.stderr.replace(/^.* note [\s\S]*?fix: .*$/gm, "").trim()).toBe("");
  expect(ended.code).toBe(0);
  return rows(out);
}

describe("an FMU alone", () => {
  it("[ME1] runs through Model Exchange where that is all it offers, with a note when it proves stiff", async () => {
    const ended = await place.run("run", fixture("fmi3/ExchangeVanDerPol"));
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain("note integrator-stiff");
    const info = await place.run("info", fixture("fmi2/ExchangeChain"));
    expect(info.stdout).toContain("Model Exchange");
    expect(info.stdout).toContain("+ rollback");
    expect(info.stdout).not.toContain("cannot take part");
  });

  it("[ME1] runs through Co-Simulation where both are offered, unless an option decides", async () => {
    const ball = fixture("fmi2/BouncingBall");
    const stepped = await run(ball, "--stop", "0.3");
    const integrated = await run(ball, "--stop", "0.3", "--interface", "model-exchange");
    const last = integrated.at(-1)!;
    expect(last["h"]).toBeCloseTo(1 - (9.81 / 2) * 0.09, 12);
    expect(stepped.at(-1)!["h"]).toBeCloseTo(last["h"]!, 9);
    // Dahlquist's own solver is Euler's; an integrator keeps its tolerance.
    const euler = await run(fixture("fmi3/Dahlquist"), "--stop", "1");
    const exact = await run(fixture("fmi3/Dahlquist"), "--stop", "1", "--method", "radau");
    expect(Math.abs(euler.at(-1)!["x"]! - Math.exp(-1))).toBeGreaterThan(1e-3);
    expect(exact.at(-1)!["x"]).toBeCloseTo(Math.exp(-1), 6);
  });

  it("[ME1] an interface that it does not offer is refused with those that it offers", async () => {
    const mass = fixture("fmi2/MassSpringDamperLeft");
    const ended = await place.run("run", mass, "--interface", "model-exchange");
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("does not offer Model Exchange, only Co-Simulation");
    const unused = ["--interface", "co-simulation", "--method", "radau"];
    const both = await place.run("run", fixture("fmi2/Dahlquist"), ...unused);
    expect(both.code).toBe(1);
    expect(both.stderr).toContain("run-method-unused");
    const odd = await place.run("run", mass, "--method", "eulr");
    expect(odd).toMatchObject({ code: 2 });
  });

  it("[ME2] rows show both sides of an event", async () => {
    const trace = await run(fixture("fmi3/ExchangeBall"), "--stop", "0.5");
    const before = trace.findIndex((row) => row["bounces"] === 1) - 1;
    expect(trace[before + 1]!["time"]).toBe(trace[before]!["time"]);
    expect(trace[before + 1]!["v"]! / trace[before]!["v"]!).toBeCloseTo(-0.7, 12);
  });
});

/** A lag and a rod of cells in a loop, without feed-through. */
function scenario(name: string, rod: string, master: string, more = ""): string {
  return place.write(
    name,
    `units:
  feed: { fmu: ${fixture("fmi2/ExchangeFeed")}, set: { gain: 0 } }
  rod: { fmu: ${rod}, set: { k: 10 } }
connections: [feed.x -> rod.u, rod.y -> feed.u]
experiment: { stop: 2, step: 0.01, tolerance: 1e-8 }
master: ${master}
${more}`,
  );
}

describe("a scenario", () => {
  const rod = fixture("fmi3/ExchangeChain");
  let fine: ReturnType<typeof run> | undefined;

  it.each([
    ["jacobi", 4e-3],
    ["gauss-seidel", 4e-3],
    ["iterative", 1e-4],
    ["adaptive", 1e-3],
    ["event-driven", 4e-3],
  ])("runs under %s, which converges to the coupled solution", async (master, tolerance) => {
    const trace = await run(scenario(`${master}.yaml`, rod, master));
    fine ??= run(scenario("fine.yaml", rod, "gauss-seidel"), "--step", "5e-4");
    const last = trace.at(-1)!;
    expect(last["time"]).toBe(2);
    expect(Math.abs(last["feed.x"]! - (await fine).at(-1)!["feed.x"]!)).toBeLessThan(tolerance);
  });

  it("names interfaces in 'check', and knows its stability", async () => {
    const file = scenario("check.yaml", rod, "jacobi");
    const check = await place.run("check", file, "--stability");
    expect(check.code).toBe(0);
    expect(check.stdout).toContain("FMI 2.0 FMU (Model Exchange)");
    expect(check.stdout).toMatch(/stable/);
  });

  it("runs beside an FMU in machine code, with the same trace", async () => {
    const file = place.write(
      "mixed.yaml",
      `units:
  mass: ${fixture("fmi2/MassSpringDamperLeft")}
  feed: { fmu: ${fixture("fmi3/ExchangeFeed")}, integrator: { method: radau } }
connections: [mass.x_1 -> feed.u]
experiment: { stop: 1, step: 0.01 }
master: jacobi
`,
    );
    const [code, plain] = [
      await run(file, "--executor", "machine-code"),
      await run(file, "--executor", "interpreter"),
    ];
    expect(code).toEqual(plain);
    expect(code.at(-1)!["feed.x"]).not.toBe(1);
  });

  it("continues from a checkpoint with the trace of an uninterrupted run", async () => {
    const file = scenario("kept.yaml", rod, "gauss-seidel");
    const whole = await run(file);
    const out = place.path("kept.csv");
    const keep = ["-o", out, "--checkpoint", "every=0.5s"];
    await place.run("run", file, "--stop", "1", ...keep);
    const ended = await place.run("run", file, ...keep);
    expect(ended.code).toBe(0);
    expect(rows(out)).toEqual(whole);
  });

  it("[ME40] is not exported: the message names the unit", async () => {
    const file = scenario("export.yaml", rod, "jacobi", "ports: { y: rod.y }");
    const ended = await place.run("export", file, "-o", place.path("out.fmu"));
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("export-model-exchange");
    expect(ended.stderr).toContain("'rod'");
  });

  it("[ME1] options about one FMU are refused for a scenario", async () => {
    const file = scenario("options.yaml", rod, "jacobi");
    const ended = await place.run("run", file, "--method", "radau");
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("run-interface-scenario");
    expect(ended.stderr).toContain("integrator: { method: radau }");
  });
});

describe("a group", () => {
  const feed = (version: string, set: string): string =>
    `{ fmu: ${fixture(`${version}/ExchangeFeed`)}, set: { ${set} } }`;

  it("[ME30] [ME31] solves the coupled equations, algebraic loop included, in one communication step", async () => {
    const file = place.write(
      "group.yaml",
      `units:
  plant:
    group:
      left: ${feed("fmi2", "gain: 0.5")}
      right: ${feed("fmi3", "gain: 0.5, x: 0")}
    connections: [left.y -> right.u, right.y -> left.u]
    integrator: { tolerance: 1e-9 }
experiment: { stop: 2, step: 2 }
`,
    );
    const last = (await run(file)).at(-1)!;
    // Sum and difference of the states decouple: (x ± x')' = (−1 ± 1/(2 (1 ∓ gain))) (x ± x')
    const sum = Math.exp((-1 + 0.5 / 0.5) * 2);
    const difference = Math.exp((-1 - 0.5 / 1.5) * 2);
    expect(last["plant.left.x"]).toBeCloseTo((sum + difference) / 2, 8);
    expect(last["plant.right.x"]).toBeCloseTo((sum - difference) / 2, 8);
  });

  it("[ME33] holds Model Exchange FMUs joined by plain connections, and nothing else", async () => {
    const file = place.write(
      "wrong.yaml",
      `units:
  plant:
    group:
      left: ${feed("fmi2", "gain: 0")}
      mass: ${fixture("fmi2/MassSpringDamperLeft")}
    connections: [{ from: left.y, to: left.u, approximation: linear }]
experiment: { stop: 2, step: 2 }
`,
    );
    const ended = await place.run("check", file);
    expect(ended.code).toBe(1);
    expect(ended.stdout + ended.stderr).toContain("does not offer Model Exchange");
    expect(ended.stdout + ended.stderr).toContain("have no 'approximation'");
  });
});
