/**
 * The whole thermostat as one discrete-event model: the room as a quantized-state system that signals its thresholds, the controller as an
 * atomic model. Nothing in it takes steps.
 */
import { atomic, coupled, devsUnit, port, qss, signal } from "cosimo/devs";

const QUANTUM = 0.01;

const room = {
  name: "room",
  inputs: { q: { start: 1 } },
  parameters: { a: { start: 0.1 }, hot: { start: 30 } },
  states: { x: { start: 20, unit: "degC" } },
  derivatives: (_t, [x], [q], [a, hot], out) => {
    out[0] = -a * (x - hot * q);
  },
};

const controller = atomic({
  name: "controller",
  inputs: { tooHot: signal(), tooCold: signal() },
  outputs: { q: port({ type: "float64" }) },
  initial: { q: 1, isNew: false },
  timeAdvance: ({ isNew }) => (isNew ? 0 : Number.POSITIVE_INFINITY),
  output: ({ q }, send) => send("q", q),
  internal: ({ q }) => ({ q, isNew: false }),
  external: (_state, input) => ({ q: input.has("tooHot") ? 0 : 1, isNew: true }),
});

const thermostat = coupled({
  name: "thermostat",
  outputs: {
    x: port({ type: "float64", unit: "degC", start: 20, held: true }),
    q: port({ type: "float64", start: 1 }), // not held: a clock ticks with every event
  },
  components: {
    room: qss(room, {
      quantum: QUANTUM,
      order: 1,
      crossings: {
        tooHot: { of: "x", level: 21, direction: "rising" },
        tooCold: { of: "x", level: 19, direction: "falling" },
      },
    }),
    controller,
  },
  couplings: [
    "room.tooHot -> controller.tooHot",
    "room.tooCold -> controller.tooCold",
    "controller.q -> room.q",
    "room.x -> x",
    "controller.q -> q",
  ],
});

export default (name) => devsUnit(thermostat, { name });
