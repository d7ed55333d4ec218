/** The signals of all scenarios in this folder, as functions of time. */
import { functionUnit } from "cosimo/unit";

const MESSAGES = [1, 4, 2];
/** Instants that are meant to be equal differ by rounding. */
const SNAP = 1e-9;

export default (name) =>
  functionUnit(
    {
      name: "source",
      outputs: {
        one: { feedThrough: [], description: "1" },
        ramp: { feedThrough: [], description: "t" },
        parabola: { feedThrough: [], description: "t²" },
        offered: { feedThrough: [], unit: "W", description: "100 (1 + t) W" },
        vx: { feedThrough: [], unit: "m/s", start: 1, description: "1 m/s" },
        vy: { feedThrough: [], unit: "m/s", start: 2, description: "2 m/s" },
        message: {
          feedThrough: [],
          variability: "discrete",
          description: "1, 4, 2, one per second",
        },
        pulse: { feedThrough: [], type: "boolean", description: "from 1 s to 1.2 s" },
        late: { feedThrough: [], variability: "discrete", description: "t² ≥ 0.5 as a number" },
        swing: { feedThrough: [], variability: "discrete", description: "1, from 1 s on -1" },
      },
      evaluate: (t, _u, _p, y) => {
        y[0] = 1;
        y[1] = t;
        y[2] = t * t;
        y[3] = 100 * (1 + t);
        y[4] = 1;
        y[5] = 2;
        y[6] = MESSAGES[Math.min(Math.floor(t + SNAP), MESSAGES.length - 1)];
        y[7] = t > 1 - SNAP && t < 1.2 - SNAP ? 1 : 0;
        y[8] = t * t >= 0.5 ? 1 : 0;
        y[9] = t > 1 - SNAP ? -1 : 1;
      },
    },
    name,
  );
