import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../base/diagnostic.ts";
import { isLossless } from "./description-diagnostics.ts";
import { parseModelDescription } from "./parse-description.ts";
import { fmi2, fmi3 } from "./testing/description-text.ts";

function codes(text: string): string[] {
  return parseModelDescription(text).diagnostics.map((d) => `${d.code}@${d.place.line}`);
}

function first(text: string, code: string): Diagnostic {
  const found = parseModelDescription(text).diagnostics.find((d) => d.code === code);
  expect(found, `${code} in ${JSON.stringify(codes(text))}`).toBeDefined();
  return found!;
}

describe("parseModelDescription: any text", () => {
  it("[FD16] reads the small valid descriptions without a word", () => {
    expect(codes(fmi2())).toEqual([]);
    expect(codes(fmi3())).toEqual([]);
  });

  it("[FD2] gives no value for text that is not well-formed", () => {
    const { value, diagnostics } = parseModelDescription(fmi2().replace("</ModelStructure>", ""));
    expect(value).toBeUndefined();
    expect(diagnostics.map((d) => d.code)).toEqual(["xml-malformed"]);
  });

  it("[FD1] names the file it was told", () => {
    const { diagnostics } = parseModelDescription("<x/>", "some/where.xml");
    expect(diagnostics[0]?.place).toEqual({ file: "some/where.xml", line: 1 });
  });

  it("[FD5] reads a byte order mark and CR LF", () => {
    const text = `\uFEFF${fmi2().replaceAll("\n", "\r\n")}`;
    const { value, diagnostics } = parseModelDescription(text);
    expect(diagnostics).toEqual([]);
    expect(value?.structure.line).toBe(6);
  });

  it("[FD5] refuses UTF-16 by name", () => {
    const utf16 = Buffer.from(`\uFEFF${fmi2()}`, "utf16le").toString("utf8");
    const { value, diagnostics } = parseModelDescription(utf16);
    expect(value).toBeUndefined();
    expect(diagnostics.map((d) => d.code)).toEqual(["xml-encoding"]);
    expect(diagnostics[0]?.message).toContain("UTF-16");
  });

  it("[FD5] warns of another declared encoding and of bytes that were not valid UTF-8", () => {
    expect(codes(fmi2().replace("UTF-8", "ISO-8859-1"))).toEqual(["xml-encoding-declared@1"]);
    const broken = Buffer.from(fmi2({ root: 'author="J\xFCrgen"' }), "latin1").toString("utf8");
    expect(codes(broken)).toEqual(["xml-replaced-characters@2"]);
  });

  it("[FD3] does not expand entities in attributes", () => {
    const text = fmi2({ root: 'author="&who;"' }).replace(
      "<fmiModel",
      '<!DOCTYPE x [<!ENTITY who "name">]>\n<fmiModel',
    );
    const { value, diagnostics } = parseModelDescription(text);
    expect(value?.author).toBe("&who;");
    expect(diagnostics.map((d) => d.code)).toEqual(["xml-entity-declared", "xml-entity-unknown"]);
  });

  it("[FD7] lists a repeated problem 50 times and counts the rest", () => {
    const { diagnostics } = parseModelDescription(fmi2({ before: "<Nonsense/>".repeat(1000) }));
    expect(diagnostics).toHaveLength(51);
    expect(diagnostics.at(-1)?.message).toContain("950 more problems");
  });
});

