import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../base/diagnostic.ts";
import { cases } from "../../base/testing/cases.ts";
import { parseOrchestration } from "../../lang/orchestration/parse-orchestration.ts";
import { printOrchestration } from "../../lang/orchestration/print-orchestration.ts";
import { withoutPlaces } from "../../lang/text/testing/without-places.ts";
import type { Operation, OrchestratedSystem, Orchestration } from "../../model/orchestration.ts";
import { randomCase } from "../../plan/testing/random-scenario.ts";
import { checkOrchestration } from "./check-orchestration.ts";
import { countAlgorithms } from "./count.ts";
import { synthesize } from "./synthesize.ts";
import { System, systemOf, unitName } from "./system.ts";
import { runOrchestration } from "./testing/run-orchestration.ts";
import { randomSystem, systemFrom } from "./testing/systems.ts";

const RUNS = cases(2000);
const PLACE = { file: "a.yaml" };

/** `get a.y; step b; (accepted: step c / restore c)`; agree: `(a.y: … )`. */
function operations(text: string): Operation[] {
  const found: Operation[] = [];
  for (const [, loop, one] of text.matchAll(/\(([^()]*(?:\([^()]*\)[^()]*)*)\)|([^;()]+)/g)) {
    if (loop !== undefined) {
      const [until = "", rest = ""] = loop.split(/:(.*)/s);
      const [body = "", retry = ""] = rest.split("/");
      const agree = until.split(",").map((port) => port.trim());
      found.push({
        kind: "repeat",
        until: until.trim() === "accepted" ? "accepted" : { agree },
        body: operations(body),
        retry: operations(retry),
        place: PLACE,
      });
    }
    const [kind, name] = (one ?? "").trim().split(/\s+/);
    if (kind === "get" || kind === "set") found.push({ kind, port: name ?? "", place: PLACE });
    if (kind === "step" || kind === "save" || kind === "restore")
      found.push({ kind, unit: name ?? "", place: PLACE });
  }
  return found;
}

const verdict = (system: OrchestratedSystem, step: string, initialization?: string): string => {
  const algorithm = {
    step: operations(step),
    ...(initialization !== undefined && { initialization: operations(initialization) }),
  };
  const [first] = checkOrchestration(system, algorithm, PLACE);
  return first?.message ?? "correct";
};

