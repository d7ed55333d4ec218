/**
 * The server over streams in memory, with a describer that answers at once: what each message of
 * the protocol leads to.
 */
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createProtocolConnection,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node.js";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { innerUnits } from "../../lang/sa/ide/testing/cursor.ts";
import type { Described, Question } from "./describer.ts";

const streams = vi.hoisted(() => ({ input: {} as unknown, output: {} as unknown }));
const thread = vi.hoisted(() => ({
  patienceSeconds: [] as number[],
  questions: [] as unknown[],
  answer: {} as unknown,
}));

vi.mock("vscode-languageserver/node.js", async (original) => {
  const actual = await original<typeof import("vscode-languageserver/node.js")>();
  const createConnection = () =>
    actual.createConnection(
      new actual.StreamMessageReader(streams.input as NodeJS.ReadableStream),
      new actual.StreamMessageWriter(streams.output as NodeJS.WritableStream),
    );
  return { ...actual, createConnection };
});
vi.mock("./describer.ts", () => ({
  Describer: class {
    set patienceSeconds(seconds: number) {
      thread.patienceSeconds.push(seconds);
    }
    get patienceSeconds(): number {
      return 20;
    }
    async describe(pose: () => Question | undefined): Promise<Described | undefined> {
      const question = pose();
      if (question === undefined) return undefined;
      thread.questions.push(question);
      return thread.answer as Described;
    }
  },
}));
const { serveOnStdio, TRUSTED } = await import("./server.ts");

const URI = "file:///x/a.sa";
const TEXT = `semantic adaptation reactive moore A a
for inner fmu F f at "f.fmu"
input ports i -> f.u
output ports o <- f.y
param GAIN := 2.0; param OTHER := 1.0;
control rules { return GAIN * max(f.y, 1.0); }
`;
const FINDING: Diagnostic = {
  code: "sa-unknown-name",
  severity: "error",
  message: "there is no 'GAIN'",
  fix: "did you mean 'GAIM'?",
  place: { file: "/x/a.sa", line: 5, column: 7 },
};

type Published = { uri: string; diagnostics: { code?: string }[]; version?: number };

let editor: ProtocolConnection;
const published: Published[] = [];
const registered: string[] = [];

beforeEach(() => {
  const [toServer, toEditor] = [new PassThrough(), new PassThrough()];
  Object.assign(streams, { input: toServer, output: toEditor });
  published.length = registered.length = 0;
  thread.patienceSeconds.length = thread.questions.length = 0;
  thread.answer = {
    diagnostics: [],
    units: innerUnits("f: in u (rad), out y (cm)"),
    texts: new Set(["/x/a.sa"]),
  } satisfies Described;
  serveOnStdio({ version: "1.2.3" });
  editor = createProtocolConnection(
    new StreamMessageReader(toEditor),
    new StreamMessageWriter(toServer),
  );
  editor.onNotification(
    "textDocument/publishDiagnostics",
    (one: Published) => void published.push(one),
  );
  editor.onRequest("client/registerCapability", ({ registrations }) => {
    registered.push(...registrations.map(({ method }: { method: string }) => method));
    return null;
  });
  editor.listen();
});
afterEach(() => editor.dispose());

async function initialize(capabilities: object = {}, initializationOptions?: object) {
  const params = { processId: null, rootUri: null, capabilities, initializationOptions };
  const result = await editor.sendRequest<{
    serverInfo: { name: string; version: string };
    capabilities: Readonly<Record<string, unknown>>;
  }>("initialize", params);
  await editor.sendNotification("initialized", {});
  return result;
}

const open = (text = TEXT, version = 1): Promise<void> =>
  editor.sendNotification("textDocument/didOpen", {
    textDocument: { uri: URI, languageId: "sa", version, text },
  });
const close = (): Promise<void> =>
  editor.sendNotification("textDocument/didClose", { textDocument: { uri: URI } });
