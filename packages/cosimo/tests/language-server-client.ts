/**
 * An editor in a few lines: starts a language server as a child process and talks to it over
 * standard input and output, as editors do.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll } from "vitest";
import {
  createProtocolConnection,
  type Diagnostic,
  type InitializeResult,
  type Position,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node.js";

export class Editor {
  readonly process: ChildProcess;
  readonly connection: ProtocolConnection;
  readonly ended: Promise<number | null>;
  /** What was published last, by address. */
  readonly published = new Map<string, PublishDiagnosticsParams>();
  registered: string[] = [];
  private readonly versions = new Map<string, number>();
  private readonly listeners = new Set<() => void>();

  constructor(command: readonly string[], cwd: string, environment: NodeJS.ProcessEnv = {}) {
    this.process = spawn(process.execPath, command, {
      cwd,
      env: { ...process.env, ...environment },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.ended = new Promise((resolve) => this.process.on("close", (code) => resolve(code)));
    this.connection = createProtocolConnection(
      new StreamMessageReader(this.process.stdout!),
      new StreamMessageWriter(this.process.stdin!),
    );
    this.connection.onNotification(
      "textDocument/publishDiagnostics",
      (params: PublishDiagnosticsParams) => {
        this.published.set(params.uri, params);
        for (const listener of this.listeners) listener();
      },
    );
    this.connection.onRequest("client/registerCapability", (params) => {
      this.registered = params.registrations.map(({ method }: { method: string }) => method);
      for (const listener of this.listeners) listener();
      return null;
    });
    this.connection.listen();
  }

  async initialize(options: object = {}): Promise<InitializeResult> {
    const result = await this.connection.sendRequest<InitializeResult>("initialize", {
      processId: process.pid,
      rootUri: null,
      initializationOptions: options,
      capabilities: {
        workspace: { didChangeWatchedFiles: { dynamicRegistration: true } },
        textDocument: { publishDiagnostics: { relatedInformation: true } },
      },
    });
    await this.connection.sendNotification("initialized", {});
    return result;
  }

  /** Opens a document and waits for its findings. */
  async open(path: string, text: string): Promise<readonly Diagnostic[]> {
    const uri = pathToFileURL(path).href;
    this.versions.set(uri, 1);
    const found = this.findings(path, 1);
    const textDocument = { uri, languageId: "sa", version: 1, text };
    await this.connection.sendNotification("textDocument/didOpen", { textDocument });
    return found;
  }

  /** Replaces the whole text, without saving it, and waits for the findings. */
  async change(path: string, text: string): Promise<readonly Diagnostic[]> {
    const found = this.type(path, text).then(() => this.findings(path));
    return found;
  }

  /** As `change`, without waiting. */
  async type(path: string, text: string): Promise<void> {
    const uri = pathToFileURL(path).href;
    const version = (this.versions.get(uri) ?? 0) + 1;
    this.versions.set(uri, version);
    const params = { textDocument: { uri, version }, contentChanges: [{ text }] };
    await this.connection.sendNotification("textDocument/didChange", params);
  }

  /** The findings of a version of a document, the present one where none is given. */
  findings(path: string, version?: number): Promise<readonly Diagnostic[]> {
    const uri = pathToFileURL(path).href;
    const wanted = version ?? this.versions.get(uri)!;
    return this.until(() => {
      const known = this.published.get(uri);
      return known?.version === wanted ? known.diagnostics : undefined;
    });
  }

  /** Waits until what was published or registered says so. */
  until<T>(look: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const listener = (): void => {
        const found = look();
        if (found === undefined) return;
        this.listeners.delete(listener);
        resolve(found);
      };
      this.listeners.add(listener);
      listener();
    });
  }

  close(path: string): Promise<void> {
    const textDocument = { uri: pathToFileURL(path).href };
    return this.connection.sendNotification("textDocument/didClose", { textDocument });
  }

  /** A request about a place in a document. */
  ask<T>(method: string, path: string, position: Position, more: object = {}): Promise<T> {
    const textDocument = { uri: pathToFileURL(path).href };
    return this.connection.sendRequest<T>(`textDocument/${method}`, {
      textDocument,
      position,
      ...more,
    });
  }

  /** A request about a whole document. */
  about<T>(method: string, path: string, more: object = {}): Promise<T> {
    const textDocument = { uri: pathToFileURL(path).href };
    return this.connection.sendRequest<T>(`textDocument/${method}`, { textDocument, ...more });
  }

  async shutdown(): Promise<number | null> {
    await this.connection.sendRequest("shutdown");
    await this.connection.sendNotification("exit");
    return this.ended;
  }
}

/** A text with a cursor (‸): the text without it, and where it was. */
export function cursor(marked: string): { readonly text: string; readonly position: Position } {
  const before = marked.slice(0, marked.indexOf("‸")).split("\n");
  const position = { line: before.length - 1, character: before.at(-1)!.length };
  return { text: marked.replace("‸", ""), position };
}

export class Folder {
  readonly path: string;

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), "cosimo-editor-test-"));
    afterAll(() => rmSync(this.path, { recursive: true, force: true }));
  }

  at(name: string): string {
    return join(this.path, name);
  }

  write(name: string, content: string | Uint8Array): string {
    writeFileSync(this.at(name), content);
    return this.at(name);
  }
}
