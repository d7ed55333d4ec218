/** Interfaces of any content, for properties that hold for all of them. */
import fc from "fast-check";
import type { InterfacePort, InterfaceType, UnitInterface } from "../../../model/unit-interface.ts";

const place = { file: "" };
/** Also words of the language, names with dots and quotes, and none that is empty. */
const name = fc.oneof(
  fc.constantFrom(
    "x",
    "cpuTemperature",
    "Port",
    "nature",
    "time",
    "true",
    "der(x)",
    'a"b\\c',
    "u v",
    "ä1",
  ),
  fc.string({ minLength: 1, maxLength: 8 }).filter((text) => !/[\r\n]/.test(text)),
);
const text = fc.string({ maxLength: 8 }).filter((one) => !/[\r\n]/.test(one));
const optional = <T>(key: string, value: fc.Arbitrary<T>): fc.Arbitrary<object> =>
  fc.option(value, { nil: undefined }).map((one) => (one === undefined ? {} : { [key]: one }));

const TYPES: readonly InterfaceType[] = [
  "Real",
  "Integer",
  "Boolean",
  "String",
  "Enumeration",
  "Binary",
  "Clock",
];

const NATURES = [
  "continuous",
  "piecewise-continuous",
  "piecewise-constant",
  "constant",
  "transient",
] as const;

const port: fc.Arbitrary<InterfacePort> = fc
  .tuple(
    name,
    optional("variable", text),
    optional("direction", fc.constantFrom("input", "output")),
    optional("nature", fc.constantFrom(...NATURES)),
    fc.oneof(
      fc.constant({ shape: [] }),
      fc.record({
        type: fc.constantFrom(...TYPES),
        shape: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 3 }),
      }),
    ),
    optional("initial", text),
    fc.array(
      fc
        .tuple(fc.constantFrom("Updated", "ReadyToRead", "Triggered"), optional("name", name))
        .map(([kind, rest]) => ({ kind, ...rest, place })),
      { maxLength: 2 },
    ),
    optional("monitored", fc.boolean()),
    optional("color", text),
    optional("reference", name),
    optional("use", fc.constantFrom("interpolation", "extrapolation")),
  )
  .map(([own, variable, direction, nature, type, initial, events, ...rest]) => ({
    name: own,
    ...variable,
    ...direction,
    ...nature,
    ...type,
    ...initial,
    events,
    ...Object.assign({}, ...rest),
    place,
  })) as fc.Arbitrary<InterfacePort>;

export const randomInterface: fc.Arbitrary<UnitInterface> = fc
  .tuple(
    name,
    optional(
      "source",
      fc.record({
        keyword: fc.constantFrom("SUPath", "FMUPath", "GemocExecutablePath"),
        path: text,
        place: fc.constant(place),
      }),
    ),
    fc.uniqueArray(port, { maxLength: 4, selector: (one) => one.name }),
    fc.uniqueArray(
      fc.record({
        name,
        kind: fc.constantFrom("time", "angle", "distance"),
        place: fc.constant(place),
      }),
      { maxLength: 2, selector: (one) => one.name },
    ),
    fc.array(
      fc.record({ name: fc.constant("rollback"), value: fc.boolean(), place: fc.constant(place) }),
      {
        maxLength: 1,
      },
    ),
  )
  .map(([own, source, ports, references, properties]) => ({
    name: own,
    ...source,
    ports,
    references,
    properties,
    place,
  })) as fc.Arbitrary<UnitInterface>;
