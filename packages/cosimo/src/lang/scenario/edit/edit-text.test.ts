/**
 * Edits of scenario texts: what they mean, and that they touch nothing else.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { longForm } from "../yaml-short-form.ts";
import { applyChanges, editScenarioText } from "./edit-text.ts";
import type { ScenarioEdit } from "./scenario-edit.ts";

const TEXT = `# A drive line.
name: drive line

units:
  # The motor.
  motor: motor.fmu # 20 kW
  load:
    fmu: load.fmu

    set:
      J: 3 g.m2 # with the coupling
      k: 2
  sensor: { fmu: sensor.fmu, adapt: hold { signal: y, period: 0.1 } }

connections:
  # forwards
  - motor.speed -> load.speed

  - { from: load.torque, to: motor.torque, factor: -1 } # backwards
  - motor.speed + load.speed -> sensor.u

experiment: { stop: 10 s, step: 1 ms }
master: { name: gauss-seidel, order: [motor, load, sensor] } # in this order
record: [motor.*, load.speed]
`;

const edit = (text: string, one: ScenarioEdit): string => {
  const { problem, text: made, changes } = editScenarioText(text, one);
  expect(problem).toBeUndefined();
  expect(applyChanges(text, changes)).toBe(made);
  return made;
};

/** Lines that are only in one of two texts: `- …` and `+ …`. */
const diff = (before: string, after: string): string[] => {
  const [a, b] = [before.split("\n"), after.split("\n")];
  const table = Array.from({ length: a.length + 1 }, () => new Int32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      (table[i] as Int32Array)[j] =
        a[i] === b[j]
          ? 1 + ((table[i + 1] as Int32Array)[j + 1] as number)
          : Math.max(
              (table[i + 1] as Int32Array)[j] as number,
              (table[i] as Int32Array)[j + 1] as number,
            );
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      i++;
      j++;
    } else if (
      j >= b.length ||
      (i < a.length &&
        ((table[i + 1] as Int32Array)[j] as number) >= ((table[i] as Int32Array)[j + 1] as number))
    )
      lines.push(`- ${a[i++]}`);
    else lines.push(`+ ${b[j++]}`);
  }
  return lines;
};

const changed = (one: ScenarioEdit, text = TEXT): string[] => diff(text, edit(text, one));

/** An empty list of connections is as none. */
const data = (text: string): Record<string, unknown> => {
  const read = (): Record<string, unknown> => {
    try {
      return parse(text) ?? {};
    } catch {
      return parse(longForm(text)?.text ?? text);
    }
  };
  const { connections, ...others } = read();
  return Array.isArray(connections) && connections.length > 0 ? { ...others, connections } : others;
};

