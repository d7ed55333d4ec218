/**
 * One experiment with a unit, as data: done to a unit in TypeScript, and as text to a compiled one
 * (driver.c). Both give what was read, in order; an experiment ends with the first call that fails.
 */
import fc from "fast-check";
import { bankOf, makeBanks } from "../../src/model/value-type.ts";
import type { Snapshot, Unit } from "../../src/unit/unit.ts";

export type Command =
  | { readonly do: "set" | "slope"; readonly port: number; readonly value: number }
  | { readonly do: "text"; readonly port: number; readonly value: string }
  | { readonly do: "get" | "read"; readonly port: number }
  /** By how much; from wherever the unit is. */
  | { readonly do: "step"; readonly value: number }
  | { readonly do: "start"; readonly stop?: number }
  | { readonly do: "begin" | "end" | "reset" }
  | { readonly do: "save" | "bytes" | "restore" | "release"; readonly state: number };

export type Answer = number | string;

/** A line of `driver.c`: what, which port or state, and the rest. */
export function commandLine(command: Command): string {
  switch (command.do) {
    case "set":
    case "slope":
      return `${command.do} ${command.port} ${numberText(command.value)}`;
    case "text":
      return `text ${command.port} ${command.value}`;
    case "get":
    case "read":
      return `${command.do} ${command.port}`;
    case "step":
      return `step 0 ${command.value}`;
    case "start":
      return `start ${command.stop === undefined ? "0 0" : `1 ${command.stop}`}`;
    case "begin":
    case "end":
    case "reset":
      return `${command.do} 0`;
    default:
      return `${command.do} ${command.state}`;
  }
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return Object.is(value, -0) ? "-0" : String(value);
}

/** What `driver.c` printed. */
export function answersOf(printed: string, commands: readonly Command[]): Answer[] {
  const list = printed.split("\n");
  list.pop();
  const kinds = commands.flatMap((command) => {
    if (command.do === "get") return ["number"];
    if (command.do === "read") return ["text"];
    return command.do === "step" ? ["text", "number"] : [];
  });
  return list.map((line, k) => (kinds[k] === "number" && line !== "error" ? numberOf(line) : line));
}

function numberOf(line: string): number {
  if (/nan/.test(line)) return Number.NaN;
  if (/inf/.test(line)) return line.startsWith("-") ? -Infinity : Infinity;
  return Number(line);
}

/** The same with a unit in phase `instantiated`. */
export function answersOfUnit(unit: Unit, commands: readonly Command[]): Answer[] {
  const answers: Answer[] = [];
  const states = new Map<number, Snapshot>();
  let time = 0;
  const { ports } = unit.description;
  const transfer = (port: number, write?: number | string): number | string => {
    const banks = makeBanks({ f64: 1, i64: 1, obj: 1 });
    const access = unit.bind([{ port, slot: 0 }]);
    const isText = bankOf(ports[port]!.type) === "obj";
    if (write === undefined) unit.read(access, banks);
    else {
      if (isText) banks.obj[0] = String(write);
      else banks.f64[0] = Number(write);
      unit.write(access, banks);
    }
    return isText ? String(banks.obj[0]) : banks.f64[0]!;
  };
  const obey = (command: Command): void => {
    switch (command.do) {
      case "set":
      case "text":
        transfer(command.port, command.value);
        break;
      case "slope":
        unit.setInputDerivatives([command.port], [1], Float64Array.of(command.value));
        break;
      case "get":
      case "read":
        answers.push(transfer(command.port));
        break;
      case "step": {
        const stop = unit.advance(time, { kind: "time", time: time + command.value });
        time = stop.time;
        answers.push(stop.reason, stop.time);
        break;
      }
      case "start":
        unit.enterInitialization({
          start: 0,
          ...(command.stop !== undefined && { stop: command.stop }),
        });
        time = 0;
        break;
      case "begin":
        unit.exitInitialization();
        break;
      case "end":
        unit.terminate();
        break;
      case "reset":
        unit.reset();
        break;
      case "save":
        states.set(command.state, unit.save());
        break;
      case "bytes": {
        const old = states.get(command.state)!;
        const bytes = unit.serialize(old);
        unit.release(old);
        states.set(command.state, unit.deserialize(bytes));
        break;
      }
      case "restore":
        unit.restore(states.get(command.state)!);
        time = states.get(command.state)!.time;
        break;
      case "release":
        unit.release(states.get(command.state)!);
    }
  };
  try {
    for (const command of commands) obey(command);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    answers.push("error");
  }
  unit.dispose();
  return answers;
}

