/**
 * Answers about one document, without a server: places in, places out, refusals with their reasons.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CompletionItemKind, type Range, SymbolKind } from "vscode-languageserver/node.js";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { SA_LANGUAGE } from "../../lang/sa/ide/sa-language.ts";
import { innerUnits } from "../../lang/sa/ide/testing/cursor.ts";
import * as answer from "./answers.ts";
import { completionList } from "./protocol-completion.ts";
import type { OpenDocument, Workspace } from "./workspace.ts";

const TEXT = `semantic adaptation reactive moore A a
for inner fmu F f at "f.fmu"
input ports i -> f.u
output ports o <- f.y
param GAIN := 2.0;
control var c := 0.0;
control rules {
  c := GAIN * max(f.y, 1.0);
  return c;
}
`;
const INNER = innerUnits("f: in u (rad), out y (cm)");

/** A text with a cursor `‸`, open at a path. */
function opened(text: string, path = "/x/a.sa"): { open: OpenDocument; offset: number } {
  const offset = text.indexOf("‸");
  const plain = text.replace("‸", "");
  return { open: { path, document: SA_LANGUAGE.open(plain, path), version: 1 }, offset };
}

/** What a range covers. */
function covered(text: string, { start, end }: Range): string {
  const lines = text.replace("‸", "").split("\n");
  expect(start.line).toBe(end.line);
  return lines[start.line].slice(start.character, end.character);
}

const nowhere = { textOf: () => undefined } as unknown as Workspace;

describe("a position", () => {
  const { open } = opened("ab\ncde\n‸");

  it.each([
    [0, 0, 0],
    [0, 2, 2],
    [1, 0, 3],
    [1, 3, 6],
    [2, 0, 7],
    [1, 99, 7],
    [99, 0, 7],
  ])("line %i, character %i is offset %i, never beyond the text", (line, character, offset) => {
    expect(answer.offsetAt(open, { line, character })).toBe(offset);
  });
});

describe("what is said about a place", () => {
  it("[LS13] is about the name under the cursor, and about nothing elsewhere", () => {
    const text = TEXT.replace("max(f.y", "max(f.‸y");
    const { open, offset } = opened(text);
    const found = answer.hover(open, INNER, offset);
    expect(found?.range && covered(text, found.range)).toBe("y");
    expect(JSON.stringify(found?.contents)).toContain("cm");
    const blank = opened(TEXT.replace("control rules {", "control rules {‸"));
    expect(answer.hover(blank.open, INNER, blank.offset)).toBeUndefined();
  });

  it("[LS24] is a signature inside of a call, with the argument that is being written", () => {
    const first = opened(TEXT.replace("max(f.y", "max(‸f.y"));
    const second = opened(TEXT.replace("f.y, 1.0", "f.y, ‸1.0"));
    const outside = opened(TEXT.replace("GAIN *", "‸GAIN *"));
    const found = answer.signature(first.open, first.offset);
    expect(found?.signatures).toHaveLength(1);
    expect([found?.activeSignature, found?.activeParameter]).toEqual([0, 0]);
    expect(answer.signature(second.open, second.offset)?.activeParameter).toBe(1);
    expect(found?.signatures[0].label).toContain("max(");
    expect(found?.signatures[0].parameters?.length).toBeGreaterThan(0);
    expect(answer.signature(outside.open, outside.offset)).toBeUndefined();
  });

  it("[LS25] is an outline with the kind, the name and the part of each", () => {
    const { open } = opened(TEXT);
    const [root] = answer.outline(open);
    expect([root.name, root.kind]).toEqual(["a", SymbolKind.Class]);
    const kinds = new Map(root.children?.map(({ name, kind }) => [name, kind]));
    expect(kinds.get("f")).toBe(SymbolKind.Module);
    expect(kinds.get("GAIN")).toBe(SymbolKind.Constant);
    expect(kinds.get("c")).toBe(SymbolKind.Variable);
    expect(kinds.get("i")).toBe(SymbolKind.Field);
    for (const { name, selectionRange } of root.children ?? [])
      if (["f", "GAIN", "c", "i", "o"].includes(name))
        expect(covered(TEXT, selectionRange)).toBe(name);
    expect([...kinds.values()]).toContain(SymbolKind.Function);
  });
});

