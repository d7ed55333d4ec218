/**
 * A room with a heater and the controller that switches it (theory: AX-7). The room is solved
 * exactly; the controller is a state machine, which knows its input at communication points only.
 */
import type { Crossing } from "../../model/scenario.ts";
import { linearUnit } from "../../unit/linear-unit.ts";
import { stateMachineUnit } from "../../unit/state-machine-unit.ts";
import type { Unit } from "../../unit/unit.ts";

/** The inverse of the room's time constant. */
export const ALPHA = 0.1;
export const THERMOSTAT_WIRES = "room.x -> controller.x; controller.q -> room.q";
/** From one switching on to the next, in the steady cycle between 19 and 21 degrees. */
export const THERMOSTAT_PERIOD: number = (Math.log(21 / 19) + Math.log(11 / 9)) / ALPHA;
/** When the room first gets from 20 to 21 degrees. */
export const FIRST_OFF: number = Math.log(10 / 9) / ALPHA;

export function thermostat(): { room: Unit; controller: Unit } {
  const room = linearUnit({
    name: "room",
    inputs: { q: { type: "boolean", start: [true] } },
    states: { x: { start: 20 } },
    a: [[-ALPHA]],
    b: [[30 * ALPHA]],
  });
  const controller = stateMachineUnit({
    name: "controller",
    inputs: { x: { start: 20 } },
    outputs: { q: { type: "boolean", start: [true] } },
    initial: "on",
    states: {
      on: {
        entry: (m) => m.set("q", 1),
        transitions: [{ to: "off", when: (m) => m.get("x") >= 21 }],
      },
      off: {
        entry: (m) => m.set("q", 0),
        transitions: [{ to: "on", when: (m) => m.get("x") <= 19 }],
      },
    },
  });
  return { room, controller };
}

/** A room whose heat is a real input. */
export function heatedRoom(): Unit {
  return linearUnit({
    name: "room",
    inputs: { q: { start: 30 } },
    states: { x: { start: 20 } },
    a: [[-ALPHA]],
    b: [[ALPHA]],
  });
}

/**
 * What switches that heat at 19 and 21 degrees. It has no event mode, and reacts in the step that
 * gets there.
 */
export function heatController(variability: "continuous" | "discrete"): Unit {
  return stateMachineUnit({
    name: "controller",
    inputs: { x: { start: 20 } },
    outputs: { q: { variability, start: 30 } },
    initial: "on",
    states: {
      on: {
        entry: (m) => m.set("q", 30),
        transitions: [{ to: "off", when: (m) => m.get("x") >= 21 }],
      },
      off: {
        entry: (m) => m.set("q", 0),
        transitions: [{ to: "on", when: (m) => m.get("x") <= 19 }],
      },
    },
  });
}

/** A crossing as scenarios have it; `signal` is [unit, port]. */
export function crossing(
  signal: readonly [number, number],
  level: number,
  direction: Crossing["direction"],
  tolerance = 1e-9,
): Crossing {
  const [unit, port] = signal;
  const text = `signal ${unit}.${port} crosses ${level} (${direction})`;
  const place = { file: "test" };
  return { signal: { unit, port, element: 0 }, level, direction, tolerance, text, place };
}
