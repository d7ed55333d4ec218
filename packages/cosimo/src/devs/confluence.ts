/**
 * Confluence of a discrete-event model: does the order of simultaneous events change what it sends?
 * (Survey §3.3.2: parallel DEVS leaves confluence to the modeller.)
 */
import {
  type ConfluenceReport,
  type ExploreOptions,
  exploreOrders,
  type OrderedEvent,
} from "../unit/explore-orders.ts";
import { dataText } from "./kernel-ties.ts";
import type { Component } from "./model.ts";
import { type RunDevsOptions, runDevs } from "./run-devs.ts";

export interface ConfluenceOptions
  extends Omit<RunDevsOptions, "record" | "ties">,
    ExploreOptions {}

/**
 * Runs the model under different orders of its simultaneous events: which component goes first
 * (classic semantics), the order of values in bags, internal and external transition where both are
 * due and no confluent one is given (parallel semantics).
 * @returns whether what components send, and their states at the end, are the same under all of
 * them.
 * @throws DiagnosticsError when the model is wrong, UnitError when a component fails.
 */
export function checkConfluence(
  model: Component,
  options: ConfluenceOptions,
): Promise<ConfluenceReport> {
  const { orders, seed, onProgress, ...run } = options;
  const limits = {
    ...(orders !== undefined && { orders }),
    ...(seed !== undefined && { seed }),
    ...(onProgress && { onProgress }),
  };
  return exploreOrders((ties) => {
    const { events, states } = runDevs(model, { ...run, record: "all", ties });
    // What leaves a coupled model was sent by one of its components.
    const sent = events.filter(({ unit }) => unit !== "" || model.kind === "atomic");
    return {
      events: sent.map(
        ({ time, unit, port, value }): OrderedEvent => ({
          time,
          source: unit === "" ? port : `${unit}.${port}`,
          value: dataText(value),
        }),
      ),
      end: new Map([...states].map(([path, state]) => [path, dataText(state)])),
    };
  }, limits);
}
