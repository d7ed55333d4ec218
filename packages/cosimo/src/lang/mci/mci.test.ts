import { spawnSync } from "node:child_process";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatPlace, unwrap } from "../../base/diagnostic.ts";
import { MOST_NESTED } from "../text/limits.ts";
import { listingsOf } from "../text/testing/listings.ts";
import { withoutPlaces } from "../text/testing/without-places.ts";
import { formatMci } from "./format-mci.ts";
import { MCI } from "./language.ts";
import { parseMci } from "./parse-mci.ts";
import { printMci } from "./print-mci.ts";
import { randomInterface } from "./testing/random-interface.ts";

const listings = listingsOf("mci");
/** `line:column code: message / fix` of every finding. */
const found = (text: string): string[] =>
  parseMci(text, "x.mci").diagnostics.map(
    ({ code, message, fix, place }) =>
      `${formatPlace(place).replace("x.mci:", "")} ${code}: ${message} / ${fix}`,
  );

describe("the listings", () => {
  it("are all there", () => {
    expect(listings.map(({ name }) => name)).toEqual(
      ["4.1", "4.4", "5.1", "5.2", "5.3"].map((one) => `${one}.mci`),
    );
  });

  it.each(listings)("[MI1] $name is read as it is printed", ({ text }) => {
    const { value, diagnostics } = parseMci(text, "listing.mci");
    expect(diagnostics).toEqual([]);
    expect(value?.ports.length).toBeGreaterThan(1);
  });

  it("[MI1] mean what the thesis says of them", () => {
    const { text } = listings.find(({ name }) => name === "5.3.mci")!;
    const { source, ports, references } = unwrap(parseMci(text, "5.3.mci"));
    expect(source).toMatchObject({
      keyword: "GemocExecutablePath",
      path: "su/overHeatControler.jar:39635",
    });
    expect(withoutPlaces(ports)).toEqual([
      {
        name: "SwitchCPUState",
        variable: "CPUprotection::switchCPUState",
        direction: "output",
        nature: "transient",
        type: "Boolean",
        shape: [],
        initial: "false",
        events: [{ kind: "Triggered", name: "occurs" }],
      },
      {
        name: "CPUTemperature",
        variable: "CPUprotection::cpuTemperature",
        direction: "input",
        nature: "piecewise-constant",
        type: "Integer",
        shape: [],
        initial: "25",
        events: [{ kind: "ReadyToRead", name: "readyToRead" }],
      },
    ]);
    expect(references).toMatchObject([{ name: "t", kind: "time" }]);
  });

  it.each(listings)("[MI2] $name is formatted in one way, which stays", ({ text }) => {
    const once = unwrap(formatMci(text, "a.mci"));
    expect(unwrap(formatMci(once, "a.mci"))).toBe(once);
    expect(withoutPlaces(unwrap(parseMci(once, "a.mci")))).toEqual(
      withoutPlaces(unwrap(parseMci(text, "a.mci"))),
    );
  });

  it.each(listings)("[MI10] $name, cut off anywhere, ends in findings", ({ text }) => {
    for (let end = 0; end < text.trimEnd().length; end += 3)
      expect(parseMci(text.slice(0, end), "cut.mci").diagnostics.length).toBeGreaterThan(0);
  });
});

