/**
 * Packages as other tools write them, run: with FMUs of the fixtures, tables, nested systems, and
 * what is sloppy in all of them.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type DiagnosticsError, formatDiagnostic } from "../base/diagnostic.ts";
import { folderOfEachTest } from "../platform/node/testing/folders.ts";
import type { ScenarioRun } from "../run/simulate-scenario.ts";
import { packZip } from "../ssp/pack-ssp.ts";
import {
  component,
  connections,
  connectors,
  elements,
  ssd,
  system,
} from "../ssp/testing/ssd-text.ts";
import { loadScenario } from "./load-scenario.ts";
import { simulateScenarioFile } from "./scenario-file.ts";
import { trustOf } from "./trust.ts";

const fixture = (path: string): Uint8Array =>
  readFileSync(fileURLToPath(new URL(`../../../../fixtures/build/${path}`, import.meta.url)));

let folder = "";
folderOfEachTest("others", (path) => {
  folder = path;
});

type Files = Readonly<Record<string, string | Uint8Array>>;

/** A package with the fixture Feedthrough.fmu below `resources`. */
function packed(text: string, files: Files = {}): string {
  const all: Files = {
    "SystemStructure.ssd": text,
    "resources/Feedthrough.fmu": fixture("fmi2/Feedthrough.fmu"),
    ...files,
  };
  const bytes = Object.entries(all).map(([name, content]): [string, Uint8Array] => [
    name,
    typeof content === "string" ? Buffer.from(content) : content,
  ]);
  const path = join(folder, "system.ssp");
  writeFileSync(path, packZip(new Map(bytes)));
  return path;
}

const fmu = (name: string, ports: string, attributes = ""): string =>
  component(name, ports).replace(
    `source="${name}.fmu"`,
    `source="resources/Feedthrough.fmu" ${attributes}`,
  );

const PORTS = "Float64_continuous_input< Float64_continuous_output>";
const IN = "Float64_continuous_input";
const OUT = "Float64_continuous_output";
const STEP =
  '<ssd:Annotations><ssc:Annotation type="org.example"><x:Master xmlns:x="urn:x" stepSize="0.5"/></ssc:Annotation></ssd:Annotations>';
const STOP = { tail: '<ssd:DefaultExperiment stopTime="1"/>' };

function column({ trace }: ScenarioRun, name: string): unknown[] {
  const found = trace.columns.find((one) => one.name === name);
  expect(found, `${name} of ${trace.columns.map((one) => one.name).join(", ")}`).toBeDefined();
  return Array.from(found!.data as Float64Array);
}

