/**
 * Every rule of `cosimo validate` finds its defect: a set of small broken descriptions, one rule
 * each, and FMU folders for the rules about files. A file is named `<code>[.<variant>].xml` and
 * marks the line with `<!-- expect -->`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../src/base/diagnostic.ts";
import { contentsOf } from "../src/fmi/archive-contents.ts";
import type { FmuDescription, FmuVariable } from "../src/fmi/description.ts";
import { parseModelDescription } from "../src/fmi/parse-description.ts";
import { LISTED_PER_CODE } from "../src/fmi/validate/findings.ts";
import { VALIDATION_RULES } from "../src/fmi/validate/rule-table.ts";
import { validateDescription, validateFiles } from "../src/fmi/validate/validate.ts";
import { openFmuFile } from "../src/platform/node/fmu-file.ts";

const TESTS = dirname(fileURLToPath(import.meta.url));
const FIXTURES = join(TESTS, "..", "..", "..", "fixtures", "build");

interface Broken {
  readonly path: string;
  readonly code: string;
  readonly text: string;
}

const broken: Broken[] = ["fmi2", "fmi3"].flatMap((version) =>
  readdirSync(join(TESTS, "broken", version)).map((name) => ({
    path: `${version}/${name}`,
    code: name.split(".")[0]!,
    text: readFileSync(join(TESTS, "broken", version, name), "utf8"),
  })),
);

/** What the tests of this file have found; the last test compares it with the table. */
const seen = new Set<string>();

function noted(diagnostics: readonly Diagnostic[]): string[] {
  for (const { code } of diagnostics) seen.add(code);
  return diagnostics.map(({ code }) => code);
}

function allFindings(text: string): Diagnostic[] {
  const { value, diagnostics } = parseModelDescription(text, "m.xml");
  return [...diagnostics, ...(value === undefined ? [] : validateDescription(value, "m.xml"))];
}

describe("a broken description", () => {
  it("is one of a large set", () => {
    expect(broken.length).toBeGreaterThanOrEqual(45);
  });

  it.each(broken)("[VA1] $path: exactly that is found, in the marked line", ({ code, text }) => {
    const findings = allFindings(text);
    const marked = text.split("\n").findIndex((line) => line.includes("<!-- expect -->")) + 1;
    noted(findings);
    expect(findings.map((d) => `${d.code} in line ${d.place.line}`)).toEqual([
      `${code} in line ${marked}`,
    ]);
    expect(findings[0]!.fix).not.toBe("");
  });
});

const SMALL = `<fmiModelDescription fmiVersion="2.0" modelName="m" guid="g">
  <CoSimulation modelIdentifier="m"><SourceFiles><File name="m.c"/></SourceFiles></CoSimulation>
  <ModelVariables>
    <ScalarVariable name="p" valueReference="0" causality="parameter" variability="fixed"><Real start="1"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure/>
</fmiModelDescription>`;
const FMI2 = parseModelDescription(SMALL).value!;
const FMI3 = parseModelDescription(
  `<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="t">
  <CoSimulation modelIdentifier="m"/>
  <ModelVariables><Float64 name="time" valueReference="0" causality="independent"/></ModelVariables>
  <ModelStructure/>
</fmiModelDescription>`,
).value!;

