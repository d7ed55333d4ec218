/**
 * Requirements and hints of a draft, with the ports of its units behind their names.
 */
import { formatPlace, type Place, reporterFor } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import type { Fault } from "./faults.ts";
import type { PhysicalUnit } from "./physical-unit.ts";
import { productOf } from "./physical-unit-algebra.ts";
import { conversion } from "./physical-unit-conversion.ts";
import { parseUnit } from "./physical-unit-parse.ts";
import type { HintFact, NumberExpression, Requirement, RequirementDraft } from "./requirement.ts";
import { type FoundSignal, resolveRequirement, type SignalLookup } from "./resolve-requirement.ts";
import { REQUIREMENT_RULES } from "./resolve-requirement-diagnostics.ts";
import { type ResolveContext, shapeText } from "./resolve-scenario-context.ts";
import { findReference } from "./resolve-scenario-reference.ts";
import type { BondDraft, Scenario, ScenarioDraft } from "./scenario.ts";
import { elementSuffix, isStepwise, portSize } from "./unit-description.ts";

/**
 * Requirements and hints of a draft, absent where there are none. Those of a scenario inside
 * another are not checked.
 */
export function requirementsOf(
  context: ResolveContext,
  { name, requirements: drafts = [], hints: facts = [], bonds = [] }: ScenarioDraft,
  faults: readonly Fault[],
  isNested: boolean,
): Pick<Scenario, "requirements" | "hints"> {
  const [first] = drafts;
  if (isNested && first !== undefined) context.report("requirement-nested", { name }, first.place);
  const requirements = isNested ? [] : resolveRequirements(context, drafts, { bonds, faults });
  const hints = resolveHints(context, facts);
  return {
    ...(requirements.length > 0 && { requirements }),
    ...(hints.length > 0 && { hints }),
  };
}

/** What of a scenario requirements may name besides ports. */
interface Nameable {
  readonly bonds: readonly BondDraft[];
  readonly faults: readonly Fault[];
}

function resolveRequirements(
  context: ResolveContext,
  drafts: readonly RequirementDraft[],
  nameable: Nameable,
): Requirement[] {
  const names = new Map<string, Place>();
  const found: Requirement[] = [];
  const lookup = lookupIn(context, nameable);
  const report = reporterFor(REQUIREMENT_RULES, context.diagnostics);
  for (const draft of drafts) {
    const name = draft.name ?? freeName(draft.text, names);
    const first = names.get(name);
    if (first !== undefined) {
      context.report("requirement-name-taken", { name, first: formatPlace(first) }, draft.place);
      continue;
    }
    names.set(name, draft.place);
    const requirement = resolveRequirement(draft, name, lookup, report);
    if (requirement !== undefined) found.push(requirement);
  }
  return found;
}

/** The text itself; of the same text a second time, with a number. */
function freeName(text: string, taken: ReadonlyMap<string, Place>): string {
  if (!taken.has(text)) return text;
  let count = 2;
  while (taken.has(`${text} (${count})`)) count++;
  return `${text} (${count})`;
}

function lookupIn(context: ResolveContext, { bonds, faults }: Nameable): SignalLookup {
  return {
    signal: (text, place) =>
      statistic(context, text, { bonds, faults }) ?? portSignal(context, text, place),
    power(name, place) {
      const bond = bonds.find((one) => one.name === name);
      if (bond !== undefined) return powerOf(bond, place);
      const names = bonds.map((one) => one.name);
      const near = nearest(name, names);
      const fix =
        near !== undefined
          ? `did you mean '${near}'?`
          : names.length > 0
            ? `there are ${names.join(", ")}`
            : "declare it under 'bonds'";
      return context.report("requirement-bond", { bond: name, fix }, place);
    },
  };
}

