/**
 * Names to variables. Built on first use and kept with the description, because most commands ask
 * for a few names and a description may have 100 000 of them.
 */

import type { FmuDescription } from "./description.ts";

const lookups = new WeakMap<FmuDescription, ReadonlyMap<string, number>>();

/**
 * Every name of every variable, FMI 3 aliases included, with the variable's index. The first of two
 * equal names wins.
 */
export function variableNames(fmu: FmuDescription): ReadonlyMap<string, number> {
  const known = lookups.get(fmu);
  if (known !== undefined) return known;
  const names = new Map<string, number>();
  const add = (name: string, index: number): void => {
    if (!names.has(name)) names.set(name, index);
  };
  fmu.variables.forEach((variable, index) => {
    add(variable.name, index);
  });
  fmu.variables.forEach(({ aliases }, index) => {
    for (const alias of aliases) add(alias.name, index);
  });
  lookups.set(fmu, names);
  return names;
}
