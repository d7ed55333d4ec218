import { describe, expect, it } from "vitest";
import type { Causality, FmiVariability, Initial } from "../description.ts";
import { type FmiMajor, fmiVersion } from "../versions/table.ts";
import { allowedInitials, allowedVariabilities } from "./combinations.ts";

const VARIABILITIES: FmiVariability[] = ["constant", "fixed", "tunable", "discrete", "continuous"];
const LETTERS: Record<Initial, string> = { exact: "e", approx: "a", calculated: "c" };

/**
 * Initials for constant, fixed, tunable, discrete, continuous: "-" not allowed, "0" allowed without
 * initial.
 */
function row(major: FmiMajor, causality: Causality): string {
  return VARIABILITIES.map((variability) => {
    if (!allowedVariabilities(causality).includes(variability)) return "-";
    const initials = allowedInitials(fmiVersion({ major }), { causality, variability });
    return initials.map((initial) => LETTERS[initial]).join("") || "0";
  }).join(" ");
}

describe("combinations of causality, variability and initial", () => {
  it.each([
    ["parameter", "- e e - -"],
    ["calculatedParameter", "- ac ac - -"],
    ["input", "- - - 0 0"],
    ["output", "e - - eac eac"],
    ["local", "e ac ac eac eac"],
    ["independent", "- - - - 0"],
  ] as const)("[VA6] FMI 2 %s: %s", (causality, expected) => {
    expect(row(2, causality)).toBe(expected);
  });

  it.each([
    ["structuralParameter", "- e e - -"],
    ["parameter", "- e e - -"],
    ["calculatedParameter", "- ac ac - -"],
    ["input", "- - - ea ea"],
    ["output", "e - - eac eac"],
    ["local", "e ac ac eac eac"],
    ["independent", "- - - - 0"],
  ] as const)("[VA6] FMI 3 %s: %s", (causality, expected) => {
    expect(row(3, causality)).toBe(expected);
  });
});
