import { describe, expect, it } from "vitest";
import { stateSpacePorts } from "./port-spec.ts";

describe("ports of units of equations", () => {
  it("[SC53] every der(x) knows that it is the derivative of x, and nothing else is one", () => {
    const ports = stateSpacePorts({
      name: "mass",
      inputs: { F: {} },
      states: { x: {}, v: { local: true } },
      outputs: { E: {} },
    });
    const links = ports.flatMap(({ name, derivativeOf }) =>
      derivativeOf === undefined ? [] : [`${name} ${ports[derivativeOf].name}`],
    );
    expect(links).toEqual(["der(x) x", "der(v) v"]);
  });
});
