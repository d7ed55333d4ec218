/**
 * System structures as other tools write them: what they get wrong that can be read all the same,
 * each with a note, and as an error where the standard is asked.
 */
import { describe, expect, it } from "vitest";
import { hasErrors } from "../base/diagnostic.ts";
import type { ScenarioDraft } from "../model/scenario.ts";
import { parseSsd } from "./parse-ssd.ts";
import { strictly } from "./ssp-diagnostics.ts";
import {
  bindings,
  component,
  connections,
  connectors,
  elements,
  parameterMapping,
  parameterSet,
  ssd,
  system,
} from "./testing/ssd-text.ts";

const A = component("a", "u< y>");
const B = component("b", "u< y>");

interface Read {
  readonly draft: ScenarioDraft;
  /** Beside what is not used. */
  readonly codes: readonly string[];
}

/** What is read without an error, of which `validate` makes one of every finding in `codes`. */
function tolerated(text: string, files: Readonly<Record<string, string>> = {}): Read {
  const { value, diagnostics } = parseSsd(text, "x.ssd", (path) => files[path], { packed: true });
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const found = diagnostics.filter(({ code }) => code !== "ssp-unused");
  for (const { code, severity } of strictly(found))
    expect([code, severity]).toEqual([code, "error"]);
  return { draft: value!, codes: [...new Set(found.map(({ code }) => code))] };
}

const wires = ({ draft }: Read): string[] =>
  draft.connections.map(({ from, to }) => `${from} -> ${to}`);

