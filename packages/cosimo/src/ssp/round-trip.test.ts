import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FMI_INTERFACES, INTEGRATION_METHODS } from "../model/integrator.ts";
import type {
  ConnectionDraft,
  ExposedPortDraft,
  ScenarioDraft,
  UnitDraft,
  UnitSource,
  ValueDraft,
} from "../model/scenario.ts";
import { APPROXIMATIONS } from "./annotation.ts";
import { parseSsd } from "./parse-ssd.ts";
import { writeSsp } from "./write-ssp.ts";

const SEED = 20;
const place = { file: "s.yaml" };

const text = fc.string({ unit: "grapheme", maxLength: 8 });
const name = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 6 })
  .filter((s) => s.trim() !== "" && !s.includes("*") && !s.includes("."));
const double = fc.double();
const scalar = fc.oneof(
  double,
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
  fc.boolean(),
  text,
  fc.uint8Array({ maxLength: 4 }),
);

const value: fc.Arbitrary<ValueDraft> = fc
  .record({
    port: name,
    value: fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.array(double, { maxLength: 3 })),
    unit: fc.option(fc.constantFrom("mm", "deg", "degC", "widget"), { nil: undefined }),
    optional: fc.constantFrom(undefined, true),
  })
  .map(({ unit, optional, ...rest }) => ({
    ...rest,
    ...(unit !== undefined && { unit }),
    ...(optional && { optional }),
    place,
  }));

const experiment = fc.record(
  { start: fc.double({ noNaN: true }), stop: double, step: double, tolerance: double },
  { requiredKeys: [] },
);

const master = fc.record({
  name: fc.constantFrom("", "jacobi", "gauss-seidel"),
  options: fc.dictionary(
    fc.constantFrom("order", "relax"),
    fc.oneof(text, fc.integer(), fc.constant(null)),
  ),
  place: fc.constant(place),
});

const record = fc.record({
  patterns: fc.array(text, { maxLength: 2 }),
  every: fc.integer({ min: 1, max: 9 }),
  place: fc.constant(place),
});

const mapping = fc.oneof(
  ...[fc.boolean(), fc.integer(), text].map((side: fc.Arbitrary<boolean | number | string>) =>
    fc.uniqueArray(fc.record({ from: side, to: side }), {
      selector: (e) => e.from,
      minLength: 1,
      maxLength: 3,
    }),
  ),
);

const transformation: fc.Arbitrary<Partial<ConnectionDraft>> = fc.oneof(
  fc.constant({}),
  fc.record({ factor: double, offset: double }, { requiredKeys: [] }),
  fc.record({ mapping }),
);

const source: fc.Arbitrary<UnitSource> = fc.oneof(
  fc.record(
    {
      kind: fc.constant("fmu" as const),
      path: name.map((n) => `resources/${n.replaceAll("#", "")}x.fmu`),
      interface: fc.constantFrom(...FMI_INTERFACES),
      integrator: fc.record(
        {
          method: fc.constantFrom(...INTEGRATION_METHODS),
          tolerance: double,
          absoluteTolerance: double,
          maxStep: fc.constant(0.125),
        },
        { requiredKeys: ["maxStep"] },
      ),
    },
    { requiredKeys: ["kind", "path"] },
  ),
  fc.record(
    { kind: fc.constant("module" as const), path: fc.constant("resources/m.ts"), export: name },
    { requiredKeys: ["kind", "path"] },
  ),
  fc
    .constantFrom("resources/sub.ssp", "resources/sub.ssp#B.ssd")
    .map((path) => ({ kind: "scenario-file" as const, path })),
);

/** A scenario whose references exist: units, then connections and ports among them. */
function scenario(depth: number): fc.Arbitrary<ScenarioDraft> {
  const inner =
    depth === 0
      ? source
      : fc.oneof(
          { weight: 3, arbitrary: source },
          {
            weight: 1,
            arbitrary: scenario(depth - 1).map((s) => ({ kind: "scenario" as const, scenario: s })),
          },
        );
  const unit: fc.Arbitrary<UnitDraft> = fc
    .record({
      name,
      source: inner,
      step: fc.option(double, { nil: undefined }),
      values: fc.uniqueArray(value, { selector: (v) => v.port, maxLength: 3 }),
    })
    .map(({ step, ...rest }) => ({ ...rest, ...(step !== undefined && { step }), place }));
  return fc
    .record({
      name,
      description: fc.option(text, { nil: undefined }),
      units: fc.uniqueArray(unit, { selector: (u) => u.name, maxLength: 4 }),
      experiment,
      master,
      record,
    })
    .chain(({ description, ...draft }) =>
      fc.tuple(connectionsOf(draft.units), extras, fc.boolean()).map(([rest, more, bonded]) => ({
        ...draft,
        ...(description !== undefined && { description }),
        ...more,
        ...(bonded && rest.connections.length >= 2 ? withBond(rest) : rest),
        file: "s.yaml",
        place,
      })),
    );
}

