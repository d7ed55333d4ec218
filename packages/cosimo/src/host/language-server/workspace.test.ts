/**
 * Open documents and their findings, with a describer that answers at once and says what it was
 * asked.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { TextDocument } from "langium";
import { describe, expect, it } from "vitest";
import type { Diagnostic as ProtocolDiagnostic } from "vscode-languageserver/node.js";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { folderOfEachTest } from "../../platform/node/testing/folders.ts";
import type { Described, Describer, Question } from "./describer.ts";
import { Workspace } from "./workspace.ts";

const TEXT =
  'semantic adaptation delayed moore A a\nfor inner fmu F f at "f.fmu"\noutput ports y\n';

let folder = "";
folderOfEachTest("workspace", (path) => {
  folder = path;
});

function workspace(answer: (question: Question) => Partial<Described> | undefined) {
  const questions: Question[] = [];
  const published: [file: string, codes: unknown[], version?: number][] = [];
  const log: string[] = [];
  const describer = {
    async describe(pose: () => Question | undefined): Promise<Described | undefined> {
      const question = pose();
      if (question === undefined) return undefined;
      questions.push(question);
      const given = answer(question);
      return (
        given && { diagnostics: [], units: new Map(), texts: new Set([question.path]), ...given }
      );
    },
  } as unknown as Describer;
  const publish = (uri: string, list: readonly ProtocolDiagnostic[], version?: number): void => {
    const name = uri.slice(uri.lastIndexOf("/") + 1);
    const codes = list.map(({ code }) => code);
    published.push(version === undefined ? [name, codes] : [name, codes, version]);
  };
  const space = new Workspace({ describer, publish, delayMs: 0, log: (text) => log.push(text) });
  return { space, questions, published, log };
}

const uriOf = (name: string): string => pathToFileURL(join(folder, name)).href;
const open = (name: string, version = 1, text = TEXT): TextDocument =>
  TextDocument.create(uriOf(name), "sa", version, text);
const later = (): Promise<void> => new Promise((done) => setTimeout(done, 20));
const finding = (name: string, code: string): Diagnostic => ({
  code,
  severity: "error",
  message: code,
  fix: "",
  place: { file: join(folder, name), line: 1 },
});

describe("a document", () => {
  it("is checked after the last change, with all texts that are open", async () => {
    const { space, questions, published } = workspace(() => ({
      diagnostics: [finding("a.sa", "wrong")],
    }));
    space.changed(open("a.sa", 1));
    space.changed(open("a.sa", 2, `${TEXT}// more\n`));
    await later();
    expect(questions).toHaveLength(1);
    expect(questions[0]).toMatchObject({ path: join(folder, "a.sa"), isTrusted: true });
    expect(questions[0]?.texts.get(join(folder, "a.sa"))).toBe(`${TEXT}// more\n`);
    expect(published).toEqual([["a.sa", ["wrong"], 2]]);
    expect(space.findingsOf(uriOf("a.sa"))?.map((one) => one.finding.code)).toEqual(["wrong"]);
  });

  it("has no findings of an older text", async () => {
    const { space } = workspace(() => ({ diagnostics: [finding("a.sa", "wrong")] }));
    space.changed(open("a.sa", 1));
    await later();
    space.changed(open("a.sa", 2));
    expect(space.findingsOf(uriOf("a.sa"))).toBeUndefined();
    expect(space.findingsOf(uriOf("other.sa"))).toBeUndefined();
  });

  it("is parsed once per version", () => {
    const { space } = workspace(() => undefined);
    space.changed(open("a.sa", 1));
    const first = space.at(uriOf("a.sa"));
    expect(space.at(uriOf("a.sa"))).toBe(first);
    space.changed(open("a.sa", 2));
    expect(space.at(uriOf("a.sa"))).not.toBe(first);
    expect(space.at(uriOf("b.sa"))).toBeUndefined();
  });

  it("loses its findings when it is closed", async () => {
    const { space, published } = workspace(() => ({ diagnostics: [finding("a.sa", "wrong")] }));
    space.changed(open("a.sa"));
    await later();
    space.closed(uriOf("a.sa"));
    await later();
    expect(published.at(-1)).toEqual(["a.sa", []]);
    expect(space.at(uriOf("a.sa"))).toBeUndefined();
  });

  it("is checked again when a text changes that it was read with, and not for others", async () => {
    const { space, questions } = workspace(({ path }) => ({
      texts: new Set([path, join(folder, "inner.sa")]),
    }));
    space.changed(open("a.sa"));
    await later();
    const count = (): number => questions.filter(({ path }) => path.endsWith("/a.sa")).length;
    expect(count()).toBe(1);
    space.changed(open("other.sa"));
    await later();
    expect(count()).toBe(1);
    space.changed(open("inner.sa"));
    await later();
    expect(count()).toBe(2);
    space.checkAll();
    await later();
    expect(count()).toBe(3);
  });

  it("a check that fails is logged, and the next one works", async () => {
    let fails = true;
    const { space, log, published } = workspace(() => {
      if (fails) throw new Error("a bug");
      return {};
    });
    space.changed(open("a.sa"));
    await later();
    expect(log.join()).toContain("a bug");
    fails = false;
    space.checkAll();
    await later();
    expect(published).toEqual([["a.sa", [], 1]]);
  });
});

describe("files that are not open", () => {
  it("show what was found in them, once, until it is gone", async () => {
    writeFileSync(join(folder, "inner.sa"), TEXT);
    let isBroken = true;
    const { space, published } = workspace(() => ({
      diagnostics: isBroken ? [finding("inner.sa", "wrong")] : [],
    }));
    space.changed(open("a.sa"));
    space.changed(open("b.sa"));
    await later();
    expect(published.filter(([name]) => name === "inner.sa").at(-1)).toEqual([
      "inner.sa",
      ["wrong"],
    ]);
    isBroken = false;
    space.checkAll();
    await later();
    expect(published.filter(([name]) => name === "inner.sa").at(-1)).toEqual(["inner.sa", []]);
  });

  it("are read from disk, open ones from the editor", () => {
    writeFileSync(join(folder, "inner.sa"), "on disk");
    const { space } = workspace(() => undefined);
    const file = join(folder, "inner.sa");
    expect(space.textOf(file)?.text).toBe("on disk");
    space.changed(open("inner.sa", 1, "in the editor"));
    expect(space.textOf(file)).toEqual({ uri: uriOf("inner.sa"), text: "in the editor" });
    expect(space.textOf(join(folder, "no.sa"))).toBeUndefined();
  });
});

describe("inner units", () => {
  it("are those of the text as it is now", async () => {
    const { space, questions } = workspace(() => ({ units: new Map([["f", {} as never]]) }));
    space.changed(open("a.sa"));
    expect([...(await space.unitsOf(uriOf("a.sa"))).keys()]).toEqual(["f"]);
    const asked = questions.length;
    // The same units: nothing new to learn.
    await space.unitsOf(uriOf("a.sa"));
    expect(questions).toHaveLength(asked);
    space.changed(open("a.sa", 2, TEXT.replace("f.fmu", "g.fmu")));
    await space.unitsOf(uriOf("a.sa"));
    expect(questions.length).toBeGreaterThan(asked);
    expect(await space.unitsOf(uriOf("none.sa"))).toEqual(new Map());
  });
});