const ask = <T>(method: string, more: object = {}): Promise<T> =>
  editor.sendRequest<T>(`textDocument/${method}`, { textDocument: { uri: URI }, ...more });

/** Checks come a moment after a change; a slow machine takes longer. */
const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 10_000 });

/** Right behind `word` in the text. */
function behind(word: string): { line: number; character: number } {
  const before = TEXT.slice(0, TEXT.indexOf(word) + word.length).split("\n");
  return { line: before.length - 1, character: before[before.length - 1].length };
}

describe("the server", () => {
  it("[LS1] says its name, its version, and everything that it answers", async () => {
    const { serverInfo, capabilities } = await initialize();
    expect(serverInfo).toEqual({ name: "cosimo", version: "1.2.3" });
    expect(Object.keys(capabilities).sort()).toEqual([
      "codeActionProvider",
      "completionProvider",
      "definitionProvider",
      "documentFormattingProvider",
      "documentHighlightProvider",
      "documentSymbolProvider",
      "hoverProvider",
      "referencesProvider",
      "renameProvider",
      "signatureHelpProvider",
      "textDocumentSync",
    ]);
    for (const capability of Object.values(capabilities)) expect(capability).not.toBe(false);
    expect(capabilities["textDocumentSync"]).toMatchObject({ openClose: true, save: true });
    expect(capabilities["renameProvider"]).toEqual({ prepareProvider: true });
  });

  it("[LS4] watches files where the editor can, and checks again when one changes or is saved", async () => {
    await initialize({ workspace: { didChangeWatchedFiles: { dynamicRegistration: true } } });
    await eventually(() => expect(registered).toEqual(["workspace/didChangeWatchedFiles"]));
    await open();
    await eventually(() => expect(thread.questions).toHaveLength(1));
    await editor.sendNotification("workspace/didChangeWatchedFiles", { changes: [] });
    await eventually(() => expect(thread.questions).toHaveLength(2));
    await editor.sendNotification("textDocument/didSave", { textDocument: { uri: URI } });
    await eventually(() => expect(thread.questions).toHaveLength(3));
  });

  it("[LS4] does not ask an editor to watch that cannot", async () => {
    await initialize({ workspace: { didChangeWatchedFiles: { dynamicRegistration: false } } });
    await open();
    await eventually(() => expect(thread.questions).toHaveLength(1));
    expect(registered).toEqual([]);
  });

  it("[LS6] runs no program where the folder is not trusted, until the editor says so", async () => {
    await initialize({}, { trusted: false, patienceSeconds: 7 });
    await open();
    await eventually(() => expect(thread.questions).toMatchObject([{ isTrusted: false }]));
    await editor.sendNotification(TRUSTED);
    await eventually(() => expect(thread.questions.at(-1)).toMatchObject({ isTrusted: true }));
    expect(thread.patienceSeconds).toEqual([7]);
  });

  it.each([[undefined], [{}], [{ trusted: true }]])(
    "[LS6] with %j trusts the folder",
    async (options) => {
      await initialize({}, options);
      await open();
      await eventually(() => expect(thread.questions).toMatchObject([{ isTrusted: true }]));
      expect(thread.patienceSeconds).toEqual([20]);
    },
  );
});

