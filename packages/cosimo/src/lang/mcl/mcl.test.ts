import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatPlace, unwrap } from "../../base/diagnostic.ts";
import type { ScenarioDraft } from "../../model/scenario.ts";
import type { UnitInterface } from "../../model/unit-interface.ts";
import { parseMci } from "../mci/parse-mci.ts";
import { parseScenarioYaml } from "../scenario/parse-scenario.ts";
import { MOST_OPERATORS } from "../text/limits.ts";
import { listing, listingsOf } from "../text/testing/listings.ts";
import { withoutPlaces } from "../text/testing/without-places.ts";
import { draftOfMcl } from "./draft-of-mcl.ts";
import { formatMcl } from "./format-mcl.ts";
import { MCL } from "./language.ts";
import { parseMcl } from "./parse-mcl.ts";
import { printMcl } from "./print-mcl.ts";
import { randomSpecification } from "./testing/random-specification.ts";

const listings = listingsOf("mcl");

/** Interfaces by the paths that specifications load. */
const INTERFACES: Readonly<Record<string, string>> = {
  "a.mci": `Interface A { FMUPath "units/a.fmu" ports {
    Port y { direction OUTPUT nature continuous type Real monitored true }
    Port b { direction OUTPUT nature piecewise-constant type Boolean }
    Port e { variableName "M::event" direction OUTPUT nature transient type Boolean }
    Port u { direction INPUT nature continuous type Real }
    Port v { direction OUTPUT nature continuous type Real [3] } }
    temporalreferences { ModelTemporalReference t { reference time } ModelTemporalReference phi { reference angle } } }`,
  "b.mci": `Interface B { SUPath "b.machine.yaml" ports {
    Port u { direction INPUT nature continuous type Real }
    Port w { direction INPUT nature piecewise-constant type Boolean }
    Port k { direction INPUT nature constant type Real }
    Port ev { direction INPUT nature transient type Boolean } }
    temporalreferences { ModelTemporalReference t { reference time } } }`,
  "gemoc.mci": 'Interface G { GemocExecutablePath "x.jar" }',
  "nowhere.mci": "Interface N { }",
  "odd.mci": 'Interface O { SUPath "odd.exe" }',
};

const LOADS = 'load "a.mci" as a\nload "b.mci" as b\n';

const read = (path: string, texts = INTERFACES): UnitInterface | undefined => {
  const text = texts[path];
  return text === undefined ? undefined : unwrap(parseMci(text, path));
};

function compile(text: string, texts = INTERFACES): { draft?: ScenarioDraft; found: string[] } {
  const parsed = parseMcl(text, "sys/x.mcl");
  const made =
    parsed.value && draftOfMcl(parsed.value, "sys/x.mcl", ({ path }) => read(path, texts));
  const found = [...parsed.diagnostics, ...(made?.diagnostics ?? [])].map(
    ({ code, message, fix, place }) =>
      `${formatPlace(place).replace("sys/x.mcl:", "")} ${code}: ${message} / ${fix}`,
  );
  return { ...(made?.value && { draft: made.value }), found };
}

const connections = (text: string): unknown => {
  const { draft, found } = compile(LOADS + text);
  expect(found).toEqual([]);
  return draft && withoutPlaces(draft.connections);
};

