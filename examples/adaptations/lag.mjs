/** x' = u - x, exactly. */
import { linearUnit } from "cosimo/unit";

export default (name) =>
  linearUnit({ name: "lag", inputs: { u: {} }, states: { x: {} }, a: [[-1]], b: [[1]] }, name);
