/** A cross slide on rails of its own: velocities and positions along and across them, in centimetres. */
import { linearUnit } from "cosimo";

export default (name) =>
  linearUnit(
    {
      name: "slide",
      inputs: { v_along: { unit: "cm/s" }, v_across: { unit: "cm/s" } },
      states: { along: { unit: "cm" }, across: { unit: "cm" } },
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
