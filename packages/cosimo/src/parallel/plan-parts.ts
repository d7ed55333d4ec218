/**
 * From a model and how it is to run to its parts: who runs what, with which inputs. Every thread
 * that takes part computes the same from the same model, so that nothing but numbers has to be
 * agreed on.
 */
import { unwrap } from "../base/diagnostic.ts";
import { type FlatModel, flatten } from "../devs/flatten.ts";
import type { Component } from "../devs/model.ts";
import { type DevsInput, preparedInputs } from "../devs/run-devs.ts";
import { DEFAULT_TICKS_PER_SECOND, stopTicks } from "../devs/ticks.ts";
import { ConservativePart } from "./conservative.ts";
import { OptimisticPart } from "./optimistic.ts";
import { type Letter, Part } from "./part.ts";
import type { Runner } from "./protocol.ts";
import { type Split, shareOut, shareOutWithDelays, splitModel } from "./split.ts";

export type PartsKind = "conservative" | "optimistic";

export interface PartsOptions {
  readonly kind: PartsKind;
  /** How many parts at most. */
  readonly parts: number;
  readonly start?: number;
  /** Seconds; events at that time are part of the run. */
  readonly stop: number;
  readonly inputs?: readonly DevsInput[];
  readonly record?: "outputs" | "all" | "none";
  readonly ticksPerSecond?: number;
  readonly maxTransitions?: number;
  /** How long each unit's events take in all, by unit; default: all the same. */
  readonly weights?: ArrayLike<number>;
  /** Optimistic: steps between two states that are kept, and steps that are not final at most. */
  readonly interval?: number;
  readonly most?: number;
}

/** Why a model cannot be cut into parts; undefined: it can. */
export function indivisible({ semantics, units }: FlatModel): string | undefined {
  if (semantics === "classic")
    return "classic semantics: one component goes at a time, by the order of all of them";
  return units.length < 2 ? "it has one component" : undefined;
}

export function planParts(model: Component, options: PartsOptions): Split {
  const whole = unwrap(flatten(model));
  const { kind, parts: count, weights, ticksPerSecond = DEFAULT_TICKS_PER_SECOND } = options;
  const shares = { count, ...(weights !== undefined && { weights }) };
  const partOf =
    indivisible(whole) !== undefined
      ? new Int32Array(whole.units.length)
      : kind === "conservative"
        ? shareOutWithDelays(whole, shares, ticksPerSecond)
        : shareOut(whole, shares);
  return splitModel(whole, partOf, ticksPerSecond);
}

export function openPart(split: Split, number: number, options: PartsOptions): Runner {
  const { ticksPerSecond = DEFAULT_TICKS_PER_SECOND, start = 0, record = "outputs" } = options;
  const { maxTransitions, interval, most } = options;
  const part = new Part(split, number, {
    start,
    ticksPerSecond,
    record,
    ...(maxTransitions !== undefined && { maxTransitions }),
  });
  const stop = stopTicks(options.stop, ticksPerSecond);
  const inputs = inputsOf(split, number, options, ticksPerSecond);
  if (options.kind === "conservative") return new ConservativePart(split, part, stop, inputs);
  return new OptimisticPart(part, {
    stop,
    count: split.parts.length,
    inputs,
    ...(interval !== undefined && { interval }),
    ...(most !== undefined && { most }),
  });
}

/** Values for the model itself, at the first step of their time. */
function inputsOf(
  { whole, partOf }: Split,
  number: number,
  options: PartsOptions,
  ticksPerSecond: number,
): Letter[] {
  const { inputRoutes, routes } = whole;
  const inputs = preparedInputs(whole, options, { ticksPerSecond });
  return inputs.flatMap(({ time, port: row, value }, place) => {
    const letters: Letter[] = [];
    for (let r = inputRoutes.start[row]; r < inputRoutes.start[row + 1]; r++) {
      const target = inputRoutes.target[r];
      if (target < 0 || partOf[target] !== number) continue;
      const route = routes.target.length + r;
      letters.push({ time, index: 0, route, place, value });
    }
    return letters;
  });
}
