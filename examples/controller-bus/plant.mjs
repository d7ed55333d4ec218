/** Three ovens, each with a heater: x' = (u - x) / τ, temperatures in kelvin above the room. */
import { linearUnit } from "cosimo/unit";

const TAU = [4, 6, 8];

export default (name) =>
  linearUnit(
    {
      name: "plant",
      inputs: { heatA: {}, heatB: {}, heatC: {} },
      states: {
        a: { start: 1, unit: "K" },
        b: { start: 1, unit: "K" },
        c: { start: 1, unit: "K" },
      },
      a: TAU.map((tau, i) => TAU.map((_, j) => (i === j ? -1 / tau : 0))),
      b: TAU.map((tau, i) => TAU.map((_, j) => (i === j ? 1 / tau : 0))),
    },
    name,
  );