describe("system structures of other tools", () => {
  it("[SS29] an empty startElement or endElement is the system itself", () => {
    const text = ssd(connectors("in< out>") + elements(A) + connections("in -> a.u", "a.y -> out"))
      .replace('startConnector="in"', 'startElement="" startConnector="in"')
      .replace('endConnector="out"', 'endElement="" endConnector="out"');
    const read = tolerated(text);
    expect(read.codes).toEqual(["ssp-empty-attribute"]);
    expect(read.draft.ports.map(({ name, inner }) => `${name}=${inner}`)).toEqual([
      "in=a.u",
      "out=a.y",
    ]);
  });

  it("[SS29] an empty unit is none, an undeclared one is what its name means", () => {
    const typed = (unit: string): string =>
      A.replace('kind="output"/>', `kind="output"><ssc:Real unit="${unit}"/></ssd:Connector>`);
    expect(tolerated(ssd(elements(typed("")))).codes).toEqual(["ssp-empty-attribute"]);
    expect(tolerated(ssd(elements(typed("rad/s")))).codes).toEqual(["ssp-unknown-unit"]);
    const set = (unit: string): Read =>
      tolerated(ssd(elements(component("a", "", bindings(`k=2_${unit}`)))));
    const firstValue = ({ draft }: Read): unknown => draft.units[0]!.values[0];
    expect(firstValue(set("km"))).toMatchObject({ value: 2, unit: "km" });
    expect(set("km").codes).toEqual(["ssp-unknown-unit"]);
    expect(firstValue(set("furlong"))).toMatchObject({ value: 2 });
    expect(firstValue(set("furlong"))).not.toHaveProperty("unit");
  });

  it("[SS14] the unit of a connector goes with the port, where it has a meaning", () => {
    const typed = (unit: string): string =>
      A.replace('kind="output"/>', `kind="output"><ssc:Real unit="${unit}"/></ssd:Connector>`);
    const unitsOf = (unit: string) => tolerated(ssd(elements(typed(unit)))).draft.units[0]!;
    expect(unitsOf("km").portUnits).toMatchObject([
      { port: "y", unit: { base: { factor: 1000 } } },
    ]);
    expect(unitsOf("furlong")).not.toHaveProperty("portUnits");
  });

  it("[SS29] an undeclared enumeration is the one of the FMU", () => {
    const text = ssd(
      elements(
        A.replace('kind="output"/>', 'kind="output"><ssc:Enumeration name="E"/></ssd:Connector>'),
      ),
    );
    expect(tolerated(text).codes).toEqual(["ssp-unknown-enumeration"]);
  });

  it("[SS29] a mapping without version is one of 1.0", () => {
    const mapping = parameterMapping("k=x").replace(' version="1.0"', "");
    const binding = `<ssd:ParameterBindings><ssd:ParameterBinding source="p.ssv"><ssd:ParameterMapping>${mapping}</ssd:ParameterMapping></ssd:ParameterBinding></ssd:ParameterBindings>`;
    const read = tolerated(ssd(elements(component("a", "", binding))), {
      "p.ssv": parameterSet("k=5"),
    });
    expect(read.codes).toEqual(["ssp-absent"]);
    expect(read.draft.units[0]!.values).toMatchObject([{ port: "x", value: 5 }]);
  });

  it.each([
    ["<ssd:Connections/>", `${elements(A)}<ssd:Connections/>`],
    [
      "<ssd:Connectors/>",
      elements(A.replace(/<ssd:Connectors>.*<\/ssd:Connectors>/, "<ssd:Connectors/>")),
    ],
    ["<ssd:ParameterBindings/>", `<ssd:ParameterBindings/>${elements(A)}`],
  ])("[SS29] %s may be empty", (_, content) => {
    expect(tolerated(ssd(content)).codes).toEqual(["empty-list"]);
  });

  it("[SS29] connectors, connections and components may be repeated with the same content", () => {
    const twice = A.replace(
      "</ssd:Connectors>",
      '<ssd:Connector name="y" kind="output"/></ssd:Connectors>',
    );
    const read = tolerated(ssd(elements(twice, B, B) + connections("a.y -> b.u", "a.y -> b.u")));
    expect(read.codes).toEqual(["ssp-repeated"]);
    expect(wires(read)).toEqual(["a.y -> b.u"]);
    expect(read.draft.units.map(({ name }) => name)).toEqual(["a", "b"]);
    const other = parseSsd(ssd(elements(A, component("a", "v<"))), "x.ssd", () => undefined);
    expect(other.diagnostics.map(({ code }) => code)).toContain("ssp-duplicate-name");
    expect(hasErrors(other.diagnostics)).toBe(true);
  });

  it("[SS29] a connection may be said from either end, with the same content", () => {
    const read = tolerated(ssd(elements(A, B) + connections("b.u -> a.y", "a.y -> b.u")));
    expect(read.codes).toEqual(["ssp-repeated"]);
    expect(wires(read)).toEqual(["a.y -> b.u"]);
    const wide = (to: string): string =>
      `a.y -> b.u | <ssc:IntegerMappingTransformation><ssc:MapEntry source="9223372036854775807" target="${to}"/></ssc:IntegerMappingTransformation>`;
    expect(tolerated(ssd(elements(A, B) + connections(wide("1"), wide("1")))).codes).toEqual([
      "ssp-repeated",
    ]);
    const differs = ssd(elements(A, B) + connections(wide("1"), wide("2")));
    expect(wires(tolerated(differs))).toEqual(["a.y -> b.u", "a.y -> b.u"]);
  });

  it("[SS29] drawings may lack what the schema requires of them", () => {
    const text = ssd(
      elements(A.replace("</ssd:Connectors>", "</ssd:Connectors><ssd:ElementGeometry/>")),
    );
    expect(tolerated(text).codes).toEqual(["ssp-absent"]);
  });

  it("[SS29] literals are read for what they mean", () => {
    const set = bindings("b=true k=5").replace('"true"', '"True"');
    const read = tolerated(ssd(elements(component("a", "", set))));
    expect(read.codes).toEqual(["odd-literal"]);
    expect(read.draft.units[0]!.values).toMatchObject([{ value: true }, { value: 5 }]);
  });

  it("[SS29] names may be repeated in systems inside each other", () => {
    const inner = system("a", "y>", elements(A) + connections("a.y -> y"));
    const read = tolerated(ssd(elements(inner, B) + connections("a.y -> b.u")));
    expect(read.codes).toEqual([]);
    expect(wires(read)).toEqual(["a.y -> b.u"]);
  });

  it.each([
    ["./resources/a.fmu", "resources/a.fmu", []],
    ["resources\\sub\\a.fmu", "resources/sub/a.fmu", ["ssp-source-spelling"]],
    ["file:resources/a.fmu", "resources/a.fmu", ["ssp-source-spelling"]],
    ["resources/a%20b.fmu", "resources/a b.fmu", []],
    ["resources/100%.fmu", "resources/100%.fmu", ["ssp-source-spelling"]],
  ])("[SS29] the source %j is the file %j", (source, path, codes) => {
    const read = tolerated(ssd(elements(A.replace("a.fmu", source))));
    expect(read.draft.units[0]!.source).toEqual({ kind: "fmu", path });
    expect(read.codes).toEqual(codes);
  });

  it("[SS29] in a package, a path from its root is a path from its root", () => {
    const text = ssd(elements(A.replace("a.fmu", "/resources/a.fmu")));
    const { value, diagnostics } = parseSsd(text, "x.ssd", () => undefined, { packed: true });
    expect(value!.units[0]!.source).toEqual({ kind: "fmu", path: "resources/a.fmu" });
    expect(diagnostics.map(({ code }) => code)).toEqual(["ssp-source-spelling"]);
  });

  it.each([
    "/../a.fmu",
    "//host/a.fmu",
    "%2f%2fetc/a.fmu",
    "file:///etc/a.fmu",
    "..\\a.fmu",
    "C:\\a.fmu",
    "%2e%2e/a.fmu",
    "file:../a.fmu",
    "\\\\host\\a.fmu",
    "http://x/a.fmu",
  ])("[SS18] the source %j still leads nowhere", (source) => {
    const text = ssd(elements(A.replace("a.fmu", source)));
    const { diagnostics } = parseSsd(text, "x.ssd", () => undefined, { packed: true });
    expect(diagnostics.map(({ code }) => code)).toContain("ssp-source");
  });

  it.each([
    ['source="signals.csv"', { kind: "table", path: "signals.csv" }, ["ssp-type-assumed"]],
    ['source="s.csv" type="text/csv"', { kind: "table", path: "s.csv" }, []],
    ['source="a.fmu" type="application/zip"', { kind: "fmu", path: "a.fmu" }, ["ssp-type-assumed"]],
    ['source="s.ssp"', { kind: "scenario-file", path: "s.ssp" }, ["ssp-type-assumed"]],
    [
      'source="a.fmu" implementation="ModelExchange"',
      { kind: "fmu", path: "a.fmu", prefers: "model-exchange" },
      [],
    ],
    ['source="a.fmu" implementation=""', { kind: "fmu", path: "a.fmu" }, ["ssp-empty-attribute"]],
    [
      'source="a.fmu" implementation="Both"',
      { kind: "fmu", path: "a.fmu" },
      ["ssp-implementation"],
    ],
  ])("[SS29] the component with %s is %j", (attributes, source, codes) => {
    const read = tolerated(ssd(elements(A.replace('source="a.fmu"', attributes))));
    expect(read.draft.units[0]!.source).toMatchObject(source);
    expect(read.codes).toEqual(codes);
  });

  it("[SS30] the connectors of a table say what its columns are", () => {
    const text = component("t", "x> n>")
      .replace("t.fmu", "t.csv")
      .replace('name="n" kind="output"/>', 'name="n" kind="output"><ssc:Integer/></ssd:Connector>');
    const { draft } = tolerated(ssd(elements(text)));
    expect(draft.units[0]!.source).toEqual({
      kind: "table",
      path: "t.csv",
      columns: { x: { type: "float64" }, n: { type: "int32" } },
    });
  });

  it("[SS29] a connector that a component does not declare is left to its FMU", () => {
    const read = tolerated(
      ssd(elements(component("a", ""), component("b", "u<")) + connections("a.y -> b.u")),
    );
    expect(read.codes).toEqual(["ssp-undeclared-connector"]);
    expect(wires(read)).toEqual(["a.y -> b.u"]);
  });

  it("[SS29] unknown elements and attributes are left out, with a warning", () => {
    const text = ssd(
      elements(A.replace("<ssd:Connectors>", '<ssd:Connectors theme="dark"><ssd:Grid/>')),
    );
    const { diagnostics } = parseSsd(text, "x.ssd", () => undefined);
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
      ["unknown-attribute", "warning"],
      ["unknown-element", "warning"],
    ]);
    expect(hasErrors(strictly(diagnostics))).toBe(true);
  });

  it("[SS16] start, stop and step may stand in annotations of other tools", () => {
    const note = (content: string): string =>
      `<ssd:Annotations><ssc:Annotation type="org.example">${content}</ssc:Annotation></ssd:Annotations>`;
    const master = note('<x:Simulation xmlns:x="urn:x"><x:Master stepSize="0.01"/></x:Simulation>');
    const times = note('<x:Times xmlns:x="urn:x" startTime="1" stopTime="9"/>');
    const read = (experiment: string): ScenarioDraft["experiment"] => {
      const text = ssd(elements(A) + master, {
        tail: `<ssd:DefaultExperiment ${experiment}>${times}</ssd:DefaultExperiment>`,
      });
      const { value, diagnostics } = parseSsd(text, "x.ssd", () => undefined);
      expect(diagnostics.map(({ code }) => code)).toContain("ssp-foreign-experiment");
      return value!.experiment;
    };
    expect(read("")).toEqual({ start: 1, stop: 9, step: 0.01 });
    expect(read('stopTime="5"')).toEqual({ start: 1, stop: 5, step: 0.01 });
  });

  it.each([
    '<ssd:Annotations><ssc:Annotation type="org.example"><x:Master xmlns:x="urn:x" baseStepSize="0.02"/></ssc:Annotation></ssd:Annotations>',
    '<ssd:Annotations><ssd:Annotation type="org.example"><x:Master stepSize="0.02"/></ssd:Annotation></ssd:Annotations>',
    '<ssd:SimulationInformation><Master initialStepSize="1" stepSize="0.02"/></ssd:SimulationInformation>',
  ])("[SS16] the step stands in %s", (content) => {
    const { value, diagnostics } = parseSsd(ssd(elements(A) + content), "x.ssd", () => undefined);
    expect(hasErrors(diagnostics)).toBe(false);
    expect(value!.experiment).toEqual({ step: 0.02 });
    const note = diagnostics.find(({ code }) => code === "ssp-foreign-experiment");
    expect(note!.message).toMatch(/annotation of type 'org.example'|<ssd:SimulationInformation>/);
  });

  it("[SS29] a prefix that is not declared is the one of the standard", () => {
    const text = ssd(elements(A)).replace(/ xmlns:ssb="[^"]*"/, "");
    expect(tolerated(text.replace("</ssd:System>", "</ssd:System>")).codes).toEqual([]);
    const bare = ssd(elements(A)).replace(/ xmlns:ssd="[^"]*"/, "");
    expect(tolerated(bare).codes).toEqual(["ssp-namespace"]);
    const { diagnostics } = parseSsd(bare, "x.ssd", () => undefined);
    expect(diagnostics.filter(({ code }) => code === "ssp-namespace")).toHaveLength(1);
  });
});
