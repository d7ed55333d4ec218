/** Light and officer as one unit, each in a coupled model of its own: a hierarchy, which is flattened before the run. */
import { coupled, devsUnit, port } from "cosimo/devs";
import { light } from "./light.mjs";
import { officer, toCommand } from "./officer.mjs";

const COLOURS = ["red", "yellow", "green", "off"];

const crossing = coupled({
  name: "crossing",
  outputs: { colour: port({ items: COLOURS }), lamp: port({ items: COLOURS, held: true }) },
  components: {
    street: coupled({
      inputs: { order: port() },
      outputs: { colour: port(), lamp: port() },
      components: { light },
      couplings: [
        { from: "order", to: "light.command", map: toCommand },
        "light.colour -> colour",
        "light.lamp -> lamp",
      ],
    }),
    police: coupled({
      outputs: { order: port() },
      components: { officer },
      couplings: ["officer.order -> order"],
    }),
  },
  couplings: ["police.order -> street.order", "street.colour -> colour", "street.lamp -> lamp"],
});

export default (name) => devsUnit(crossing, { name });
