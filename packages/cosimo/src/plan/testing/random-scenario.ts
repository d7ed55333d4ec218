/**
 * Random scenarios for property tests: units of every kind, types, arrays, rates, masters and
 * approximations. Only descriptions: what is planned from them can be checked, not run.
 */
import fc from "fast-check";
import {
  type Approximation,
  type Connection,
  NO_DECLARATIONS,
  type Scenario,
} from "../../model/scenario.ts";
import {
  NO_CAPABILITIES,
  type Port,
  portSize,
  type UnitDescription,
} from "../../model/unit-description.ts";
import { bankOf, type ValueType } from "../../model/value-type.ts";

export interface RandomCase {
  readonly scenario: Scenario;
  readonly record: readonly {
    readonly unit: number;
    readonly port: number;
    readonly element: number;
  }[];
}

const TYPES: readonly ValueType[] = [
  ...new Array<ValueType>(8).fill("float64"),
  "float32",
  "int32",
  "int64",
  "uint64",
  "boolean",
  "string",
];
const APPROXIMATIONS: readonly Approximation[] = [
  "hold",
  "linear",
  "quadratic",
  "extrapolated-interpolation",
  "interpolation",
];
const place = { file: "random" };

const portArbitrary = fc.record({
  type: fc.constantFrom(...TYPES),
  size: fc.constantFrom(0, 0, 0, 2, 3),
  reactive: fc.constantFrom(true, false, undefined),
  discrete: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
  /** Bits choose inputs; negative: the unit does not say. */
  through: fc.integer({ min: -1, max: 7 }),
});

const unitArbitrary = fc.record({
  inputs: fc.array(portArbitrary, { maxLength: 3, size: "max" }),
  outputs: fc.array(portArbitrary, { minLength: 1, maxLength: 2 }),
  inputDerivativeOrder: fc.nat({ max: 2 }),
  variableStep: fc.boolean(),
  ticks: fc.constantFrom(1, 1, 1, 2, 3, 4, 6),
});

const wireArbitrary = fc.record({
  target: fc.noBias(fc.nat()),
  source: fc.noBias(fc.nat()),
  whole: fc.boolean(),
  factor: fc.constantFrom(1, 1, 1000, -0.5),
  offset: fc.constantFrom(0, 0, 273.15),
  approximation: fc.option(fc.constantFrom(...APPROXIMATIONS), { nil: undefined }),
  kind: fc.constantFrom(undefined, undefined, "reactive" as const, "delayed" as const),
});

/** @param maxUnits at most so many units. */
export function randomCase(maxUnits: number): fc.Arbitrary<RandomCase> {
  return fc
    .record({
      units: fc.array(unitArbitrary, { minLength: 1, maxLength: maxUnits, size: "max" }),
      wires: fc.array(wireArbitrary, { maxLength: 3 * maxUnits, size: "max" }),
      master: fc.constantFrom("jacobi", "gauss-seidel"),
      approximation: fc.constantFrom(...APPROXIMATIONS.filter((a) => a !== "interpolation")),
      microSteps: fc.integer({ min: 1, max: 3 }),
      shuffle: fc.option(fc.array(fc.nat(), { minLength: maxUnits, maxLength: maxUnits })),
      recorded: fc.array(fc.nat(), { maxLength: 6 }),
      every: fc.constantFrom(1, 1, 2, 5),
    })
    .map((spec): RandomCase => {
      const units = spec.units.map((unit, u) => ({
        name: `u${u}`,
        source: { kind: "module" as const, path: `u${u}` },
        description: describe(u, unit),
        step: unit.ticks * 0.01,
        values: [],
        place,
      }));
      const order = spec.shuffle
        ? units
            .map(({ name }, u) => ({ name, rank: spec.shuffle![u] }))
            .sort((a, b) => a.rank - b.rank)
            .map(({ name }) => name)
        : "automatic";
      const ports = units.flatMap((unit, u) =>
        unit.description.ports.map((port) => ({ unit: u, port: port.index, element: 0 })),
      );
      return {
        scenario: {
          name: "random",
          file: "random",
          units,
          connections: connect(units, spec.wires),
          ports: [],
          experiment: { start: 0, step: 0.01 },
          master: {
            name: spec.master,
            options: { approximation: spec.approximation, microSteps: spec.microSteps, order },
            place,
          },
          record: { patterns: [], every: spec.every },
          ...NO_DECLARATIONS,
        },
        record: spec.recorded.map((n) => ports[n % ports.length]),
      };
    });
}

