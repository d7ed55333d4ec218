/**
 * The police officer: idle for 100 s, at work on the crossing for 200 s, and so on. What the officer announces is translated into commands for the
 * light where it leaves the model.
 */
import { atomic, coupled, devsUnit, port } from "cosimo/devs";

export const officer = atomic({
  name: "officer",
  outputs: { order: port() },
  initial: "idle",
  timeAdvance: (state) => (state === "working" ? 200 : 100),
  output: (state, send) => send("order", state === "working" ? "toIdle" : "toWork"),
  internal: (state) => (state === "working" ? "idle" : "working"),
});

export const toCommand = (order) => (order === "toIdle" ? "toAuto" : "toOff");

const commander = coupled({
  name: "officer",
  outputs: { command: port({ items: ["toAuto", "toOff"] }) },
  components: { officer },
  couplings: [{ from: "officer.order", to: "command", map: toCommand }],
});

export default (name) => devsUnit(commander, { name });