describe("parseModelDescription: version", () => {
  it("[FD8] refuses a version that it does not know with one clear sentence", () => {
    const { value, diagnostics } = parseModelDescription(fmi2().replace('"2.0"', '"0.9"'));
    expect(value).toBeUndefined();
    expect(diagnostics.map((d) => d.code)).toEqual(["fmi-version-unknown"]);
    expect(diagnostics[0]?.message).toBe("fmiVersion is '0.9'; Cosimo reads FMI 1.0, 2.0 and 3.0");
  });

  it("[FD9] wants a version", () => {
    expect(codes(fmi2().replace('fmiVersion="2.0"', ""))).toEqual(["missing-attribute@2"]);
  });

  it("[FD9] takes 2.0.x as FMI 2 with a warning", () => {
    const text = fmi2().replace('fmiVersion="2.0"', 'fmiVersion="2.0.4"');
    expect(codes(text)).toEqual(["fmi-version-literal@2"]);
    expect(parseModelDescription(text).value?.major).toBe(2);
  });

  it.each(["3.0", "3.0.2", "3.0-beta.2"])("[FD9] takes %s as FMI 3", (version) => {
    const text = fmi3().replace('fmiVersion="3.0"', `fmiVersion="${version}"`);
    const { value, diagnostics } = parseModelDescription(text);
    expect(diagnostics).toEqual([]);
    expect(value).toMatchObject({ major: 3, fmiVersion: version });
  });

  it("[FD9] only mentions what a newer minor version adds", () => {
    const text = fmi3({ root: 'novelty="1"', before: "<Novelty/>" }).replace(
      'fmiVersion="3.0"',
      'fmiVersion="3.1"',
    );
    const { diagnostics } = parseModelDescription(text);
    expect(diagnostics.map((d) => [d.code, d.severity])).toEqual([
      ["fmi-version-newer", "warning"],
      ["newer-content", "warning"],
      ["newer-content", "warning"],
    ]);
  });

  it("refuses another root element", () => {
    expect(codes("<html/>")).toEqual(["wrong-root@1"]);
  });
});