describe("the listings", () => {
  it("are all there", () => {
    expect(listings.map(({ name }) => name)).toEqual(
      ["4.2", "4.3", "5.4", "5.9"].map((one) => `${one}.mcl`),
    );
  });

  it.each(listings)("[ML1] $name is read as it is printed", ({ text }) => {
    const { value, diagnostics } = parseMcl(text, "listing.mcl");
    expect(diagnostics.filter(({ severity }) => severity !== "note")).toEqual([]);
    expect(value?.connectors.length).toBeGreaterThan(0);
  });

  it.each(listings)("[ML2] $name is formatted in one way, which stays", ({ text }) => {
    const once = unwrap(formatMcl(text, "a.mcl"));
    expect(unwrap(formatMcl(once, "a.mcl"))).toBe(once);
    const normal = (one: string): unknown =>
      JSON.parse(
        JSON.stringify(withoutPlaces(unwrap(parseMcl(one, "a.mcl")))).replaceAll(
          '"isTargetFirst":true',
          '"isTargetFirst":false',
        ),
      );
    expect(normal(once)).toEqual(normal(text));
  });

  it.each(listings)("[ML10] $name, cut off inside a connector, ends in findings", ({ text }) => {
    const begin = text.indexOf("Connector");
    const end = text.indexOf("->", begin);
    for (let at = begin + 3; at < end; at += 3)
      expect(parseMcl(text.slice(0, at), "cut.mcl").diagnostics.length).toBeGreaterThan(0);
  });

  /**
   * Names that 5.4 uses and 5.1 to 5.3 do not declare: the thesis renamed ports between its
   * chapters.
   */
  const RENAMED: readonly (readonly [file: string, printed: string, meant: string])[] = [
    ["5.1.mci", '"CPUTemperature"', '"cpuTemperature"'],
    ["5.1.mci", '"CPUfanSpeed"', '"fanSpeedCommand"'],
    ["5.2.mci", '"CPUtemperature"', '"cpuTemperature"'],
    ["5.2.mci", '"CPUfanSpeed"', '"fanSpeedCommand"'],
    ["5.3.mci", '"CPUTemperature"', '"cpuTemperature"'],
    [
      "5.3.mci",
      'GemocExecutablePath "su/overHeatControler.jar:39635"',
      'SUPath "heat.machine.yaml"',
    ],
  ];
  const FILES = {
    "CPUinBoxWithFan.mbi": "5.1.mci",
    "fanController.mbi": "5.2.mci",
    "overHeatController.mbi": "5.3.mci",
  };
  const chapter5 = (changes: typeof RENAMED): Record<string, string> =>
    Object.fromEntries(
      Object.entries(FILES).map(([path, file]) => {
        const of = changes.filter(([name]) => name === file);
        return [path, of.reduce((text, [, from, to]) => text.replace(from, to), listing(file))];
      }),
    );

  it("[ML1] 5.4 with the interfaces of chapter 5 as printed: the names that do not fit are found", () => {
    const { found } = compile(listing("5.4.mcl"), chapter5([]));
    expect(found).toContain(
      "9:7 mcl-unknown-port: the interface of 'plant' has no port 'cpuTemperature' / did you mean 'CPUTemperature'?",
    );
    expect(found.filter((one) => one.includes("mcl-not-runnable"))).toHaveLength(1);
  });

  it("[ML1] 5.4 with these names corrected is the scenario that the thesis describes", () => {
    const { draft, found } = compile(listing("5.4.mcl"), chapter5(RENAMED));
    expect(found).toEqual([
      "27:5 mcl-target-first: the target stands before the arrow here; it is read the other way round / write 'not plant.isStopped -> plant.isStopped'",
    ]);
    expect(withoutPlaces(draft?.connections)).toEqual([
      {
        from: "plant.cpuTemperature",
        to: "pid.cpuTemperature",
        suppress: [],
        trigger: { kind: "every", seconds: 5 },
      },
      {
        from: "pid.fanSpeedCommand",
        to: "plant.fanSpeedCommand",
        suppress: [],
        trigger: { kind: "every", seconds: 5 },
      },
      {
        from: "plant.cpuTemperature",
        to: "ctrl.cpuTemperature",
        suppress: [],
        trigger: { kind: "ready-to-read" },
      },
      {
        from: "ctrl.switchCPUState",
        to: "plant.isStopped",
        suppress: [],
        trigger: { kind: "event" },
        interaction: "toggle",
      },
    ]);
    expect(draft?.units.map(({ name, source }) => [name, source])).toEqual([
      ["ctrl", { kind: "machine", path: "heat.machine.yaml" }],
      ["pid", { kind: "fmu", path: "su/FanController.fmu" }],
      ["plant", { kind: "fmu", path: "su/CPUinBoxWithFanHeatModel.fmu" }],
    ]);
  });
});

