/** A stone that falls from rest: it tells how far, not how fast. */
import { functionUnit } from "cosimo/unit";

export default (name) =>
  functionUnit(
    {
      name: "falling",
      parameters: { gravity: { start: 9.8, unit: "m/s2" } },
      outputs: { depth: { unit: "m", feedThrough: [] } },
      evaluate: (t, _u, [gravity], y) => {
        y[0] = (gravity / 2) * t * t;
      },
    },
    name,
  );
