/** A cross slide on rails of its own: velocities and positions along (x) and across (y) them, in centimetres, which it does not say. */
import { linearUnit } from "cosimo/unit";

export default (name) =>
  linearUnit(
    {
      name: "slide",
      inputs: { vx: {}, vy: {} },
      states: { x: {}, y: {} },
      a: [
        [0, 0],
        [0, 0],
      ],
      b: [
        [1, 0],
        [0, 1],
      ],
    },
    name,
  );
