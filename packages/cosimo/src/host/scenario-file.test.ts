import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { DiagnosticsError } from "../base/diagnostic.ts";
import { simulateScenario } from "../run/simulate-scenario.ts";
import { openScenarioFile, simulateScenarioFile } from "./scenario-file.ts";

const example = (path: string): string =>
  fileURLToPath(new URL(`../../../../examples/${path}`, import.meta.url));

describe("a scenario from a file", () => {
  it("runs FMUs of both versions, again and again with the same trace", async () => {
    const file = await openScenarioFile(example("coupled-masses/scenario.yaml"));
    const first = await simulateScenario(file, { stop: 1 });
    const second = await simulateScenario(file, { stop: 1 });
    expect(first.outcome).toEqual({ kind: "completed", time: 1, steps: 10 });
    expect(first.trace.columns.map(({ name }) => name)).toContain("right.F_c");
    expect(second.trace).toEqual(first.trace);
  });

  it("reads system structures and hands on what was noticed in them", async () => {
    const path = example("ssp/SystemStructure.ssd");
    const { outcome, diagnostics } = await simulateScenarioFile(path, { step: 0.1, trust: true });
    expect(outcome.kind).toBe("completed");
    expect(diagnostics.map(({ code }) => code)).toContain("ssp-unused");
  });

  it("throws diagnostics for a file that is not there", async () => {
    await expect(simulateScenarioFile(example("nowhere.yaml"))).rejects.toThrow(DiagnosticsError);
  });
});
