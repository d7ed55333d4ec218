/**
 * What reads files that others wrote, one entry per kind: where to find sound ones, and what to do
 * with damaged ones. Everything comes from what is built (dist), as the command uses it.
 *
 * `read` gets the damaged content and answers a list of { value, diagnostics }, or throws, which is
 * what must not happen.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import { ROOT } from "./command.mjs";
import { mutateBytes, mutateText } from "./mutate.mjs";

const DIST = join(ROOT, "packages", "cosimo", "dist");
const EXAMPLES = join(ROOT, "examples");
const TESTS = join(ROOT, "packages", "cosimo", "tests");
const BUILD = join(ROOT, "fixtures", "build");

/** Code that damaged files name is never run. */
const NOBODY = { all: false, folders: [] };

const from = (path) => import(join(DIST, path));

function texts(folders, ending) {
  return folders.filter(existsSync).flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(ending) && !name.includes("node_modules"))
      .sort()
      .map((name) => readFileSync(join(folder, name), "utf8")),
  );
}

/** Scenarios whose units are FMUs, with the way to them written out. */
function scenarioTexts() {
  return texts([EXAMPLES, join(ROOT, "fixtures", "scenarios")], ".yaml")
    .filter((text) => /^units:/m.test(text) && text.includes("build/fmi"))
    .map((text) => text.replace(/(\.\.\/)+(fixtures\/)?build/g, BUILD));
}

const text = (corpus, read) => ({ corpus, mutate: mutateText, read });
const bytes = (corpus, read) => ({ corpus, mutate: mutateBytes, read });

