/**
 * What is wrong with a model, before it runs, and who influences whom in it.
 */
import type { Diagnostic } from "../base/diagnostic.ts";
import { flatten } from "./flatten.ts";
import type { Component, CoupledModel } from "./model.ts";

/**
 * All findings: wrong couplings, states that are not data, zero-delay cycles where minimum delays
 * are declared.
 */
export function checkDevs(model: Component): readonly Diagnostic[] {
  return flatten(model).diagnostics;
}

/** I_d: by component, those that it gets values from; "" stands for the coupled model itself. */
export function influencers({ components, couplings }: CoupledModel): Map<string, Set<string>> {
  const found = new Map(["", ...Object.keys(components)].map((name) => [name, new Set<string>()]));
  const owner = (end: string): string => (end.includes(".") ? end.slice(0, end.indexOf(".")) : "");
  for (const { from, to } of couplings) found.get(owner(to))?.add(owner(from));
  return found;
}