describe("what is not a defect", () => {
  const CLOCKED = `<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="t">
  <CoSimulation modelIdentifier="m" hasEventMode="true"/>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent"/>
    <Clock name="c" valueReference="1" causality="input" intervalVariability="fixed"/>
    <Int32 name="memory" valueReference="2" clocks="1" initial="exact" start="0"/>
    <Int32 name="count" valueReference="3" causality="output" clocks="1" previous="2"/>
    <UInt64 name="n" valueReference="4" causality="structuralParameter" start="2" min="0"/>
    <Float64 name="x" valueReference="5" initial="exact" start="0 0"><Dimension valueReference="4"/></Float64>
    <Float64 name="der(x)" valueReference="6" derivative="5"><Dimension valueReference="4"/></Float64>
  </ModelVariables>
  <ModelStructure>
    <Output valueReference="3" dependencies="1 2"/>
    <ContinuousStateDerivative valueReference="6" dependencies="5"/>
    <ClockedState valueReference="3"/>
    <InitialUnknown valueReference="6"/>
    EXTRA
  </ModelStructure>
</fmiModelDescription>`;

  it("[VA7] clocked variables may be initial unknowns and need not be", () => {
    expect(allFindings(CLOCKED.replace("EXTRA", ""))).toEqual([]);
    expect(allFindings(CLOCKED.replace("EXTRA", '<InitialUnknown valueReference="3"/>'))).toEqual(
      [],
    );
  });

  it("[VA5] what the standard allows is a warning at most", () => {
    const severities = Object.entries(VALIDATION_RULES).filter(([, r]) => r.severity !== "error");
    expect(severities.map(([code]) => code).sort()).toEqual([
      "binary-name",
      "build-description-missing",
      "clocks-without-event-mode",
      "continuous-not-real",
      "dependency-not-known",
      "documentation-entry-missing",
      "early-return-without-update",
      "initial-unknowns-absent",
      "license-entry-missing",
      "more-of-the-same",
      "platform-folder-version",
      "terminals-folder",
      "token-empty",
      "variability-missing",
    ]);
  });
});

it("[VA9] a description without a defect gives no finding", () => {
  expect([...validateDescription(FMI2), ...validateDescription(FMI3)]).toEqual([]);
});

describe("the files of an FMU", () => {
  function codes(d: FmuDescription, names: string[], texts: Record<string, string> = {}): string[] {
    const contents = contentsOf(["modelDescription.xml", ...names, ...Object.keys(texts)]);
    return noted(validateFiles(contents, d, { file: "m.fmu", read: (name) => texts[name] }));
  }
  const terminals = (inner: string) => ({
    "terminalsAndIcons/terminalsAndIcons.xml": `<fmiTerminalsAndIcons fmiVersion="3.0"><Terminals><Terminal name="t" matchingRule="bus">${inner}</Terminal></Terminals></fmiTerminalsAndIcons>`,
  });
  const build = (identifier: string) => ({
    "sources/buildDescription.xml": `<fmiBuildDescription fmiVersion="3.0"><BuildConfiguration modelIdentifier="${identifier}"><SourceFileSet><SourceFile name="m.c"/></SourceFileSet></BuildConfiguration></fmiBuildDescription>`,
  });
  const so = "binaries/linux64/m.so";
  const so3 = "binaries/x86_64-linux/m.so";

  it("[VA8] are fine when everything that is named is there", () => {
    expect(codes(FMI2, [so, "sources/m.c"])).toEqual([]);
    expect(codes(FMI3, [so3, "sources/m.c"], build("m"))).toEqual([]);
    const member = '<TerminalMemberVariable variableName="time" variableKind="signal"/>';
    expect(codes(FMI3, [so3], terminals(member))).toEqual([]);
    expect(
      codes(FMI3, [so3, "documentation/index.html", "documentation/licenses/license.txt"]),
    ).toEqual([]);
  });

  it.each<[code: string, d: FmuDescription, names: string[], texts?: Record<string, string>]>([
    ["no-implementation", FMI3, ["resources/x"]],
    ["binary-missing", FMI3, ["binaries/x86_64-linux/a.so", "binaries/x86_64-linux/b.so"]],
    ["binary-name", FMI3, ["binaries/x86_64-windows/other.dll"]],
    ["platform-folder-version", FMI3, [so]],
    ["source-missing", FMI2, [so]],
    ["source-missing", FMI3, [so3], build("m")],
    ["build-description-missing", FMI3, [so3, "sources/m.c"]],
    ["build-identifier-unknown", FMI3, [so3, "sources/m.c"], build("other")],
    [
      "terminal-variable-unknown",
      FMI3,
      [so3],
      terminals('<TerminalMemberVariable variableName="tiem" variableKind="signal"/>'),
    ],
    [
      "picture-missing",
      FMI3,
      [so3],
      terminals(
        '<TerminalGraphicalRepresentation x1="0" y1="0" x2="1" y2="1" iconBaseName="plug"/>',
      ),
    ],
    ["picture-missing", FMI3, [so3, "terminalsAndIcons/icon.svg"]],
    ["terminals-folder", FMI3, [so3, "icons/terminalsAndIcons.xml"]],
    ["documentation-entry-missing", FMI3, [so3, "documentation/manual.pdf"]],
    ["license-entry-missing", FMI3, [so3, "documentation/licenses/BSD"]],
  ])("[VA8] %s", (code, d, names, texts) => {
    expect(codes(d, names, texts)).toEqual([code]);
  });

  it("[VA8] a terminal's wrong variable comes with the nearest name", () => {
    const texts = terminals('<TerminalMemberVariable variableName="tiem" variableKind="signal"/>');
    const contents = contentsOf([so3, ...Object.keys(texts)]);
    const [finding] = validateFiles(contents, FMI3, {
      read: (name) => texts[name as keyof typeof texts],
    });
    expect(finding!.fix).toBe("did you mean 'time'?");
  });
});

