/**
 * Adaptations of the library, texts of adaptations, places in FMUs, paths of scenarios, ports of
 * exported scenarios.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOfEachTest } from "../platform/node/testing/folders.ts";
import {
  adaptationPath,
  leadingComment,
  libraryNames,
  librarySummary,
} from "./adaptation-library.ts";
import { readAdaptationText } from "./adaptation-text.ts";
import { placeInFmu } from "./place-in-fmu.ts";
import { isScenarioPath, scenarioInFolder } from "./scenario-path.ts";

let folder = "";
folderOfEachTest("files", (path) => {
  folder = path;
});

describe("the library of adaptations", () => {
  it("[AU52] is found by name, one's own by its path beside the scenario", () => {
    expect(libraryNames()).toEqual(libraryNames().toSorted());
    expect(libraryNames()).toContain("multi-rate");
    expect(basename(adaptationPath("multi-rate", "/x/s.yaml")!)).toBe("multi-rate.sa");
    expect(adaptationPath("own.sa", "/x/s.yaml")).toBe("/x/own.sa");
    expect(adaptationPath("../own.SA", "/x/s.yaml")).toBe("/own.SA");
    expect(adaptationPath("multirate", "/x/s.yaml")).toBeUndefined();
  });

  it("[AU94] says in a sentence what each cures", () => {
    for (const name of libraryNames()) {
      expect(librarySummary(name), name).toMatch(/^[A-Z].*\.$/);
      expect(librarySummary(name).slice(0, -1), name).not.toContain(". ");
    }
  });

  it("comments are those before the adaptation begins", () => {
    expect(leadingComment("// one\n//two \n//\nsemantic\n// no\n")).toEqual(["one", "two", ""]);
    expect(leadingComment("semantic\n// no\n")).toEqual([]);
  });
});

describe("the text of an adaptation", () => {
  it("is read from disk or from elsewhere", () => {
    const file = join(folder, "a.sa");
    writeFileSync(file, "text");
    expect(readAdaptationText(file)).toEqual({ value: "text", diagnostics: [] });
    expect(readAdaptationText("x", (path) => `of ${path}`).value).toBe("of x");
  });

  it("is missing with a reason", () => {
    const [missing] = readAdaptationText(join(folder, "no.sa")).diagnostics;
    expect(missing).toMatchObject({
      code: "sa-file-unreadable",
      place: { file: join(folder, "no.sa") },
    });
    expect(missing?.message).toContain("there is no such file");
    expect(readAdaptationText(folder).diagnostics[0]?.message).toContain("EISDIR");
    const broken = (): string => {
      throw new Error("a bug");
    };
    expect(() => readAdaptationText("x", broken)).toThrow("a bug");
  });
});

it("what is found in an unpacked FMU is a place in the FMU", () => {
  const place = { file: "/tmp/u/modelDescription.xml", line: 3 };
  const found = {
    code: "c",
    severity: "error",
    message: "in /tmp/u/a and /tmp/u/b",
    fix: "",
    place,
  } as const;
  expect(placeInFmu(found, "/tmp/u", "m.fmu")).toEqual({
    ...found,
    message: "in m.fmu/a and m.fmu/b",
    place: { file: "m.fmu/modelDescription.xml", line: 3 },
  });
});

describe("paths of scenarios", () => {
  it.each([
    ["s.yaml", true],
    ["s.YML", true],
    ["s.ssp", true],
    ["s.ssp#V.ssd", true],
    ["s.ssd", true],
    ["m.fmu", false],
    ["m.sa", false],
    ["folder", false],
  ])("%s: %s", (path, expected) => {
    expect(isScenarioPath(path)).toBe(expected);
  });

  it("a folder stands for its scenario.yaml", () => {
    expect(scenarioInFolder(folder)).toBeUndefined();
    expect(scenarioInFolder(join(folder, "no"))).toBeUndefined();
    writeFileSync(join(folder, "scenario.yaml"), "");
    expect(scenarioInFolder(folder)).toBe(join(folder, "scenario.yaml"));
    expect(scenarioInFolder(join(folder, "scenario.yaml"))).toBeUndefined();
    mkdirSync(join(folder, "inner"));
    expect(scenarioInFolder(join(folder, "inner"))).toBeUndefined();
  });
});