describe("edits of scenario texts", () => {
  it("[SV20] adds a unit behind the others", () => {
    expect(changed({ kind: "add-unit", name: "brake", source: "models/brake.fmu" })).toEqual([
      "+   brake: models/brake.fmu",
    ]);
    expect(
      changed({ kind: "add-unit", name: "b", source: "b.fmu" }, "units: { a: a.fmu } # two\n"),
    ).toEqual(["- units: { a: a.fmu } # two", "+ units: { a: a.fmu, b: b.fmu } # two"]);
    expect(edit("", { kind: "add-unit", name: "a", source: "a.fmu" })).toBe("units:\n  a: a.fmu\n");
    expect(edit("name: x", { kind: "add-unit", name: "a", source: "a.fmu" })).toBe(
      "name: x\nunits:\n  a: a.fmu",
    );
  });

  it("[SV20] connects behind the other connections, and makes the list where there is none", () => {
    expect(changed({ kind: "connect", from: "sensor.y", to: "motor.u" })).toEqual([
      "+   - sensor.y -> motor.u",
    ]);
    const one = "units: { a: a.fmu }\n\nmaster: jacobi\n";
    expect(edit(one, { kind: "connect", from: "a.y", to: "a.u" })).toBe(
      "units: { a: a.fmu }\n\nconnections:\n  - a.y -> a.u\n\nmaster: jacobi\n",
    );
  });

  it("[SV20] disconnects what is written as a connection of its own", () => {
    expect(changed({ kind: "disconnect", from: "motor.speed", to: "load.speed" })).toEqual([
      "-   - motor.speed -> load.speed",
    ]);
    expect(changed({ kind: "disconnect", from: "load.torque", to: "motor.torque" })).toEqual([
      "-   - { from: load.torque, to: motor.torque, factor: -1 } # backwards",
    ]);
    const last = "units: { a: a.fmu }\nconnections: [a.y -> a.u]\nmaster: jacobi\n";
    expect(changed({ kind: "disconnect", from: "a.y", to: "a.u" }, last)).toEqual([
      "- connections: [a.y -> a.u]",
    ]);
    const none = editScenarioText(TEXT, { kind: "disconnect", from: "a.b", to: "c.d" });
    expect(none).toEqual({
      text: TEXT,
      changes: [],
      problem: "'a.b -> c.d' is not written as a connection of its own",
    });
  });

  it("[SV20] sets, changes and removes a value where it stands", () => {
    expect(changed({ kind: "set-value", unit: "load", port: "J", value: "5 g.m2" })).toEqual([
      "-       J: 3 g.m2 # with the coupling",
      "+       J: 5 g.m2 # with the coupling",
    ]);
    expect(changed({ kind: "set-value", unit: "load", port: "k" })).toEqual(["-       k: 2"]);
    expect(changed({ kind: "set-value", unit: "load", port: "K[2,1]", value: "7" })).toEqual([
      '+       "K[2,1]": 7',
    ]);
    expect(changed({ kind: "set-value", unit: "motor", port: "R", value: "0.5 Ohm" })).toEqual([
      "-   motor: motor.fmu # 20 kW",
      "+   motor: { fmu: motor.fmu, set: { R: 0.5 Ohm } } # 20 kW",
    ]);
    expect(changed({ kind: "set-value", unit: "sensor", port: "gain", value: "2" })).toEqual([
      "-   sensor: { fmu: sensor.fmu, adapt: hold { signal: y, period: 0.1 } }",
      "+   sensor: { fmu: sensor.fmu, adapt: hold { signal: y, period: 0.1 }, set: { gain: 2 } }",
    ]);
  });

  it("[SV20] removes the last value with its key", () => {
    const text = "units:\n  a:\n    fmu: a.fmu\n    set: { x: 1 } # once\n  b: b.fmu\n";
    expect(changed({ kind: "set-value", unit: "a", port: "x" }, text)).toEqual([
      "-     set: { x: 1 } # once",
    ]);
  });

  it("[SV20] applies an adaptation, and takes it away", () => {
    expect(
      changed({ kind: "adapt", unit: "motor", adaptation: "multi-rate { rate: 10 }" }),
    ).toEqual([
      "-   motor: motor.fmu # 20 kW",
      "+   motor: { fmu: motor.fmu, adapt: { multi-rate: { rate: 10 } } } # 20 kW",
    ]);
    expect(changed({ kind: "adapt", unit: "sensor" })).toEqual([
      "-   sensor: { fmu: sensor.fmu, adapt: hold { signal: y, period: 0.1 } }",
      "+   sensor: { fmu: sensor.fmu }",
    ]);
  });

  it("[SV20] chooses master and step", () => {
    expect(changed({ kind: "set-master", name: "jacobi" })).toEqual([
      "- master: { name: gauss-seidel, order: [motor, load, sensor] } # in this order",
      "+ master: jacobi # in this order",
    ]);
    expect(changed({ kind: "set-master", name: "gauss-seidel" })).toEqual([]);
    expect(changed({ kind: "set-experiment", key: "step", value: "2 ms" })).toEqual([
      "- experiment: { stop: 10 s, step: 1 ms }",
      "+ experiment: { stop: 10 s, step: 2 ms }",
    ]);
    expect(changed({ kind: "set-experiment", key: "tolerance", value: "1e-6" })).toEqual([
      "- experiment: { stop: 10 s, step: 1 ms }",
      "+ experiment: { stop: 10 s, step: 1 ms, tolerance: 1e-6 }",
    ]);
    expect(edit("units: { a: a.fmu }", { kind: "set-experiment", key: "stop", value: "1 s" })).toBe(
      "units: { a: a.fmu }\nexperiment: { stop: 1 s }",
    );
  });

  it("[SV20] renames a unit wherever it is named", () => {
    const made = edit(TEXT, { kind: "rename-unit", name: "motor", to: "engine" });
    expect(diff(TEXT, made)).toHaveLength(2 * 6);
    expect(made).toContain("  engine: motor.fmu # 20 kW");
    expect(made).toContain("# The motor.");
    expect(made).toContain("- engine.speed + load.speed -> sensor.u");
    expect(made).toContain("order: [engine, load, sensor]");
    expect(made).toContain("record: [engine.*, load.speed]");
    expect(editScenarioText(TEXT, { kind: "rename-unit", name: "motor", to: "load" }).problem).toBe(
      "there is a unit 'load' already",
    );
  });

  it("[SV20] removes a unit with what cannot be without it", () => {
    expect(changed({ kind: "remove-unit", name: "sensor" })).toEqual([
      "-   sensor: { fmu: sensor.fmu, adapt: hold { signal: y, period: 0.1 } }",
      "-   - motor.speed + load.speed -> sensor.u",
    ]);
    expect(changed({ kind: "remove-unit", name: "motor" })).toEqual([
      "-   motor: motor.fmu # 20 kW",
      "- connections:",
      "+ connections: []",
      "-   - motor.speed -> load.speed",
      "-   - { from: load.torque, to: motor.torque, factor: -1 } # backwards",
      "-   - motor.speed + load.speed -> sensor.u",
      "- record: [motor.*, load.speed]",
      "+ record: [load.speed]",
    ]);
  });

  it("refuses a text that is not YAML", () => {
    expect(editScenarioText("a: [", { kind: "set-master", name: "jacobi" }).problem).toMatch(
      /not valid YAML/,
    );
  });
});