describe("the check of an orchestration", () => {
  /** A controller that reads the start, a plant that reads the end. */
  const chain = systemFrom(
    ["control: x delayed; u <-", "plant: u reactive; x <-"],
    "control.u -> plant.u; plant.x -> control.x",
  );
  const loop = systemFrom(["a: u reactive; y <-", "b: u reactive; y <-"], "a.y -> b.u; b.y -> a.u");
  const negotiated = systemFrom(
    ["a!: u delayed; y <-", "b: u delayed; y <-"],
    "a.y -> b.u; b.y -> a.u",
  );

  it.each([
    ["get plant.x; set control.x; step control; get control.u; set plant.u; step plant", "correct"],
    // Normal form: the delayed input is set at the end, for the next step.
    ["step control; get control.u; set plant.u; step plant; get plant.x; set control.x", "correct"],
    [
      "get plant.x; set control.x; get control.u; set plant.u; step control; step plant",
      "'step plant' is wrong: 'plant.u' is reactive, and has a value of the start, not of the end, of the step",
    ],
    [
      "step control; get control.u; set plant.u; step plant",
      "'step control' is wrong: 'control.x' is delayed, and has a value of the last step, not of the start, of the step",
    ],
    [
      "step control; step plant",
      "'step plant' is wrong: 'plant.u' is reactive, and has a value of the start, not of the end, of the step",
    ],
    [
      "step control; get control.u; set plant.u; step plant; step control",
      "'step control' is wrong: 'control' has taken this step already",
    ],
    [
      "step control; get control.u; set plant.u",
      "'the end of the step' is wrong: 'plant' took no step",
    ],
    ["get plant.q", "'get plant.q' is wrong: there is no output 'plant.q'"],
    ["set plant.q", "'set plant.q' is wrong: nothing is connected to 'plant.q'"],
    ["step nobody", "'step nobody' is wrong: there is no unit 'nobody'"],
  ])("[OR1] [OR3] [OR4] %s", (step, expected) => {
    expect(verdict(chain, step)).toBe(expected);
  });

  it("[OR3] a delayed input does not get the end of the step", () => {
    const both = systemFrom(["a: u delayed; y <-", "b: u delayed; y <-"], "a.y -> b.u; b.y -> a.u");
    expect(verdict(both, "step a; get a.y; set b.u; step b; get b.y; set a.u")).toBe(
      "'set b.u' is wrong: 'b.u' is delayed: it takes the value of the start of the step, and 'a.y' was read at its end",
    );
    expect(verdict(both, "get a.y; get b.y; set a.u; set b.u; step a; step b")).toBe("correct");
  });

  it("[OR2] an output waits for the inputs that it feeds through", () => {
    const mealy = systemFrom(
      ["a: u delayed; y <- u", "b: u delayed; y <-"],
      "a.y -> b.u; b.y -> a.u",
    );
    expect(verdict(mealy, "get b.y; set a.u; get a.y; set b.u; step a; step b")).toBe("correct");
    expect(verdict(mealy, "get a.y; get b.y; set a.u; set b.u; step a; step b")).toBe(
      "'get a.y' is wrong: 'a.y' depends on 'a.u' at the same instant, which has a value of the last step, not of the start, of the step",
    );
    expect(verdict(mealy, "step a; step b", "get a.y; set b.u; get b.y; set a.u")).toBe(
      "'get a.y' is wrong: 'a.y' depends on 'a.u' at the same instant, which has no value yet",
    );
    expect(verdict(mealy, "step a; step b", "get b.y; set a.u")).toBe(
      "'the end of the initialization' is wrong: 'b.u' has no value: nothing sets it",
    );
  });

  it("[OR5] [OR7] a unit that may refuse a step stands in a loop that takes the others back", () => {
    const values = "get a.y; get b.y; set a.u; set b.u";
    expect(verdict(negotiated, `${values}; step a; step b`)).toMatch(
      /'step a' is wrong: 'a' may refuse the step/,
    );
    const good = `${values}; save a; save b; (accepted: step a; step b / restore a; restore b)`;
    expect(verdict(negotiated, good)).toBe("correct");
    expect(verdict(negotiated, good.replace("restore b", ""))).toMatch(
      /'b' is not restored before the step gets shorter/,
    );
    expect(verdict(negotiated, good.replace("save b;", ""))).toMatch(
      /the state of 'b' was not saved/,
    );
    expect(
      verdict(negotiated, `${values}; step b; save a; (accepted: step a / restore a)`),
    ).toMatch(/'b' has taken the whole step already, which may still get shorter/);
    // The one that refuses alone, the other behind it.
    expect(verdict(negotiated, `${values}; save a; (accepted: step a / restore a); step b`)).toBe(
      "correct",
    );
    expect(verdict(chain, "(accepted: step control / )")).toMatch(/no unit in it may refuse/);
  });

  it("[OR7] what was read in an attempt that was refused is worth nothing", () => {
    const one = systemFrom(["a!: y <-", "b: u reactive; y <-"], "a.y -> b.u");
    const loops = (body: string, behind: string): string =>
      `save a; (accepted: ${body} / restore a); ${behind}`;
    expect(verdict(one, loops("step a; get a.y", "set b.u; step b"))).toBe("correct");
    expect(verdict(one, loops("step a", "get a.y; set b.u; step b"))).toBe("correct");
    // Read before the refusal, set after it.
    const two = systemFrom(["a!: y <-", "b: u reactive; y <-"], "a.y -> b.u");
    expect(
      verdict(
        two,
        "save a; save b; (accepted: step a; get a.y; set b.u; step b / restore a; restore b)",
      ),
    ).toBe("correct");
  });

  it("[OR6] only units that can roll back are saved", () => {
    const stuck = systemFrom(["a-: y <-"], "");
    expect(verdict(stuck, "save a; step a")).toBe("'save a' is wrong: 'a' cannot save its state");
  });

  it("[OR8] a loop is repeated until outputs agree, with its units rolled back", () => {
    const good =
      "save a; save b; (a.y: set b.u; step b; get b.y; set a.u; step a; get a.y / restore a; restore b)";
    expect(verdict(loop, good)).toBe("correct");
    expect(verdict(loop, good.replace("restore b", ""))).toMatch(
      /'b' is not restored before the loop repeats its step/,
    );
    // A 'b.y' that agrees with the last step's is still computed from the 'a.y' of that step.
    expect(verdict(loop, good.replace("(a.y:", "(b.y:"))).toBe(
      "'set b.u' is wrong: it takes 'a.y' of the round before, and nothing says when that agrees",
    );
    expect(verdict(loop, good.replace("(a.y:", "(a.y, b.y:"))).toBe("correct");
    // Of two values that are taken from the round before, both are watched.
    expect(verdict(loop, good.replace("get b.y; set a.u", "set a.u; get b.y"))).toBe(
      "'set a.u' is wrong: it takes 'b.y' of the round before, and nothing says when that agrees",
    );
    expect(verdict(loop, good.replace("get b.y; ", ""))).toMatch(/is wrong/);
    expect(verdict(loop, good.replace("; get a.y", ""))).toMatch(
      /'a.y' is not read in the loop, so it cannot agree/,
    );
    const other = systemFrom(
      ["a: u reactive; y <-; z <-", "b: u reactive; y <-"],
      "a.y -> b.u; b.y -> a.u",
    );
    expect(
      verdict(other, good.replace("(a.y:", "(a.z:").replace("get a.y", "get a.y; get a.z")),
    ).toMatch(/takes 'a.y' of the round before, and nothing says when that agrees/);
    expect(verdict(loop, "step b; get b.y; set a.u; step a; get a.y; set b.u")).toMatch(
      /'step b' is wrong: 'b.u' is reactive/,
    );
  });

  it("[OR8] an algebraic loop at the start is repeated without steps", () => {
    const instant = systemFrom(
      ["a: u delayed; y <- u", "b: u delayed; y <- u"],
      "a.y -> b.u; b.y -> a.u",
    );
    const loopOnce = "(b.y: get a.y; set b.u; get b.y; set a.u / )";
    expect(verdict(instant, `${loopOnce}; step a; step b`, loopOnce)).toBe("correct");
    expect(
      verdict(instant, "get a.y; set b.u; get b.y; set a.u; step a; step b", loopOnce),
    ).toMatch(/'get a.y' is wrong/);
    // A gain gives what it gave until its input is set: that it agrees says nothing.
    expect(verdict(instant, `${loopOnce.replace("b.y", "a.y")}; step a; step b`)).toMatch(
      /'get a.y' is wrong: it takes 'b.y' of the round before/,
    );
  });

  it("[OR4] inputs of no declared kind take either value", () => {
    const either = systemFrom(["a: u; y <-", "b: y <-"], "b.y -> a.u");
    expect(verdict(either, "get b.y; set a.u; step b; step a")).toBe("correct");
    expect(verdict(either, "step b; get b.y; set a.u; step a")).toBe("correct");
    expect(verdict(either, "step b; step a")).toMatch(/'step a' is wrong: 'a.u' is connected/);
  });
});

