/**
 * The light: red for 60 s, green for 50 s, yellow for 10 s, until it is switched off; switched on, it begins with red.
 *
 * `colour` is its output as the survey has it: an event when the light changes by itself, none when it is switched. `lamp` shows the colour
 * whatever the reason: after a command it is sent at once, at the next index of the same time.
 */
import { atomic, devsUnit, port } from "cosimo/devs";

const SECONDS = { red: 60, green: 50, yellow: 10, off: Infinity };
const NEXT = { red: "green", green: "yellow", yellow: "red" };
const COLOURS = ["red", "yellow", "green", "off"];

export const light = atomic({
  name: "light",
  inputs: { command: port({ items: ["toAuto", "toOff"] }) },
  outputs: { colour: port({ items: COLOURS }), lamp: port({ items: COLOURS, held: true }) },
  initial: { colour: "red", left: SECONDS.red, isSwitched: false },
  timeAdvance: ({ left, isSwitched }) => (isSwitched ? 0 : left),
  output: ({ colour, isSwitched }, send) => {
    if (!isSwitched) send("colour", NEXT[colour]);
    send("lamp", isSwitched ? colour : NEXT[colour]);
  },
  internal: ({ colour, left, isSwitched }) => {
    if (isSwitched) return { colour, left, isSwitched: false };
    return { colour: NEXT[colour], left: SECONDS[NEXT[colour]], isSwitched: false };
  },
  external: ({ colour, left }, input) => {
    if (input.get("command") === "toOff")
      return { colour: "off", left: Infinity, isSwitched: true };
    if (colour === "off") return { colour: "red", left: SECONDS.red, isSwitched: true };
    return { colour, left: left - input.elapsed, isSwitched: false };
  },
});

export default (name) => devsUnit(light, { name });
