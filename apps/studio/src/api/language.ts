/**
 * The language server, spoken to over a WebSocket: the part of its protocol that an editor in a
 * page needs. One connection for all documents; it is made when the first one opens.
 */
import { socketAddress } from "./client.ts";

export interface LspPosition {
  readonly line: number;
  readonly character: number;
}

export interface LspRange {
  readonly start: LspPosition;
  readonly end: LspPosition;
}

export interface LspDiagnostic {
  readonly range: LspRange;
  /** 1 error, 2 warning, 3 information, 4 hint. */
  readonly severity?: number;
  readonly code?: string | number;
  readonly message: string;
}

export interface LspTextEdit {
  readonly range: LspRange;
  readonly newText: string;
}

export interface LspCompletion {
  readonly label: string;
  readonly kind?: number;
  readonly detail?: string;
  readonly documentation?: string | { readonly value: string };
  readonly insertText?: string;
  readonly textEdit?: LspTextEdit;
}

export interface LspAction {
  readonly title: string;
  readonly edit?: { readonly changes?: Readonly<Record<string, readonly LspTextEdit[]>> };
}

/** How long until a server that was lost is asked for again. */
const RETRY_MS = 2000;

type Receive = (diagnostics: readonly LspDiagnostic[]) => void;

interface OpenText {
  readonly path: string;
  readonly text: () => string;
  readonly receive: Receive;
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export class LanguageClient {
  private socket: WebSocket | undefined;
  private ready: Promise<void> | undefined;
  private next = 1;
  private readonly waiting = new Map<number, (message: Message) => void>();
  private isReady = false;
  private readonly documents = new Map<string, OpenText>();

  static uriOf(path: string): string {
    return `file:///${path.split("/").map(encodeURIComponent).join("/")}`;
  }

  /** @param text what the document holds when the server is there: people do not wait for it to type. */
  async open(path: string, text: () => string, receive: Receive): Promise<void> {
    const document: OpenText = { path, text, receive };
    this.documents.set(LanguageClient.uriOf(path), document);
    if (this.isReady) this.announce(document);
    else await this.connected();
  }

  private announce({ path, text }: OpenText): void {
    const languageId = /\.([a-z]+)$/.exec(path)?.[1] ?? "yaml";
    const uri = LanguageClient.uriOf(path);
    this.notify("textDocument/didOpen", {
      textDocument: { uri, languageId, version: 1, text: text() },
    });
  }

  close(path: string): void {
    const uri = LanguageClient.uriOf(path);
    if (this.documents.delete(uri)) this.notify("textDocument/didClose", { textDocument: { uri } });
  }

  /** The whole text: files of the languages are short. */
  changed(path: string, version: number, text: string): void {
    if (!this.isReady) return;
    const uri = LanguageClient.uriOf(path);
    this.notify("textDocument/didChange", {
      textDocument: { uri, version },
      contentChanges: [{ text }],
    });
  }

  async ask<T>(method: string, path: string, params: object): Promise<T | undefined> {
    await this.connected();
    const textDocument = { uri: LanguageClient.uriOf(path) };
    return (await this.request(`textDocument/${method}`, { textDocument, ...params })) as T;
  }

  private connected(): Promise<void> {
    this.ready ??= this.connect().catch((error: unknown) => {
      // The next who asks tries again.
      this.ready = undefined;
      throw error;
    });
    return this.ready;
  }

  private async connect(): Promise<void> {
    const socket = new WebSocket(socketAddress("language"));
    this.socket = socket;
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener("open", () => resolve());
      socket.addEventListener("close", () => reject(new Error("the language server is away")));
    });
    socket.addEventListener("close", () => {
      this.ready = undefined;
      this.isReady = false;
      for (const done of this.waiting.values()) done({});
      this.waiting.clear();
      this.again();
    });
    socket.addEventListener("message", ({ data }) => this.received(JSON.parse(String(data))));
    await this.request("initialize", {
      processId: null,
      rootUri: "file:///",
      capabilities: { textDocument: { hover: { contentFormat: ["markdown", "plaintext"] } } },
    });
    this.notify("initialized", {});
    this.isReady = true;
    for (const document of this.documents.values()) this.announce(document);
  }

  /** Open texts are looked at again when the server is there. */
  private again(): void {
    if (this.documents.size === 0) return;
    setTimeout(() => void this.connected().catch(() => this.again()), RETRY_MS);
  }

  private request(method: string, params: object): Promise<unknown> {
    const id = this.next++;
    return new Promise((resolve) => {
      this.waiting.set(id, ({ result }) => resolve(result ?? undefined));
      this.send({ id, method, params });
    });
  }

  private notify(method: string, params: object): void {
    this.send({ method, params });
  }

  private send(message: Message): void {
    if (this.socket?.readyState === WebSocket.OPEN)
      this.socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  private received(message: Message): void {
    if (message.method === undefined) {
      const id = Number(message.id);
      const done = this.waiting.get(id);
      this.waiting.delete(id);
      done?.(message);
    } else if (message.method === "textDocument/publishDiagnostics") {
      const { uri, diagnostics } = message.params as {
        uri: string;
        diagnostics: LspDiagnostic[];
      };
      this.documents.get(uri)?.receive(diagnostics);
    } else if (message.id !== undefined)
      // The server asks the editor something that a page has not: nothing is registered.
      this.send({ id: message.id, result: null });
  }
}

export const language = new LanguageClient();