describe("synthesized orchestrations", () => {
  const made = (system: OrchestratedSystem): Orchestration => unwrap(synthesize(system));

  it("[OR9] pass the check, for random systems", () => {
    let loops = 0;
    fc.assert(
      fc.property(randomSystem({ units: 4 }), (system) => {
        const algorithm = made(system);
        expect(checkOrchestration(system, algorithm, PLACE)).toEqual([]);
        if (algorithm.step.some(({ kind }) => kind === "repeat")) loops++;
      }),
      { numRuns: RUNS },
    );
    expect(loops).toBeGreaterThan(RUNS / 20);
  });

  it("[OR9] negotiate steps with units that refuse them, or say why that cannot be", () => {
    let [possible, impossible] = [0, 0];
    fc.assert(
      fc.property(randomSystem({ units: 4, isDifficult: true }), (system) => {
        const { value, diagnostics } = synthesize(system);
        if (value === undefined) {
          impossible++;
          expect(diagnostics[0]?.message).toMatch(/there is no correct algorithm/);
          return;
        }
        if (system.units.some(({ mayRefuse }) => mayRefuse)) possible++;
        expect(checkOrchestration(system, value, PLACE)).toEqual([]);
      }),
      { numRuns: RUNS },
    );
    expect(possible).toBeGreaterThan(RUNS / 10);
    expect(impossible).toBeGreaterThan(RUNS / 20);
  });

  it("[OR10] a mutated one fails the check, or gives the same numbers", () => {
    let [failed, same, different] = [0, 0, 0];
    fc.assert(
      fc.property(
        randomSystem({ units: 3, isDifficult: true }),
        fc.nat(),
        fc.nat(),
        fc.constantFrom("swap", "remove", "move"),
        fc.boolean(),
        (system, first, second, how, isEarly) => {
          const { value } = synthesize(system);
          if (value === undefined) return;
          const { initialization = [], step } = value;
          const mutated = isEarly
            ? { ...value, initialization: mutate(initialization, how, first, second) }
            : { ...value, step: mutate(step, how, first, second) };
          const expected = runOrchestration(system, value);
          const found = runOrchestration(system, mutated);
          expect(expected).toBeDefined();
          const isSame =
            found?.every((x, i) => Math.abs(x - (expected?.[i] ?? 0)) < 1e-11) === true;
          if (checkOrchestration(system, mutated, PLACE).length > 0) {
            failed++;
            if (!isSame) different++;
          } else {
            same++;
            expect(isSame, printOrchestration(mutated, system)).toBe(true);
          }
        },
      ),
      { numRuns: 3 * RUNS },
    );
    expect(failed).toBeGreaterThan(RUNS / 4);
    expect(same).toBeGreaterThan(RUNS / 20);
    // Most of what fails would have given other numbers.
    expect(different).toBeGreaterThan(failed / 2);
  });

  it("[OR11] counted as those that pass the check, up to commuting operations, by trying all orders", () => {
    const systems = [
      systemFrom(["a: u reactive; y <-", "b: u delayed; y <-"], "a.y -> b.u; b.y -> a.u"),
      systemFrom(["a: u reactive; y <-", "b: u reactive; y <-"], "a.y -> b.u; b.y -> a.u"),
      systemFrom(["a: u delayed; y <- u", "b: u delayed; y <- u"], "a.y -> b.u; b.y -> a.u"),
      systemFrom(["a: u reactive; y <- u", "b: u delayed; y <-"], "a.y -> b.u; b.y -> a.u"),
      systemFrom(["a: u; y <-", "b: y <-"], "b.y -> a.u"),
    ];
    for (const system of systems)
      expect(countAlgorithms(system).step, JSON.stringify(system.connections)).toBe(
        classes(system),
      );
    expect(systems.map((system) => countAlgorithms(system).step)).toEqual([1, 3, 8, 1, 2]);
    expect(countAlgorithms(systems[2] as OrchestratedSystem).initialization).toBe(8);
  });

  it("[OR12] are written as text that reads the same", () => {
    fc.assert(
      fc.property(randomSystem({ units: 3, isDifficult: true }), (system) => {
        const { value } = synthesize(system);
        if (value === undefined) return;
        const read = unwrap(parseOrchestration(printOrchestration(value, system), "a.yaml"));
        expect(withoutPlaces(read.orchestration)).toEqual(withoutPlaces(value));
        expect(read.system).toEqual(system);
      }),
      { numRuns: 100 },
    );
  });

  it("[OR13] of scenarios follow the kinds and dependencies of their ports", () => {
    fc.assert(
      fc.property(randomCase(4), ({ scenario }) => {
        const system = systemOf(scenario);
        const { value } = synthesize(system);
        if (value === undefined) return;
        expect(checkOrchestration(system, value, PLACE)).toEqual([]);
      }),
      { numRuns: RUNS / 2 },
    );
  });
});