describe("parseModelDescription: shape", () => {
  it("[FD10] reports unknown elements and attributes, suggests the likely one, and goes on", () => {
    const text = fmi2({
      before: "\n<Extras><Deep/></Extras>",
      root: 'autor="A" xmlns:x="y" x:z="1"',
    });
    expect(codes(text)).toEqual(["unknown-attribute@2", "unknown-element@5"]);
    expect(first(text, "unknown-attribute").fix).toBe("did you mean 'author'?");
    expect(parseModelDescription(text).value?.variables).toHaveLength(1);
  });

  it("[FD10] lets tools add attributes to the interfaces of FMI 3, not of FMI 2", () => {
    const interfaces = '<CoSimulation modelIdentifier="M" hasMagic="true"/>';
    expect(codes(fmi3({ interfaces }))).toEqual([]);
    expect(codes(fmi2({ interfaces }))).toEqual(["unknown-attribute@3"]);
  });

  it("[FD11] reports missing attributes and elements", () => {
    expect(codes(fmi2({ interfaces: "<CoSimulation/>" }))).toEqual(["missing-attribute@3"]);
    expect(codes(fmi2({ variables: '<ScalarVariable name="a" valueReference="1"/>' }))).toEqual([
      "missing-element@5",
    ]);
    const rootOnly = '<fmiModelDescription fmiVersion="3.0" modelName="M" instantiationToken="t"/>';
    expect(codes(rootOnly)).toEqual(["absent-element@1", "absent-element@1"]);
  });

  it("[FD11] reports lists that the schema wants filled", () => {
    expect(codes(fmi2({ before: "<UnitDefinitions/>" }))).toEqual(["empty-list@4"]);
    expect(codes(fmi2({ structure: "<Outputs/>" }))).toEqual(["empty-list@6"]);
    expect(codes(fmi3({ variables: "", structure: "" }))).toEqual(["empty-list@5"]);
  });

  it("[FD12] reports repetitions", () => {
    expect(codes(fmi2({ before: "<DefaultExperiment/><DefaultExperiment/>" }))).toEqual([
      "repeated-element@4",
    ]);
    const variables =
      '<ScalarVariable name="a" valueReference="1"><Real/><Integer/></ScalarVariable>';
    expect(codes(fmi2({ variables }))).toEqual(["repeated-element@5"]);
  });

  it("[FD13] reads another order with a warning", () => {
    const text = fmi2({
      before:
        '<DefaultExperiment stopTime="3"/><LogCategories><Category name="c"/></LogCategories>',
    });
    const { value, diagnostics } = parseModelDescription(text);
    expect(diagnostics.map((d) => [d.code, d.severity])).toEqual([["element-order", "warning"]]);
    expect(value?.logCategories).toHaveLength(1);
  });

  it("[FD13] lets the two interfaces of FMI 2 come in either order", () => {
    const interfaces = '<CoSimulation modelIdentifier="M"/><ModelExchange modelIdentifier="M"/>';
    expect(codes(fmi2({ interfaces }))).toEqual([]);
    expect(codes(fmi3({ interfaces }))).toEqual(["element-order@3"]);
  });

  it("[FD14] reports text between elements", () => {
    expect(codes(fmi2({ before: "oops" }))).toEqual(["unexpected-text@4"]);
  });

  it.each([
    ['valueReference="-1"', "an unsigned integer"],
    ['valueReference="0x1"', "an unsigned integer"],
    ['valueReference="4294967296"', "an unsigned integer"],
    ['valueReference=""', "an unsigned integer"],
    ['valueReference="1" causality="outptu"', "one of parameter, calculatedParameter"],
    ['valueReference="1" canHandleMultipleSetPerTimeInstant="yes"', "true or false"],
  ])("[FD15] explains a malformed literal: %s", (attributes, expected) => {
    const variables = `<ScalarVariable name="a" ${attributes}><Real/></ScalarVariable>`;
    const { message, severity } = first(fmi2({ variables }), "malformed-attribute");
    expect(severity).toBe("error");
    expect(message).toContain(expected);
  });

  it.each(["1,5", "0x10", "infinite", "1e", "1 2"])(
    "[FD15] does not take %j for a number",
    (start) => {
      const variables = `<ScalarVariable name="a" valueReference="1"><Real start="${start}"/></ScalarVariable>`;
      const { value, diagnostics } = parseModelDescription(fmi2({ variables }));
      expect(diagnostics.map((d) => d.code)).toEqual(["malformed-attribute"]);
      expect(value?.variables[0]?.start).toBeUndefined();
    },
  );

  it("[FD15] keeps a date that is none as text, with an error", () => {
    const text = fmi2({ root: 'generationDateAndTime="last Friday"' });
    const { value, diagnostics } = parseModelDescription(text);
    expect(diagnostics.map((d) => [d.code, isLossless(d)])).toEqual([["malformed-date", true]]);
    expect(value?.generationDateAndTime).toBe("last Friday");
    const good = fmi2({ root: 'generationDateAndTime="2024-02-29T23:59:59.5+01:00"' });
    expect(codes(good)).toEqual([]);
  });

  const started = (type: string, start: string): string =>
    fmi2({
      variables: `<ScalarVariable name="a" valueReference="1" variability="discrete"><${type} start="${start}"/></ScalarVariable>`,
    });

  it.each([
    ["Real", "Infinity", Number.POSITIVE_INFINITY],
    ["Real", "-inf", Number.NEGATIVE_INFINITY],
    ["Real", "1.#QNAN", Number.NaN],
    ["Boolean", "True", true],
    ["Boolean", "FALSE", false],
    ["Integer", "-3.0", -3],
  ])("[FD51] reads %s start=%j, whose meaning is clear", (type, start, meant) => {
    const { value, diagnostics } = parseModelDescription(started(type, start));
    expect(diagnostics.map((d) => [d.code, isLossless(d)])).toEqual([["odd-literal", true]]);
    expect(value?.variables[0]?.start).toEqual([meant]);
  });

  it("[FD51] a model without name has that of its identifier, so that its instances have one", () => {
    const { value } = parseModelDescription(fmi2().replace(' modelName="M"', ""));
    expect(value!.modelName).toBe(value!.coSimulation!.modelIdentifier);
  });

  it.each([
    ["an empty start value", started("Real", ""), "ignored-attribute"],
    ["a bound that is not a number", started("Real", '1" max="many'), "ignored-attribute"],
    ["no model name", fmi2().replace(' modelName="M"', ""), "absent-attribute"],
    ["no identifier", fmi2().replace(' guid="{g}"', ""), "absent-attribute"],
    ["no structure", fmi2().replace(/<ModelStructure>.*\n/, ""), "absent-element"],
    [
      "a list twice",
      fmi2({
        before: '<LogCategories><Category name="a"/></LogCategories>'.repeat(2),
      }),
      "repeated-list",
    ],
    [
      "an empty flag and an empty order",
      fmi2({
        interfaces:
          '<CoSimulation modelIdentifier="M" canInterpolateInputs="" maxOutputDerivativeOrder="0"/>',
      }),
      "ignored-attribute",
    ],
    [
      "items without values",
      fmi2({
        before:
          '<TypeDefinitions><SimpleType name="E"><Enumeration><Item name="a"/></Enumeration></SimpleType></TypeDefinitions>',
      }),
      "absent-attribute",
    ],
    ["an entity of HTML", fmi2({ root: 'description="20 &deg;C"' }), "xml-entity-unknown"],
  ])("[FD51] does without: %s", (_, text, code) => {
    const { value, diagnostics } = parseModelDescription(text);
    expect(diagnostics.map((d) => [d.code, d.severity, isLossless(d)])).toEqual([
      [code, "error", true],
    ]);
    expect(value?.variables).toHaveLength(1);
  });

  it("[FD51] reads the causalities of FMI 1.0, and items by their names", () => {
    const { value, diagnostics } = parseModelDescription(
      fmi2({
        before:
          '<TypeDefinitions><SimpleType name="E"><Enumeration><Item name="off"/><Item name="on"/></Enumeration></SimpleType></TypeDefinitions>',
        variables: `<ScalarVariable name="a" valueReference="1" causality="internal"><Real/></ScalarVariable>
<ScalarVariable name="b" valueReference="2" causality="parameter" variability="fixed"><Enumeration declaredType="E" start="on"/></ScalarVariable>`,
      }),
    );
    expect(diagnostics.every(isLossless)).toBe(true);
    expect(value?.variables).toMatchObject([{ causality: "local" }, { start: [2] }]);
  });

  it("[FD51] does not do without what a run needs", () => {
    for (const text of [
      fmi2({ interfaces: "<CoSimulation/>" }),
      started("Real", "1").replace('valueReference="1"', 'valueReference=""'),
      started("Real", "1,5"),
      fmi2({
        before: '<UnitDefinitions><Unit name="a"><BaseUnit factor="x"/></Unit></UnitDefinitions>',
      }),
    ])
      expect(parseModelDescription(text).diagnostics.every(isLossless)).toBe(false);
  });

  it("[FD16] knows by which errors nothing was lost", () => {
    expect(isLossless(first(fmi2({ before: "<X/>" }), "unknown-element"))).toBe(true);
    expect(isLossless(first(fmi2({ interfaces: "<CoSimulation/>" }), "missing-attribute"))).toBe(
      false,
    );
  });
});

