/** x' = u, exactly, with the input held over a step: a counter, a stopwatch, a tank. */
import { linearUnit } from "cosimo/unit";

export default (name) =>
  linearUnit(
    { name: "integrator", inputs: { u: {} }, states: { x: {} }, a: [[0]], b: [[1]] },
    name,
  );