/** Exchanges neighbours, leaves one out, or moves one elsewhere, at any depth. */
function mutate(
  step: readonly Operation[],
  how: string,
  first: number,
  second: number,
): Operation[] {
  const list = [...step];
  const at = first % Math.max(1, list.length);
  const target = list[at];
  if (target?.kind === "repeat" && second % 2 === 0) {
    const inner = Math.floor(second / 2);
    const isRetry = inner % 4 === 0 && target.retry.length > 0;
    list[at] = isRetry
      ? { ...target, retry: mutate(target.retry, how, inner, first) }
      : { ...target, body: mutate(target.body, how, inner, first) };
    return list;
  }
  if (how === "remove") list.splice(at, 1);
  else {
    const [one] = list.splice(at, 1);
    const place = how === "swap" ? at + 1 : second % (list.length + 1);
    if (one !== undefined) list.splice(Math.min(place, list.length), 0, one);
  }
  return list;
}

/** What two operations have to do with each other: those that commute have nothing. */
function touches(a: Operation, b: Operation, system: System): boolean {
  if (a.kind === "repeat")
    return (
      a.body.some((one) => touches(one, b, system)) ||
      a.retry.some((one) => touches(one, b, system))
    );
  if (b.kind === "repeat") return touches(b, a, system);
  const own = (one: Exclude<Operation, { kind: "repeat" }>): string =>
    "unit" in one ? one.unit : unitName(one.port);
  if (a.kind === "get" && b.kind === "set")
    return system.sourceOf.get(b.port) === a.port || system.needsOf(a.port).includes(b.port);
  if (a.kind === "set" && b.kind === "get") return touches(b, a, system);
  if ("port" in a && "port" in b) return false;
  // Reading changes nothing that is saved.
  if ((a.kind === "save" && b.kind === "get") || (a.kind === "get" && b.kind === "save"))
    return false;
  return own(a) === own(b);
}