describe("parseModelDescription: mutations", () => {
  const seeds = [
    fmi2({
      root: 'author="A &amp; B"',
      before:
        '<UnitDefinitions><Unit name="m"><BaseUnit m="1"/></Unit></UnitDefinitions><TypeDefinitions><SimpleType name="T"><Enumeration><Item name="a" value="1"/></Enumeration></SimpleType></TypeDefinitions><VendorAnnotations><Tool name="t"><x>1</x></Tool></VendorAnnotations>',
      variables:
        '<ScalarVariable name="u" valueReference="0" causality="input"><Real start="1.5" unit="m"/></ScalarVariable><ScalarVariable name="y" valueReference="1" causality="output"><Enumeration declaredType="T"/></ScalarVariable>',
      structure:
        '<Outputs><Unknown index="2" dependencies="1" dependenciesKind="fixed"/></Outputs>',
    }),
    fmi3({
      variables:
        '<Float64 name="A" valueReference="1" start="1 2 3"><Dimension start="3"/><Alias name="B"/></Float64><Clock name="c" valueReference="2" intervalVariability="constant" intervalDecimal="0.1"/><String name="s" valueReference="3"><Start value="&#65;"/></String><Int64 name="n" valueReference="4" clocks="2" previous="4" start="-5"/>',
      structure: '<Output valueReference="1" dependencies=""/><ClockedState valueReference="4"/>',
    }),
  ];
  const pieces = [
    "<",
    ">",
    "/",
    '"',
    "'",
    "&",
    ";",
    "=",
    " ",
    "\n",
    "\0",
    "-",
    "9",
    "[",
    "]]>",
    "<!--",
    "<a>",
    "</",
    "&#x;",
    "\uFFFD",
    "é",
  ];
  const edit = fc.record({
    at: fc.nat(10_000),
    remove: fc.oneof(fc.nat(3), fc.nat(200)),
    insert: fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 6 })),
  });

  it("[FD6] never throws and always gives a value or an error (seed 42)", () => {
    let valid = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...seeds),
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        (seed, edits) => {
          let text = seed;
          for (const { at, remove, insert } of edits) {
            const from = at % (text.length + 1);
            text = text.slice(0, from) + insert + text.slice(from + remove);
          }
          const { value, diagnostics } = parseModelDescription(text);
          if (value !== undefined) valid++;
          expect(value !== undefined || diagnostics.some((d) => d.severity === "error")).toBe(true);
          for (const d of diagnostics) expect(d.place.line ?? 1).toBeGreaterThan(0);
        },
      ),
      { seed: 42, numRuns: 5000 },
    );
    expect(valid).toBeGreaterThan(50);
  });
});
