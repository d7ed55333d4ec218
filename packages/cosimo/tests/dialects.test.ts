/**
 * What other tools write is opened: FMUs and packages made of our fixtures (scripts/dialects.mjs).
 * That they run is shown by `npm run compatibility` (bench/compatibility.md).
 */
import { basename, join } from "node:path";
import { expect, it } from "vitest";
// @ts-expect-error: a script.
import { writeDialects } from "../../../scripts/dialects.mjs";
import { hasErrors } from "../src/base/diagnostic.ts";
import { isLossless } from "../src/fmi/description-diagnostics.ts";
import { loadScenario } from "../src/host/load-scenario.ts";
import { TRUST_NOBODY } from "../src/host/trust.ts";
import { openFmuFile } from "../src/platform/node/fmu-file.ts";
import { folderOfEachTest } from "../src/platform/node/testing/folders.ts";

let folder = "";
folderOfEachTest("dialects", (path) => {
  folder = path;
});

it("[FD51] [FD54] [AR3] [AR16] [SS29] FMUs and packages in the ways of other tools are opened", async () => {
  const files: string[] = writeDialects(join(folder, "files"));
  expect(files.length).toBeGreaterThan(50);
  for (const file of files) {
    if (file.endsWith(".fmu")) {
      const { value, diagnostics } = openFmuFile(file);
      expect([basename(file), value !== undefined]).toEqual([basename(file), true]);
      expect([basename(file), diagnostics.filter((d) => !isLossless(d))]).toEqual([
        basename(file),
        [],
      ]);
      continue;
    }
    const target = join(folder, basename(file, ".ssp"));
    const { value, diagnostics } = await loadScenario(file, TRUST_NOBODY, target);
    const errors = diagnostics.filter((d) => hasErrors([d])).map(({ message }) => message);
    expect([basename(file), errors, value !== undefined]).toEqual([basename(file), [], true]);
  }
});
