/**
 * Scenarios for tests in a tiny notation: `a.y -> b.u; b.y -> a.u`; with more: `a.v -> b.u * -2
 * integral a.x`.
 */
import {
  type Approximation,
  type Connection,
  NO_DECLARATIONS,
  type PortRef,
  type Scenario,
} from "../../model/scenario.ts";
import { portNamed, portSize, type UnitDescription } from "../../model/unit-description.ts";

export interface ScenarioOptions {
  readonly step?: number;
  readonly steps?: Readonly<Record<string, number>>;
  readonly master?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly approximation?: Approximation;
  readonly kind?: NonNullable<Connection["kind"]>;
  /** Bonds, constraints, events and limits. */
  readonly extras?: Partial<typeof NO_DECLARATIONS>;
}

export function scenarioOf(
  units: Readonly<Record<string, UnitDescription>>,
  connections: string,
  options: ScenarioOptions = {},
): Scenario {
  const place = { file: "test" };
  const names = Object.keys(units);
  const ref = (text: string): PortRef => {
    const [unit = "", port = ""] = text.trim().split(/\.(.*)/s);
    const description = units[unit];
    const found = description && portNamed(description, port);
    if (!found) throw new Error(`test: no port '${text}'`);
    return { unit: names.indexOf(unit), port: found.index };
  };
  return {
    name: "test",
    file: "test",
    units: names.map((name) => ({
      name,
      source: { kind: "module", path: name },
      description: units[name],
      values: [],
      place,
      ...(options.steps?.[name] === undefined ? {} : { step: options.steps[name] }),
    })),
    connections: connections
      .split(";")
      .filter((text) => text.trim() !== "")
      .map((text): Connection => {
        const [ends = "", integral] = text.split(" integral ");
        const [from = "", target = ""] = ends.split("->");
        const [to = "", factor = "1"] = target.split("*");
        const source = ref(from);
        return {
          from: source,
          to: ref(to),
          fromElement: 0,
          toElement: 0,
          count: portSize(units[names[source.unit]].ports[source.port]),
          factor: Number(factor),
          offset: 0,
          place,
          ...(integral === undefined ? {} : { integral: ref(integral) }),
          ...(options.approximation === undefined ? {} : { approximation: options.approximation }),
          ...(options.kind === undefined ? {} : { kind: options.kind }),
        };
      }),
    ports: [],
    experiment: { start: 0, ...(options.step === undefined ? {} : { step: options.step }) },
    master: { name: options.master ?? "jacobi", options: options.options ?? {}, place },
    record: { patterns: [], every: 1 },
    ...NO_DECLARATIONS,
    ...options.extras,
  };
}
