/** Specifications of any content, for properties that hold for all of them. */
import fc from "fast-check";
import type { Expression, PortName, Specification } from "../specification.ts";

const place = { file: "" };
const at = fc.constant(place);
const optional = <T>(key: string, value: fc.Arbitrary<T>): fc.Arbitrary<object> =>
  fc.option(value, { nil: undefined }).map((one) => (one === undefined ? {} : { [key]: one }));

const name = fc.oneof(
  fc.constantFrom(
    "plant",
    "fan",
    "load",
    "do",
    "not",
    "s",
    "Connector",
    "value",
    "every",
    "my unit",
    'a"b',
  ),
  fc.string({ minLength: 1, maxLength: 6 }).filter((text) => !/[\r\n]/.test(text)),
);
/** With dots inside, as FMI names variables. */
const portName = fc.oneof(
  name.filter((one) => !one.includes(".")),
  fc.constantFrom("a.b.c", "do.not", "der(x)", "x[1].y"),
);
const port: fc.Arbitrary<PortName> = fc.record({
  unit: name,
  port: portName,
  element: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 2 }),
  place: at,
});
const quantity = fc
  .tuple(
    fc.double({ min: 0, max: 1e6, noNaN: true }),
    optional("unit", fc.constantFrom("s", "ms", "min")),
  )
  .map(([value, unit]) => ({ value: Math.abs(value), ...unit }));

const { expression } = fc.letrec<{ expression: Expression }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({ kind: fc.constant("port"), port, place: at }),
    fc.record({ kind: fc.constant("number"), value: fc.nat(1000), place: at }),
    fc.record({
      kind: fc.constant("unary"),
      operator: fc.constantFrom("-", "not"),
      operand: tie("expression"),
      place: at,
    }),
    fc.record({
      kind: fc.constant("binary"),
      operator: fc.constantFrom("+", "-", "*", "/"),
      left: tie("expression"),
      right: tie("expression"),
      place: at,
    }),
  ) as fc.Arbitrary<Expression>,
}));

const trigger = fc.oneof(
  fc.record({ kind: fc.constant("every"), period: quantity, place: at }),
  fc.record({
    kind: fc.constant("every"),
    period: fc.nat(100).map((value) => ({ value })),
    reference: port,
    place: at,
  }),
  fc.record({ kind: fc.constantFrom("event", "updated", "ready-to-read"), port, place: at }),
  fc.record({
    kind: fc.constant("threshold"),
    port,
    direction: fc.constantFrom("rising", "falling"),
    level: fc.integer({ min: -99, max: 99 }).map((level) => level || 1),
    place: at,
  }),
);

const connector = fc
  .tuple(
    name,
    optional("ends", fc.record({ from: port, to: port })),
    optional("trigger", trigger),
    optional(
      "sync",
      fc
        .tuple(port, port, optional("tolerance", quantity))
        .map(([left, right, tolerance]) => ({ left, right, ...tolerance, place })),
    ),
    fc.array(
      fc.record({ source: expression, target: port, isTargetFirst: fc.constant(false), place: at }),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([own, ends, when, sync, interactions]) => ({
    name: own,
    ...ends,
    ...when,
    ...sync,
    interactions,
    place,
  }));

export const randomSpecification: fc.Arbitrary<Specification> = fc
  .tuple(
    fc.array(
      fc
        .tuple(fc.constantFrom("a.mci", "b/c.mci", 'odd "name".mci'), optional("name", name))
        .map(([path, own]) => ({ path, ...own, place })),
      { maxLength: 3 },
    ),
    optional(
      "experiment",
      fc.record({
        settings: fc.array(
          fc.record({ key: fc.constantFrom("start", "stop", "step"), value: quantity, place: at }),
          { maxLength: 3 },
        ),
        place: at,
      }),
    ),
    fc.array(connector, { maxLength: 3 }),
  )
  .map(([loads, experiment, connectors]) => ({
    loads,
    ...experiment,
    connectors,
    place,
  })) as fc.Arbitrary<Specification>;
