import { describe, expect, it } from "vitest";
import { isolationWords } from "../../model/isolation.ts";
import { parseScenarioYaml } from "./parse-scenario.ts";

function parsed(unit: string): { words: string | undefined; codes: string[] } {
  const text = `units:\n  a: ${unit}\nexperiment: { stop: 1 }\n`;
  const { value, diagnostics } = parseScenarioYaml(text, "s.yaml");
  const isolation = value?.units[0]?.isolation;
  return {
    words: isolation && isolationWords(isolation),
    codes: diagnostics.map(({ code }) => code),
  };
}

describe("isolate in a scenario", () => {
  it.each([
    ["{ fmu: a.fmu, isolate: process }", "in a process of its own"],
    ["{ fmu: a.fmu, isolate: sandbox }", "in a sandbox"],
    ["{ fmu: a.fmu, isolate: { process: vendor } }", "in the process 'vendor'"],
    [
      "{ fmu: a.fmu, isolate: process, onFailure: restart, limits: { memory: 0.5 GB, call: 500 ms } }",
      "in a process of its own, restarted when it is lost; at most 500 MB, 0.5 s per call",
    ],
    [
      "{ fmu: a.fmu, isolate: sandbox, limits: { processor: 1 min, files: 32, memory: 64 MiB } }",
      "in a sandbox; at most 67.1 MB, 60 s of processor time, 32 open files",
    ],
  ])("[IS13] %s: %s", (unit, words) => {
    expect(parsed(unit)).toEqual({ words, codes: [] });
  });

  it.each([
    ["{ fmu: a.fmu, onFailure: restart }", "scenario-not-isolated"],
    ["{ fmu: a.fmu, limits: { call: 1 s } }", "scenario-not-isolated"],
    ["{ fmu: a.fmu, isolate: prison }", "scenario-choice"],
    ["{ fmu: a.fmu, isolate: process, limits: { memory: much } }", "scenario-number"],
    ["{ fmu: a.fmu, isolate: process, limits: { call: 0 s } }", "scenario-number"],
    ["{ fmu: a.fmu, isolate: process, limits: { ram: 1 GB } }", "scenario-unknown-key"],
    ["{ fmu: a.fmu, isolate: { sandbox: vendor } }", "scenario-unknown-key"],
  ])("[IS15] %s is %s", (unit, code) => {
    expect(parsed(unit).codes).toContain(code);
  });
});
