/**
 * Three controllers of one kind. A temperature that arrives is compared with the target, and a command leaves at once: proportional, in tenths,
 * from 0 to 10. When temperatures arrive is up to the connections.
 */
import { atomic, devsUnit, port } from "cosimo/devs";

const GAIN = 4;

function controller(target) {
  return atomic({
    name: "controller",
    inputs: { temperature: port({ type: "float64", held: true }) },
    outputs: { command: port({ type: "float64" }) },
    initial: { command: 0, isNew: false },
    timeAdvance: ({ isNew }) => (isNew ? 0 : Number.POSITIVE_INFINITY),
    output: ({ command }, send) => send("command", command),
    internal: ({ command }) => ({ command, isNew: false }),
    external: (_, input) => {
      const wanted = target + GAIN * (target - input.get("temperature"));
      return { command: Math.min(10, Math.max(0, Math.round(10 * wanted) / 10)), isNew: true };
    },
  });
}

export const a = (name) => devsUnit(controller(3), { name });
export const b = (name) => devsUnit(controller(2), { name });
export const c = (name) => devsUnit(controller(4), { name });
