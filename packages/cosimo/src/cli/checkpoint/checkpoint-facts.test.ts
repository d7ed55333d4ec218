/** What a run must find again, for units with adaptations around them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../base/diagnostic.ts";
import { loadScenario } from "../../host/load-scenario.ts";
import { TRUST_ALL } from "../../host/trust.ts";
import { compilePlan } from "../../plan/compile.ts";
import { folderOfFile } from "../../platform/node/testing/folders.ts";
import type { RunJob } from "../protocol/protocol.ts";
import { changesBetween, type Facts, factsOf } from "./checkpoint-facts.ts";

const index = new URL("../../index.ts", import.meta.url).href;
const folder = folderOfFile("facts");
const put = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

put(
  "ramp.mjs",
  `import { functionUnit } from "${index}";
export default (name) => functionUnit({ name: "ramp", outputs: { y: { feedThrough: [] } }, evaluate: (t, u, p, y) => { y[0] = t; } }, name);
`,
);
const OWN = "semantic adaptation delayed moore Own own\n\nfor inner fmu Any any\n";

async function facts(adapt: string): Promise<Facts> {
  const path = put(
    "scenario.yaml",
    `units:\n  r:\n    module: ramp.mjs\n    adapt: ${adapt}\nexperiment: { stop: 1, step: 0.1 }\n`,
  );
  const { scenario } = unwrap(await loadScenario(path, TRUST_ALL));
  const { plan } = unwrap(compilePlan(scenario, { record: [] }));
  return factsOf({ clocks: [], events: "auto" } as unknown as RunJob, scenario, plan, {
    stop: 1,
  } as never);
}

describe("a checkpoint of an adapted unit", () => {
  it("[CK10] knows what its adaptation is given, and its file", async () => {
    put("own.sa", OWN);
    const before = await facts("[multi-rate { rate: 10 }, ./own.sa]");
    expect(changesBetween(before, await facts("[multi-rate { rate: 10 }, ./own.sa]"))).toEqual([]);
    expect(changesBetween(before, await facts("[multi-rate { rate: 20 }, ./own.sa]"))).toEqual([
      "what 'multi-rate' around 'r' is given changed",
    ]);
    put("own.sa", `// other words\n${OWN}`);
    expect(changesBetween(before, await facts("[multi-rate { rate: 10 }, ./own.sa]"))).toEqual([
      "'r' (./own.sa) changed",
    ]);
  });
});
