/**
 * A motor that warms up, as two models of one thing. Temperatures are those above the surroundings.
 */
import { functionUnit, linearUnit } from "cosimo";

/** Heat capacities of winding and housing (J/K), conductances between them and to the air (W/K). */
const [winding, housing, inside, outside] = [50, 400, 5, 0.5];
const all = winding + housing;
/** How far the winding is above the mean and the housing below it, per watt, once the fast part is over. */
const [above, below] = [housing / all / inside, winding / all / inside];

/** Two nodes: the winding follows the losses within seconds. */
export const detailed = (name) =>
  linearUnit(
    {
      name: "detailed",
      inputs: { losses: { unit: "W" } },
      states: { winding: { unit: "K" }, housing: { unit: "K" } },
      outputs: { flow: { unit: "W" }, gap: { unit: "K" }, mean: { unit: "K" } },
      a: [
        [-inside / winding, inside / winding],
        [inside / housing, -(inside + outside) / housing],
      ],
      b: [[1 / winding], [0]],
      c: [
        [0, outside],
        [1, -1],
        [winding / all, housing / all],
      ],
      d: [[0], [0], [0]],
    },
    name,
  );

/** One node: exact in the long run, without the fast part. What winding and housing are apart follows from the losses. */
export const cheap = (name) =>
  linearUnit(
    {
      name: "cheap",
      inputs: { losses: { unit: "W" } },
      states: { mean: { unit: "K" } },
      outputs: { flow: { unit: "W" }, winding: { unit: "K" }, housing: { unit: "K" } },
      a: [[-outside / all]],
      b: [[(1 + outside * below) / all]],
      c: [[outside], [1], [1]],
      d: [[-outside * below], [above], [-below]],
    },
    name,
  );

/** What the air gets, whichever model says so. */
export const meter = (name) =>
  functionUnit(
    {
      name: "meter",
      inputs: { in: { unit: "W" } },
      outputs: { flow: { unit: "W" } },
      evaluate: (_t, [given], _p, out) => {
        out[0] = given;
      },
    },
    name,
  );