describe("names", () => {
  const onGain = TEXT.replace("c := GAIN", "c := G‸AIN");

  it("[LS12] are found with and without their declaration", () => {
    const { open, offset } = opened(onGain);
    const lines = (withDeclaration: boolean): number[] =>
      answer.uses(open, offset, withDeclaration).map(({ start }) => start.line);
    expect(lines(true).toSorted()).toEqual([4, 7]);
    expect(lines(false)).toEqual([7]);
    for (const range of answer.uses(open, offset, true)) expect(covered(TEXT, range)).toBe("GAIN");
  });

  it("[LS20] [LS21] are renamed everywhere, or refused with a reason", () => {
    const { open, offset } = opened(onGain);
    expect(answer.prepareRename(open, offset)).toMatchObject({ placeholder: "GAIN" });
    const edits = answer.rename(open, INNER, offset, "K");
    if ("refused" in edits) throw new Error(edits.refused);
    expect(edits.map(({ newText, range }) => [newText, covered(TEXT, range)])).toEqual([
      ["K", "GAIN"],
      ["K", "GAIN"],
    ]);
    expect(answer.rename(open, INNER, offset, "c")).toHaveProperty("refused");
    const port = opened(TEXT.replace("max(f.y", "max(f.‸y"));
    expect(answer.prepareRename(port.open, port.offset)).toHaveProperty("refused");
    expect(answer.rename(port.open, INNER, port.offset, "z")).toHaveProperty("refused");
  });

  it("[LS11] lead to their declaration in the same text", () => {
    const { open, offset } = opened(onGain);
    const found = answer.definition(open, "file:///x/a.sa", offset, nowhere);
    expect(found?.uri).toBe("file:///x/a.sa");
    expect(found?.range.start.line).toBe(4);
    const blank = opened(TEXT.replace("control rules {", "control rules {‸"));
    expect(answer.definition(blank.open, "file:///x/a.sa", blank.offset, nowhere)).toBeUndefined();
  });
});

describe("names of other files", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cosimo-answers-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function definition(
    source: string,
    from: "port" | "path",
    there?: { uri: string; text: string },
  ) {
    const text = TEXT.replace("f.fmu", from === "path" ? `‸${source}` : source);
    const { open, offset } = opened(
      from === "port" ? text.replace("max(f.y", "max(f.‸y") : text,
      join(folder, "a.sa"),
    );
    const workspace = { textOf: () => there } as unknown as Workspace;
    return answer.definition(open, "file:///x/a.sa", offset, workspace);
  }

  it("[LS11] lead to texts that exist, and not to what no editor shows", () => {
    for (const name of ["m.fmu", "s.yaml", "s.SSD", "p.ssp"]) writeFileSync(join(folder, name), "");
    const start = { line: 0, character: 0 };
    expect(definition("s.yaml", "path")).toEqual({
      uri: pathToFileURL(join(folder, "s.yaml")).href,
      range: { start, end: start },
    });
    expect(definition("s.SSD", "path")).toBeDefined();
    expect(definition("m.fmu", "path")).toBeUndefined();
    expect(definition("p.ssp#V.ssd", "path")).toBeUndefined();
    expect(definition("missing.yaml", "path")).toBeUndefined();
  });

  it("[LS11] [LS3] lead to the port that an inner adaptation declares, as the editor has it", () => {
    writeFileSync(join(folder, "inner.sa"), "");
    const there = {
      uri: "file:///open/inner.sa",
      text: "semantic adaptation delayed moore I i\nparam y := 1.0;\noutput ports z, y\n",
    };
    const found = definition("inner.sa", "port", there);
    expect(found?.uri).toBe("file:///open/inner.sa");
    // The output of the third line, not the parameter of the same name.
    expect(found?.range.start).toEqual({ line: 2, character: "output ports z, ".length });
    const other = definition("inner.sa", "port", {
      ...there,
      text: there.text.replace("z, y", "z"),
    });
    expect(other?.range.start).toEqual({ line: 0, character: 0 });
  });
});

