/**
 * Connections between counters and events. Units without clocks (FMI 2.0, adaptations) count their
 * events; where such a counter drives a clock or an event of another unit, or a clock drives a
 * counter, a unit that translates stands between the two, as one does that computes a formula. No
 * event is lost on the way: a counter that grew by three is three events.
 */
import { present } from "../base/present.ts";
import { INTEGER_RANGES } from "./port-value.ts";
import type { ResolveContext } from "./resolve-scenario-context.ts";
import type { FormulaPart } from "./resolve-scenario-formula.ts";
import type { DescribedUnit, PortReference } from "./resolve-scenario-reference.ts";
import type { ConnectionDraft, FormulaSource, Trigger } from "./scenario.ts";
import { NO_CAPABILITIES, type Port, type UnitDescription } from "./unit-description.ts";

type Translation = NonNullable<FormulaSource["translation"]>;

/** What has to stand between two ports; undefined: nothing. */
export function translationBetween(from: Port, to: Port): Translation | undefined {
  if (from.shape.length > 0 || to.shape.length > 0) return undefined;
  const [counts, takesCounts] = [from, to].map(
    ({ type, nature }) => nature !== "transient" && INTEGER_RANGES[type] !== undefined,
  );
  if (counts && to.nature === "transient") return "ticks";
  return from.type === "clock" && takesCounts ? "counts" : undefined;
}

/** The two connections that one becomes, and the unit between them in `context`. */
export function expandTranslation(
  context: ResolveContext,
  { from: fromText, to: toText, place }: ConnectionDraft,
  from: PortReference,
  to: PortReference,
  translation: Translation,
  trigger: Trigger | undefined,
): readonly FormulaPart[] {
  const [source, target] = [from.text, to.text];
  const description = TRANSLATIONS[translation];
  const [input, output] = description.ports as [Port, Port];
  const unit: DescribedUnit = {
    draft: {
      name: `${toText} <- ${fromText}`,
      source: {
        kind: "formula",
        expression: { kind: "reference", name: "u1", place },
        translation,
        description,
        from: source,
        to: target,
      },
      values: [],
      place,
    },
    index: context.units.length,
    description,
  };
  context.units.push(unit);
  const end = (port: Port, text: string): PortReference => ({
    kind: "port",
    unit,
    port,
    element: 0,
    shape: [],
    whole: true,
    text,
  });
  return [
    { from, to: end(input, target), ...present({ trigger }), isLast: false },
    { from: end(output, source), to, isLast: true },
  ];
}

/**
 * What `devsUnit` makes of the models `ticks` and `counts` of `devs/library/counters.ts`, which
 * run/open-units.ts opens.
 */
export const TRANSLATIONS: Readonly<Record<Translation, UnitDescription>> = {
  ticks: describe("ticks", "A signal for every event of a counter.", ["count", "tick"]),
  counts: describe("counts", "How many events a signal had.", ["tick", "count"]),
};

function describe(
  name: string,
  description: string,
  [input, output]: readonly ["count" | "tick", "count" | "tick"],
): UnitDescription {
  return {
    name,
    backend: "typescript",
    description,
    ports: [port(0, input, "input"), port(1, output, "output")],
    capabilities: {
      ...NO_CAPABILITIES,
      rollback: true,
      serialize: true,
      variableStep: true,
      eventMode: true,
      predicates: ["event"],
      zeroStep: true,
    },
    experiment: {},
    minimumDelay: 0,
  };
}

function port(index: number, name: "count" | "tick", direction: "input" | "output"): Port {
  const isClock = name === "tick";
  return {
    variability: "discrete",
    nature: isClock ? "transient" : "piecewise-constant",
    index,
    name,
    direction,
    type: isClock ? "clock" : "int32",
    shape: [],
    start: [0],
    feedThrough: [],
    ...(isClock && { clock: { interval: "triggered", shift: 0 } }),
  };
}
