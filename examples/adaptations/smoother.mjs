/**
 * A program that smooths messages: one execution, one message, x += (message - x) / 2, however long it was left alone.
 *
 * Written as an Euler step over the time since the last execution; it looks at the clock itself.
 */
import { EULER, odeUnit } from "cosimo/unit";

export default (name) => {
  let elapsed = 1;
  const unit = odeUnit(
    {
      name: "smoother",
      inputs: { message: { variability: "discrete" } },
      states: { x: {} },
      derivatives: (_t, [x], [message], _p, dx) => {
        dx[0] = (message - x) / 2 / elapsed;
      },
      solver: { method: EULER, step: 1000 },
    },
    name,
  );
  const advance = unit.advance.bind(unit);
  unit.advance = (from, until) => {
    elapsed = until.time - from;
    return advance(from, until);
  };
  return unit;
};
