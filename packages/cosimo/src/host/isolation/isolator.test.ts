/**
 * Processes and sandboxes, with real FMUs that misbehave: what is lost, what is refused, what is
 * reported.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { UnitError, UnitLost } from "../../base/outcome.ts";
import type { Isolation } from "../../model/isolation.ts";
import type { UnitSource } from "../../model/scenario.ts";
import { makeBanks } from "../../model/value-type.ts";
import type { LogEntry } from "../../platform/native/native-options.ts";
import { sandboxRefusal } from "../../platform/process/sandbox.ts";
import { saboteurIn } from "../../platform/process/testing/saboteur.ts";
import { advanceTo, failureOf, getNumber, setValues, startUnit } from "../../unit/testing/drive.ts";
import type { PortSlot, Unit } from "../../unit/unit.ts";
import { isolated } from "./testing/isolated.ts";

const logged: LogEntry[] = [];
const bench = isolated({ onLog: (entry) => logged.push(entry) });
const opened: Unit[] = [];
let made = 0;

afterEach(() => {
  for (const unit of opened.splice(0)) unit.dispose();
});

async function saboteur(order: string | undefined, isolation: Isolation): Promise<Unit> {
  const path = saboteurIn(join(bench.folder, `bad-${made++}`), 2, order);
  const source: UnitSource = { kind: "fmu", path, interface: "co-simulation" };
  const unit = await bench.open(source, isolation, { name: "bad" });
  opened.push(unit);
  return unit;
}

/** Ten steps; the order of a saboteur is due in the fifth. */
function drive(unit: Unit): number {
  startUnit(unit);
  for (let i = 0; i < 10; i++) {
    setValues(unit, { u: i });
    advanceTo(unit, i / 10, (i + 1) / 10);
  }
  return getNumber(unit, "y");
}

const PROCESS: Isolation = { kind: "process" };

describe("a process of its own", { timeout: 60_000 }, () => {
  it.each([
    ["segv", {}, "SIGSEGV"],
    ["exit:7", {}, "exit code 7"],
    ["pause", { callSeconds: 0.5 }, "no answer within 0.5 s"],
    ["scribble:all", {}, "SIG", /^(fmi2DoStep|advance)$/],
    ["leak:300", { memoryBytes: 100e6 }, "the 100 MB that it is allowed"],
    ["spin", { processorSeconds: 1 }, "more than 1 s of processor time"],
  ])(
    "[IS3] [IS9] that does '%s' is lost alone, with the call that it was in",
    async (deed, limits, how, call = /^fmi2DoStep$/) => {
      const unit = await saboteur(`${deed} doStep 5`, { kind: "process", limits });
      const failure = failureOf(() => drive(unit));
      expect(failure.unit).toBe("bad");
      expect(failure.call).toMatch(call);
      expect(failure.status).toContain(how);
      expect(failure.time).toBeCloseTo(0.4, 12);
      expect(() => getNumber(unit, "y")).toThrow(UnitLost);
    },
  );

  it.each([16, 1])(
    "[IS9] has the %d files that it is allowed, none of them ours",
    async (openFiles) => {
      // It opens files until it gets no more, and goes on.
      const unit = await saboteur("leak-descriptors doStep 5", {
        kind: "process",
        limits: { openFiles },
      });
      expect(drive(unit)).toBe(18);
    },
  );

  it("[IS3] that is lost while it is opened says so", async () => {
    await expect(saboteur("segv load 1", PROCESS)).rejects.toMatchObject({
      failure: { unit: "bad", call: "loading its library" },
    });
  });

  it("[IS7] [IS8] is restarted, and what became of it is reported", async () => {
    const before = bench.isolator.report().length;
    const unit = await saboteur("crash-once doStep 5", { kind: "process", onFailure: "restart" });
    expect(drive(unit)).toBe(18);
    const [report] = bench.isolator.report().slice(before);
    expect(report).toMatchObject({ unit: "bad", kind: "process" });
    expect(report!.restarts).toHaveLength(1);
    expect(report!.restarts[0]).toMatchObject({ differs: false });
    expect(report!.restarts[0]!.why).toContain("fmi2DoStep ended with SIGSEGV");
    expect(bench.diagnostics.map(({ code }) => code)).toContain("unit-restarted");
    const hopeless = await saboteur("segv doStep 5", { kind: "process", onFailure: "restart" });
    expect(failureOf(() => drive(hopeless)).status).toContain("SIGSEGV");
  });

  it("[IS10] passes on what its units say", async () => {
    const unit = await saboteur("log-often:3 doStep 5", PROCESS);
    logged.length = 0;
    drive(unit);
    expect(logged).toHaveLength(3);
  });

  it("[IS11] is shared by the units of a group, which say the same about it", async () => {
    const group: Isolation = { kind: "process", group: "both" };
    const [a, b] = [await saboteur(undefined, group), await saboteur(undefined, group)];
    expect([drive(a), drive(b)]).toEqual([18, 18]);
    await expect(saboteur(undefined, { ...group, limits: { callSeconds: 1 } })).rejects.toThrow(
      "wants another process",
    );
    const after = await saboteur("segv doStep 5", group);
    expect(failureOf(() => drive(after)).unit).toBe("bad");
    expect(() => getNumber(a, "y")).toThrow(UnitLost);
  });
});