describe("packages of other tools", () => {
  it("[SS30] a table feeds an FMU, and the step comes from an annotation", async () => {
    const table = component("signals", "x>").replace(
      'source="signals.fmu"',
      'source="resources/in.csv" type="text/csv"',
    );
    const path = packed(
      ssd(elements(table, fmu("f", PORTS)) + connections(`signals.x -> f.${IN}`) + STEP, STOP),
      { "resources/in.csv": "time,x\n0,0\n1,4\n" },
    );
    const run = await simulateScenarioFile(path);
    expect(run.outcome).toEqual({ kind: "completed", time: 1, steps: 2 });
    expect(column(run, "signals.x")).toEqual([0, 2, 4]);
    expect(column(run, `f.${OUT}`)).toContain(2);
  });

  it("[SS30] a table names its units in the header, and one without rows says so", async () => {
    const table = component("signals", "x>").replace(
      'source="signals.fmu"',
      'source="resources/in.csv" type="text/csv"',
    );
    const text = ssd(
      elements(table, fmu("f", PORTS)) + connections(`signals.x -> f.${IN}`) + STEP,
      STOP,
    );
    const run = await simulateScenarioFile(
      packed(text, { "resources/in.csv": "time [s],x [N]\n0,0\n1,4\n" }),
    );
    expect(column(run, "signals.x")).toEqual([0, 2, 4]);
    const empty = packed(text, { "resources/in.csv": "time [s],x [N]\n" });
    await expect(simulateScenarioFile(empty)).rejects.toThrow(/a header and no rows/);
  });

  it("[SS29] a file whose name differs in large and small letters is offered", async () => {
    const text = ssd(elements(fmu("f", PORTS)), STOP).replace("Feedthrough.fmu", "feedThrough.fmu");
    await expect(simulateScenarioFile(packed(text))).rejects.toThrow(
      /feedThrough\.fmu: there is no such file, but one called 'Feedthrough\.fmu'/,
    );
  });

  it.each(["systemStructure.SSD", "Model.ssd"])(
    "[SS29] %s is the structure where no other can be",
    async (name) => {
      const path = join(folder, "renamed.ssp");
      const files: [string, Uint8Array][] = [
        [name, Buffer.from(ssd(elements(fmu("f", PORTS)) + STEP, STOP))],
        ["resources/Feedthrough.fmu", fixture("fmi2/Feedthrough.fmu")],
      ];
      writeFileSync(path, packZip(new Map(files)));
      const run = await simulateScenarioFile(path);
      expect(run.outcome.kind).toBe("completed");
      expect(run.diagnostics.map(({ code }) => code)).toContain("ssp-structure-name");
      writeFileSync(path, packZip(new Map([...files, ["Other.ssd", files[0]![1]]])));
      const again = simulateScenarioFile(path);
      if (name === "Model.ssd") await expect(again).rejects.toThrow(/ssp-no-structure/);
      else expect((await again).outcome.kind).toBe("completed");
    },
  );

  const NESTED = ssd(
    elements(
      system(
        "outer",
        "y>",
        elements(system("inner", "y>", elements(fmu("f", PORTS)) + connections(`f.${OUT} -> y`))) +
          connections("inner.y -> y"),
      ),
    ) + STEP,
    STOP,
  );

  it("[SS32] what lies inside nested systems is set and recorded by its full name", async () => {
    const name = (port: string): string => `outer.inner.f.${port}`;
    const run = await simulateScenarioFile(packed(NESTED), {
      set: { [name(IN)]: 7 },
      record: [name(OUT), name("Int32_*")],
    });
    expect(column(run, name(OUT))).toEqual([7, 7, 7]);
    expect(run.trace.columns.map((one) => one.name)).toContain(name("Int32_output"));
    const plain = await simulateScenarioFile(packed(NESTED));
    expect(plain.trace.columns.map((one) => one.name)).toEqual(["outer.y"]);
  });

  it("[SS32] a wildcard stands for systems and units, too, as deep as the pattern has dots", async () => {
    const recorded = async (pattern: string): Promise<string[]> => {
      const { trace } = await simulateScenarioFile(packed(NESTED), { record: [pattern] });
      return trace.columns.map((one) => one.name);
    };
    expect(await recorded(`*.inner.?.${OUT}`)).toEqual([`outer.inner.f.${OUT}`]);
    expect(await recorded("outer.*.*.Int32_out*")).toEqual(["outer.inner.f.Int32_output"]);
    expect(await recorded("outer.*.y")).toEqual(["outer.inner.y"]);
    expect(await recorded("outer.*")).toEqual(["outer.y"]);
  });

  it("[SS33] a connector of the outermost system is recorded and driven by its own name", async () => {
    const text = ssd(
      connectors("u< y>") +
        elements(fmu("f", PORTS)) +
        connections(`u -> f.${IN}`, `f.${OUT} -> y`),
      STOP,
    );
    const run = await simulateScenarioFile(packed(text), {
      step: 0.5,
      set: { u: 3 },
      record: ["y", "u", `f.${OUT}`],
    });
    expect(run.trace.columns.map((one) => one.name)).toEqual(["y", "u", `f.${OUT}`]);
    expect(column(run, "y")).toEqual(column(run, `f.${OUT}`));
  });

  it("[SS31] an implementation that the FMU does not offer is a preference", async () => {
    const text = ssd(elements(fmu("f", PORTS, 'implementation="ModelExchange"')) + STEP, STOP);
    const run = await simulateScenarioFile(packed(text));
    expect(run.outcome.kind).toBe("completed");
    expect(run.diagnostics.find(({ code }) => code === "unit-other-interface")).toMatchObject({
      severity: "note",
    });
  });

  it("[SS18] no message names the folder that a package was unpacked into", async () => {
    const target = join(folder, "unpacked");
    const texts = async (text: string): Promise<string> => {
      const loaded = await loadScenario(packed(text), trustOf(), target);
      return loaded.diagnostics.map(formatDiagnostic).join("\n");
    };
    const broken = await texts(
      ssd(elements(component("a", ""), fmu("f", "nothing<")) + connections("a.y -> f.nothing")),
    );
    expect(broken).toContain("system.ssp/a.fmu");
    expect(broken).not.toContain(target);
    const path = packed(ssd(elements(fmu("f", PORTS)), STOP), {
      "resources/Feedthrough.fmu": fixture("fmi2/VanDerPol.fmu"),
    });
    const stepless = simulateScenarioFile(path, { stop: 1 }).then(
      ({ diagnostics }) => diagnostics.map(formatDiagnostic).join("\n"),
      (error: unknown) => (error as DiagnosticsError).diagnostics.map(formatDiagnostic).join("\n"),
    );
    expect(await stepless).not.toContain("ssp-0");
  });

  it("[SS29] an integer feeds an enumeration, with a warning", async () => {
    const ports = "Int32_output> Enumeration_input<";
    const text = ssd(
      connectors("") +
        elements(fmu("f", ports), fmu("g", ports)) +
        connections("f.Int32_output -> g.Enumeration_input") +
        STEP,
      STOP,
    );
    const run = await simulateScenarioFile(packed(text));
    expect(run.diagnostics.map(({ code }) => code)).toContain("connection-unchecked");
    expect(run.outcome.kind).toBe("completed");
  });
});
