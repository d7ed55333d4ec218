/**
 * A program that smooths messages: one execution, one message, x += (message - x) / 2.
 *
 * Written as an Euler step over the time since the last execution, which is told to it: only the number of executions counts.
 */
import { EULER, odeUnit } from "cosimo";

export default (name) =>
  odeUnit(
    {
      name: "smoother",
      inputs: { message: { variability: "discrete" }, period: { start: 0.25, unit: "s" } },
      states: { x: {} },
      derivatives: (_t, [x], [message, period], _p, dx) => {
        dx[0] = (message - x) / 2 / period;
      },
      solver: { method: EULER, step: 1000 },
    },
    name,
  );