// ---- random texts, random edits -------------------------------------------------------------

const UNITS = ["a", "b", "c1", "d-e"];
const PORTS = ["x", "y", "u2"];
const port = fc
  .tuple(fc.constantFrom(...UNITS), fc.constantFrom(...PORTS))
  .map(([unit, name]) => `${unit}.${name}`);
const noise = fc.constantFrom("", "", "", "\n", "# a comment\n", "  # indented\n", "\n\n");
const comment = fc.constantFrom("", "", " # why", "   # because: of { this }");

const unitLines = (name: string) =>
  fc.oneof(
    fc.tuple(comment).map(([c]) => `  ${name}: ${name}.fmu${c}\n`),
    fc.tuple(comment).map(([c]) => `  ${name}: { fmu: ${name}.fmu, set: { x: 1, y: 2 } }${c}\n`),
    fc
      .tuple(comment, noise, comment)
      .map(
        ([c, n, d]) =>
          `  ${name}:${c}\n    fmu: "${name}.fmu"\n${n}    set:\n      x: 1${d}\n      y: [1, 2]\n`,
      ),
    fc
      .tuple(comment)
      .map(([c]) => `  ${name}:\n    module: ${name}.mjs${c}\n    adapt: hold { signal: y }\n`),
  );

const connectionLines = fc.uniqueArray(fc.tuple(port, port), {
  maxLength: 5,
  selector: ([from, to]) => `${from} ${to}`,
});

const scenarioText = fc
  .tuple(
    fc.subarray(UNITS, { minLength: 1 }),
    connectionLines,
    fc.array(noise, { minLength: 24, maxLength: 24 }),
    fc.array(comment, { minLength: 24, maxLength: 24 }),
    fc.infiniteStream(fc.nat(3)),
    fc.boolean(),
    fc.boolean(),
  )
  .chain(([units, wires, noises, comments, , hasMaster, endsWithBreak]) =>
    fc.tuple(...units.map(unitLines)).map((lines) => {
      let n = 0;
      const gap = (): string => noises[n++ % noises.length] as string;
      const say = (): string => comments[n++ % comments.length] as string;
      const body = [
        gap(),
        `name: random${say()}\n`,
        gap(),
        `units:${say()}\n`,
        ...lines.flatMap((line) => [gap(), line]),
        gap(),
        ...(wires.length === 0 ? [] : [`connections:${say()}\n`]),
        ...wires.flatMap(([from, to], i) => [
          gap(),
          i % 3 === 2
            ? `  - { from: ${from}, to: ${to}, factor: 2 }${say()}\n`
            : i % 3 === 1
              ? `  - from: ${from}${say()}\n    to: ${to}\n`
              : `  - ${from} -> ${to}${say()}\n`,
        ]),
        gap(),
        `experiment: { stop: 1 s, step: 1 ms }${say()}\n`,
        gap(),
        ...(hasMaster ? [`master: { name: jacobi, approximation: hold }${say()}\n`, gap()] : []),
        `record: [${units.map((unit) => `${unit}.*`).join(", ")}]${say()}\n`,
        gap(),
      ].join("");
      return endsWithBreak ? body : body.trimEnd();
    }),
  );

