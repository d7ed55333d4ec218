/**
 * The language server: the protocol on one side, the open documents on the other. It decides
 * nothing about texts; their languages (lang/languages.ts) and the checks do.
 */
import { TextDocument } from "langium";
import {
  CodeActionKind,
  type Connection,
  createConnection,
  DidChangeWatchedFilesNotification,
  type InitializeParams,
  type InitializeResult,
  LSPErrorCodes,
  ResponseError,
  type TextDocumentPositionParams,
  TextDocumentSyncKind,
  TextDocuments,
} from "vscode-languageserver/node.js";
import type { KnownUnits } from "../../lang/text/editor-language.ts";
import * as answer from "./answers.ts";
import { Describer } from "./describer.ts";
import { completionList } from "./protocol-completion.ts";
import { type OpenDocument, Workspace } from "./workspace.ts";

export interface LanguageServerOptions {
  readonly version: string;
}

/** What editors may send with `initialize`. */
interface Settings {
  /** False where the folder is not trusted: no program in it is run. */
  readonly trusted?: boolean;
  /** How long a module may take to say what it is. */
  readonly patienceSeconds?: number;
}

/** Sent by editors that came to trust the folder. */
export const TRUSTED = "cosimo/trusted";

const WATCHED = "**/*.{sa,mci,mcl,hint,fmu,yaml,yml,ssp,ssd,js,mjs,ts,mts,csv}";
const DELAY_MS = 150;

/** Serves one editor on standard input and output, and ends the process when it goes away. */
export function serveOnStdio(options: LanguageServerOptions): void {
  const connection = createConnection(process.stdin, process.stdout);
  serve(connection, options);
  connection.listen();
}

function serve(connection: Connection, { version }: LanguageServerOptions): void {
  const documents = new TextDocuments(TextDocument);
  const log = (text: string): void => connection.console.log(text);
  const describer = new Describer(log);
  const workspace = new Workspace({
    describer,
    delayMs: DELAY_MS,
    log,
    publish(uri, diagnostics, of) {
      const params = {
        uri,
        diagnostics: [...diagnostics],
        ...(of === undefined ? {} : { version: of }),
      };
      void connection.sendDiagnostics(params);
    },
  });
  documents.onDidChangeContent(({ document }) => workspace.changed(document));
  documents.onDidClose(({ document }) => workspace.closed(document.uri));
  documents.onDidSave(() => workspace.checkAll());
  documents.listen(connection);

  let watches = false;
  connection.onInitialize((params) => {
    const { capabilities } = params;
    const settings = (params.initializationOptions ?? {}) as Settings;
    workspace.isTrusted = settings.trusted !== false;
    describer.patienceSeconds = settings.patienceSeconds ?? describer.patienceSeconds;
    workspace.showsRelated =
      capabilities.textDocument?.publishDiagnostics?.relatedInformation === true;
    watches = canWatch(params);
    return initialized(version);
  });
  connection.onInitialized(() => {
    if (!watches) return;
    const options = { watchers: [{ globPattern: WATCHED }] };
    void connection.client.register(DidChangeWatchedFilesNotification.type, options);
  });
  connection.onDidChangeWatchedFiles(() => workspace.checkAll());
  connection.onNotification(TRUSTED, () => {
    workspace.isTrusted = true;
    workspace.checkAll();
  });
  answerQuestions(connection, workspace);
}

function canWatch({ capabilities }: InitializeParams): boolean {
  return capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
}

function initialized(version: string): InitializeResult {
  return {
    serverInfo: { name: "cosimo", version },
    capabilities: {
      textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
      completionProvider: { triggerCharacters: [".", '"', "/", "(", ">"] },
      signatureHelpProvider: { triggerCharacters: ["(", ","] },
      hoverProvider: true,
      definitionProvider: true,
      referencesProvider: true,
      documentHighlightProvider: true,
      documentSymbolProvider: true,
      documentFormattingProvider: true,
      renameProvider: { prepareProvider: true },
      codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
    },
  };
}

function answerQuestions(connection: Connection, workspace: Workspace): void {
  /** About a place in an open document; undefined where it is not open. */
  async function at<T>(
    { textDocument: { uri }, position }: TextDocumentPositionParams,
    reply: (open: OpenDocument, offset: number, units: KnownUnits) => T,
  ): Promise<T | undefined> {
    const units = await workspace.unitsOf(uri);
    const open = workspace.servedAt(uri);
    return open && reply(open, answer.offsetAt(open, position), units);
  }
  const about = <T>(uri: string, reply: (open: OpenDocument) => T): T | undefined => {
    const open = workspace.servedAt(uri);
    return open && reply(open);
  };

  connection.onCompletion((params) =>
    at(params, (open, offset, units) => completionList(open, units, offset)),
  );
  connection.onHover((params) =>
    at(params, (open, offset, units) => answer.hover(open, units, offset)),
  );
  connection.onSignatureHelp((params) =>
    at(params, (open, offset) => answer.signature(open, offset)),
  );
  connection.onDefinition((params) =>
    at(params, (open, offset) =>
      answer.definition(open, params.textDocument.uri, offset, workspace),
    ),
  );
  connection.onReferences((params) =>
    at(params, (open, offset) =>
      answer
        .uses(open, offset, params.context.includeDeclaration)
        .map((range) => ({ uri: params.textDocument.uri, range })),
    ),
  );
  connection.onDocumentHighlight((params) =>
    at(params, (open, offset) => answer.uses(open, offset, true).map((range) => ({ range }))),
  );
  connection.onPrepareRename((params) =>
    at(params, (open, offset) => orRefuse(answer.prepareRename(open, offset))),
  );
  connection.onRenameRequest((params) =>
    at(params, (open, offset, units) => {
      const edits = orRefuse(answer.rename(open, units, offset, params.newName));
      return { changes: { [params.textDocument.uri]: edits } };
    }),
  );
  connection.onDocumentFormatting(({ textDocument }) => about(textDocument.uri, answer.format));
  connection.onDocumentSymbol(({ textDocument }) => about(textDocument.uri, answer.outline));
  connection.onCodeAction(({ textDocument: { uri }, range }) =>
    about(uri, (open) => answer.fixes(open, uri, workspace.findingsOf(uri) ?? [], range)),
  );
}

/** A refusal is an answer that editors show. */
function orRefuse<T extends object>(answered: T | { readonly refused: string }): T {
  if ("refused" in answered) throw new ResponseError(LSPErrorCodes.RequestFailed, answered.refused);
  return answered as T;
}