export const READERS = {
  archives: bytes(
    () => [
      readFileSync(join(BUILD, "fmi2", "Dahlquist.fmu")),
      readFileSync(join(BUILD, "gotchas", "fmi3", "NeedsResource.fmu")),
      Buffer.from(
        zipSync({
          "modelDescription.xml": new Uint8Array(300),
          "resources/ä.txt": new Uint8Array(9),
        }),
      ),
    ],
    async (damaged, { folder }) => {
      const { openFmuFile } = await from("platform/node/fmu-file.js");
      const path = join(folder, "damaged.fmu");
      writeFileSync(path, damaged);
      const opened = openFmuFile(path);
      if (opened.value === undefined) return [opened];
      return [opened, await opened.value.extract(fresh(folder))];
    },
  ),
  descriptions: text(
    () => [
      ...texts([join(TESTS, "broken")], ".xml"),
      ...["Feedthrough", "StateSpace", "Clocks"].map((name) => descriptionOf(`fmi3/${name}.fmu`)),
    ],
    async (damaged) => {
      const { parseModelDescription } = await from("fmi/parse-description.js");
      const { validateDescription } = await from("fmi/validate/validate.js");
      const { toUnitDescription } = await from("fmi/to-unit-description.js");
      const parsed = parseModelDescription(damaged, "m.xml");
      if (parsed.value === undefined) return [parsed];
      const findings = validateDescription(parsed.value, "m.xml");
      if (!findings.some(({ severity }) => severity === "error")) toUnitDescription(parsed.value);
      return [parsed, { value: true, diagnostics: findings }];
    },
  ),
  scenarios: text(scenarioTexts, async (damaged, { folder }) => {
    const { parseScenarioYaml } = await from("lang/scenario/parse-scenario.js");
    const { loadScenario } = await from("host/load-scenario.js");
    const { checkScenario } = await from("run/check-scenario.js");
    const parsed = parseScenarioYaml(damaged, "scenario.yaml");
    if (parsed.value === undefined) return [parsed];
    const path = join(folder, "scenario.yaml");
    writeFileSync(path, damaged);
    const loaded = await loadScenario(path, NOBODY, join(folder, "unpacked"));
    if (loaded.value === undefined) return [parsed, loaded];
    return [parsed, loaded, { value: true, ...checkScenario(loaded.value.scenario, {}) }];
  }),
  "broken scenarios": text(
    () => texts([join(TESTS, "broken-scenarios", "yaml"), EXAMPLES], ".yaml"),
    async (damaged) => {
      const { parseScenarioYaml } = await from("lang/scenario/parse-scenario.js");
      return [parseScenarioYaml(damaged, "scenario.yaml")];
    },
  ),
  packages: text(
    () => texts([join(TESTS, "broken-scenarios", "ssp"), join(EXAMPLES, "ssp")], ".ssd"),
    async (damaged, { folder }) => {
      const { loadSspFile } = await from("platform/node/ssp-file.js");
      const path = join(folder, "damaged.ssp");
      const about = readFileSync(join(EXAMPLES, "ssp", "parameters.ssv"));
      writeFileSync(
        path,
        zipSync({
          "SystemStructure.ssd": new TextEncoder().encode(damaged),
          "parameters.ssv": new Uint8Array(about),
        }),
      );
      return [await loadSspFile(path, { target: fresh(folder) })];
    },
  ),
  "parameter sets": text(
    () => texts([EXAMPLES, join(TESTS, "broken-scenarios")], ".ssv"),
    async (damaged, { folder }) => {
      const { loadSspFile } = await from("platform/node/ssp-file.js");
      writeFileSync(join(folder, "parameters.ssv"), damaged);
      const ssd = readFileSync(join(EXAMPLES, "ssp", "SystemStructure.ssd"));
      writeFileSync(join(folder, "SystemStructure.ssd"), ssd);
      return [await loadSspFile(join(folder, "SystemStructure.ssd"), { target: fresh(folder) })];
    },
  ),
  adaptations: text(
    () => texts([join(ROOT, "packages", "cosimo"), EXAMPLES], ".sa"),
    async (damaged, { folder }) => {
      const { parseSa } = await from("lang/sa/parse-sa.js");
      const { formatSa } = await from("lang/sa/format-sa.js");
      const { describeAdaptationFile } = await from("host/load-adaptation.js");
      const { diskFiles } = await from("host/sources/files.js");
      const parsed = parseSa(damaged, "a.sa");
      const formatted = formatSa(damaged, "a.sa");
      const path = join(folder, "a.sa");
      writeFileSync(path, damaged);
      const described = await describeAdaptationFile(path, folder, diskFiles(NOBODY));
      return [parsed, formatted, { value: true, diagnostics: described.diagnostics }];
    },
  ),
  guards: text(
    () => texts([EXAMPLES], "guard.json"),
    async (damaged) => {
      const { parseGuard } = await from("lang/guard/parse-guard.js");
      const { shrunk } = await from("stability/stabilize.js");
      const { verifyStability } = await from("stability/stabilize-verify.js");
      const parsed = parseGuard(damaged, "guard.json");
      if (
        parsed.value !== undefined &&
        !parsed.diagnostics.some(({ severity }) => severity === "error")
      )
        verifyStability(shrunk(parsed.value.system, parsed.value.rate), parsed.value.forms);
      return [parsed];
    },
  ),
  checkpoints: bytes(madeCheckpoints, async (damaged, { original }) => {
    const { decodeCheckpoint } = await from("engine/checkpoint.js");
    const decoded = decodeCheckpoint(new Uint8Array(damaged), "checkpoint");
    if (decoded.value !== undefined && !damaged.equals(original))
      throw new Error("a damaged checkpoint is believed");
    return [decoded];
  }),
  "switched systems": text(
    () => [
      "matrices: { slow: [[0.5, 1], [0, 0.25]], fast: [[1, 0], [0, 1]] }\n",
      '{ "matrices": [[[1]], [[2]]], "automaton": { "nodes": 3, "edges": [[1, 2, 2], { "from": 2, "to": 1, "mode": 1 }] } }\n',
    ],
    async (damaged) => {
      const { parseSwitched } = await from("lang/switched/parse-switched.js");
      return [parseSwitched(damaged, "s.yaml")];
    },
  ),
  "hybrid systems": text(
    () => texts([EXAMPLES], "hybrid.yaml"),
    async (damaged) => {
      const { parseHybridYaml } = await from("lang/hybrid/parse-hybrid.js");
      const { constantOf } = await from("stability/hybrid-from-description.js");
      return [parseHybridYaml(damaged, "h.yaml", constantOf)];
    },
  ),
  traces: text(
    () => texts([EXAMPLES], ".csv").map((csv) => csv.slice(0, 3000)),
    async (damaged) => {
      const { parseCsv } = await from("record/csv-read.js");
      return [parseCsv(damaged, "t.csv")];
    },
  ),
};

let packages = 0;

/** A folder that was not there before; packages are unpacked into new ones. */
function fresh(folder) {
  const path = join(folder, `unpacked-${packages++}`);
  mkdirSync(path);
  return path;
}

function descriptionOf(fmu) {
  return new TextDecoder().decode(
    unzipSync(readFileSync(join(BUILD, fmu)))["modelDescription.xml"],
  );
}

/** Two that were never on a disk, with every kind of content. */
async function madeCheckpoints() {
  const { encodeCheckpoint } = await from("engine/checkpoint.js");
  const banks = () => ({
    f64: Float64Array.of(1, Number.NaN, -0, 1e300),
    i64: BigInt64Array.of(1n, -(2n ** 62n)),
    obj: ["text", Uint8Array.of(1, 2, 3)],
  });
  return [true, false].map((withMaster) =>
    Buffer.from(
      encodeCheckpoint({
        planHash: "0123456789abcdef",
        steps: 150,
        time: 1.5,
        rows: 151,
        facts: { scenario: "one", machine: "this" },
        banks: banks(),
        parts: [{ name: "rows", bytes: 64, checksum: 7 }],
        units: [
          { kind: "saved", bytes: new Uint8Array(200).fill(7) },
          { kind: "replay", length: 1000, shown: banks() },
        ],
        ...(withMaster ? { master: new Uint8Array(64).fill(3) } : {}),
      }),
    ),
  );
}