const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((x) => !Object.is(x, -0));
const sides = fc.record({ left: text, right: text });
const extras: fc.Arbitrary<Pick<ScenarioDraft, "constraints" | "events" | "limits">> = fc.record(
  {
    constraints: listOf(
      fc.record(
        {
          left: text,
          right: text,
          rate: fc.oneof(sides, fc.constant("none" as const)),
          by: fc.array(fc.record({ port: text, factor: finite }), { maxLength: 2 }),
          place: fc.constant(place),
        },
        { requiredKeys: ["left", "right", "by", "place"] },
      ),
    ),
    events: listOf(
      fc.record(
        {
          when: text,
          crosses: fc.oneof(finite, text),
          unit: text,
          direction: fc.constantFrom("rising" as const, "falling" as const, "any" as const),
          tolerance: finite,
          place: fc.constant(place),
        },
        { requiredKeys: ["when", "crosses", "direction", "place"] },
      ),
    ),
    limits: listOf(
      fc.oneof(
        fc.record({
          kind: fc.constant("every" as const),
          every: finite,
          offset: finite,
          place: fc.constant(place),
        }),
        fc.record({
          kind: fc.constant("at" as const),
          times: fc.array(finite, { maxLength: 3 }),
          place: fc.constant(place),
        }),
        fc.record(
          {
            kind: fc.constant("difference" as const),
            port: text,
            atMost: finite,
            unit: text,
            place: fc.constant(place),
          },
          { requiredKeys: ["kind", "port", "atMost", "place"] },
        ),
      ),
    ),
  },
  { requiredKeys: [] },
);

function listOf<T>(item: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.array(item, { minLength: 1, maxLength: 2 });
}

/** The last two connections as a bond. */
function withBond({
  connections,
  ports,
}: {
  connections: ConnectionDraft[];
  ports: ExposedPortDraft[];
}) {
  const [effort, flow] = connections.slice(-2);
  const bond = { name: "b", effort: effort!, flow: flow!, preserve: "energy" as const, place };
  return { connections: connections.slice(0, -2), ports, bonds: [bond] };
}

function portsOf(unit: UnitDraft, side: "in" | "out"): string[] {
  if (unit.source.kind !== "scenario")
    return [side === "out" ? "y" : "u", side === "out" ? "y.a[1]" : "u.b[2,1]"];
  return unit.source.scenario.ports
    .filter((port) => port.name.startsWith(side))
    .map((port) => port.name);
}

function connectionsOf(
  units: readonly UnitDraft[],
): fc.Arbitrary<{ connections: ConnectionDraft[]; ports: ExposedPortDraft[] }> {
  const refs = (side: "in" | "out") =>
    // A name that stands for several ports inside is one port.
    [...new Set(units.flatMap((u) => portsOf(u, side).map((p) => `${u.name}.${p}`)))];
  const outs = refs("out");
  const ins = refs("in");
  if (outs.length === 0 || ins.length === 0) return fc.constant({ connections: [], ports: [] });
  const connection = fc
    .record({
      from: fc.constantFrom(...outs),
      to: fc.constantFrom(...ins),
      transformation,
      suppress: fc.constantFrom<readonly "unit"[]>([], ["unit"]),
      approximation: fc.option(fc.constantFrom(...APPROXIMATIONS), { nil: undefined }),
      kind: fc.option(fc.constantFrom("reactive" as const, "delayed" as const), { nil: undefined }),
      integral: fc.option(fc.constantFrom(...outs), { nil: undefined }),
    })
    .map(({ transformation: t, approximation, kind, integral, ...rest }) => ({
      ...rest,
      ...t,
      ...(integral !== undefined && { integral }),
      ...(approximation !== undefined && { approximation }),
      ...(kind !== undefined && { kind }),
      place,
    }));
  return fc.record({
    connections: fc.uniqueArray(connection, { selector: (c) => c.to, maxLength: 4 }),
    ports: fc
      .tuple(
        fc
          .subarray(outs)
          .map((list) => list.map((inner, i) => ({ name: `out${i}`, inner, place }))),
        fc
          .subarray(ins)
          .map((list) => list.map((inner, i) => ({ name: `in${i % 2}`, inner, place }))),
      )
      .map(([o, i]) => [...i, ...o]),
  });
}

/** Without places and file names, values of each unit in the order of their ports. */
function essence(draft: ScenarioDraft): unknown {
  const plain = (key: string, item: unknown): unknown => {
    if (key === "place" || key === "file") return undefined;
    // FMUs are written as what they run as unless something else is asked of them.
    if (key === "prefers" && item === "co-simulation") return undefined;
    if (key === "values")
      return [...(item as ValueDraft[])].sort((a, b) => (a.port < b.port ? -1 : 1));
    if (typeof item === "bigint") return `${item}n`;
    if (typeof item === "number" && !Number.isFinite(item)) return `#${item}`;
    if (Object.is(item, -0)) return "#-0";
    return item instanceof Uint8Array ? `hex ${[...item]}` : item;
  };
  return JSON.parse(JSON.stringify(draft, plain));
}

describe("SSP round trip", () => {
  it.each(["1.0", "2.0"] as const)(
    `[SS20] a scenario exported as SSP %s comes back the same (seed ${SEED})`,
    (version) => {
      fc.assert(
        fc.property(scenario(2), (draft) => {
          const written = writeSsp(draft, { version });
          const errors = written.diagnostics.filter((d) => d.severity === "error");
          expect(errors).toEqual([]);
          const ssd = written.value!.files.get("SystemStructure.ssd") as string;
          const read = parseSsd(ssd, "x/SystemStructure.ssd", () => undefined);
          expect(read.diagnostics.filter((d) => d.severity !== "note")).toEqual([]);
          expect(essence(read.value!)).toEqual(essence(draft));
        }),
        { seed: SEED, numRuns: 300 },
      );
    },
  );
});
