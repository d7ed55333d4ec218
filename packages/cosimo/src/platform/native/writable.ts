/**
 * What callers may ask of a native unit: when the FMI standards let a variable be set, and what
 * steps can wait for. Only what is surely forbidden is refused here, with the port's name and the
 * phase; the rest is for the FMU to judge.
 */
import type { FmuVariable } from "../../fmi/description.ts";
import { conditionsOf, type Predicate, timeBound } from "../../unit/predicate.ts";
import { CapabilityError, type Phase, type PortSlot, type Unit } from "../../unit/unit.ts";

/** Why `variable` cannot be written in `phase`, or undefined when it can. */
export function whyNotWritable(variable: FmuVariable, phase: Phase): string | undefined {
  const { causality, variability, initial } = variable;
  if (variability === "constant") return "it is a constant";
  switch (causality) {
    case "input":
      return variable.type === "clock" && phase !== "event"
        ? "clocks tick in event mode only"
        : undefined;
    case "parameter":
      if (phase === "instantiated" || phase === "initialization") return undefined;
      return variability === "tunable"
        ? undefined
        : "it is fixed after initialization; only tunable parameters change during a run";
    case "structuralParameter":
      return "it shapes the FMU: give it as a structural parameter when the instance is made";
    case "independent":
      return "it is time";
    case "calculatedParameter":
    case "dependent":
      return "the FMU calculates it";
    case "output":
    case "local":
      if (phase === "instantiated" && (initial === "exact" || initial === "approx"))
        return undefined;
      if (phase === "initialization" && initial === "exact") return undefined;
      return initial === "calculated" || initial === undefined
        ? "the FMU calculates it"
        : "only its start value can be set, before the run";
  }
}

/** @throws Error that names the first of the ports that cannot be written in `phase`. */
export function refuseUnwritable(
  unit: string,
  variables: readonly FmuVariable[],
  slots: readonly PortSlot[],
  phase: Phase,
): void {
  for (const { port } of slots) {
    const variable = variables[port];
    const why = whyNotWritable(variable, phase);
    if (why !== undefined)
      throw new Error(
        `'${unit}': '${variable.name}' cannot be written in phase '${phase}': ${why}`,
      );
  }
}

/**
 * Where a step ends at the latest. @throws CapabilityError for conditions that the unit cannot wait
 * for.
 */
export function boundOf({ name, description }: Unit, until: Predicate): number {
  const { predicates } = description.capabilities;
  for (const { kind } of conditionsOf(until))
    if (!predicates.includes(kind)) throw new CapabilityError(name, `the predicate '${kind}'`);
  return timeBound(until);
}
