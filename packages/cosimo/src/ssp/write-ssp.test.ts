import { describe, expect, it } from "vitest";
import type { BackendName } from "../model/backends.ts";
import type { FmuChoice } from "../model/integrator.ts";
import type { ConnectionDraft, ScenarioDraft, UnitDraft, ValueDraft } from "../model/scenario.ts";
import { testDraft, testPort, testUnit } from "../model/testing/plain-data.ts";
import type { Port, UnitDescription } from "../model/unit-description.ts";
import type { SspVersion } from "./names.ts";
import { packZip } from "./pack-ssp.ts";
import { type WriteSspOptions, writeSsp } from "./write-ssp.ts";

const place = { file: "s.yaml", line: 7 };

function fmu(name: string, path = `${name}.fmu`, values: ValueDraft[] = []): UnitDraft {
  return { name, source: { kind: "fmu", path }, values, place };
}

function value(port: string, given: ValueDraft["value"], unit?: string): ValueDraft {
  return { port, value: given, ...(unit !== undefined && { unit }), place };
}

function scenario(units: UnitDraft[], wires: (string | ConnectionDraft)[] = []): ScenarioDraft {
  const connections = wires.map((wire) => {
    if (typeof wire !== "string") return wire;
    const [from, to] = wire.split(" -> ") as [string, string];
    return { from, to, suppress: [], place };
  });
  return testDraft(units, { name: "demo", file: "models/s.yaml", connections, place });
}

function port(
  index: number,
  name: string,
  direction: Port["direction"],
  rest: Partial<Port> = {},
): Port {
  return testPort(index, name, { direction, ...rest });
}

function described(...ports: Port[]): UnitDescription {
  return testUnit(ports, { name: "m" });
}

function written(draft: ScenarioDraft, options: WriteSspOptions = {}) {
  const { value: content, diagnostics } = writeSsp(draft, options);
  const text = content?.files.get("SystemStructure.ssd") as string | undefined;
  return {
    text: text ?? "",
    files: content?.files,
    codes: diagnostics.map((d) => `${d.code} ${d.place.line}`),
  };
}