const value = fc.constantFrom("3", "5 km/h", "[1, 2]", "true", "a: b", "-1e-3", "it's");
const anyEdit: fc.Arbitrary<ScenarioEdit> = fc.oneof(
  fc.record({
    kind: fc.constant("add-unit" as const),
    name: fc.constantFrom("new", "other_1"),
    source: fc.constantFrom("new.fmu", "models/new unit.fmu", "{ table: a.csv, step: 1 ms }"),
  }),
  fc.record({ kind: fc.constant("remove-unit" as const), name: fc.constantFrom(...UNITS) }),
  fc.record({
    kind: fc.constant("rename-unit" as const),
    name: fc.constantFrom(...UNITS),
    to: fc.constantFrom("renamed", "zz9"),
  }),
  fc.record({ kind: fc.constant("connect" as const), from: port, to: port }),
  fc.record({ kind: fc.constant("disconnect" as const), from: port, to: port }),
  fc.record(
    {
      kind: fc.constant("set-value" as const),
      unit: fc.constantFrom(...UNITS),
      port: fc.constantFrom("x", "y", "k[1,2]"),
      value,
    },
    { requiredKeys: ["kind", "unit", "port"] },
  ),
  fc.record(
    { kind: fc.constant("set-master" as const), name: fc.constantFrom("jacobi", "iterative") },
    { requiredKeys: ["kind"] },
  ),
  fc.record(
    {
      kind: fc.constant("set-experiment" as const),
      key: fc.constantFrom("start", "stop", "step"),
      value: fc.constantFrom("2 s", "0.5", "1 min"),
    },
    { requiredKeys: ["kind", "key"] },
  ),
  fc.record(
    {
      kind: fc.constant("set-unit-step" as const),
      unit: fc.constantFrom(...UNITS),
      value: fc.constantFrom("2 ms", "0.5"),
    },
    { requiredKeys: ["kind", "unit"] },
  ),
  fc.record(
    {
      kind: fc.constant("adapt" as const),
      unit: fc.constantFrom(...UNITS),
      adaptation: fc.constantFrom("hold { signal: y, period: 0.1 }", "multi-rate", "my.sa"),
    },
    { requiredKeys: ["kind", "unit"] },
  ),
) as fc.Arbitrary<ScenarioEdit>;

type Data = Record<string, unknown>;

/** The same edit on plain data, by other means. */
function expected(before: Data, one: ScenarioEdit): Data {
  const after = structuredClone(before);
  const units = (after["units"] ?? {}) as Data;
  const unit = (name: string): Data => {
    if (typeof units[name] === "string") {
      const path = units[name];
      units[name] = { [path.endsWith(".mjs") ? "module" : "fmu"]: path };
    }
    return units[name] as Data;
  };
  const put = (map: Data, key: string, text: string | undefined): void => {
    if (text === undefined) delete map[key];
    else {
      let made: unknown = text;
      try {
        const [only, ...more] = parse(`[${text}]`) as unknown[];
        if (more.length === 0 && !(typeof only === "object" && !text.startsWith("["))) made = only;
      } catch {
        // It is a text.
      }
      map[key] = made;
    }
  };
  const ends = (item: unknown): { from: string; to: string } => {
    if (typeof item !== "string") return item as { from: string; to: string };
    const [from = "", to = ""] = item.split(" -> ");
    return { from, to };
  };
  const wires = (after["connections"] ?? []) as unknown[];
  const setWires = (list: unknown[]): void => {
    if (list.length === 0) delete after["connections"];
    else after["connections"] = list;
  };
  switch (one.kind) {
    case "add-unit":
      units[one.name] = one.source.startsWith("{") ? parse(one.source) : one.source;
      break;
    case "remove-unit": {
      delete units[one.name];
      const isOf = (text: string): boolean => text.startsWith(`${one.name}.`);
      setWires(wires.filter((item) => !isOf(ends(item).from) && !isOf(ends(item).to)));
      const record = (after["record"] as string[]).filter((pattern) => !isOf(pattern));
      if (record.length > 0) after["record"] = record;
      else delete after["record"];
      break;
    }
    case "rename-unit": {
      const renamed = (text: string): string =>
        text.startsWith(`${one.name}.`) ? one.to + text.slice(one.name.length) : text;
      after["units"] = Object.fromEntries(
        Object.entries(units).map(([name, given]) => [name === one.name ? one.to : name, given]),
      );
      setWires(
        wires.map((item) => {
          const { from, to } = ends(item);
          return typeof item === "string"
            ? `${renamed(from)} -> ${renamed(to)}`
            : { ...(item as Data), from: renamed(from), to: renamed(to) };
        }),
      );
      after["record"] = (after["record"] as string[]).map(renamed);
      break;
    }
    case "connect":
      setWires([...wires, `${one.from} -> ${one.to}`]);
      break;
    case "disconnect":
      setWires(wires.filter((item) => ends(item).from !== one.from || ends(item).to !== one.to));
      break;
    case "set-value": {
      if (one.value === undefined && typeof units[one.unit] === "string") break;
      const map = unit(one.unit);
      const set = (map["set"] ?? {}) as Data;
      put(set, one.port, one.value);
      if (Object.keys(set).length > 0) map["set"] = set;
      else delete map["set"];
      break;
    }
    case "set-unit-step":
      if (one.value !== undefined || typeof units[one.unit] !== "string")
        put(unit(one.unit), "step", one.value);
      break;
    case "adapt": {
      if (one.adaptation === undefined && typeof units[one.unit] === "string") break;
      const use = one.adaptation?.startsWith("hold") ? "{ hold: { signal: y, period: 0.1 } }" : "";
      const map = unit(one.unit);
      if (use !== "") map["adapt"] = parse(use);
      else put(map, "adapt", one.adaptation);
      break;
    }
    case "set-master": {
      const given = after["master"] as { name: string } | undefined;
      if (one.name === undefined) delete after["master"];
      else if (given?.name !== one.name) after["master"] = one.name;
      break;
    }
    case "set-experiment":
      put(after["experiment"] as Data, one.key, one.value);
      break;
  }
  return after;
}

