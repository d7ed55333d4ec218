/**
 * What a slot holds while a plan is checked: where its value comes from, and from which tick, in
 * place of a number.
 */
import type { ElementRef } from "../model/scenario.ts";

/** A value as a unit gave it, and what was done to it since. */
export interface Given extends ElementRef {
  readonly kind: "given";
  /** Tick of the state that gave it. */
  readonly time: number;
  readonly factor: number;
  readonly offset: number;
  /** Value table that it went through; -1: none. */
  readonly map: number;
  /** Why it does not belong to the inputs of its instant. */
  readonly stale?: string | undefined;
}

/** A value over a step, made from samples. */
export interface Shaped {
  readonly kind: "predicted" | "interpolated";
  readonly track: number;
  readonly part: number;
  readonly parts: number;
  readonly tick: number;
  readonly samples: readonly Stamp[];
  /** The signal at the end of the step, for an interpolation. */
  readonly end: Stamp;
}

export type Stamp = Given | Shaped | undefined;

/** What an input element of a unit holds, and since which of the unit's steps. */
export interface Content {
  readonly stamp: Stamp;
  readonly epoch: number;
}

export interface UnitState {
  time: number;
  /** Steps completed. */
  epoch: number;
  /** Next part of a step that is under way; 0 between steps. */
  part: number;
  parts: number;
  /** By port and element. */
  readonly inputs: Content[][];
  /** Derivatives by port, order and element. */
  readonly slopes: Content[][][];
  /** By port, the times at which it was read. */
  readonly reads: Set<number>[];
}

export const UNTOUCHED = { factor: 1, offset: 0, map: -1 } as const;

export function affine(stamp: Stamp, factor: number, offset: number): Stamp {
  if (stamp?.kind !== "given") return undefined;
  return { ...stamp, factor: stamp.factor * factor, offset: stamp.offset * factor + offset };
}

export function mapped(stamp: Stamp, map: number): Stamp {
  return stamp?.kind === "given" ? { ...stamp, map } : undefined;
}

/** A name with what was done to the value. */
export function convertedText(
  name: string,
  { factor, offset }: { readonly factor: number; readonly offset: number },
  hasTable: boolean,
): string {
  if (hasTable) return `${name} through a value table`;
  return factor === 1 && offset === 0 ? name : `${factor} · ${name} + ${offset}`;
}