describe("printing", () => {
  it("[MI2] says the same again, for any interface (seed 20261117)", () => {
    fc.assert(
      fc.property(randomInterface, (declared) => {
        const text = printMci(declared);
        const { value } = parseMci(text, "x.mci");
        expect(withoutPlaces(value)).toEqual(withoutPlaces(declared));
      }),
      { seed: 20261117, numRuns: 300 },
    );
  });

  it("[MI12] keeps backslashes: \\t in a path is not a tab", () => {
    const text = String.raw`Interface A { FMUPath "build\table\new.fmu"
      ports { Port "a\"b" { direction OUTPUT nature continuous type Real variableName "\\c\d" } } }`;
    const { source, ports } = unwrap(parseMci(text, "a.mci"));
    expect(source?.path).toBe(String.raw`build\table\new.fmu`);
    expect(ports).toMatchObject([{ name: 'a"b', variable: String.raw`\c\d` }]);
    const once = unwrap(formatMci(text, "a.mci"));
    expect(unwrap(formatMci(once, "a.mci"))).toBe(once);
    expect(unwrap(parseMci(once, "a.mci"))).toMatchObject({ source: { path: source?.path } });
  });

  it("[MI2] keeps every comment where it belongs", () => {
    const text = `// about the unit
Interface A { // the head
  // where it is
  FMUPath "a.fmu"
  /* all of them */
  ports { Port x { // first
      nature constant // does not change
      // which way
      direction INPUT },
    // second
    Port y { ioevents { /* now */ Updated } }
  }
}
// the end
`;
    expect(unwrap(formatMci(text, "a.mci"))).toBe(`// about the unit
Interface A { // the head
  // where it is
  FMUPath "a.fmu"
  /* all of them */
  ports {
    Port x { // first
      // which way
      direction INPUT
      nature constant // does not change
    },
    // second
    Port y {
      ioevents { /* now */
        Updated
      }
    }
  }
}
// the end
`);
    const once = unwrap(formatMci(text, "a.mci"));
    expect(unwrap(formatMci(once, "a.mci"))).toBe(once);
  });
});

describe("attributes", () => {
  it("[MI3] come in any order, or not at all", () => {
    const text =
      "Interface A { ports { Port x { } Port y { monitored false, type Real [2, 3]; initValue 2.5 } } }";
    expect(withoutPlaces(unwrap(parseMci(text, "a.mci")).ports)).toEqual([
      { name: "x", shape: [], events: [] },
      { name: "y", shape: [2, 3], type: "Real", initial: "2.5", events: [], monitored: false },
    ]);
  });
});

const port = (attributes: string): string => `Interface A { ports { Port p {\n${attributes} } } }`;

