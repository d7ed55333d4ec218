/**
 * The traffic light with the police officer (Gomes et al. 2017, §3.2): two units, no ties, and a
 * light that never turns yellow because it is switched off 40 s into green.
 */
import { type Atomic, atomic, type Coupled, coupled, type EventPort, port } from "../model.ts";

export type Colour = "red" | "yellow" | "green" | "off";
export type Command = "toAuto" | "toOff";
export type Order = "toWork" | "toIdle";

const SECONDS: Readonly<Record<Colour, number>> = {
  red: 60,
  green: 50,
  yellow: 10,
  off: Number.POSITIVE_INFINITY,
};
const NEXT: Readonly<Record<Colour, Colour>> = {
  red: "green",
  green: "yellow",
  yellow: "red",
  off: "off",
};
const COLOURS: readonly Colour[] = ["red", "yellow", "green", "off"];
const COMMANDS: readonly Command[] = ["toAuto", "toOff"];

type LightState = { colour: Colour; left: number };
type LightInputs = { command: EventPort<Command> };
type LightOutputs = { colour: EventPort<Colour> };

/** `toAuto` while the light is not off is ignored: colour and remaining time stay (theory E10). */
export const light: Atomic<LightInputs, LightOutputs> = atomic({
  name: "light",
  inputs: { command: port<Command>({ items: COMMANDS }) },
  outputs: { colour: port<Colour>({ items: COLOURS, start: 1 }) },
  initial: (): LightState => ({ colour: "red", left: SECONDS.red }),
  timeAdvance: ({ left }) => left,
  output: ({ colour }, send) => send("colour", NEXT[colour]),
  internal: ({ colour }) => ({ colour: NEXT[colour], left: SECONDS[NEXT[colour]] }),
  external: ({ colour, left }, input): LightState => {
    const command = input.get("command");
    if (command === "toOff") return { colour: "off", left: SECONDS.off };
    if (colour === "off") return { colour: "red", left: SECONDS.red };
    return { colour, left: left - input.elapsed };
  },
});

export const officer: Atomic<Record<never, never>, { order: EventPort<Order> }> = atomic({
  name: "officer",
  outputs: { order: port<Order>() },
  initial: "idle" as "idle" | "working",
  timeAdvance: (state) => (state === "working" ? 200 : 100),
  output: (state, send) => send("order", state === "working" ? "toIdle" : "toWork"),
  internal: (state) => (state === "working" ? "idle" : "working"),
});

export const toCommand = (order: Order): Command => (order === "toIdle" ? "toAuto" : "toOff");

export const crossing: Coupled<Record<never, never>, LightOutputs> = coupled({
  name: "crossing",
  outputs: { colour: port<Colour>({ items: COLOURS, start: 1 }) },
  components: { light, officer },
  couplings: [
    { from: "officer.order", to: "light.command", map: (order: Order) => toCommand(order) },
    "light.colour -> colour",
  ],
});

/** The same with both units inside models of their own. */
export const nestedCrossing: Coupled<Record<never, never>, LightOutputs> = coupled({
  name: "nested crossing",
  outputs: { colour: port<Colour>({ items: COLOURS, start: 1 }) },
  components: {
    street: coupled({
      inputs: { order: port<Order>() },
      outputs: { colour: port<Colour>() },
      components: { light },
      couplings: [
        { from: "order", to: "light.command", map: (order: Order) => toCommand(order) },
        "light.colour -> colour",
      ],
    }),
    police: coupled({
      outputs: { order: port<Order>() },
      components: { officer },
      couplings: ["officer.order -> order"],
    }),
  },
  couplings: ["police.order -> street.order", "street.colour -> colour"],
});
