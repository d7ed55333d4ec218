/**
 * Ties of discrete-event models, for a check of confluence: which of several imminent components
 * goes first (classic semantics), in which order values lie in a bag, and whether an imminent
 * component without a confluent transition has its internal or its external one first. Nothing here
 * runs unless something decides ties (`Ties`).
 */
import { chooseOrder, type Ties } from "../unit/ties.ts";
import { sameData } from "./data.ts";
import type { FlatModel } from "./flatten.ts";
import type { MessagePool } from "./message-pool.ts";

/** One of the `count` units in `imminent`; `first` is the one that the rules name. */
export function chooseImminent(
  ties: Ties,
  time: number,
  model: FlatModel,
  imminent: Int32Array,
  first: number,
): number {
  const others = [...imminent].filter((unit) => unit !== first);
  if (others.length === 0) return first;
  const units = [first, ...others];
  const among = units.map((unit) => model.units[unit].path);
  return units[ties.choose({ time, what: "which component goes first", among })];
}

/** Puts the values of every port in the order that is chosen. Equal values have one order. */
export function permuteBags(bags: MessagePool, ties: Ties, time: number, model: FlatModel): void {
  for (let k = 0; k < bags.ownerCount; k++) {
    const { path, inputs } = model.units[bags.owners[k]];
    inputs.forEach((input, port) => {
      const places: number[] = [];
      for (let m = bags.find(bags.owners[k], port); m >= 0; m = bags.findNext(m, port))
        places.push(m);
      const values = places.map((m) => bags.values[m]);
      if (values.every((value) => sameData(value, values[0]))) return;
      const what = `the order of values at '${path === "" ? input : `${path}.${input}`}'`;
      const order = chooseOrder(ties, time, what, values.map(dataText));
      places.forEach((m, i) => {
        bags.values[m] = values[order[i]];
      });
    });
  }
}

const TRANSITIONS = ["internal, then external", "external, then internal"];

/** Whether unit `path`, which is imminent and has got values, takes the values first. */
export function isExternalFirst(ties: Ties, time: number, path: string): boolean {
  const what = `the transitions of '${path}', which is imminent and gets values`;
  return ties.choose({ time, what, among: TRANSITIONS }) === 1;
}

/** A value as a line of text. */
export function dataText(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null)
    return typeof value === "string" ? JSON.stringify(value) : String(value);
  if (Array.isArray(value) || ArrayBuffer.isView(value))
    return `[${Array.from(value as ArrayLike<unknown>, dataText).join(", ")}]`;
  const entries = Object.entries(value).map(([key, inner]) => `${key}: ${dataText(inner)}`);
  return `{ ${entries.join(", ")} }`;
}
