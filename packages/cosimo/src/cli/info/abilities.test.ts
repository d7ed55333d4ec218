import { describe, expect, it } from "vitest";
import {
  type Capabilities,
  NO_CAPABILITIES,
  type Port,
  type UnitDescription,
} from "../../model/unit-description.ts";
import { abilities, listed } from "./abilities.ts";

const input: Port = {
  index: 0,
  name: "u",
  direction: "input",
  type: "float64",
  shape: [],
  variability: "continuous",
  nature: "continuous",
};
const unit = (capabilities: Partial<Capabilities>, ports: Port[] = []): UnitDescription => ({
  name: "demo",
  backend: "fmi3",
  capabilities: { ...NO_CAPABILITIES, ...capabilities },
  experiment: {},
  ports,
});
/** First words of the sentences that begin with `sign`. */
const said = (sign: "+" | "-", about: UnitDescription): string[] =>
  abilities(about)
    .filter((line) => line.startsWith(`  ${sign} `))
    .map((line) => line.slice(4).split(":", 1)[0]!);

describe("what a unit can do, in sentences", () => {
  it("says what it lacks where that matters to every coupling", () => {
    expect(said("-", unit({}))).toEqual([
      "no rollback",
      "constant step only",
      "its state cannot be stored",
      "no directional derivatives",
    ]);
    expect(said("+", unit({}))).toEqual([]);
  });

  it.each<[Partial<Capabilities>, string]>([
    [{ rollback: true }, "rollback"],
    [{ variableStep: true }, "variable step"],
    [{ serialize: true }, "its state can be stored"],
    [{ directionalDerivatives: true }, "directional derivatives"],
    [{ outputDerivativeOrder: 2 }, "output derivatives up to order 2"],
    [{ adjointDerivatives: true }, "adjoint derivatives"],
    [{ eventMode: true }, "event mode"],
    [{ earlyReturn: true }, "early return"],
    [{ intermediateUpdate: true }, "intermediate update"],
  ])("%j is an ability", (capabilities, words) => {
    expect(said("+", unit(capabilities))).toEqual([words]);
  });

  it("speaks of slopes only where an input moves", () => {
    expect(said("-", unit({}, [input]))).toContain("no input slopes");
    expect(said("+", unit({ inputDerivativeOrder: 1 }, [input]))).toEqual(["takes input slopes"]);
    const held = { ...input, variability: "discrete" as const };
    expect(abilities(unit({}, [held])).join()).not.toContain("slopes");
  });

  it("warns of what a scenario or a machine must have", () => {
    const lines = abilities(unit({ oncePerProcess: true, needsExecutionTool: true }), 0.25);
    expect(lines.join("\n")).toMatch(
      /- one instance per process[\s\S]*- needs the tool[\s\S]*\+ works inside with a step of 0.25 s/,
    );
  });

  it("lists names up to a number, and counts the others", () => {
    expect(listed(["a", "b"])).toBe("a, b");
    expect(listed(["a", "b", "c", "d"], 2)).toBe("a, b and 2 more");
  });
});