/** Lines that an edit may change: those that say what is edited. */
function isConcerned(line: string, one: ScenarioEdit): boolean {
  switch (one.kind) {
    case "add-unit":
      return line.startsWith("+");
    case "remove-unit":
    case "rename-unit":
      return true;
    case "connect":
      return line.startsWith("+");
    case "disconnect":
      return line.includes(one.from) || line.includes(one.to) || /connections:/.test(line);
    case "set-master":
      return line.includes("master:");
    case "set-experiment":
      return line.includes("experiment:");
    default:
      return true;
  }
}

/** Blank lines and comments inside of a unit: they go with it. */
function quietInside(text: string, unit: string): number {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.startsWith(`  ${unit}:`));
  if (first < 0) return 0;
  const next = lines.findIndex((line, i) => i > first && /^ {0,2}[^ #]/.test(line));
  const inside = lines.slice(first + 1, next < 0 ? undefined : next);
  const isQuiet = (line: string): boolean => /^\s*(#.*)?$/.test(line);
  return inside.slice(0, inside.findLastIndex((line) => !isQuiet(line)) + 1).filter(isQuiet).length;
}

describe("random edits of random texts", () => {
  const runs = process.env["COSIMO_ALL_CASES"] ? 4000 : 400;

  it("[SV21] an edit changes the data that it is about, and no other", () => {
    fc.assert(
      fc.property(scenarioText, anyEdit, (text, one) => {
        const made = editScenarioText(text, one);
        if (made.problem !== undefined) {
          expect(made.text).toBe(text);
          expect(made.problem).toMatch(/there is|is not written as a connection|already/);
          return;
        }
        expect(applyChanges(text, made.changes)).toBe(made.text);
        expect(data(made.text)).toEqual(expected(data(text), one));
      }),
      { numRuns: runs },
    );
  });

  it("[SV22] an edit keeps every comment and every blank line that it does not concern", () => {
    fc.assert(
      fc.property(scenarioText, anyEdit, (text, one) => {
        const made = editScenarioText(text, one);
        const lines = diff(text, made.text);
        // Comments on lines of their own, and blank lines, all stay; a line that sets something
        // apart may come.
        const removed = lines.filter((line) => line.startsWith("- "));
        const quiet = removed.filter((line) => /^- \s*(#.*)?$/.test(line));
        expect(quiet.length).toBe(one.kind === "remove-unit" ? quietInside(text, one.name) : 0);
        expect(lines.filter((line) => !isConcerned(line, one))).toEqual([]);
        // A comment behind something that stays, stays as well.
        const comments = (all: readonly string[]): number =>
          all.filter((line) => line.includes("#")).length;
        if (!["remove-unit", "disconnect"].includes(one.kind)) {
          const isRemoval = !(
            "value" in one ||
            "name" in one ||
            "adaptation" in one ||
            "to" in one
          );
          if (!isRemoval) expect(comments(made.text.split("\n"))).toBe(comments(text.split("\n")));
        }
      }),
      { numRuns: runs },
    );
  });
});
