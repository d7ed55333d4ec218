/** x' = -30 x by one Euler step from point to point, whatever their distance: stable below 1/15 s. */
import { EULER, odeUnit } from "cosimo/unit";

export default (name) =>
  odeUnit(
    {
      name: "decay",
      states: { x: { start: 1 } },
      derivatives: (_t, [x], _u, _p, dx) => {
        dx[0] = -30 * x;
      },
      solver: { method: EULER, step: 1000 },
    },
    name,
  );
