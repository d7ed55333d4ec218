/**
 * When a variable may be written. Rules: docs/spec/native.md.
 */
import { describe, expect, it } from "vitest";
import type { FmuVariable } from "../../fmi/description.ts";
import type { Phase } from "../../unit/unit.ts";
import { whyNotWritable } from "./writable.ts";

const PHASES: readonly Phase[] = ["instantiated", "initialization", "step", "event"];

/** The phases in which a variable may be written. */
function writableIn(attributes: string, type = "float64"): string {
  const [causality, variability, initial] = attributes.split(" ");
  const variable = { causality, variability, initial, type } as unknown as FmuVariable;
  return PHASES.filter((phase) => whyNotWritable(variable, phase) === undefined).join(" ");
}

describe("a variable can be written", () => {
  it.each([
    ["input continuous", "instantiated initialization step event"],
    ["parameter fixed exact", "instantiated initialization"],
    ["parameter tunable exact", "instantiated initialization step event"],
    ["output continuous exact", "instantiated initialization"],
    ["output continuous approx", "instantiated"],
    ["output continuous calculated", ""],
    ["local continuous exact", "instantiated initialization"],
    ["calculatedParameter fixed calculated", ""],
    ["structuralParameter fixed exact", ""],
    ["independent continuous", ""],
    ["output constant exact", ""],
  ])("[NA19] %s: %s", (attributes, phases) => {
    expect(writableIn(attributes)).toBe(phases);
  });

  it("[NA19] clocks tick in event mode", () => {
    expect(writableIn("input discrete", "clock")).toBe("event");
  });
});
