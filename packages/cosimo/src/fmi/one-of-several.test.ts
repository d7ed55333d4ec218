/**
 * One invalid element among several, at every place: a check that looks only at the first (or the
 * last) element of a list passes tests whose lists have one.
 */
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../base/diagnostic.ts";
import { MAX_UNIT_ELEMENTS } from "../model/element-limits.ts";
import { contentsOf } from "./archive-contents.ts";
import { parseModelDescription } from "./parse-description.ts";
import { fmi2, fmi3, type Parts } from "./testing/description-text.ts";
import { validateDescription } from "./validate/validate.ts";
import { validateFiles } from "./validate/validate-files.ts";

const TIME = '<Float64 name="time" valueReference="0" causality="independent"/>';

function findings(text: string): Diagnostic[] {
  const { value, diagnostics } = parseModelDescription(text);
  return [...diagnostics, ...(value === undefined ? [] : validateDescription(value))];
}

const shapeOf = (text: string): string[] =>
  parseModelDescription(text).diagnostics.map(({ code }) => code);
const codesOf = (text: string): string[] => findings(text).map(({ code }) => code);

/** `good` with `bad` instead of its element `at`, for every place. */
function places(good: readonly string[], bad: string): string[] {
  return good.map((_, at) => good.with(at, bad).join(" "));
}

describe("lists inside attributes", () => {
  const array = (type: string, start: string, more = ""): Parts => ({
    variables: `${TIME}<${type} name="p" valueReference="1" causality="parameter" variability="fixed" start="${start}" ${more}><Dimension start="3"/></${type}>`,
    structure: "",
    before:
      '<TypeDefinitions><EnumerationType name="E"><Item name="a" value="1"/><Item name="b" value="2"/></EnumerationType></TypeDefinitions>',
  });

  it.each([
    ["Float64", "1.5", "1,5"],
    ["Int8", "-128", "128"],
    ["UInt8", "255", "-1"],
    ["Int64", "-9223372036854775808", "9223372036854775808"],
    ["UInt64", "18446744073709551615", "1.0"],
    ["Boolean", "true", "TRUE"],
  ])("[FD15] one start value of an array of %s", (type, good, bad) => {
    expect(codesOf(fmi3(array(type, `${good} ${good} ${good}`)))).toEqual([]);
    for (const start of places([good, good, good], bad)) {
      const [malformed, ...consequences] = codesOf(fmi3(array(type, start)));
      expect(malformed, start).toBe("malformed-attribute");
      // The attribute then counts as absent.
      expect(consequences).toEqual(["start-missing"]);
    }
  });

  it("[VA6] one start value outside of min and max", () => {
    for (const start of [...places(["1", "1", "1"], "-2"), ...places(["1", "1", "1"], "3")])
      expect(codesOf(fmi3(array("Float64", start, 'min="-1" max="2"'))), start).toEqual([
        "start-out-of-range",
      ]);
    expect(codesOf(fmi3(array("Float64", "-1 1 2", 'min="-1" max="2"')))).toEqual([]);
  });

  it("[VA6] one start value that the enumeration does not have", () => {
    const text = (start: string) => fmi3(array("Enumeration", start, 'declaredType="E"'));
    expect(codesOf(text("1 2 1"))).toEqual([]);
    for (const start of places(["1", "2", "1"], "3"))
      expect(codesOf(text(start)), start).toEqual(["enumeration-start"]);
  });
});

describe("dependencies", () => {
  const inputs = [1, 2, 3]
    .map((k) => `<Float64 name="u${k}" valueReference="${k}" causality="input" start="0"/>`)
    .join("");
  const text = (attributes: string): string =>
    fmi3({
      variables: `${TIME}${inputs}<Float64 name="y" valueReference="4" causality="output"/><Float64 name="x" valueReference="5"/>`,
      structure: `<Output valueReference="4" ${attributes}/><InitialUnknown valueReference="4"/>`,
    });

  it("[VA1] all known, with kinds", () => {
    expect(
      codesOf(text('dependencies="1 2 3" dependenciesKind="dependent constant fixed"')),
    ).toEqual([]);
  });

  it.each([
    ["that is not a number", "x", "ignored-attribute"],
    ["that names nothing", "9", "dependency-unknown"],
    ["on a variable that is not known", "5", "dependency-not-known"],
  ])("[VA1] one %s", (_, bad, code) => {
    for (const list of places(["1", "2", "3"], bad))
      expect(codesOf(text(`dependencies="${list}"`)), list).toEqual([code]);
  });

  it("[FD31] one kind that does not exist", () => {
    for (const kinds of places(["dependent", "constant", "fixed"], "linear"))
      expect(codesOf(text(`dependencies="1 2 3" dependenciesKind="${kinds}"`)), kinds).toEqual([
        "ignored-attribute",
      ]);
  });

  it("[VA1] one kind that a variable of this type cannot have", () => {
    const integer = (kinds: string): string =>
      fmi3({
        variables: `${TIME}${inputs}<Int32 name="y" valueReference="4" causality="output"/>`,
        structure: `<Output valueReference="4" dependencies="1 2 3" dependenciesKind="${kinds}"/><InitialUnknown valueReference="4"/>`,
      });
    for (const kinds of places(["dependent", "dependent", "dependent"], "fixed"))
      expect(codesOf(integer(kinds)), kinds).toEqual(["dependency-kind-illegal"]);
  });
});

