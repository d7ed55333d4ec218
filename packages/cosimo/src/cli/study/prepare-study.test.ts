/** The digest of a study: every file that decides what a run is counts, and nothing else. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { unzipSync } from "fflate";
import { afterAll, describe, expect, it } from "vitest";
import { unwrap } from "../../base/diagnostic.ts";
import { diskFiles } from "../../host/sources/files.ts";
import { RecordedFiles } from "../../host/sources/recorded-files.ts";
import { TRUST_ALL } from "../../host/trust.ts";
import { prepareStudy } from "./prepare-study.ts";

const PACKAGE = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "cosimo-prepare-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content);
}

const packed = readFileSync(join(PACKAGE, "../../fixtures/build/fmi3/MassSpringDamperLeft.fmu"));
const parts = Object.entries(unzipSync(packed)).filter(([name]) => !name.endsWith("/"));
for (const [name, bytes] of parts) write(`left/${name}`, bytes);
write("own.sa", readFileSync(join(PACKAGE, "adaptations", "hold.sa")));
write(
  "near.hint",
  `Hint near {
  statements { Property near := left.x_1 > 0.9 m }
  scope Globally
  pattern Universality: always-the-case-that near holds
}
`,
);
write("stuck.faults", "left.x_1 stuck 0 at 3 s\n");
write("unused.hint", "");
write(
  "scenario.yaml",
  `units: { left: { fmu: left } }
connections: []
experiment: { stop: 1 s, step: 100 ms }
master: jacobi
requirements: near.hint
faults: stuck.faults
`,
);
write(
  "study.yaml",
  `scenario: scenario.yaml
factors:
  left.c: { from: 0.5, to: 2 }
  around: { adapt: left, values: [none, { ./own.sa: { signal: x_1 } }] }
design: { method: sobol, runs: 8 }
keep: [left.x_1]
`,
);

const prepared = async () => {
  const trust = { trust: TRUST_ALL, isAll: true };
  return unwrap(await prepareStudy(join(folder, "study.yaml"), trust, join(folder, "temp")));
};

describe("the digest of a study", () => {
  it.each([
    "near.hint",
    "stuck.faults",
    "own.sa",
    "left/modelDescription.xml",
    relative(folder, join(folder, "left", parts.find(([name]) => name.endsWith(".so"))?.[0] ?? "")),
  ])("[SU15] changes with %s", async (name) => {
    const { digest, read } = await prepared();
    expect(read.list()).toContain(join(folder, name));
    appendFileSync(join(folder, name), "\n");
    expect((await prepared()).digest).not.toBe(digest);
  });

  it("[SU15] stays where nothing that is read changes", async () => {
    const { digest } = await prepared();
    appendFileSync(join(folder, "unused.hint"), "\n");
    expect((await prepared()).digest).toBe(digest);
  });
});

it("[SU15] what a module imports is read with it", async () => {
  write("gain.mjs", 'import { factor } from "./lib/factor.mjs";\nexport default factor;\n');
  write("lib/factor.mjs", 'export * from "./more.mjs";\nexport const factor = 2;\n');
  write("lib/more.mjs", "export {};\n");
  const read = new RecordedFiles(
    { ...diskFiles(TRUST_ALL), module: async () => ({}) },
    join(folder, "temp"),
  );
  await read.files.module(join(folder, "gain.mjs"));
  expect(read.list().map((path) => relative(folder, path))).toEqual([
    ...["gain.mjs", join("lib", "factor.mjs"), join("lib", "more.mjs")],
  ]);
});
