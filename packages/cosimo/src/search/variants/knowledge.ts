/**
 * What Cosimo knows by itself, beyond hints: which schemes the units allow, in which order bonded
 * units may go, that a unit need not step more often than the others, and which steps units do not
 * take. It widens a space of hints; stability (run/variant-stability.ts) narrows it again.
 */
import type { CouplingScheme } from "../../model/masters.ts";
import type { Scenario } from "../../model/scenario.ts";
import { unitsWithout } from "../../plan/master-needs.ts";
import { automaticOrder } from "../../plan/unit-order.ts";
import {
  bondDecision,
  type HintedScenario,
  isWhole,
  rateChoice,
  spaceFromHints,
  unhinted,
} from "./hint-rules.ts";
import type { Choice, Reasoned, SearchSpace, VariationPoint } from "./space.ts";

/** Orders of bonded units that are tried: all of so many bonds, of more the automatic one alone. */
const MOST_BONDS = 3;

/** The space of the rules, widened by what is known of the units. */
export function widerSpace(hinted: HintedScenario): SearchSpace {
  const { scenario } = hinted;
  const given = spaceFromHints(hinted);
  const isVaried = ({ decision: { kind } }: Reasoned): boolean =>
    kind === "master" || kind === "bond";
  const notes = [...given.notes];
  const points = given.points.map((point) => {
    if (point.name === "H") return withSteps(scenario, point, notes);
    const unit = unhinted(hinted).find(({ name }) => point.name === `R of ${name}`)?.name;
    if (unit === undefined) return point;
    return { ...point, choices: [...point.choices, rateChoice(unit, 1, 0.5)] };
  });
  return {
    fixed: given.fixed.filter((one) => !isVaried(one)),
    points: [schemePoint(hinted), ...bondPoints(hinted), ...points],
    notes,
  };
}

/**
 * No step that a unit does not take. Longer ones are not tried: requirements are evaluated where
 * there are rows, so a long step satisfies by not looking.
 */
function withSteps(scenario: Scenario, point: VariationPoint, notes: string[]): VariationPoint {
  const choices = point.choices.filter(({ decided, label }) => {
    const [first] = decided;
    const seconds = first?.decision.kind === "step" ? first.decision.seconds : 0;
    const refusing = scenario.units.find(({ description }) => {
      const { internalStep } = description.capabilities;
      return internalStep !== undefined && !isWhole(seconds / internalStep);
    });
    if (refusing !== undefined)
      notes.push(
        `H = ${label} is not a multiple of ${refusing.description.capabilities.internalStep} s, the internal step of '${refusing.name}'`,
      );
    return refusing === undefined;
  });
  return { ...point, choices: choices.length > 0 ? choices : point.choices };
}

/** How values are exchanged, and in which order the units go. */
function schemePoint(hinted: HintedScenario): VariationPoint {
  const { scenario, software } = hinted;
  const choices: Choice[] = orders(hinted).map(({ order, label }, i) =>
    masterChoice(
      "gauss-seidel",
      label,
      7 - 0.1 * i,
      "values of this step where they can be had",
      order,
    ),
  );
  // An iterated step gives every input the end of the step, which software cannot see.
  if (software.size === 0 && unitsWithout(scenario, "rollback").length === 0)
    choices.unshift(
      masterChoice(
        "iterative",
        "iterative",
        8,
        "all units can roll back, so steps can be repeated",
      ),
    );
  choices.push(masterChoice("jacobi", "jacobi", 1, "the simplest of all"));
  return { name: "master", choices };
}

function masterChoice(
  name: CouplingScheme,
  label: string,
  weight: number,
  why: string,
  order?: readonly string[],
): Choice {
  const decision = { kind: "master", name, ...(order && { order }) } as const;
  return { label, weight, decided: [{ decision, why }] };
}

/**
 * Every bond in both directions: who goes first uses what the other had, who goes second what it
 * has now.
 */
function orders({ scenario, bonds }: HintedScenario): { order: string[]; label: string }[] {
  const automatic = automaticOrder(scenario, "not delayed").units.flatMap((u) => {
    const unit = scenario.units[u];
    return unit === undefined || unit.source.kind === "formula" ? [] : [unit.name];
  });
  if (bonds.length === 0 || bonds.length > MOST_BONDS) {
    const order = { order: automatic, label: `gauss-seidel ${automatic.join(" → ")}` };
    if (bonds.length > 0 || automatic.length < 2) return [order];
    const reverse = automatic.toReversed();
    return [order, { order: reverse, label: `gauss-seidel ${reverse.join(" → ")}` }];
  }
  const found: { order: string[]; label: string }[] = [];
  for (let mask = 0; mask < 2 ** bonds.length; mask++) {
    const firsts: string[] = [];
    let order = automatic;
    for (const [i, { units }] of bonds.entries()) {
      const [first, second] = mask & (1 << i) ? units : units.toReversed();
      order = before(order, first ?? "", second ?? "");
      firsts.push(`${first} before ${second}`);
    }
    found.push({ order, label: `gauss-seidel, ${firsts.join(", ")}` });
  }
  return found;
}

/** `first` right before `second`, where it is not before it anyway. */
function before(order: readonly string[], first: string, second: string): string[] {
  if (order.indexOf(first) < order.indexOf(second)) return [...order];
  const rest = order.filter((name) => name !== first);
  rest.splice(rest.indexOf(second), 0, first);
  return rest;
}

function bondPoints({ bonds }: HintedScenario): VariationPoint[] {
  return bonds.map((bond) => ({
    name: `bond ${bond.name}`,
    choices: [
      { label: "energy given back", weight: 6, decided: [bondDecision(bond)] },
      { label: "plain", weight: 0.5, decided: [] },
    ],
  }));
}
