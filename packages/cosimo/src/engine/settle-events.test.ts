import { describe, expect, it } from "vitest";
import { functionUnit } from "../unit/function-unit.ts";
import type { DiscreteUpdate, Phase, Unit } from "../unit/unit.ts";
import { MAX_EVENT_ROUNDS } from "./settle-events.ts";
import { runUnits } from "./testing/run-units.ts";

/** A unit that leaves initialization for event mode, and answers its updates as given. */
function withEvents(answer: (round: number) => Partial<DiscreteUpdate>): Unit {
  const unit = functionUnit({ name: "busy", outputs: { y: {} }, evaluate: () => undefined });
  const exitInitialization = unit.exitInitialization.bind(unit);
  let inEvent = false;
  let round = 0;
  const phase = (): Phase => (inEvent ? "event" : own.get!.call(unit));
  const own = Object.getOwnPropertyDescriptor(baseOf(unit), "phase")!;
  Object.defineProperties(unit, {
    phase: { get: phase },
    exitInitialization: {
      value() {
        exitInitialization();
        inEvent = true;
      },
    },
    updateDiscreteStates: {
      value: () => ({ again: false, terminate: false, ...answer(++round) }),
    },
    enterStepMode: {
      value() {
        inEvent = false;
      },
    },
  });
  return unit;
}

function baseOf(unit: object): object {
  const prototype = Object.getPrototypeOf(unit) as object;
  return Object.hasOwn(prototype, "phase") ? prototype : baseOf(prototype);
}

describe("a coupled unit that begins with an event", () => {
  const run = async (answer: (round: number) => Partial<DiscreteUpdate>) =>
    (await runUnits({ busy: withEvents(answer) }, "", ["busy.y"], { step: 0.5, stop: 1 })).outcome;

  it("[EN11] is updated until it is settled, as often as is allowed", async () => {
    let rounds = 0;
    const outcome = await run((round) => {
      rounds = round;
      return { again: round < MAX_EVENT_ROUNDS };
    });
    expect(outcome).toEqual({ kind: "completed", time: 1, steps: 2 });
    expect(rounds).toBe(MAX_EVENT_ROUNDS);
  });

  it("[EN11] and never settles is named", async () => {
    expect(await run(() => ({ again: true }))).toMatchObject({
      kind: "failed",
      time: 0,
      failure: { unit: "busy", status: expect.stringContaining("an endless event loop") },
    });
  });

  it("[EN11] and asks to end the simulation ends it", async () => {
    const outcome = await run(() => ({ terminate: true }));
    expect(outcome).toEqual({ kind: "stopped-by-unit", time: 0, steps: 0, unit: "busy" });
  });
});