describe("writing a package", () => {
  it("[SS21] the same scenario gives the same text and the same bytes", () => {
    const draft = scenario([fmu("a"), fmu("b")], ["a.y -> b.u"]);
    expect(written(draft).text).toBe(written(draft).text);
    const bytes = () => packZip(new Map([["SystemStructure.ssd", new Uint8Array([1, 2, 3])]]));
    expect(bytes()).toEqual(bytes());
  });

  it.each<[Partial<FmuChoice>, BackendName | undefined, string, string]>([
    [{}, undefined, "1.0", "CoSimulation"],
    [{}, "fmi2", "1.0", "CoSimulation"],
    [{}, "fmi3-exchange", "1.0", "ModelExchange"],
    [{ prefers: "model-exchange" }, undefined, "1.0", "ModelExchange"],
    [{ prefers: "model-exchange" }, "fmi2", "1.0", "CoSimulation"],
    [{ integrator: { method: "radau" } }, undefined, "1.0", "ModelExchange"],
    [{ interface: "scheduled-execution" }, undefined, "1.0", "any"],
    [{ interface: "scheduled-execution" }, undefined, "2.0", "ScheduledExecution"],
  ])(
    "[SS20] %j of an FMU that is %s is written in SSP %s as %s",
    (choice, backend, version, expected) => {
      const unit: UnitDraft = { ...fmu("a"), source: { kind: "fmu", path: "a.fmu", ...choice } };
      const { text } = written(scenario([unit]), {
        version: version as SspVersion,
        ...(backend && { describe: () => ({ ...described(), backend }) }),
      });
      expect(text).toContain(`implementation="${expected}"`);
    },
  );

  it("[SS22] of ports that nothing uses only outputs become connectors", () => {
    const description = described(
      port(0, "u", "input"),
      port(1, "v", "input"),
      port(2, "y", "output"),
      port(3, "z", "output"),
      port(4, "p", "parameter"),
      port(5, "n", "structural-parameter"),
      port(6, "t", "independent"),
      port(7, "x", "local"),
    );
    const draft = scenario([fmu("a"), fmu("b")], ["a.y -> b.v"]);
    const { text } = written(draft, { describe: () => description });
    const names = [...text.matchAll(/<ssd:Connector name="(\w+)" kind="(\w+)"/g)];
    expect(names.map(([, name, kind]) => `${name} ${kind}`)).toEqual([
      "y output",
      "z output",
      "v input",
      "y output",
      "z output",
    ]);
  });

  it("[SS21] texts are packed, what is packed already is stored", () => {
    const bytes = new TextEncoder().encode("0123456789".repeat(100));
    const size = (name: string): number => packZip(new Map([[name, bytes]])).length;
    expect(size("a.ssd")).toBeLessThan(300);
    for (const name of ["a.fmu", "a.SSP", "a.png", "a.jpeg", "a.jpg", "a.zip"])
      expect(size(name), name).toBeGreaterThan(bytes.length);
  });

  it("[SS23] bonds are connections to other tools, and a warning lists what only Cosimo reads", () => {
    const [effort, flow] = scenario([], ["a.F -> b.F", "b.v -> a.v"]).connections;
    const draft: ScenarioDraft = {
      ...scenario([fmu("a"), fmu("b")], []),
      bonds: [
        { name: "hub", effort: effort!, flow: flow!, preserve: "nothing", place: { file: "s" } },
      ],
      limits: [
        { kind: "every", every: 1, offset: 0, place: { file: "s" } },
        { kind: "at", times: [2], place: { file: "s" } },
      ],
    };
    const { text } = written(draft);
    expect(text.match(/<ssd:Connection /g)).toHaveLength(2);
    expect(writeSsp(draft).diagnostics.map(({ message }) => message)).toEqual([
      "kept in an annotation that other tools ignore: 1 bond, 2 limits",
    ]);
  });

  it("[SS22] connectors are those that are connected, and all outputs", () => {
    const m = {
      name: "m/s",
      base: { dimension: [0, 1, -1, 0, 0, 0, 0, 0] as const, factor: 1, offset: 0 },
    };
    const describe_ = () =>
      described(
        port(0, "u", "input"),
        port(1, "idle", "input"),
        port(2, "y", "output", { unit: m }),
        port(3, "free", "output"),
        port(4, "k", "parameter"),
      );
    const { text } = written(scenario([fmu("a")], ["a.y -> a.u"]), { describe: describe_ });
    expect(
      [...text.matchAll(/<ssd:Connector name="(\w+)" kind="(\w+)"/g)].map(
        ([, n, k]) => `${n} ${k}`,
      ),
    ).toEqual(["u input", "y output", "free output"]);
    expect(text).toContain('<ssc:Real unit="m/s"/>');
    expect(text).toContain('<ssc:BaseUnit m="1" s="-1"/>');
  });

  it("[SS22] elements of arrays are indices in SSP 2.0 and names in 1.0", () => {
    const draft = scenario([fmu("a"), fmu("b")], ["a.y[2] -> b.u"]);
    const describe_ = () =>
      described(port(0, "y", "output", { shape: [3] }), port(1, "u", "input"));
    expect(written(draft, { version: "2.0", describe: describe_ }).text).toContain(
      'startConnector="y" startIndices="2"',
    );
    expect(written(draft, { version: "1.0", describe: describe_ }).text).toContain(
      'startConnector="y[2]"',
    );
  });

  it("[SS22] values have the type of their port", () => {
    const items = new Map([
      [1, "low"],
      [2, "high"],
    ]);
    const describe_ = () =>
      described(
        port(0, "n", "parameter", { type: "int32" }),
        port(1, "mode", "parameter", { type: "enumeration", items }),
        port(2, "state", "output", { type: "enumeration", items }),
      );
    const { text } = written(
      scenario([fmu("a", "a.fmu", [value("n", 3), value("mode", "high")])]),
      { describe: describe_ },
    );
    expect(text).toContain('<ssv:Integer value="3"/>');
    expect(text).toContain('<ssv:Enumeration value="high"/>');
    expect(text).toContain('<ssc:Enumeration name="a.state"/>');
    expect(text).toContain('<ssc:Item name="high" value="2"/>');
  });

  it("[SS23] what SSP cannot say is kept in an annotation and said", () => {
    const unit = fmu("a", "a.fmu", [value("A", [1, 2]), value("n", 5n), value("k", 1, "widget")]);
    const { text, codes } = written(scenario([unit]));
    expect(codes).toEqual(["ssp-export-value 7", "ssp-export-value 7", "ssp-export-value 7"]);
    expect(text.match(/<cosimo:Value /g)).toHaveLength(3);
    expect(
      written(scenario([fmu("a", "a.fmu", [value("A", [1, 2])])]), { version: "2.0" }).codes,
    ).toEqual([]);
  });

  it.each<[string, ScenarioDraft, string]>([
    ["a pattern", scenario([fmu("a"), fmu("b")], ["a.* -> b.*"]), "ssp-export-reference 7"],
    ["an unknown unit", scenario([fmu("a")], ["x.y -> a.u"]), "ssp-export-reference 7"],
    [
      "two kinds of transformation",
      scenario(
        [fmu("a")],
        [{ from: "a.y", to: "a.u", factor: 2, mapping: [{ from: 1, to: 2 }], suppress: [], place }],
      ),
      "ssp-export-transformation 7",
    ],
    [
      "a table of mixed types",
      scenario(
        [fmu("a")],
        [{ from: "a.y", to: "a.u", mapping: [{ from: 1, to: true }], suppress: [], place }],
      ),
      "ssp-export-transformation 7",
    ],
    [
      "a scenario file that nobody loaded",
      scenario([{ ...fmu("a"), source: { kind: "scenario-file", path: "b.yaml" } }]),
      "ssp-export-scenario-file 7",
    ],
    [
      "an adaptation around a unit",
      scenario([
        {
          ...fmu("a"),
          source: {
            kind: "adapted",
            adaptation: "multi-rate",
            arguments: [],
            inner: fmu("a").source,
            place,
          },
        },
      ]),
      "ssp-export-adapt 7",
    ],
    [
      "a control character",
      scenario([fmu("a", "a.fmu", [value("s", "\u0001")])]),
      "ssp-export-text 1",
    ],
  ])("[SS24] %s cannot be written", (_, draft, code) => {
    const { files, codes } = written(draft);
    expect(codes).toContain(code);
    expect(files).toBeUndefined();
  });

  it("[SS24] a TypeScript unit is written with a warning", () => {
    const { text, codes } = written(
      scenario([{ ...fmu("a"), source: { kind: "module", path: "a.ts" } }]),
    );
    expect(codes).toEqual(["ssp-export-module 7"]);
    expect(text).toContain('type="application/x-cosimo-module" source="resources/a.ts"');
  });

  it("[SS24] an adaptation is written with a warning", () => {
    const { text, codes } = written(
      scenario([{ ...fmu("a"), source: { kind: "adaptation", path: "a.sa" } }]),
    );
    expect(codes).toEqual(["ssp-export-adaptation 7"]);
    expect(text).toContain('type="application/x-cosimo-adaptation" source="resources/a.sa"');
  });

  it("[SS24] a scenario file is written in place when it can be loaded", () => {
    const inner = { ...scenario([fmu("m", "m.fmu")]), file: "models/sub/b.yaml" };
    const outer = scenario([
      { ...fmu("a"), source: { kind: "scenario-file", path: "sub/b.yaml" } },
    ]);
    const { text, files } = written(outer, { load: () => inner });
    expect(text).toContain('<ssd:System name="a">');
    expect(files!.get("resources/m.fmu")).toEqual({ copyOf: "sub/m.fmu" });
  });

  it("[SS25] files get plain names of their own below resources/", () => {
    const units = [
      fmu("a", "x/m.fmu"),
      fmu("b", "y/m.fmu"),
      fmu("c", "x/m.fmu"),
      fmu("d", "my motor.fmu"),
    ];
    const { files } = written(scenario(units));
    expect([...files!.keys()]).toEqual([
      "SystemStructure.ssd",
      "resources/m.fmu",
      "resources/m-2.fmu",
      "resources/my_motor.fmu",
    ]);
    expect(files!.get("resources/m-2.fmu")).toEqual({ copyOf: "y/m.fmu" });
  });
});
