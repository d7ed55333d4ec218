/** Values of parameter sets that fit nothing are reported. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { folderOfEachTest } from "../platform/node/testing/folders.ts";
import { loadScenario } from "./load-scenario.ts";
import { trustOf } from "./trust.ts";

const EXAMPLE = resolve(import.meta.dirname, "../../../../examples/ssp");
let folder = "";
folderOfEachTest("ssp-values", (path) => {
  folder = path;
});

it("[SS27] warns of a value that matches no parameter, and names the nearest", async () => {
  cpSync(EXAMPLE, folder, { recursive: true });
  const structure = join(folder, "SystemStructure.ssd");
  const fixtures = resolve(EXAMPLE, "../../fixtures");
  writeFileSync(structure, readFileSync(structure, "utf8").replaceAll("../../fixtures", fixtures));
  const before = await loadScenario(structure, trustOf(), join(folder, "unpacked"));
  expect(before.diagnostics.filter(({ severity }) => severity !== "note")).toEqual([]);
  const set = join(folder, "parameters.ssv");
  const text = readFileSync(set, "utf8");
  const [whole, name] = /name="([^"]*\.[^"]*)"/.exec(text)!;
  writeFileSync(set, text.replace(whole, `name="${name}x"`));
  const { diagnostics } = await loadScenario(structure, trustOf(), join(folder, "unpacked"));
  const found = diagnostics.find(({ code }) => code === "value-unmatched");
  expect(found).toMatchObject({ severity: "warning" });
  expect(found!.place.file).toContain("parameters.ssv");
  expect(found!.message).toContain(`${name!.split(".").at(-1)}x'`);
  expect(found!.fix).toContain(`did you mean '${name!.split(".").at(-1)}'`);
});