describe("printing", () => {
  it("[ML2] says the same again, for any specification (seed 20261117)", () => {
    fc.assert(
      fc.property(randomSpecification, (specification) => {
        const { value } = parseMcl(printMcl(specification), "x.mcl");
        expect(withoutPlaces(value ?? null)).toEqual(withoutPlaces(specification));
      }),
      { seed: 20261117, numRuns: 300 },
    );
  });

  it("[ML2] keeps every comment where it belongs", () => {
    const text = `// the system
load "a.mci" as a // the plant
// how long
experiment { stop 10 // seconds
}
// first
Connector c when every 5 // often
  do // now
  a.y   -->  b.u // the level
  // and the flag
  not a.b → b.w
/* done */
`;
    const once = unwrap(formatMcl(text, "a.mcl"));
    expect(once).toBe(`// the system
load "a.mci" as a // the plant

// how long
experiment {
  stop 10 // seconds
}

// first
Connector c
  // now
  when every 5 // often
  do
    a.y -> b.u // the level
    // and the flag
    not a.b -> b.w

/* done */
`);
    expect(unwrap(formatMcl(once, "a.mcl"))).toBe(once);
  });
});

describe("a specification", () => {
  it("[ML3] becomes the draft that a scenario.yaml becomes", () => {
    const yaml = `units:
  a: { fmu: units/a.fmu, interface: a.mci }
  b: { machine: b.machine.yaml, interface: b.mci }
connections:
  - { from: a.y, to: b.u, every: 10 ms, factor: -2, offset: 3 }
  - { from: a.b, to: b.w, when: updated, do: not }
  - { from: "a.y + 2 * a.v[1]", to: b.u, when: event on a.event }
  - { from: "a.y * a.y", to: b.u, when: ready-to-read }
experiment: { start: 1 s, stop: 2 min, step: 5 ms }
master: event-driven
record: [a.y]`;
    const mcl = `${LOADS}experiment { start 1 stop 2 min step 5 ms }
Connector one when every 10 ms do 3 - 2 * a.y -> b.u
Connector two when value on a.b has been Updated do not a.b -> b.w
Connector three when event on a.e occurs do a.y + 2 * a.v[1] -> b.u
Connector four when value on b.u is ReadyToRead do a.y * a.y -> b.u`;
    const { draft, found } = compile(mcl);
    expect(found).toEqual([]);
    const { units, connections, experiment, master, record } = draft!;
    const other = unwrap(parseScenarioYaml(yaml, "sys/x.yaml"));
    const bare = (one: Partial<ScenarioDraft>): unknown =>
      withoutPlaces({
        ...one,
        units: one.units?.map(({ name, source, values }) => ({ name, source, values })),
      });
    expect(bare({ units, connections, experiment, master, record })).toEqual(
      bare({
        units: other.units,
        connections: other.connections,
        experiment: other.experiment,
        master: other.master,
        record: other.record,
      }),
    );
    expect(units.map((unit) => unit.interface?.path)).toEqual(
      other.units.map((unit) => unit.interface?.path),
    );
  });

  it("[ML4] names units after their files unless it says otherwise, and finds units from their interfaces", () => {
    const texts = { "sub/a.mci": INTERFACES["a.mci"]!, "/abs/b.mci": INTERFACES["b.mci"]! };
    const { draft } = compile('load "sub/a.mci" load "/abs/b.mci" as other', texts);
    expect(draft?.units.map(({ name, source }) => [name, "path" in source && source.path])).toEqual(
      [
        ["a", "sub/units/a.fmu"],
        ["other", "/abs/b.machine.yaml"],
      ],
    );
  });

  it("[ML14] reads paths with the separators of Windows, and writes what was read", () => {
    const load = String.raw`load "sub\table.mci" as t`;
    const texts = {
      [String.raw`sub\table.mci`]: INTERFACES["a.mci"]!.replace("units/a.fmu", "units\\new.fmu"),
    };
    const { draft } = compile(load, texts);
    expect(draft?.units).toMatchObject([
      { name: "t", source: { path: "sub/units/new.fmu" }, interface: { path: "sub/table.mci" } },
    ]);
    const once = unwrap(formatMcl(load, "x.mcl"));
    expect(once).toBe(`${String.raw`load "sub\\table.mci" as t`}\n`);
    expect(unwrap(formatMcl(once, "x.mcl"))).toBe(once);
  });

  it("[ML5] has the triggers of the thesis; periods are in seconds unless they have a unit", () => {
    const trigger = (when: string): unknown => {
      const { draft, found } = compile(`${LOADS}Connector c when ${when} do a.b -> b.w`);
      expect(found).toEqual([]);
      return draft?.connections[0]?.trigger;
    };
    expect(trigger("every 5 a.t")).toEqual({ kind: "every", seconds: 5 });
    expect(trigger("every 5")).toEqual({ kind: "every", seconds: 5 });
    expect(trigger("every 20 ms")).toEqual({ kind: "every", seconds: 0.02 });
    expect(trigger("value on a.b has been Updated")).toEqual({ kind: "updated" });
    expect(trigger("value on b.w is ReadyToRead")).toEqual({ kind: "ready-to-read" });
    const level = { kind: "threshold", when: "a.y", level: -3.5, direction: "rising" };
    expect(trigger("value on a.y rises above -3.5")).toEqual(level);
    expect(trigger("value on a.y falls below 2")).toMatchObject({ level: 2, direction: "falling" });
    const event = "Connector c when event on a.e occurs do a.e -> b.w";
    expect(connections(event)).toMatchObject([{ from: "a.event", trigger: { kind: "event" } }]);
    expect(connections("Connector c do a.y -> b.u")).toEqual([
      { from: "a.y", to: "b.u", suppress: [] },
    ]);
  });

  it("[ML6] exchanges ports, negations, multiples and sums with numbers, also elements", () => {
    const exchange = (text: string): unknown => connections(`Connector c when every 1 do ${text}`);
    const base = { suppress: [], trigger: { kind: "every", seconds: 1 } };
    expect(exchange("a.y + 3 -> b.u")).toEqual([{ from: "a.y", to: "b.u", ...base, offset: 3 }]);
    expect(exchange("-(a.y - 1) / 4 -> b.u")).toEqual([
      { from: "a.y", to: "b.u", ...base, factor: -0.25, offset: 0.25 },
    ]);
    expect(exchange("a.y + a.y -> b.u")).toEqual([{ from: "a.y", to: "b.u", ...base, factor: 2 }]);
    expect(exchange("not not not a.b -> b.w")).toEqual([
      { from: "a.b", to: "b.w", ...base, interaction: "not" },
    ]);
    expect(exchange("a.v[2] -> b.u")).toEqual([{ from: "a.v[2]", to: "b.u", ...base }]);
    expect(exchange("a.y -> b.u, a.b -> b.w")).toHaveLength(2);
    expect(exchange("a.y -> b.u -a.y -> a.u")).toMatchObject([{}, { factor: -1, to: "a.u" }]);
  });

  it("[ML6] turns what an input has when an event occurs, whichever side it is written on", () => {
    const toggle = [
      {
        from: "a.event",
        to: "b.w",
        suppress: [],
        trigger: { kind: "event" },
        interaction: "toggle",
      },
    ];
    const when = "Connector c when event on a.e occurs do";
    expect(connections(`${when} not b.w -> b.w`)).toEqual(toggle);
    const { draft, found } = compile(`${LOADS}${when} b.w -> not b.w`);
    expect(withoutPlaces(draft?.connections)).toEqual(toggle);
    expect(found[0]).toContain("mcl-target-first");
  });

  it("[ML7] carries the tolerance of its synchronization", () => {
    const text = "Connector c when every 1 a.t sync a.t = b.t within 2 ms do a.y -> b.u";
    expect(connections(text)).toMatchObject([{ tolerance: 0.002 }]);
    expect(connections(text.replace(" within 2 ms", ""))).not.toHaveProperty("0.tolerance");
  });

  it("[ML9] records what is monitored, and takes the smallest period as its step", () => {
    const { draft } = compile(`${LOADS}Connector c when every 5 do a.y -> b.u
      Connector d when every 2 do a.b -> b.w`);
    expect(draft?.record.patterns).toEqual(["a.y"]);
    expect(draft?.experiment).toEqual({ step: 2 });
    expect(draft?.master.name).toBe("event-driven");
    const quiet = { ...INTERFACES, "a.mci": INTERFACES["a.mci"]!.replace("monitored true", "") };
    expect(compile(LOADS, quiet).draft?.record.patterns).toEqual([]);
  });
});

