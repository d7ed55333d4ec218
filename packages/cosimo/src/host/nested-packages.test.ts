/** Packages in packages: however they are nested, loading ends. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Diagnostic } from "../base/diagnostic.ts";
import { folderOfEachTest } from "../platform/node/testing/folders.ts";
import { packZip } from "../ssp/pack-ssp.ts";
import { loadScenario } from "./load-scenario.ts";
import { trustOf } from "./trust.ts";

const NS =
  'xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription" xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"';

let folder = "";
folderOfEachTest("nested", (path) => {
  folder = path;
});

/** A package whose components are the given packages. */
function packageOf(inner: readonly Uint8Array[]): Uint8Array {
  const components = inner.map(
    (_, k) =>
      `<Component name="c${k}" type="application/x-ssp-package" source="resources/${k}.ssp"/>`,
  );
  const ssd = `<SystemStructureDescription ${NS} version="1.0" name="s"><System name="r"><Elements>${components.join("")}</Elements></System></SystemStructureDescription>`;
  const files = new Map<string, Uint8Array>([["SystemStructure.ssd", Buffer.from(ssd)]]);
  inner.forEach((bytes, k) => {
    files.set(`resources/${k}.ssp`, bytes);
  });
  return packZip(files);
}

function nestedDeep(depth: number): Uint8Array {
  let bytes = packageOf([]);
  for (let k = 0; k < depth; k++) bytes = packageOf([bytes]);
  return bytes;
}

async function load(
  bytes: Uint8Array,
): Promise<{ found: readonly Diagnostic[]; unpacked: number }> {
  const path = join(folder, "outer.ssp");
  writeFileSync(path, bytes);
  const target = join(folder, "unpacked");
  const { diagnostics } = await loadScenario(path, trustOf(), target);
  return { found: diagnostics, unpacked: readdirSync(target).length };
}

it("[SS28] packages are nested at most 20 deep, as one may contain itself", async () => {
  const { found, unpacked } = await load(nestedDeep(40));
  expect(found.filter(({ code }) => code === "scenario-too-deep")).toMatchObject([
    { message: "'0.ssp' is nested more than 20 deep" },
  ]);
  expect(unpacked).toBe(21);
});

it("[SS28] packages within the limit are loaded", async () => {
  const { found } = await load(nestedDeep(20));
  expect(found.map(({ code }) => code)).not.toContain("scenario-too-deep");
});

it("[SS28] at most 200 packages are unpacked", async () => {
  const one = packageOf([]);
  const { found, unpacked } = await load(packageOf(Array.from({ length: 220 }, () => one)));
  expect(found.filter(({ code }) => code === "packages-too-many").length).toBe(21);
  expect(unpacked).toBe(200);
});
