/** A heating wire that takes less power the hotter it is: power = offered / (1 + 0.004 temperature). */
import { functionUnit } from "cosimo/unit";

export default (name) =>
  functionUnit(
    {
      name: "heater",
      inputs: {
        offered: { unit: "W", reactive: true },
        temperature: { reactive: true, description: "above the surroundings, K" },
      },
      outputs: { power: { unit: "W", feedThrough: ["offered", "temperature"] } },
      evaluate: (_t, [offered, temperature], _p, y) => {
        y[0] = offered / (1 + 0.004 * temperature);
      },
    },
    name,
  );
