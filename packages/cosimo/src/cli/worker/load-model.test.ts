import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Diagnostic, DiagnosticsError } from "../../base/diagnostic.ts";
import type { Plan } from "../../plan/plan.ts";
import type { RunJob } from "../protocol/protocol.ts";
import { loadModel, unitNames } from "./load-model.ts";

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../../../fixtures/build/${name}.fmu`, import.meta.url));

const JOB: Omit<RunJob, "model"> = {
  kind: "run",
  trust: false,
  folder: "",
  set: [],
  faults: [],
  faultFiles: [],
  record: [],
  debugLogging: false,
  stopOnDivergence: false,
  stopOnViolation: false,
  events: "auto",
  executor: "auto",
  profile: false,
  clocks: [],
};

async function load(model: string, set: readonly string[] = []) {
  const found: Diagnostic[] = [];
  const loaded = await loadModel({ ...JOB, model, set }, (d) => found.push(d));
  return { ...loaded, codes: found.map(({ code }) => code) };
}

describe("an FMU as a model to run", () => {
  it("[RU12] is a scenario of one unit whose ports have their own names", async () => {
    const { scenario, ports, fmu, codes, entries } = await load(fixture("fmi3/VanDerPol"));
    expect(codes).toEqual([]);
    expect(scenario.units.map(({ name }) => name)).toEqual(["VanDerPol"]);
    expect(scenario.connections).toEqual([]);
    expect(ports.description.ports.map(({ name }) => name)).toContain("x0");
    expect(ports.origin(2)).toEqual({ unit: 0, port: 2 });
    expect(unitNames(scenario)).toEqual(["VanDerPol"]);
    expect(entries({} as Plan)).toMatchObject({ model: "VanDerPol", fmiVersion: fmu!.fmiVersion });
  });

  it("[CL9] has the values of --set, over those of the description", async () => {
    const { scenario, codes } = await load(fixture("fmi2/VanDerPol"), ["mu=5"]);
    expect(codes).toEqual([]);
    const [unit] = scenario.units;
    const mu = unit!.description.ports.find(({ name }) => name === "mu")!;
    expect(unit!.values).toEqual([{ port: mu.index, values: [5], place: { file: "--set" } }]);
  });

  it("[CL9] is shaped by its structural parameters, which are among its values", async () => {
    const { scenario, ports } = await load(fixture("fmi3/StateSpace"), ["n=1", "A=7"]);
    const byName = new Map(ports.description.ports.map((port) => [port.name, port]));
    expect(byName.get("A")!.shape).toEqual([1, 1]);
    const values = new Map(scenario.units[0]!.values.map((one) => [one.port, one.values]));
    expect(values.get(byName.get("A")!.index)).toEqual([7]);
    expect(values.get(byName.get("n")!.index)!.map(Number)).toEqual([1]);
  });

  it("[CL3] reports all mistakes in --set", async () => {
    const { codes } = await load(fixture("fmi3/VanDerPol"), ["nu=5", "mu=much", "mu=1"]);
    expect(codes.sort()).toEqual(["bad-value", "set-twice", "unknown-variable"]);
  });

  it("is refused when it is not an FMU", async () => {
    await expect(load(fixture("gotchas/OtherVersion"))).rejects.toBeInstanceOf(DiagnosticsError);
    await expect(load("/nowhere/x.fmu")).rejects.toBeInstanceOf(DiagnosticsError);
  });
});