describe("edits", () => {
  it("[LS22] formatting changes only lines that differ, and leaves alone what cannot be read", () => {
    const lines = TEXT.split("\n");
    for (const { range, newText } of answer.format(opened(TEXT).open).toReversed()) {
      const { start, end } = range;
      expect([start.character, end.character]).toEqual([0, 0]);
      lines.splice(start.line, end.line - start.line, ...newText.split("\n").slice(0, -1));
    }
    const tidy = lines.join("\n");
    expect(answer.format(opened(tidy).open)).toEqual([]);
    const messy = tidy.replace("param GAIN := 2.0;", "param   GAIN:=2.0;");
    const edits = answer.format(opened(messy).open);
    expect(edits).toHaveLength(1);
    expect(edits[0].newText).toBe("param GAIN := 2.0;\n");
    expect(answer.format(opened(TEXT.slice(0, -4)).open)).toEqual([]);
  });

  const finding = (line: number, column: number, fix: string): Diagnostic => ({
    code: "sa-unknown-name",
    severity: "error",
    message: "there is no 'GAIM'",
    fix,
    place: { file: "/x/a.sa", line, column },
  });

  it("[LS23] are offered where the range meets the finding, also at its very ends", () => {
    const text = TEXT.replace("c := GAIN", "c := GAIM");
    const { open } = opened(text);
    const column = text.split("\n")[7].indexOf("GAIM");
    const one = { finding: finding(8, column + 1, "did you mean 'GAIN'?"), inside: [] };
    const offered = (from: [number, number], to: [number, number]): number =>
      answer.fixes(open, "file:///x/a.sa", [one], {
        start: { line: from[0], character: from[1] },
        end: { line: to[0], character: to[1] },
      }).length;
    expect(offered([7, column], [7, column])).toBe(1);
    expect(offered([7, column + 4], [7, column + 9])).toBe(1);
    expect(offered([7, column + 5], [7, column + 9])).toBe(0);
    expect(offered([7, 0], [7, column])).toBe(1);
    expect(offered([7, 0], [7, column - 1])).toBe(0);
    expect(offered([0, 99], [99, 0])).toBe(1);
    expect(offered([8, 0], [9, 0])).toBe(0);
    expect(offered([0, 0], [6, 99])).toBe(0);
    const [action] = answer.fixes(open, "file:///x/a.sa", [one], {
      start: { line: 7, character: column },
      end: { line: 7, character: column },
    });
    expect(action.isPreferred).toBe(true);
    expect(action.edit?.changes?.["file:///x/a.sa"]?.[0].newText).toBe("GAIN");
  });

  it("[LS23] are not offered where something is left to decide", () => {
    const { open } = opened(TEXT);
    const one = { finding: finding(8, 3, "write something else"), inside: [] };
    const range = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
    expect(answer.fixes(open, "file:///x/a.sa", [one], range)).toEqual([]);
  });
});

describe("what is offered", () => {
  const ports = (count: number): string =>
    `f: ${Array.from({ length: count }, (_, i) => `out p${i}`).join(", ")}`;
  const list = (written: string, inner = INNER) => {
    const { open, offset } = opened(TEXT.replace("max(f.y", `max(f.${written}‸`));
    return completionList(open, inner, offset);
  };

  it("[LS14] is a port with its kind, and an edit of what was written", () => {
    const { items, isIncomplete } = list("");
    expect(isIncomplete).toBe(false);
    expect(items.map(({ label, kind }) => [label, kind])).toEqual([
      ["y", CompletionItemKind.Field],
    ]);
    expect(items[0].textEdit?.newText).toBe("y");
    expect(items[0].detail).toContain("cm");
  });

  it.each([
    [500, false, 500],
    [501, true, 500],
  ])("[LS14] of %i ports is whole: %o", (count, isIncomplete, shown) => {
    const found = list("", innerUnits(ports(count)));
    expect([found.isIncomplete, found.items.length]).toEqual([isIncomplete, shown]);
  });

  it("[LS14] of too many are those that contain what was typed, in their order", () => {
    const found = list("P59", innerUnits(ports(600)));
    expect(found.items.map(({ label }) => label)).toEqual([
      "p59",
      ...Array.from({ length: 10 }, (_, i) => `p59${i}`),
    ]);
    expect(found.isIncomplete).toBe(true);
    const sorted = found.items.map(({ sortText }) => sortText ?? "");
    expect(sorted).toEqual(sorted.toSorted());
  });
});
