import { describe, expect, it } from "vitest";
import { unwrap } from "../../../base/diagnostic.ts";
import { UNIT_ENDINGS } from "../../../model/source-kind.ts";
import { described } from "../../sa/testing/described.ts";
import { atCursor, chosen, offered } from "../../text/testing/editor.ts";
import { listingsOf } from "../../text/testing/listings.ts";
import { parseMci } from "../parse-mci.ts";
import { MCI_LANGUAGE } from "./mci-language.ts";

const unit = described("f: in u (rad) = 1; in go: boolean; out y (cm); out der(y) (m/s)")({
  type: "",
  name: "f",
  source: "",
  place: { file: "" },
})!;
const UNITS = new Map([["unit", unit]]);
const labels = (text: string, kind?: string): string[] =>
  offered(MCI_LANGUAGE, UNITS, text)
    .filter((one) => kind === undefined || one.kind === kind)
    .map(({ label }) => label);
const port = (text: string): string =>
  `Interface A { FMUPath "f.fmu" ports { Port u { ${text} } } }`;

describe("an interface in an editor", () => {
  it("[LS40] offers ports of the unit that are not declared yet, and writes all of them", () => {
    const text = 'Interface A { FMUPath "f.fmu" ports { Port u {} Port ‸';
    expect(labels(text, "port")).toEqual(["go", "y", "der(y)"]);
    const whole = `${chosen(MCI_LANGUAGE, UNITS, text, "der(y)")} } }`;
    const declared = unwrap(parseMci(whole, "a.mci")).ports[1];
    expect(declared).toMatchObject({
      name: "der(y)",
      direction: "output",
      nature: "continuous",
      type: "Real",
    });
    const named = 'Interface A { ports { Port "‸" { } } }';
    expect(chosen(MCI_LANGUAGE, UNITS, named, "y")).toBe("Interface A { ports { Port y { } } }");
    expect(labels('Interface A { ports { Port v { variableName "‸" } } }', "port")).toContain("y");
  });

  it("[LS40] offers words where the grammar takes them", () => {
    const words = (text: string): string[] => labels(text, "keyword").sort();
    expect(words("‸")).toEqual(["Interface"]);
    expect(words("Interface A { ‸ }")).toEqual(
      [
        "FMUPath",
        "GemocExecutablePath",
        "SUPath",
        "ports",
        "properties",
        "temporalreferences",
      ].sort(),
    );
    expect(words(port("direction ‸"))).toEqual(["INPUT", "OUTPUT"]);
    expect(words(port("nature ‸"))).toEqual(
      expect.arrayContaining(["continuous", "piecewise-constant", "transient"]),
    );
    expect(words(port("ioevents { ‸ }"))).toEqual(["ReadyToRead", "Triggered", "Updated"]);
    expect(words(port("‸"))).toEqual(expect.arrayContaining(["direction", "nature", "ioevents"]));
    expect(words("Interface A { // ‸")).toEqual([]);
  });

  it("[LS41] explains ports as the unit describes them, natures and events", () => {
    const hover = (text: string): string | undefined => {
      const { document, offset } = atCursor(MCI_LANGUAGE, text);
      return document.hover(UNITS, offset)?.markdown;
    };
    expect(hover("Interface A { ports { Port ‸u { } } }")).toContain(
      "input, float64 (rad), continuous",
    );
    expect(hover('Interface A { ports { Port ‸z { variableName "M::y" } } }')).toContain("(cm)");
    expect(hover(port("nature ‸transient"))).toContain("every event is delivered once");
    expect(hover(port("ioevents { Ready‸ToRead }"))).toContain("about to read");
    expect(hover("Interface ‸A { }")).toContain("Model **f**");
  });

  it("[LS42] knows its paths, its outline and its declarations", () => {
    const { document, offset } = atCursor(
      MCI_LANGUAGE,
      'Interface A { FMUPath "./‸f.fmu" ports { Port u { direction INPUT } } }',
    );
    expect(document.insideText(offset)).toMatchObject({ endings: UNIT_ENDINGS });
    expect(document.definition(offset)).toMatchObject({ kind: "there", source: "./f.fmu" });
    expect(document.outline()).toMatchObject([
      { name: "A", children: [{ name: "u", detail: "INPUT", kind: "port" }] },
    ]);
    const { offset: start, end } = document.declarationOf("u")!;
    expect(document.text.slice(start, end)).toBe("u");
  });

  it("[LS42] goes from temporal references to their declaration, and renames what is its own", () => {
    const text = `Interface A { ports { Port u { temporalreference ‸t } }
      temporalreferences { ModelTemporalReference t { reference time } } }`;
    const { document, offset } = atCursor(MCI_LANGUAGE, text);
    expect(document.uses(offset)).toHaveLength(2);
    expect(document.definition(offset)).toMatchObject({ kind: "here" });
    expect(document.rename(UNITS, offset, "s")).toMatchObject({
      refused: expect.stringContaining(".mcl"),
    });
    expect(document.rename(UNITS, document.text.indexOf("A {"), "B C")).toMatchObject([
      { text: '"B C"' },
    ]);
  });

  it("[LS43] writes what was meant", () => {
    const text = port("natur constant");
    const document = MCI_LANGUAGE.open(text, "a.mci");
    const [finding] = parseMci(text, "a.mci").diagnostics;
    expect(document.fix(finding!)?.edit).toMatchObject({ text: "nature" });
    expect(text.slice(document.spanOf(finding!).offset, document.spanOf(finding!).end)).toBe(
      "natur",
    );
  });

  it.each(listingsOf("mci"))(
    "[LS5] answers at any place of $name, whole or cut off",
    ({ text }) => {
      for (let at = 0; at < text.length; at += 17)
        for (const one of [text, text.slice(0, at)]) {
          const document = MCI_LANGUAGE.open(one, "x.mci");
          document.complete(UNITS, Math.min(at, one.length));
          document.hover(UNITS, at);
          document.definition(at);
          document.uses(at);
          document.outline();
          document.insideText(Math.min(at, one.length));
        }
    },
    60_000,
  );
});
