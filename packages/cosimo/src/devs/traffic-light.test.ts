/**
 * AX-1: the traffic light with the police officer, against the trace of theory, flat and
 * hierarchical.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { flatten } from "./flatten.ts";
import { Kernel } from "./kernel.ts";
import type { Component } from "./model.ts";
import { runDevs } from "./run-devs.ts";
import { crossing, light, nestedCrossing } from "./testing/traffic-light.ts";
import { toTicks } from "./ticks.ts";

/** Every state of the light with the time from which on it holds. */
function statesOf(model: Component, path: string, stop: number): [number, unknown][] {
  const flat = unwrap(flatten(model));
  const unit = flat.units.findIndex((one) => one.path === path);
  const found: [number, unknown][] = [];
  const kernel: Kernel = new Kernel(flat, {
    onTransition: (i) => {
      if (i === unit) found.push([kernel.seconds, (kernel.states[i] as { colour: string }).colour]);
    },
  });
  kernel.initialize(0);
  found.push([0, (kernel.states[unit] as { colour: string }).colour]);
  kernel.run(toTicks(stop, kernel.ticksPerSecond));
  return found;
}

/** Red for 60 s, green for 40 s, off for 200 s, again and again. */
function expectedStates(stop: number): [number, string][] {
  const found: [number, string][] = [];
  for (let period = 0; period <= stop; period += 300) {
    for (const [offset, colour] of [
      [0, "red"],
      [60, "green"],
      [100, "off"],
    ] as const)
      if (period + offset <= stop) found.push([period + offset, colour]);
  }
  return found;
}

describe("AX-1", () => {
  it.each([
    ["flat", crossing, "light"],
    ["nested", nestedCrossing, "street.light"],
  ] as const)("[DE10] has exactly the states of theory, %s", (_, model, path) => {
    expect(statesOf(model, path, 1000)).toEqual(expectedStates(1000));
  });

  it.each([
    ["flat", crossing],
    ["nested", nestedCrossing],
  ] as const)(
    "[DE2] shows green at 60, 360, 660 and 960, and no event when it goes off, %s",
    (_, model) => {
      const { events } = runDevs(model, { stop: 1000 });
      expect(events.map(({ time, value }) => [time, value])).toEqual(
        [60, 360, 660, 960].map((time) => [time, "green"]),
      );
    },
  );

  it("[DE1] alone shows green at 60, yellow at 110, red at 120, green at 180", () => {
    const { events } = runDevs(light, { stop: 180 });
    expect(events.map(({ time, value }) => [time, value])).toEqual([
      [60, "green"],
      [110, "yellow"],
      [120, "red"],
      [180, "green"],
    ]);
  });

  it("[DE1] ignores toAuto while it is not off, and keeps the time that is left", () => {
    const { events } = runDevs(light, {
      stop: 60,
      inputs: [{ time: 12.5, port: "command", value: "toAuto" }],
    });
    expect(events.map(({ time }) => time)).toEqual([60]);
  });

  it("[DE4] goes off and on at one time: two transitions, time stands still", () => {
    const { events, states } = runDevs(light, {
      stop: 75,
      inputs: [
        { time: 10, port: "command", value: "toOff" },
        { time: 10.000000001, port: "command", value: "toAuto" },
      ],
    });
    expect(events.map(({ time }) => time)).toEqual([70.000000001]);
    expect(states.get("light")).toEqual({ colour: "green", left: 50 });
  });
});