describe("a large description", () => {
  function withVariables(count: number, change: Partial<FmuVariable>): FmuDescription {
    const pattern = { ...FMI2.variables[0]!, ...change };
    const shared = change.valueReference;
    const variables = Array.from({ length: count }, (_, i) => ({
      ...pattern,
      name: `p${i}`,
      valueReference: shared ?? i,
      line: i + 10,
    }));
    return { ...FMI2, variables };
  }

  it("[VA3] lists each rule a limited number of times and counts the rest", () => {
    const findings = validateDescription(withVariables(LISTED_PER_CODE + 7, { unit: "nope" }));
    const codes = noted(findings);
    expect(codes.filter((code) => code === "unit-undefined")).toHaveLength(LISTED_PER_CODE);
    expect(codes.at(-1)).toBe("more-of-the-same");
    expect(findings.at(-1)!.message).toContain("7 more findings of 'unit-undefined'");
  });

  it("[VA3] lists findings in the order of lines", () => {
    const findings = validateDescription(withVariables(100, { unit: "nope", nominal: 0 }));
    const lines = findings.map((d) => d.place.line!);
    expect(lines).toEqual([...lines].sort((a, b) => a - b));
  });

  it("[VA4] takes time in proportion to its size, whatever is wrong with it", () => {
    const units = Array.from({ length: 2_000 }, (_, i) => ({
      unit: { name: `unit${i}` },
      displayUnits: [],
      line: 1,
    }));
    const d = {
      ...withVariables(100_000, { unit: "unitt", declaredType: "none", valueReference: 1 }),
      units,
    };
    // Quadratic work would be 10^10 steps here and run into the time limit of the test.
    expect(noted(validateDescription(d))).toContain("alias-two-starts");
  });
});

describe("fixtures", () => {
  const fmus = ["fmi2", "fmi3"].flatMap((version) => {
    const folder = join(FIXTURES, version);
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((name) => name.endsWith(".fmu"))
      .map((name) => join(folder, name));
  });

  it.runIf(fmus.length > 0)("[VA9] have no defect at all", () => {
    for (const path of fmus) {
      const { value, diagnostics } = openFmuFile(path);
      const read = value!.readText;
      const findings = [
        ...diagnostics,
        ...validateDescription(value!.description),
        ...validateFiles(value!.contents, value!.description, { read }),
      ];
      expect(findings, path).toEqual([]);
    }
  });
});

it("[VA2] every rule has found its defect in a test above", () => {
  expect(Object.keys(VALIDATION_RULES).filter((code) => !seen.has(code))).toEqual([]);
});
