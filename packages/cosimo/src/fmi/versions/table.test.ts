import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { BACKENDS } from "../../model/backends.ts";
import { binariesFolder, platformOf } from "../archive-contents.ts";
import { parseModelDescription } from "../parse-description.ts";
import { fmi1, fmi2, fmi3 } from "../testing/description-text.ts";
import { toUnitDescription } from "../to-unit-description.ts";
import { FMI_VERSIONS, fmiVersion, fmiVersionNames } from "./table.ts";

const TEXTS = { 1: fmi1(), 2: fmi2(), 3: fmi3() };

describe("the table of FMI versions", () => {
  it.each(FMI_VERSIONS)("[FD9] FMI $name is read with the grammar of its row", (version) => {
    const { value, diagnostics } = parseModelDescription(TEXTS[version.major]);
    expect(diagnostics).toEqual([]);
    expect(value).toMatchObject({ major: version.major, fmiVersion: version.name });
  });

  it("[FD9] no spelling of a version belongs to two rows", () => {
    for (const spelling of [
      "0.9",
      "1.0",
      "2",
      "2.0",
      "2.0.4",
      "3.0",
      "3.0.2",
      "3.1-beta.1",
      "4.0",
      "",
    ]) {
      const rows = FMI_VERSIONS.filter(({ spellings }) => spellings.test(spelling));
      expect(rows.length, spelling).toBe(/^[123]\.|^2$/.test(spelling) ? 1 : 0);
    }
  });

  it.each(FMI_VERSIONS)("FMI $name: units have its backend and capabilities", (version) => {
    const { value } = parseModelDescription(TEXTS[version.major]);
    const { backend, capabilities } = toUnitDescription(value!);
    expect(backend).toBe(version.backend);
    expect(BACKENDS[backend].label).toBe(`FMI ${version.name}`);
    expect(capabilities).toMatchObject(version.capabilities);
  });

  it.each([
    [1, "linux64"],
    [2, "linux64"],
    [3, "x86_64-linux"],
  ] as const)("FMI %i: binaries for x86_64-linux go to %s", (major, folder) => {
    expect(binariesFolder(fmiVersion({ major }).folderSchemes[0], "x86_64-linux")).toBe(folder);
    expect(platformOf(folder)).toBe("x86_64-linux");
  });

  it("a platform without a short name keeps its tuple", () => {
    expect(binariesFolder("name", "aarch64-linux")).toBe("aarch64-linux");
  });

  it("[FD8] messages name the versions of the table", () => {
    expect(fmiVersionNames("and")).toBe("FMI 1.0, 2.0 and 3.0");
    const [finding] = parseModelDescription(fmi2().replace('"2.0"', '"4.0"')).diagnostics;
    expect(finding?.message).toContain(fmiVersionNames("and"));
  });
});

/** Asks which version something is, instead of what it offers. */
const COMPARISON = /\b(?:major|version)\s*[!=]==\s*[123]\b|\b[123]\s*\|\s*[23]\b/;

function askingVersions(folder: string): { readonly seen: number; readonly found: string[] } {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !/\.test\.ts$|versions\/table\.ts$/.test(name),
  );
  const found = files.filter((name) => COMPARISON.test(readFileSync(join(folder, name), "utf8")));
  return { seen: files.length, found };
}

describe("outside of the table nobody asks for the version", () => {
  it.each(["..", "../../host"])("in %s", (path) => {
    const { seen, found } = askingVersions(fileURLToPath(new URL(path, import.meta.url)));
    expect(seen).toBeGreaterThan(20);
    expect(found).toEqual([]);
  });

  it("would find one", () => {
    expect(COMPARISON.test("if (d.major === 3) return;")).toBe(true);
    expect(COMPARISON.test("readonly version: 2 | 3;")).toBe(true);
  });
});
