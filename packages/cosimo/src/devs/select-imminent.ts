/**
 * Select of classic DEVS in a hierarchy: where more than one component is imminent, the nested
 * `select`s are asked, outermost first.
 */
import type { SelectTree } from "./flatten.ts";
import { type Mistake, notImminent } from "./kernel-mistakes.ts";

/**
 * @param isImminent whether a unit is.
 * @param fail reports a choice that was not offered; `path` is the component whose `select` made
 * it.
 */
export function selectImminent(
  tree: SelectTree,
  isImminent: (unit: number) => boolean,
  fail: (path: string, mistake: Mistake) => never,
): number {
  if ("unit" in tree) return tree.unit;
  const { children, names, choose, order } = tree;
  const imminent = order.filter((place) => hasImminent(children[place], isImminent));
  const inside = (place: number): number => selectImminent(children[place], isImminent, fail);
  if (imminent.length === 1 || choose === undefined) return inside(imminent[0]);
  const offered = imminent.map((place) => names[place]);
  const chosen = choose(offered);
  if (!offered.includes(chosen)) fail(tree.path, notImminent(chosen, offered));
  return inside(names.indexOf(chosen));
}

function hasImminent(tree: SelectTree, isImminent: (unit: number) => boolean): boolean {
  return "unit" in tree
    ? isImminent(tree.unit)
    : tree.children.some((child) => hasImminent(child, isImminent));
}