/** What an experiment may use of a unit; ports by index. */
export interface Instruments {
  readonly numbers: readonly number[];
  readonly truths: readonly number[];
  readonly integers: readonly number[];
  readonly texts: readonly number[];
  readonly parameters: readonly number[];
  readonly slopes: readonly number[];
  readonly outputs: readonly { readonly port: number; readonly isText: boolean }[];
  /** Sums of a few of them are exact. */
  readonly steps: readonly number[];
  readonly hasStates: boolean;
}

/** Values, steps, states and looks in any order that the life cycle allows. */
export function randomScript(tools: Instruments): fc.Arbitrary<readonly Command[]> {
  const pick = (list: readonly number[]): fc.Arbitrary<number>[] =>
    list.length === 0 ? [] : [fc.constantFrom(...list)];
  const value = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: -64, max: 64 }).map((n) => n / 16) },
    { weight: 1, arbitrary: fc.constantFrom(0, -0, 1e-12, 1e9, Number.NaN, Infinity) },
  );
  const set = (ports: readonly number[], values: fc.Arbitrary<number>): fc.Arbitrary<Command>[] =>
    pick(ports).map((port) =>
      fc.tuple(port, values).map(([p, v]): Command => ({ do: "set", port: p, value: v })),
    );
  const inputs = fc.oneof(
    ...set(tools.numbers, value),
    ...set(tools.truths, fc.constantFrom(0, 1)),
    ...set(tools.integers, fc.integer({ min: -9, max: 9 })),
    ...pick(tools.texts).map((port) =>
      fc
        .tuple(port, fc.constantFrom("one", "two", "grün"))
        .map(([p, v]): Command => ({ do: "text", port: p, value: v })),
    ),
  );
  const look = tools.outputs.map(
    ({ port, isText }): Command => ({ do: isText ? "read" : "get", port }),
  );
  const step = fc.constantFrom(...tools.steps).map((v): Command => ({ do: "step", value: v }));
  const slope = pick(tools.slopes).map((port) =>
    fc
      .tuple(port, fc.constantFrom(0, 0.5, -2))
      .map(([p, v]): Command[] => [{ do: "slope", port: p, value: v }]),
  );
  const parameters = set(tools.parameters, fc.constantFrom(0.5, 1, 2));
  const again = fc.array(fc.oneof(inputs, step), { minLength: 1, maxLength: 4 });
  const back = again.map((detour): Command[] => [
    { do: "save", state: 0 },
    ...detour,
    { do: "bytes", state: 0 },
    { do: "restore", state: 0 },
    ...look,
    ...detour,
    { do: "restore", state: 0 },
    { do: "release", state: 0 },
  ]);
  const act = fc.oneof(
    { weight: 4, arbitrary: inputs.map((one) => [one]) },
    { weight: 5, arbitrary: step.map((one) => [one, ...look]) },
    { weight: 3, arbitrary: step.map((one) => [one]) },
    { weight: 1, arbitrary: fc.constant(look) },
    ...slope.map((arbitrary) => ({ weight: 1, arbitrary })),
    ...parameters.map((one) => ({ weight: 1, arbitrary: one.map((c) => [c]) })),
    ...(tools.hasStates ? [{ weight: 1, arbitrary: back }] : []),
  );
  const opening = fc.tuple(
    fc.array(fc.oneof(inputs, ...parameters), { maxLength: 4 }),
    fc.option(fc.constant(8), { nil: undefined }),
    fc.array(inputs, { maxLength: 2 }),
    fc.boolean(),
  );
  const whole = fc
    .tuple(opening, fc.array(act, { minLength: 8, maxLength: 25 }))
    .map(([[before, stop, during, looks], acts]): Command[] => [
      ...before,
      { do: "start", ...(stop !== undefined && { stop }) },
      ...during,
      ...(looks ? look : []),
      { do: "begin" },
      ...look,
      ...acts.flat(),
    ]);
  return fc
    .tuple(whole, whole, fc.boolean())
    .map(([first, second, twice]) => [
      ...first,
      ...(twice ? [{ do: "reset" } as const, ...second] : []),
      { do: "end" } as const,
      ...look,
    ]);
}