describe("mistakes", () => {
  it.each([
    [
      "[MI3] an attribute twice",
      port("nature constant\nnature constant"),
      "3:1 mci-twice: 'nature' is already there in line 2 / remove one of them",
    ],
    [
      "[MI3] a port twice",
      "Interface A { ports { Port p {}\nPort p {} } }",
      "2:1 mci-twice: the port 'p' is already there in line 1 / remove one of them",
    ],
    [
      "[MI3] two paths",
      'Interface A { SUPath "a.fmu"\nFMUPath "b.fmu" }',
      "2:1 mci-twice: the path of the unit is already there in line 1 / remove one of them",
    ],
    [
      "[MI4] updates of an input",
      port("direction INPUT nature piecewise-constant\nioevents { Updated }"),
      "3:12 mci-event: 'Updated' is an event of a piecewise-constant output, and 'p' is a piecewise-constant input / remove the event, or correct direction and nature",
    ],
    [
      "[MI4] reads of what varies continuously",
      port("direction INPUT nature continuous ioevents { ReadyToRead }"),
      "2:46 mci-event: 'ReadyToRead' is an event of a piecewise-constant input, and 'p' is a continuous input / remove the event, or correct direction and nature",
    ],
    [
      "[MI4] events of what lasts",
      port("direction OUTPUT nature constant ioevents { Triggered }"),
      "2:45 mci-event: 'Triggered' is an event of a transient output, and 'p' is a constant output / remove the event, or correct direction and nature",
    ],
    [
      "[MI4] interpolation of an output",
      port("direction OUTPUT nature continuous properties { interpolation }"),
      "1:23 mci-property: 'interpolation' is said of 'p', which is a continuous output / remove the property, or correct direction and nature",
    ],
    [
      "[MI5] a value of another type",
      port('type Boolean initialValue "maybe"'),
      "1:23 mci-initial: 'maybe' is not a value of type Boolean / write true or false",
    ],
    [
      "[MI5] a fraction as an integer",
      port("type Integer initialValue 2.5"),
      "1:23 mci-initial: '2.5' is not a value of type Integer / write a whole number between 0 and 18446744073709551615",
    ],
    [
      "[MI3] an array of size 0",
      port("type Real [2, 0]"),
      "2:1 mci-shape: '0' cannot be the size of an array / write whole numbers: type Real [2, 3]",
    ],
    [
      "[MI3] a temporal reference that is not declared",
      port("temporalreference tt"),
      "1:23 mci-unknown-reference: there is no temporal reference 'tt' / declare it: temporalreferences { ModelTemporalReference tt { reference time } }",
    ],
    [
      "[MI10] a wrong word",
      port("nature discrete"),
      "2:8 text-syntax: expected continuous, piecewise-continuous, piecewise-constant, constant or transient, found 'discrete' / write continuous, piecewise-continuous, piecewise-constant, constant or transient here, or remove 'discrete'",
    ],
    [
      "[MI10] a direction in small letters",
      port("direction input"),
      "2:11 text-syntax: expected 'INPUT' or 'OUTPUT', found 'input' / write INPUT",
    ],
    [
      "[MI10] an attribute that there is not",
      port("colour 1"),
      "2:1 text-syntax: expected '}', found 'colour' / close the block with '}', or write what belongs there: a path, ports, direction, nature, type, …",
    ],
    [
      "[MI10] a part that there is not",
      "Interface A {\n  parts {} }",
      "2:3 text-syntax: expected '}', found 'parts' / did you mean 'ports'?",
    ],
    [
      "[MI10] a quote that is not closed",
      'Interface A { SUPath "a.fmu }',
      "1:22 text-character: '\"' is not a part of the language / close the quotes on the same line",
    ],
    [
      "[MI10] nothing",
      "",
      "1:1 text-syntax: expected 'Interface', found the end of the text / write 'Interface'",
    ],
    [
      "[MI10] two interfaces",
      "Interface A {}\nInterface B {}",
      "2:1 text-syntax: expected the end: one interface per file, found 'Interface' / write the end: one interface per file here, or remove 'Interface'",
    ],
  ])("%s", (_, text, expected) => {
    expect(found(text)[0]).toBe(expected);
  });

  it("[MI10] of any kind end in findings, never in an exception (seed 7)", () => {
    const words = MCI.keywords.concat([
      "{",
      "}",
      "[",
      "]",
      ",",
      ";",
      '"x"',
      "1",
      "-",
      "//",
      "/*",
      "é",
      "\n",
    ]);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 30 }), (parts) => {
        const { value, diagnostics } = parseMci(parts.join(" "), "x.mci");
        expect(value !== undefined || diagnostics.length > 0).toBe(true);
        MCI.parseTree(parts.join(" "));
      }),
      { seed: 7, numRuns: 200 },
    );
  });

  it("[MI10] nested without end, or of any length, are refused in words", () => {
    expect(found(`Interface A ${"{ ports ".repeat(MOST_NESTED + 40)}`)[0]).toContain(
      "text-too-deep",
    );
    expect(found(`${"{".repeat(100_000)}`)[0]).toContain("text-too-deep");
    expect(found(`Interface ${"x".repeat(5000)} {}`)[0]).toContain("text-too-deep");
    const junk = found("Interface A { ports { ".concat("nature ".repeat(50_000)));
    expect(junk.length).toBeLessThan(200);
  });

  it("[MI10] thousands of ports are read", () => {
    const ports = Array.from({ length: 5000 }, (_, i) => `Port p${i} { direction INPUT }`).join(
      ",\n",
    );
    expect(unwrap(parseMci(`Interface A { ports { ${ports} } }`, "x.mci")).ports).toHaveLength(
      5000,
    );
  });
});

describe("the grammar", () => {
  it("[MI1] is the one that the parser loads", () => {
    const script = join(import.meta.dirname, "../../../../../scripts/grammars.mjs");
    const { status, stderr } = spawnSync(process.execPath, [script, "--check"], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });
});
