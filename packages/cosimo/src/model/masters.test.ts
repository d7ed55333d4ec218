import { describe, expect, it } from "vitest";
import {
  COUPLING_SCHEMES,
  isSequential,
  iterates,
  MASTER_NAMES,
  MASTERS,
  masterNamed,
  SCHEMES,
  schemeOf,
} from "./masters.ts";

describe("the table of masters", () => {
  it("names each master once, and every scheme is a master with that scheme", () => {
    expect(MASTER_NAMES).toEqual([
      "jacobi",
      "gauss-seidel",
      "iterative",
      "adaptive",
      "event-driven",
    ]);
    for (const scheme of COUPLING_SCHEMES) expect(MASTERS[scheme].scheme).toBe(scheme);
  });

  it("says of each scheme whether it iterates, goes in sequence, and uses the order", () => {
    expect(COUPLING_SCHEMES.filter((coupling) => iterates({ coupling }))).toEqual(["iterative"]);
    expect(COUPLING_SCHEMES.filter((coupling) => isSequential({ coupling }))).toEqual([
      "gauss-seidel",
    ]);
    expect(COUPLING_SCHEMES.filter((name) => SCHEMES[name].usesOrder)).toEqual([
      "gauss-seidel",
      "iterative",
    ]);
  });

  it("lets only a master without a scheme of its own have one chosen; default: iterative", () => {
    expect(schemeOf("jacobi", { coupling: "iterative" })).toBe("jacobi");
    expect(schemeOf("adaptive", { coupling: "gauss-seidel" })).toBe("gauss-seidel");
    expect(schemeOf("adaptive", { coupling: "no such" })).toBe("iterative");
    expect(schemeOf("adaptive", {})).toBe("iterative");
  });

  it("says which masters need more than a straight plan, and which choose their steps", () => {
    expect(MASTER_NAMES.filter((name) => MASTERS[name].decidesAtRunTime)).toEqual([
      "iterative",
      "adaptive",
    ]);
    expect(MASTER_NAMES.filter((name) => MASTERS[name].controlsSteps)).toEqual(["adaptive"]);
  });

  it("finds masters by their exact names", () => {
    expect(masterNamed("adaptive")).toBe("adaptive");
    expect(masterNamed("Adaptive")).toBeUndefined();
    expect(masterNamed("")).toBeUndefined();
  });
});