const refusal = sandboxRefusal();

describe.skipIf(refusal !== undefined)(
  `a sandbox${refusal === undefined ? "" : ` (skipped: ${refusal.why})`}`,
  { timeout: 60_000 },
  () => {
    const ATTEMPTS = ["try-read:/etc/passwd", "try-write", "try-socket", "try-signal", "try-fork"];

    it.each(ATTEMPTS)("[IS20] refuses '%s', which a process of its own does not", async (deed) => {
      const free = await saboteur(`${deed} doStep 5`, { kind: "process", group: "free" });
      expect(() => drive(free)).toThrow(UnitError);
      const inside = await saboteur(`${deed} doStep 5`, { kind: "sandbox" });
      expect(drive(inside)).toBe(18);
    });

    it("[IS20] refuses to start another program, and lets a unit write where it may", async () => {
      const starter = await saboteur("exec doStep 5", { kind: "sandbox" });
      expect(drive(starter)).toBe(18);
      const writer = await saboteur("write-here doStep 5", { kind: "sandbox" });
      expect(drive(writer)).toBe(18);
    });

    it("[IS20] ends a unit that crashes or hangs as a process does", async () => {
      const crash = await saboteur("segv doStep 5", { kind: "sandbox" });
      expect(failureOf(() => drive(crash))).toMatchObject({ call: "fmi2DoStep" });
      const hang = await saboteur("pause doStep 5", {
        kind: "sandbox",
        limits: { callSeconds: 0.5 },
      });
      expect(failureOf(() => drive(hang)).status).toContain("no answer within 0.5 s");
    });

    it("[IS21] takes no modules: they are run before there is a sandbox", async () => {
      const path = moduleIn(
        "unit.mjs",
        'export default (name) => functionUnit({ name: "one", outputs: { y: {} }, evaluate: () => undefined }, name);',
      );
      await expect(bench.open({ kind: "module", path }, { kind: "sandbox" })).rejects.toThrow(
        "cannot be put into a sandbox",
      );
    });
  },
);

describe("a unit with very many ports", () => {
  it("[IS1] sends and gets its values in pieces", { timeout: 60_000 }, async () => {
    const count = 33_000;
    const path = moduleIn(
      "wide.mjs",
      `const all = (name) => Object.fromEntries(Array.from({ length: ${count} }, (_, i) => [name + i, {}]));
const definition = { name: "wide", inputs: all("u"), outputs: all("y"), evaluate: (_t, u, _p, y) => y.set(u) };
export default (name) => functionUnit(definition, name);`,
    );
    const unit = await bench.open({ kind: "module", path }, PROCESS);
    opened.push(unit);
    const { ports } = unit.description;
    const slots = (direction: string): PortSlot[] =>
      ports
        .filter((port) => port.direction === direction)
        .map(({ index }, slot) => ({ port: index, slot }));
    const given = makeBanks({ f64: count, i64: 0, obj: 0 });
    for (let i = 0; i < count; i++) given.f64[i] = Math.sin(i);
    startUnit(unit);
    unit.write(unit.bind(slots("input")), given);
    advanceTo(unit, 0, 0.1);
    const found = makeBanks({ f64: count, i64: 0, obj: 0 });
    unit.read(unit.bind(slots("output")), found);
    expect(found.f64).toEqual(given.f64);
  });
});

/** A module of units, with the built package: it is run in another process. */
function moduleIn(name: string, text: string): string {
  const path = join(bench.folder, name);
  const unit = new URL("../../../dist/unit.js", import.meta.url).href;
  writeFileSync(path, `import { functionUnit } from "${unit}";\n${text}\n`);
  return path;
}