/** Effort times flow, as the units that determine them send them. */
function powerOf(bond: BondDraft, place: Place): NumberExpression<string> {
  const signal = (text: string): NumberExpression<string> => ({
    kind: "signal",
    signal: text,
    place,
  });
  const left = signal(bond.effort.from);
  return { kind: "operation", operator: "*", left, right: signal(bond.flow.from), place };
}

/**
 * Columns of runs that no port stands behind. Whether the run has them is seen when it is planned.
 */
function statistic(
  context: ResolveContext,
  text: string,
  { bonds, faults }: Nameable,
): FoundSignal | undefined {
  const [group = ""] = text.split(".", 1);
  if (context.unitByName.has(group)) return undefined;
  if (faults.some(({ name }) => text === `fault.${name}`))
    return { name: text, type: "boolean", isStepwise: true };
  const isStatistic = (group === "master" || group === "bond") && text !== group;
  if (!isStatistic) return undefined;
  const unit = group === "bond" ? meterUnit(context, text, bonds) : undefined;
  return { name: text, type: "float64", isStepwise: true, ...(unit !== undefined && { unit }) };
}

/** The meter of a bond counts effort times flow, and that times seconds. */
function meterUnit(
  context: ResolveContext,
  text: string,
  bonds: readonly BondDraft[],
): PhysicalUnit | undefined {
  const bond = bonds.find(({ name }) => text.startsWith(`bond.${name}.`));
  if (bond === undefined) return undefined;
  const [effort, flow] = [bond.effort.from, bond.flow.from].map((port) => {
    const [name = ""] = port.split(".", 1);
    const description = context.unitByName.get(name)?.description;
    return description && context.portsOf(description).get(port.slice(name.length + 1))?.unit;
  });
  const power = effort && flow && productOf(effort, flow, 1);
  const second = parseUnit("s");
  if (text.endsWith(".power")) return power && shortName(power, "W");
  if (!text.endsWith(".energy") || power === undefined || second === undefined) return undefined;
  const energy = productOf(power, second, 1);
  return energy && shortName(energy, "J");
}

/** The unit by a name that people use, where it is the same. */
function shortName(unit: PhysicalUnit, name: string): PhysicalUnit {
  const known = parseUnit(name);
  const way = known && conversion(unit, known);
  return way !== undefined && !("error" in way) && way.factor === 1 ? (known ?? unit) : unit;
}

function portSignal(context: ResolveContext, text: string, place: Place): FoundSignal | undefined {
  const found = findReference(context, text, "output", place);
  if (found === undefined) return undefined;
  const single = (what: string): undefined =>
    context.report(
      "requirement-signal",
      {
        text,
        why: `is ${what}, and requirements are about single values`,
        fix: `name one: ${text}[1]`,
      },
      place,
    );
  if (found.kind !== "port") return single(`a ${found.kind}`);
  const { port, shape, element, unit } = found;
  if (portSize({ shape }) !== 1) return single(shapeText(shape));
  if (port.direction === "independent") {
    const why = "is the time of its unit";
    return context.report("requirement-signal", { text, why, fix: "write 'time'" }, place);
  }
  return {
    name: `${unit.draft.name}.${port.name}${elementSuffix(port.shape, element)}`,
    type: port.type,
    ...(port.unit !== undefined && { unit: port.unit }),
    isStepwise: isStepwise(port),
    ...(port.nature === "transient" && { isEvent: true }),
  };
}

/** Hints that no trace shows: that their units and ports exist is all that can be checked. */
function resolveHints(context: ResolveContext, facts: readonly HintFact[]): HintFact[] {
  return facts.filter((fact) => {
    if (fact.kind === "power-bond")
      return fact.ports.every(
        (port) => findReference(context, port, "output", fact.place) !== undefined,
      );
    const names = context.units.map(({ draft }) => draft.name);
    if (names.includes(fact.unit)) return true;
    const hint = { nearest: nearest(fact.unit, names), names };
    context.report("unknown-unit", { unit: fact.unit, hint }, fact.place);
    return false;
  });
}
