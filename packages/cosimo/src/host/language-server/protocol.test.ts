/** Texts, ranges and findings as the protocol wants them, without a server. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DiagnosticSeverity } from "vscode-languageserver/node.js";
import type { Diagnostic, Severity } from "../../base/diagnostic.ts";
import { SA_LANGUAGE } from "../../lang/sa/ide/sa-language.ts";
import { completionList } from "./protocol-completion.ts";
import { allToProtocol, byFile, toProtocol } from "./protocol-findings.ts";
import { pathOf, positionOf, rangeOf, smallestEdit, textEdit } from "./protocol-ranges.ts";

describe("offsets and positions", () => {
  it.each([
    [0, 0, 0],
    [2, 0, 2],
    [3, 1, 0],
    [4, 2, 0],
    [7, 2, 3],
  ])("offset %i is line %i, character %i", (offset, line, character) => {
    expect(positionOf("ab\n\ncde", offset)).toEqual({ line, character });
  });

  it("a range and an edit have both ends", () => {
    const range = { start: { line: 0, character: 1 }, end: { line: 1, character: 1 } };
    expect(rangeOf("ab\ncd", { offset: 1, end: 4 })).toEqual(range);
    expect(textEdit("ab\ncd", { span: { offset: 1, end: 4 }, text: "x" })).toEqual({
      range,
      newText: "x",
    });
  });
});

describe("paths", () => {
  it("of files and of documents that were never saved", () => {
    expect(pathOf("file:///a/b%20c.sa")).toBe("/a/b c.sa");
    expect(pathOf("untitled:Untitled-1")).toBe(join(process.cwd(), "Untitled-1.sa"));
    expect(pathOf("untitled:/x/own.sa")).toBe(join(process.cwd(), "own.sa"));
  });
});

describe("the smallest edit", () => {
  const apply = (before: string, after: string): string => {
    const [edit] = smallestEdit(before, after);
    if (edit === undefined) return before;
    return before.slice(0, edit.span.offset) + edit.text + before.slice(edit.span.end);
  };

  it("makes one text of the other (seed 3)", () => {
    const text = fc.array(fc.constantFrom("a\n", "b\n", "c", "\n"), { maxLength: 8 });
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [before, after] = [one.join(""), other.join("")];
        expect(apply(before, after)).toBe(after);
        expect(smallestEdit(before, after)).toHaveLength(before === after ? 0 : 1);
      }),
      { seed: 3 },
    );
  });

  it("leaves the lines before and behind alone", () => {
    expect(smallestEdit("a\nb\nc\n", "a\nx\nc\n")).toEqual([
      { span: { offset: 2, end: 4 }, text: "x\n" },
    ]);
    expect(smallestEdit("a\na\n", "a\na\na\n")).toEqual([
      { span: { offset: 4, end: 4 }, text: "a\n" },
    ]);
  });
});

const TEXT =
  'semantic adaptation delayed moore A a\nfor inner fmu F f at "f.fmu"\noutput ports y\n';
const document = SA_LANGUAGE.open(TEXT, "/a.sa");

function finding(
  file: string,
  code = "some-code",
  severity: Severity = "error",
  line = 1,
): Diagnostic {
  return { code, severity, message: `about ${code}`, fix: "do it", place: { file, line } };
}

describe("findings", () => {
  it("are sorted by file, and what is inside of a unit comes with it", () => {
    const inside = [finding("m.fmu/modelDescription.xml"), finding("n.ssd")];
    const own = finding("/a.sa", "unit-source-broken");
    const later = finding("/a.sa");
    const other = finding("/B.SA");
    const files = byFile([...inside, own, later, other, finding("/a.sa", "unit-source-broken")]);
    expect([...files.keys()]).toEqual(["/a.sa", "/B.SA"]);
    expect(files.get("/a.sa")?.map((one) => one.inside)).toEqual([inside, [], []]);
  });

  it("have severity, code, range and the fix", () => {
    const shown = (["error", "warning", "note"] as const).map((severity) =>
      toProtocol({ finding: finding("/a.sa", "c", severity, 2), inside: [] }, document, true),
    );
    expect(shown.map(({ severity }) => severity)).toEqual([
      DiagnosticSeverity.Error,
      DiagnosticSeverity.Warning,
      DiagnosticSeverity.Information,
    ]);
    expect(shown[0]).toMatchObject({ code: "c", source: "cosimo", message: "about c\nfix: do it" });
    expect(shown[0]?.range.start.line).toBe(1);
    expect(shown[0]).not.toHaveProperty("relatedInformation");
  });

  it("related ones are beside it, or in the text where the editor shows none", () => {
    const one = { finding: finding("/a.sa"), inside: [finding("/no/n.yaml", "inner", "error", 3)] };
    const beside = toProtocol(one, document, true);
    expect(beside.message).not.toContain("inner");
    expect(beside.relatedInformation).toMatchObject([
      {
        message: "/no/n.yaml:3 inner: about inner",
        // What is not there is shown as its folder.
        location: { uri: pathToFileURL("/no").href, range: { start: { line: 2, character: 0 } } },
      },
    ]);
    expect(toProtocol(one, document, false).message).toContain("\n/no/n.yaml:3 inner: about inner");
  });

  it("are limited in number and length, the severe ones first", () => {
    const list = (severity: Severity, count: number): Diagnostic[] =>
      Array.from({ length: count }, (_, i) => finding("/a.sa", `${severity}-${i}`, severity));
    const shown = (...all: Diagnostic[]) =>
      allToProtocol(
        all.map((one) => ({ finding: one, inside: [] })),
        document,
        true,
      );
    expect(shown(...list("note", 100))).toHaveLength(100);
    const many = shown(...list("note", 50), ...list("error", 60));
    expect(many).toHaveLength(101);
    expect(many.filter(({ severity }) => severity === DiagnosticSeverity.Error)).toHaveLength(60);
    expect(many.at(-1)?.message).toContain("10 more findings are omitted");
    expect(shown(...list("error", 101)).at(-1)?.message).toContain("1 more finding is omitted");
    const long = { ...finding("/a.sa"), message: "m".repeat(1001) };
    expect(shown(long)[0]?.message).toBe(`${"m".repeat(1000)}…\nfix: do it`);
    const exact = { ...finding("/a.sa"), message: "m".repeat(1000) };
    expect(shown(exact)[0]?.message).toBe(`${"m".repeat(1000)}\nfix: do it`);
    const inside = Array.from({ length: 21 }, () => finding("/n.yaml"));
    const [most] = allToProtocol([{ finding: finding("/a.sa"), inside }], document, true);
    expect(most?.relatedInformation).toHaveLength(20);
  });
});

describe("completion of paths", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cosimo-paths-"));
    mkdirSync(join(folder, "models"));
    mkdirSync(join(folder, "node_modules"));
    for (const name of ["b.fmu", "a.sa", "s.yaml", "notes.txt", ".hidden.fmu", "models/deep.fmu"])
      writeFileSync(join(folder, name), "");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function offered(written: string): string[] {
    const text = TEXT.replace("f.fmu", written);
    const path = join(folder, "a.sa");
    const open = { path, document: SA_LANGUAGE.open(text, path), version: 1 };
    const { items } = completionList(open, new Map(), text.indexOf(written) + written.length);
    return items
      .toSorted((one, other) => ((one.sortText ?? "") < (other.sortText ?? "") ? -1 : 1))
      .map(({ label }) => label);
  }

  it("lists what can be a unit, files before folders", () => {
    expect(offered("x")).toEqual(["a.sa", "b.fmu", "s.yaml", "models/"]);
  });

  it("goes into folders, and finds nothing where there is none", () => {
    expect(offered("models/")).toEqual(["deep.fmu"]);
    expect(offered("missing/")).toEqual([]);
  });
});