describe("elements", () => {
  it("[FD11] one variable without a name, and the others are read", () => {
    const variable = (name: string, k: number): string =>
      `<ScalarVariable ${name} valueReference="${k}"><Real/></ScalarVariable>`;
    for (let bad = 0; bad < 3; bad++) {
      const variables = [0, 1, 2].map((k) => variable(k === bad ? "" : `name="v${k}"`, k)).join("");
      const { value, diagnostics } = parseModelDescription(fmi2({ variables, structure: "" }));
      expect(diagnostics.map(({ code }) => code)).toEqual(["missing-attribute"]);
      const names = [0, 1, 2].map((k) => (k === bad ? "" : `v${k}`));
      expect(value!.variables.map(({ name }) => name)).toEqual(names);
    }
  });

  it("[VA8] one missing binary among the identifiers of the interfaces", () => {
    const interfaces = '<ModelExchange modelIdentifier="A"/><CoSimulation modelIdentifier="B"/>';
    const { value } = parseModelDescription(fmi2({ interfaces }));
    const codes = (...libraries: string[]): string[] =>
      validateFiles(contentsOf(libraries.map((l) => `binaries/linux64/${l}.so`)), value!).map(
        ({ code }) => code,
      );
    expect(codes("A", "B")).toEqual([]);
    expect(codes("A", "C")).toEqual(["binary-missing"]);
    expect(codes("C", "B")).toEqual(["binary-missing"]);
    expect(codes("C", "D")).toEqual(["binary-missing", "binary-missing"]);
  });
});

describe("totals exactly at a limit", () => {
  const elements = (count: number): string[] =>
    codesOf(
      fmi3({
        variables: `${TIME}<Float64 name="y" valueReference="1" causality="output"><Dimension start="${count}"/></Float64>`,
        structure: '<Output valueReference="1"/><InitialUnknown valueReference="1"/>',
      }),
    );

  it("[FD49] elements of all variables together", () => {
    const others = 1;
    expect(elements(MAX_UNIT_ELEMENTS - others)).toEqual([]);
    expect(elements(MAX_UNIT_ELEMENTS - others + 1)).toEqual(["too-many-elements"]);
  });

  it("[FD4] attributes of an element and depth of elements", () => {
    const attributes = (count: number): string =>
      Array.from({ length: count }, (_, i) => `x:a${i}="1"`).join(" ");
    const root = (count: number): string[] =>
      codesOf(`<fmiModelDescription ${attributes(count)}/>`).filter((c) => c === "xml-limit");
    expect(root(200)).toEqual([]);
    expect(root(201)).toEqual(["xml-limit"]);
    const nested = (depth: number): string[] =>
      shapeOf(
        fmi2({
          before: `<VendorAnnotations><Tool name="t">${"<a>".repeat(depth)}${"</a>".repeat(depth)}</Tool></VendorAnnotations>`,
        }),
      );
    const around = 3;
    expect(nested(200 - around)).toEqual([]);
    expect(nested(200 - around + 1)).toEqual(["xml-limit"]);
  });

  it("[FD7] problems of one kind", () => {
    const found = (count: number): string[] =>
      shapeOf(fmi2({ before: "<Nonsense/>".repeat(count) }));
    expect(found(50)).toEqual(new Array(50).fill("unknown-element"));
    expect(found(51)).toHaveLength(51);
    expect(found(51).at(-1)).not.toBe("unknown-element");
  });
});
