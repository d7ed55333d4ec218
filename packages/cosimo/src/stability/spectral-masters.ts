/**
 * Which masters are worth comparing on a scenario: the one that it names, and the others with fixed
 * steps, each with the order of units and the input trajectories that make a difference.
 */

import type { MasterDraft, Scenario } from "../model/scenario.ts";
import { chooseMaster } from "../plan/choose-master.ts";
import { automaticOrder } from "../plan/unit-order.ts";

export interface MasterVariant {
  /** "gauss-seidel, left before right". */
  readonly label: string;
  readonly draft: MasterDraft;
  /** The scenario names it. */
  readonly isChosen: boolean;
}

/** All orders of so many units are tried; of more only the automatic one and its opposite. */
const ALL_ORDERS = 4;
/** Options of `adaptive` that say how steps are chosen. */
const CONTROL = [
  "coupling",
  "estimator",
  "relative",
  "absolute",
  "minStep",
  "maxStep",
  "firstStep",
  "rejection",
];

/** @param master over what the scenario says. */
export function masterVariants(scenario: Scenario, master?: string): MasterVariant[] {
  const chosen = chosenVariant(scenario, master);
  const variants = [chosen];
  const add = (label: string, name: string, options: MasterDraft["options"]): void => {
    if (variants.some((variant) => isSame(scenario, variant.draft, name, options))) return;
    const draft = { name, options: { ...shared(scenario), ...options }, place: chosen.draft.place };
    variants.push({ label, draft, isChosen: false });
  };
  // No other master holds a constraint.
  if (scenario.constraints.length > 0) {
    add("iterative", "iterative", {});
    return variants;
  }
  add("jacobi", "jacobi", {});
  for (const order of unitOrders(scenario))
    add(orderLabel(order, scenario), "gauss-seidel", { order });
  add("jacobi, linear", "jacobi", { approximation: "linear" });
  const [first] = unitOrders(scenario);
  if (scenario.units.length > 1)
    add(`${orderLabel(first!, scenario)}, linear`, "gauss-seidel", {
      order: first,
      approximation: "linear",
    });
  add("iterative", "iterative", {});
  return variants;
}

/** What the scenario itself does, at fixed steps. */
function chosenVariant(scenario: Scenario, master: string | undefined): MasterVariant {
  const { place, options: given } = scenario.master;
  const asked = master ?? (scenario.master.name || chooseMaster(scenario).master);
  const isAdaptive = asked === "adaptive";
  const name = isAdaptive ? String(given["coupling"] ?? "iterative") : asked;
  const options = Object.fromEntries(
    Object.entries(given).filter(([key]) => !isAdaptive || !CONTROL.includes(key)),
  );
  const draft = { name, options, place };
  const order = orderOf(scenario, options);
  const parts = [
    name === "gauss-seidel" ? orderLabel(order, scenario) : name,
    ...(options["approximation"] === undefined ? [] : [String(options["approximation"])]),
    ...(isAdaptive ? ["steps fixed"] : []),
  ];
  return { label: parts.join(", "), draft, isChosen: true };
}

/** Options that are about units rather than about the master. */
function shared({ master: { options } }: Scenario): MasterDraft["options"] {
  const { microSteps } = options;
  return microSteps === undefined ? {} : { microSteps };
}

function isSame(
  scenario: Scenario,
  { name, options }: MasterDraft,
  otherName: string,
  other: MasterDraft["options"],
): boolean {
  const usual = name === "iterative" ? "linear" : "hold";
  const approximationOf = (one: MasterDraft["options"]): unknown => one["approximation"] ?? usual;
  if (name !== otherName || approximationOf(options) !== approximationOf(other)) return false;
  if (name === "iterative") return options["corrections"] === undefined;
  return (
    name !== "gauss-seidel" || orderOf(scenario, options).join() === orderOf(scenario, other).join()
  );
}

function orderOf(scenario: Scenario, options: MasterDraft["options"]): string[] {
  const { order } = options;
  if (Array.isArray(order)) return order.map(String);
  return automaticOrder(scenario, "not delayed").units.map((u) => scenario.units[u].name);
}

function unitOrders(scenario: Scenario): string[][] {
  const automatic = orderOf(scenario, {});
  if (automatic.length > ALL_ORDERS) return [automatic, automatic.toReversed()];
  const others = permutations(automatic).filter((order) => order.join() !== automatic.join());
  return [automatic, ...others];
}

function permutations(names: readonly string[]): string[][] {
  if (names.length <= 1) return [[...names]];
  return names.flatMap((first, i) =>
    permutations([...names.slice(0, i), ...names.slice(i + 1)]).map((rest) => [first, ...rest]),
  );
}

const SHOWN_UNITS = 4;

function orderLabel(order: readonly string[], { units }: Scenario): string {
  if (units.length < 2) return "gauss-seidel";
  const shown = order.slice(0, SHOWN_UNITS).join(" → ");
  return `gauss-seidel ${shown}${order.length > SHOWN_UNITS ? " → …" : ""}`;
}
