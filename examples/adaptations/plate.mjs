/** A thin plate that is as warm as its heater makes it, without delay: temperature = 0.5 power. */
import { functionUnit } from "cosimo/unit";

export default (name) =>
  functionUnit(
    {
      name: "plate",
      inputs: { power: { unit: "W", reactive: true } },
      outputs: {
        temperature: { feedThrough: ["power"], description: "above the surroundings, K" },
      },
      evaluate: (_t, [power], _p, y) => {
        y[0] = 0.5 * power;
      },
    },
    name,
  );
