import { describe, expect, it } from "vitest";
import { nearest } from "./nearest.ts";

describe("nearest", () => {
  it.each([
    ["lvl", ["level", "time", "lv"], "lv"],
    ["speeed", ["speed", "space"], "speed"],
    ["seped", ["speed", "sped up"], "speed"],
    ["HEIGHT", ["height"], "height"],
    ["x", ["y"], "y"],
  ])("[CL2] '%s' among %j is likely meant as '%s'", (typed, candidates, expected) => {
    expect(nearest(typed, candidates)).toBe(expected);
  });

  it("[CL2] offers nothing when nothing is close", () => {
    expect(nearest("temperature", ["pressure", "x"])).toBeUndefined();
  });

  it("counts a swap of neighbours as one slip", () => {
    expect(nearest("verison", ["version"])).toBe("version");
  });
});
