/**
 * FMUs as sources, without binaries: how they are described, unpacked and placed in an exported
 * FMU.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { platformTuple } from "../../fmi/archive-contents.ts";
import { fmi2, fmi3 } from "../../fmi/testing/description-text.ts";
import { portNamed, portSize } from "../../model/unit-description.ts";
import { exportContext, use } from "../testing/export-context.ts";
import { type FmuStub, fmuStub } from "../testing/fmu-stub.ts";
import { fmuSource, readFmu } from "./fmu.ts";
import type { OpenContext, Source } from "./source.ts";
import { SourceTree } from "./tree.ts";

const HERE = platformTuple(process.platform, process.arch);

const SIZED = fmi3({
  variables: `
    <Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
    <UInt64 name="n" valueReference="2" causality="structuralParameter" variability="fixed" start="2"/>
    <Float64 name="k" valueReference="3" causality="parameter" variability="tunable" start="1"/>
    <Float64 name="u" valueReference="4" causality="input" start="0 0"><Dimension valueReference="2"/></Float64>
    <Float64 name="y" valueReference="1" causality="output"/>`,
});

const FOLLOWING = fmi3({
  interfaces:
    '<CoSimulation modelIdentifier="M" providesIntermediateUpdate="true" canHandleVariableCommunicationStepSize="true"/>',
  variables: `
    <Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
    <Float64 name="u" valueReference="2" causality="input" start="0" intermediateUpdate="true"/>
    <Float64 name="y" valueReference="1" causality="output"/>`,
});

function sourceFor(fmu: FmuStub): Source {
  const { coSimulation } = fmu.description;
  if (coSimulation === undefined) throw new Error("test: no co-simulation");
  return fmuSource(fmu, fmu.path, {})!;
}

const unit = { name: "plant", place: { file: "s.yaml", line: 3 } };

describe("the description of an FMU", () => {
  it("has the shape that structural parameters give it; other values shape nothing", () => {
    const source = sourceFor(fmuStub("sized.fmu", SIZED));
    const sizeOf = (...given: readonly [string, number][]): number => {
      const description = source.describe(new Map(given), unit);
      const port = description && portNamed(description, "u");
      return port === undefined ? -1 : portSize(port);
    };
    expect(sizeOf()).toBe(2);
    expect(sizeOf(["n", 5])).toBe(5);
    expect(sizeOf(["k", 5])).toBe(2);
    expect(sizeOf(["k", 7], ["n", 3])).toBe(3);
  });

  it("takes input derivatives where it asks for inputs inside of its steps", () => {
    const order = (text: string): number | undefined =>
      sourceFor(fmuStub("f.fmu", text)).describe(new Map(), unit)?.capabilities
        .inputDerivativeOrder;
    expect(order(FOLLOWING)).toBe(2);
    expect(order(FOLLOWING.replace('providesIntermediateUpdate="true"', ""))).toBe(0);
  });

  it("has terminals where the FMU has a list of them that can be read", () => {
    const FILE = "terminalsAndIcons/terminalsAndIcons.xml";
    const terminals = `<?xml version="1.0"?>
<fmiTerminalsAndIcons fmiVersion="3.0"><Terminals><Terminal name="plug" matchingRule="plug">
<TerminalMemberVariable variableName="y" memberName="y" variableKind="signal"/></Terminal></Terminals></fmiTerminalsAndIcons>`;
    const names = (texts: Readonly<Record<string, string>>): string[] | undefined =>
      sourceFor(fmuStub("t.fmu", fmi3(), texts))
        .describe(new Map(), unit)
        ?.terminals?.map(({ name }) => name);
    expect(names({})).toBeUndefined();
    expect(names({ [FILE]: terminals })).toEqual(["plug"]);
    expect(names({ [FILE]: "<broken" })).toBeUndefined();
  });
});

describe("an FMU that becomes part of another one", () => {
  const library = (name: string, folder = HERE): string => `binaries/${folder}/${name}.so`;

  it("needs a binary for this machine where one is compiled, and says what it offers", () => {
    const toC = (texts: Readonly<Record<string, string>>, needsBinaries: boolean) => {
      const context = exportContext({ needsBinaries });
      const node = sourceFor(fmuStub("m.fmu", fmi3(), texts)).toC?.(use("plant"), context);
      return { isMade: node !== undefined, said: context.reported.map(({ message }) => message) };
    };
    const elsewhere = { [library("M", "riscv32-linux")]: "", [library("M", "vendor")]: "" };
    expect(toC({ [library("M")]: "" }, true)).toEqual({ isMade: true, said: [] });
    expect(toC(elsewhere, false)).toEqual({ isMade: true, said: [] });
    const refused = toC(elsewhere, true);
    expect(refused.isMade).toBe(false);
    expect(refused.said).toEqual([
      `the FMU of 'plant' has no binary for ${HERE}; it offers riscv32-linux, vendor`,
    ]);
    expect(toC({}, true).said[0]).toContain("it offers none");
  });

  const inner = (text: string, texts: Readonly<Record<string, string>>, more = {}) => {
    const node = sourceFor(fmuStub("m.fmu", text, texts)).toC?.(
      use("plant", more),
      exportContext(),
    );
    if (node?.kind !== "fmu") throw new Error("test: no FMU");
    return node.fmu;
  };

  it("takes the library that has the name of the model, else the first", () => {
    const pathOf = (...names: readonly string[]): string =>
      inner(fmi3(), Object.fromEntries(names.map((name) => [library(name), ""]))).library;
    expect(pathOf("A", "M")).toBe(library("M"));
    expect(pathOf("B", "A")).toBe(library("A"));
    expect(pathOf()).toBe("");
  });

  it("carries what its C needs to know: version, token, resources, sizes, references", () => {
    const made = inner(SIZED, { "resources/data.csv": "1" }, { structural: new Map([["n", 4]]) });
    expect(made).toMatchObject({
      version: 3,
      folder: "folder of m.fmu",
      modelIdentifier: "M",
      token: "{t}",
      hasResources: true,
      isAsynchronous: false,
      references: [0, 2, 3, 4, 1],
      followed: [],
    });
    expect([...made.structural]).toEqual([[1, 4]]);
    expect(inner(fmi2(), {})).toMatchObject({ version: 2, token: "{g}", hasResources: false });
  });

  it("follows inputs only where slopes are given", () => {
    expect(inner(FOLLOWING, {}, { takesSlopes: true }).followed).toEqual([1]);
    expect(inner(FOLLOWING, {}, { takesSlopes: false }).followed).toEqual([]);
    expect(inner(fmi3(), {}, { takesSlopes: true }).followed).toEqual([]);
  });

  it("is one node for all uses that are alike, and another for other sizes or slopes", () => {
    const keys: string[] = [];
    const context = exportContext({
      once: (_, key, make) => {
        keys.push(key);
        return make();
      },
    });
    const source = sourceFor(fmuStub("m.fmu", FOLLOWING));
    for (const more of [
      {},
      {},
      { takesSlopes: true },
      { structural: new Map([["n", 1]]) },
      { structural: new Map([["n", 2]]) },
    ])
      source.toC?.(use("plant", more), context);
    expect(keys[1]).toBe(keys[0]);
    expect(new Set(keys).size).toBe(4);
  });
});

describe("an FMU that is read", () => {
  const treeOf = (fmu: FmuStub, findings: readonly string[] = []): SourceTree =>
    new SourceTree(
      {
        exists: () => true,
        text: () => "",
        fmu: () => ({
          value: fmu,
          diagnostics: findings.map((code) => ({
            code,
            severity: "error" as const,
            message: code,
            fix: "",
            place: { file: "m.fmu" },
          })),
        }),
        notTrusted: () => undefined,
        module: async () => ({}),
        package: async () => ({ diagnostics: [] }),
      },
      "/nowhere",
    );
  const draft = { ...unit, source: { kind: "fmu" as const, path: "m.fmu" }, values: [] };
  const request = { unit: draft, source: draft.source, path: "/m.fmu", file: "s.yaml", around: [] };

  it("must have an interface that can be driven; the message stands at the unit", async () => {
    const tree = treeOf(fmuStub("m.fmu", fmi3({ interfaces: "" })));
    expect(await readFmu(request, tree)).toBeUndefined();
    expect(tree.diagnostics.map(({ code, place }) => [code, place.line])).toEqual([
      ["unit-no-co-simulation", 3],
    ]);
  });

  it("is refused with its findings, which come before the one at the unit", async () => {
    const tree = treeOf(fmuStub("m.fmu", fmi3()), ["xml-broken"]);
    expect(await readFmu(request, tree)).toBeUndefined();
    expect(tree.diagnostics.map(({ code }) => code)).toEqual(["xml-broken", "unit-source-broken"]);
  });

  it("is one source for two units, with the path that was named", async () => {
    const tree = treeOf(fmuStub("m.fmu", fmi3()));
    const first = await readFmu(request, tree);
    expect(first?.path).toBe("/m.fmu");
    expect(await readFmu({ ...request, unit: { ...draft, name: "other" } }, tree)).toBe(first);
    expect(tree.diagnostics).toEqual([]);
  });
});

describe("an FMU that is opened", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cosimo-fmu-source-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Opening fails where there is no library; until then it was unpacked. */
  async function unpackedBy(fmu: FmuStub, names: readonly string[], ownLibraries?: boolean) {
    const around: OpenContext = {
      folder,
      ...(ownLibraries === undefined ? {} : { ownLibraries }),
      native: () => ({}),
      openScenario: () => Promise.reject(new Error("test: no scenario")),
    };
    const source = sourceFor(fmu);
    for (const name of names) await expect(source.open(use(name), around)).rejects.toThrow();
    return fmu.unpacked;
  }

  it("is unpacked once for all its instances, into a folder of the run", async () => {
    const folders = await unpackedBy(fmuStub(join(folder, "a.fmu"), fmi3()), ["one", "two"]);
    expect(folders).toHaveLength(1);
    expect(folders[0].startsWith(folder)).toBe(true);
  });

  it("is unpacked for each instance where the caller wants copies", async () => {
    const folders = await unpackedBy(fmuStub(join(folder, "b.fmu"), fmi3()), ["one", "two"], true);
    expect(new Set(folders).size).toBe(2);
  });

  it("is never copied where it may exist only once per process", async () => {
    const interfaces =
      '<CoSimulation modelIdentifier="M" canBeInstantiatedOnlyOncePerProcess="true"/>';
    const fmu = fmuStub(join(folder, "c.fmu"), fmi3({ interfaces }));
    expect(await unpackedBy(fmu, ["one", "two"], true)).toHaveLength(1);
  });

  it("has findings about its own file, not about the folder that it was unpacked to", async () => {
    const fmu = fmuStub(join(folder, "d.fmu"), fmi3());
    const around: OpenContext = {
      folder,
      native: () => ({}),
      openScenario: () => Promise.reject(new Error("test: no scenario")),
    };
    const failed = await sourceFor(fmu)
      .open(use("one"), around)
      .catch((error: Error) => error);
    expect(failed).toBeInstanceOf(Error);
    const message = (failed as Error).message;
    for (const target of fmu.unpacked) expect(message).not.toContain(target);
    expect(message).toContain("d.fmu");
  });
});