const connector = (text: string): string => `${LOADS}Connector c when every 1\ndo ${text}`;
const when = (text: string): string => `${LOADS}Connector c\nwhen ${text}`;

describe("mistakes", () => {
  it.each([
    [
      "[ML4] nothing loaded",
      "Connector c do a.y -> b.u",
      '1:1 mcl-nothing-loaded: no unit is loaded / begin with: load "plant.mci" as plant',
    ],
    [
      "[ML4] two units of one name",
      'load "a.mci"\nload "b.mci" as a',
      "2:1 mcl-twice: the unit 'a' is already there in line 1 / rename or remove one of them",
    ],
    [
      "[ML4] a program of GEMOC",
      'load "gemoc.mci"',
      "1:1 mcl-not-runnable: 'gemoc' is a program of GEMOC (x.jar), which cannot be run here / write it as a state machine: SUPath \"controller.machine.yaml\"",
    ],
    [
      "[ML4] an interface without a unit",
      'load "nowhere.mci"',
      '1:1 mcl-no-unit: nowhere.mci does not say where its unit is / add a path to the interface: FMUPath "plant.fmu"',
    ],
    [
      "[ML4] a unit of no known kind",
      'load "odd.mci"',
      "1:1 mcl-unit-path: what kind of unit 'odd' is cannot be seen from its path odd.exe / name an .fmu, .machine.yaml, .sa, .mjs or a scenario",
    ],
    [
      "[ML4] a unit that is not loaded",
      connector("c.y -> b.u"),
      "4:4 mcl-unknown-unit: there is no unit 'c' / did you mean 'a'?",
    ],
    [
      "[ML4] a port that the interface does not declare",
      connector("a.yy -> b.u"),
      "4:4 mcl-unknown-port: the interface of 'a' has no port 'yy' / did you mean 'y'?",
    ],
    [
      "[ML4] a connector twice",
      `${LOADS}Connector c do a.y -> b.u\nConnector c do a.b -> b.w`,
      "4:1 mcl-twice: the connector 'c' is already there in line 3 / rename or remove one of them",
    ],
    [
      "[ML5] a period of 0",
      when("every 0 do a.y -> b.u"),
      "4:6 mcl-time: the period is 0, and must be a time above 0 / write a number of seconds, or with a unit: 10 ms",
    ],
    [
      "[ML5] a temporal reference that there is not",
      when("every 1 a.tt do a.y -> b.u"),
      "4:14 mcl-unknown-reference: the interface of 'a' has no temporal reference 'tt' / it has t, phi",
    ],
    [
      "[ML5] a temporal reference that counts angles",
      when("every 1 a.phi do a.y -> b.u"),
      "4:14 mcl-reference: 'a.phi' counts angle, and instants of exchange are times / use a temporal reference of time, or wait for an event of the unit",
    ],
    [
      "[ML6] a division by 0",
      connector("a.y / 0 -> b.u"),
      "4:4 mcl-expression: something is divided by 0 / divide by another number",
    ],
    [
      "[ML6] a constant",
      connector("5 -> b.u"),
      "4:4 mcl-expression: a constant is exchanged, which no unit gives / set it as the start value of the input",
    ],
    [
      "[ML6] a toggle without an event",
      connector("not b.w -> b.w"),
      "4:4 mcl-expression: a port is set to its own negation, which needs an event / begin the connector with: when event on <port> occurs",
    ],
    [
      "[ML7] a synchronization with a unit that takes no part",
      `${LOADS}load "b.mci" as c\nConnector x when every 1\nsync a.t = c.t do a.y -> b.u`,
      "5:12 mcl-sync: 'c' takes no part in 'x' / name the temporal references of the units that exchange",
    ],
    [
      "[ML7] a negative tolerance",
      `${LOADS}Connector x when every 1\nsync a.t = b.t within -1 ms do a.y -> b.u`,
      "4:6 mcl-time: the tolerance is -1 ms, and must be a time of 0 or more / write a number of seconds, or with a unit: 10 ms",
    ],
    [
      "[ML8] an event to a continuous input",
      when("event on a.e occurs do a.e -> b.u"),
      "4:29 mcl-nature: 'a.e' cannot drive 'b.u': the output carries events, which have no value between them, and the input is continuous / connect an input that is piecewise constant or transient",
    ],
    [
      "[ML8] a signal to an input of events",
      connector("a.b -> b.ev"),
      "4:4 mcl-nature: 'a.b' cannot drive 'b.ev': the input takes events, and the output is piecewise-constant: it has a value at any time / connect an output that is transient",
    ],
    [
      "[ML8] a source of what is constant",
      connector("a.y -> b.k"),
      "4:4 mcl-nature: 'a.y' cannot drive 'b.k': the input is constant, and nothing may change it during a run / correct its nature, or give it an initial value instead of a source",
    ],
    [
      "[ML9] a stop before the start",
      `${LOADS}experiment { start 5 stop 2 }`,
      "3:1 mcl-time: 'stop' is 2 s, and must be later than 5 s / write a number of seconds, or with a unit: 10 ms",
    ],
    [
      "[ML9] two experiments",
      `${LOADS}experiment {}\nexperiment {}`,
      "4:1 mcl-twice: 'experiment' is already there in line 3 / rename or remove one of them",
    ],
    [
      "[ML12] a head that no interaction has",
      `${LOADS}Connector c (from a.y to b.w) do a.y -> b.u`,
      "3:19 mcl-head: no interaction goes from 'a.y' to 'b.w' / correct the brackets, or omit them",
    ],
    [
      "[ML10] an interaction without a target",
      connector("a.y ->"),
      "4:10 text-syntax: expected a name, found the end of the text / write a name",
    ],
    [
      "[ML10] a trigger that there is not",
      when("sometimes do a.y -> b.u"),
      "4:6 text-syntax: expected 'every', 'event on' or 'value on', found 'sometimes' / write 'every', 'event on' or 'value on' here, or remove 'sometimes'",
    ],
    [
      "[ML10] a connector without interactions",
      `${LOADS}Connector c when every 1 do`,
      "3:28 text-syntax: expected what is exchanged (plant.temperature -> control.temperature), found the end of the text / write what is exchanged (plant.temperature -> control.temperature)",
    ],
  ])("%s", (_, text, expected) => {
    expect(compile(text).found[0]).toBe(expected);
  });

  it("[ML10] of any kind end in findings, never in an exception (seed 11)", () => {
    const words = MCL.keywords.concat([
      "a",
      "b",
      ".",
      "->",
      "(",
      ")",
      "[",
      "1",
      "-",
      '"a.mci"',
      "é",
      "\n",
    ]);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 30 }), (parts) => {
        const { draft, found } = compile(parts.join(" "));
        expect(draft !== undefined || found.length > 0).toBe(true);
      }),
      { seed: 11, numRuns: 200 },
    );
  });

  it("[ML10] nested without end, or of any length, are refused in words", () => {
    for (const deep of ["(".repeat(100_000), "not ".repeat(100_000), "- ".repeat(100_000)])
      expect(compile(connector(`${deep}a.y -> b.u`)).found[0]).toContain("text-too-deep");
    const sum = (n: number): string => connector(`a.y${" + 1".repeat(n)} -> b.u`);
    expect(compile(sum(MOST_OPERATORS - 1)).found).toEqual([]);
    expect(compile(sum(MOST_OPERATORS + 1)).found[0]).toContain("text-too-deep");
    expect(unwrap(formatMcl(sum(MOST_OPERATORS - 1), "x.mcl"))).toContain("+ 1");
  });

  it("[ML10] thousands of connectors are read", () => {
    const many = Array.from(
      { length: 3000 },
      (_, i) => `Connector c${i} when every 1 do a.y -> b.u`,
    );
    expect(compile(LOADS + many.join("\n")).draft?.connections).toHaveLength(3000);
  });
});
