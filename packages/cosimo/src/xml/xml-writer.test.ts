import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDouble, parseHex } from "./literals.ts";
import { Reporter } from "./reporter.ts";
import { readXml } from "./xml.ts";
import { XML_DIAGNOSTICS } from "./xml-diagnostics.ts";
import { doubleText, hexText, impossibleText, printXml, xml, xmlList } from "./xml-writer.ts";

describe("writing XML", () => {
  it("[SS21] one element per line, attributes in the order given, absent ones omitted", () => {
    const inner = xml("b", { y: "1", x: undefined, z: "2" });
    expect(printXml(xml("a", {}, [inner, undefined, xml("c", {}, [inner])]))).toBe(
      [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<a>",
        '  <b y="1" z="2"/>',
        "  <c>",
        '    <b y="1" z="2"/>',
        "  </c>",
        "</a>",
        "",
      ].join("\n"),
    );
  });

  it("[SS21] an empty list is not written", () => {
    expect(xmlList("a", [])).toBeUndefined();
    expect(xmlList("a", [xml("b")])).toEqual(xml("a", {}, [xml("b")]));
  });

  it("[SS20] every text that XML can carry comes back as it was (seed 9)", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "&", "<", ">", '"', "'", "\n", "\r", "\t", "ä", "😀", " "),
    });
    fc.assert(
      fc.property(text, (value) => {
        const reporter = new Reporter("x.xml", XML_DIAGNOSTICS);
        let read: string | undefined;
        const open = (element: { get(name: string): string | undefined }): boolean => {
          read = element.get("v");
          return true;
        };
        readXml(printXml(xml("a", { v: value })), { open, close() {}, text() {} }, reporter);
        expect(reporter.finish()).toEqual([]);
        expect(read).toBe(value);
      }),
      { seed: 9 },
    );
  });

  it("[SS24] texts that XML cannot carry are found wherever they are, others are not", () => {
    const at = (place: number, bad: string) =>
      xml("a", { v: place === 0 ? bad : "fine" }, [
        xml("b", { v: place === 1 ? bad : "fine" }),
        xml("c", {}, [xml("d", { u: undefined, v: place === 2 ? bad : "fine" })]),
      ]);
    for (const bad of ["\0", "x\u001f", "\ufffe", "\ud800", "\udc00x", "\u000b"])
      for (const place of [0, 1, 2]) expect(impossibleText(at(place, bad)), `${place}`).toBe(bad);
    for (const good of ["", "\n\r\t", "😀", "\ud7ff\ue000\ufffd"])
      expect(impossibleText(at(0, good))).toBeUndefined();
  });

  it("[SS20] numbers come back bit for bit (seed 9)", () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        expect(Object.is(parseDouble(doubleText(value)), value)).toBe(true);
      }),
      { seed: 9 },
    );
    expect(
      [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, -0].map(doubleText),
    ).toEqual(["INF", "-INF", "NaN", "-0"]);
  });

  it("[SS20] bytes come back (seed 9)", () => {
    expect(hexText(Uint8Array.of(0, 9, 16, 255))).toBe("000910ff");
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(parseHex(hexText(bytes))).toEqual(bytes);
      }),
      { seed: 9 },
    );
  });
});