type UnitSpec = typeof unitArbitrary extends fc.Arbitrary<infer T> ? T : never;
type WireSpec = typeof wireArbitrary extends fc.Arbitrary<infer T> ? T : never;

function describe(u: number, spec: UnitSpec): UnitDescription {
  const made = (
    direction: "input" | "output",
    p: UnitSpec["inputs"][number],
    index: number,
    name: string,
  ): Port => {
    const real = p.type === "float64" || p.type === "float32";
    const discrete = p.discrete || !real;
    // Loops of anything but numbers are an error, so such outputs have no feed-through.
    const through = bankOf(p.type) === "f64" ? p.through : 0;
    const feedThrough = spec.inputs.flatMap((input, i) =>
      through & (1 << i) && bankOf(input.type) === "f64" ? [i] : [],
    );
    return {
      index,
      name,
      direction,
      type: p.type,
      shape: p.size === 0 ? [] : [p.size],
      variability: discrete ? "discrete" : "continuous",
      nature: discrete ? "piecewise-constant" : "continuous",
      ...(direction === "input" && p.reactive !== undefined ? { reactive: p.reactive } : {}),
      ...(direction === "output" && (through >= 0 || hasOther(spec)) ? { feedThrough } : {}),
    };
  };
  const inputs = spec.inputs.map((p, i) => made("input", p, i, `in${i}`));
  const outputs = spec.outputs.map((p, i) => made("output", p, inputs.length + i, `out${i}`));
  const { inputDerivativeOrder, variableStep } = spec;
  return {
    name: `u${u}`,
    backend: "typescript",
    ports: [...inputs, ...outputs],
    capabilities: { ...NO_CAPABILITIES, inputDerivativeOrder, variableStep },
    experiment: {},
  };
}

function hasOther({ inputs }: UnitSpec): boolean {
  return inputs.some(({ type }) => bankOf(type) !== "f64");
}

function connect(units: Scenario["units"], wires: readonly WireSpec[]): Connection[] {
  const inputs = units.flatMap((unit, u) =>
    unit.description.ports
      .filter((port) => port.direction === "input")
      .map((port) => ({ unit: u, port })),
  );
  const outputs = units.flatMap((unit, u) =>
    unit.description.ports
      .filter((port) => port.direction === "output")
      .map((port) => ({ unit: u, port })),
  );
  /** Elements of an input are fed from the last one down. */
  const taken = new Map<(typeof inputs)[number], number>();
  const connections: Connection[] = [];
  for (const wire of wires) {
    const target = inputs[wire.target % Math.max(1, inputs.length)];
    if (target === undefined) continue;
    const free = portSize(target.port) - (taken.get(target) ?? 0);
    if (free === 0) continue;
    const bank = bankOf(target.port.type);
    const fitting = outputs.filter(
      ({ unit, port }) => unit !== target.unit && bankOf(port.type) === bank,
    );
    const source = fitting[wire.source % Math.max(1, fitting.length)];
    if (source === undefined) continue;
    const most = Math.min(portSize(source.port), free);
    const count = wire.whole ? most : 1;
    taken.set(target, portSize(target.port) - free + count);
    const real = bank === "f64" && target.port.type.startsWith("float");
    connections.push({
      from: { unit: source.unit, port: source.port.index },
      to: { unit: target.unit, port: target.port.index },
      fromElement: portSize(source.port) - count,
      toElement: free - count,
      count,
      factor: real ? wire.factor : 1,
      offset: real ? wire.offset : 0,
      place,
      ...(wire.approximation === undefined ? {} : { approximation: wire.approximation }),
      ...(wire.kind === undefined ? {} : { kind: wire.kind }),
    });
  }
  return connections;
}