/**
 * Correct steps in normal form, up to commuting operations: all orders are tried, loops as bodies
 * that are repeated.
 */
function classes(given: OrchestratedSystem): number {
  const system = new System(given);
  const ops: Operation[] = [
    ...given.units.map(({ name }): Operation => ({ kind: "step", unit: name, place: PLACE })),
    ...system.outputs().map((port): Operation => ({ kind: "get", port, place: PLACE })),
    ...system.inputs().map((port): Operation => ({ kind: "set", port, place: PLACE })),
  ];
  const seen = new Set<string>();
  const hasLoop = unwrap(synthesize(given)).step.some(({ kind }) => kind === "repeat");
  const [stepped, rest] = hasLoop ? loopParts(given) : [[], ops];
  for (const order of permutations(hasLoop ? stepped : rest)) {
    if (!isNormal(order, system)) continue;
    const step = hasLoop ? whole(given, order) : order;
    if (checkOrchestration(given, { step }, PLACE).length === 0)
      seen.add(JSON.stringify(plainShape(order, system)));
  }
  return seen.size;
}

/** Outputs are read, and delayed inputs are set, behind the step of their unit. */
function isNormal(order: readonly Operation[], system: System): boolean {
  return order.every((one, i) => {
    if (!("port" in one)) return true;
    const isRead = order
      .slice(0, i)
      .some((op) => op.kind === "get" && op.port === system.sourceOf.get(one.port));
    const kind = system.kindOf(one.port);
    const isBehind = one.kind === "get" || kind === "delayed" || (kind === "undeclared" && !isRead);
    if (!isBehind) return true;
    const step = order.findIndex((op) => op.kind === "step" && op.unit === unitName(one.port));
    return step < i;
  });
}

/** The operations of the only loop of a system. */
function loopParts(given: OrchestratedSystem): [Operation[], Operation[]] {
  const { step } = unwrap(synthesize(given));
  const loop = step.find(({ kind }) => kind === "repeat");
  return [loop?.kind === "repeat" ? [...loop.body] : [], []];
}

function whole(given: OrchestratedSystem, body: readonly Operation[]): Operation[] {
  return unwrap(synthesize(given)).step.map((one) =>
    one.kind === "repeat"
      ? {
          ...one,
          body,
          until: { agree: body.flatMap((op) => (op.kind === "get" ? [op.port] : [])) },
        }
      : one,
  );
}

function plainShape(order: readonly Operation[], system: System): string[] {
  const pairs: string[] = [];
  const text = (one: Operation): string => JSON.stringify(one);
  order.forEach((a, i) => {
    for (const b of order.slice(i + 1))
      if (touches(a, b, system)) pairs.push(`${text(a)}<${text(b)}`);
  });
  return pairs.sort();
}

function* permutations<Item>(items: readonly Item[]): Generator<Item[]> {
  if (items.length === 0) yield [];
  for (const [i, item] of items.entries())
    for (const rest of permutations([...items.slice(0, i), ...items.slice(i + 1)]))
      yield [item, ...rest];
}