describe("a document", () => {
  it("[LS2] has its findings with its version, and none when it is closed", async () => {
    thread.answer = { ...(thread.answer as Described), diagnostics: [FINDING] };
    await initialize();
    await open(TEXT, 4);
    await eventually(() => expect(published).toHaveLength(1));
    expect(published[0]).toMatchObject({
      uri: URI,
      version: 4,
      diagnostics: [{ code: "sa-unknown-name", range: { start: { line: 4, character: 6 } } }],
    });
    await close();
    await eventually(() => expect(published.at(-1)).toEqual({ uri: URI, diagnostics: [] }));
  });

  it("[LS3] is what the editor sent last, also where it is opened again with the same version", async () => {
    await initialize();
    await open();
    expect(await ask<{ name: string }[]>("documentSymbol")).toMatchObject([{ name: "a" }]);
    await close();
    await open(TEXT.replace("moore A a", "moore A b"));
    expect(await ask<{ name: string }[]>("documentSymbol")).toMatchObject([{ name: "b" }]);
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 8 } };
    await editor.sendNotification("textDocument/didChange", {
      textDocument: { uri: URI, version: 2 },
      contentChanges: [{ range, text: "// none\nsemantic" }],
    });
    const [root] = await ask<{ range: { start: { line: number } } }[]>("documentSymbol");
    expect(root.range.start.line).toBe(1);
  });

  it("[LS5] that is not open has no answers, and none fails", async () => {
    await initialize();
    const position = { line: 0, character: 0 };
    for (const method of [
      "completion",
      "hover",
      "definition",
      "documentHighlight",
      "signatureHelp",
    ])
      expect(await ask(method, { position })).toBeNull();
    for (const method of ["formatting", "documentSymbol"])
      expect(await ask(method, { options: { tabSize: 2, insertSpaces: true } })).toBeNull();
  });
});

describe("a question about a place", () => {
  beforeEach(async () => {
    await initialize();
    await open();
  });

  it("[LS13] [LS14] knows the inner units that were described", async () => {
    const hover = await ask("hover", { position: behind("max(f.y") });
    expect(JSON.stringify(hover)).toContain("cm");
    const list = await ask<{ items: { label: string }[] }>("completion", {
      position: behind("max(f."),
    });
    expect(list.items.map(({ label }) => label)).toEqual(["y"]);
  });

  it("[LS11] [LS12] [LS24] leads to its name: declaration, uses, signature", async () => {
    const position = behind("return GAI");
    const found = await ask<{ uri: string; range: { start: { line: number } } }>("definition", {
      position,
    });
    expect([found.uri, found.range.start.line]).toEqual([URI, 4]);
    const uses = (includeDeclaration: boolean) =>
      ask<{ uri: string }[]>("references", { position, context: { includeDeclaration } });
    expect(await uses(true)).toHaveLength(2);
    expect(await uses(false)).toMatchObject([{ uri: URI }]);
    expect(await ask("documentHighlight", { position })).toHaveLength(2);
    expect(await ask("signatureHelp", { position: behind("max(f.y, ") })).toMatchObject({
      activeParameter: 1,
    });
  });

  it("[LS20] [LS21] renames in this document, and a refusal is an error with its reason", async () => {
    const position = behind("return GAI");
    expect(await ask("prepareRename", { position })).toMatchObject({ placeholder: "GAIN" });
    const edit = await ask<{ changes: Record<string, { newText: string }[]> }>("rename", {
      position,
      newName: "K",
    });
    expect(edit.changes[URI].map(({ newText }) => newText)).toEqual(["K", "K"]);
    await expect(ask("rename", { position, newName: "OTHER" })).rejects.toThrow();
    await expect(ask("prepareRename", { position: behind("max(f.y") })).rejects.toThrow();
  });

  it("[LS22] [LS23] formats, and offers fixes of what was found", async () => {
    thread.answer = { ...(thread.answer as Described), diagnostics: [FINDING] };
    await editor.sendNotification("textDocument/didChange", {
      textDocument: { uri: URI, version: 2 },
      contentChanges: [{ text: TEXT }],
    });
    await eventually(() => expect(published.at(-1)?.diagnostics).toHaveLength(1));
    const range = { start: { line: 4, character: 6 }, end: { line: 4, character: 6 } };
    const context = { diagnostics: [] };
    expect(await ask("codeAction", { range, context })).toMatchObject([{ kind: "quickfix" }]);
    const elsewhere = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    expect(await ask("codeAction", { range: elsewhere, context })).toEqual([]);
    const edits = await ask<unknown[]>("formatting", {
      options: { tabSize: 2, insertSpaces: true },
    });
    expect(edits).toHaveLength(1);
  });
});
