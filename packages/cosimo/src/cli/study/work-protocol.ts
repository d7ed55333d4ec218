/**
 * What a study and workers on other computers say to each other. Everything that comes from the
 * other side is a stranger's word: it is read member by member, with bounds, and what does not
 * parse is Nonsense. Numbers are exact, as they are between processes.
 */
import { packJson, unpackJson } from "../../platform/nats/json-body.ts";
import { Nonsense } from "../../remote/protocol.ts";
import { Untrusted } from "../../remote/untrusted.ts";
import { decode, encode } from "../protocol/worker-channel.ts";
import { type StudyRow, type StudyRun, studyRow } from "./study-protocol.ts";

/** Said every second, so that workers may come and go: there is a study. */
export interface StudyCall {
  readonly version: string;
  /** SHA-256 of the manifest, which is in the store under this name. */
  readonly manifest: string;
  readonly manifestBytes: number;
  readonly silenceSeconds: number;
  readonly isOver: boolean;
}

/** One file that the study is made of; its content is in the store under its hash. */
export interface ManifestFile {
  /** Relative, with slashes. */
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
}

/** All that a worker needs to make runs. */
export interface Manifest {
  readonly study: string;
  readonly text: string;
  readonly scenario: string;
  readonly scenarioText?: string;
  readonly columns: number;
  readonly traces: boolean;
  readonly files: readonly ManifestFile[];
}

/** A worker's sign of life. */
export interface WorkerBeat {
  readonly worker: string;
  /** Why it does nothing for this study. */
  readonly refused?: string;
  readonly hasLeft: boolean;
}

export type FromWorkNode =
  | {
      readonly kind: "row";
      readonly row: StudyRow;
      /** Its trace; the path is its name in the store. */
      readonly trace?: ManifestFile;
    }
  /** An answer that is too long for a message; the path is its name in the store. */
  | { readonly kind: "stored"; readonly answer: ManifestFile }
  /** It was not made: the worker leaves. */
  | { readonly kind: "back"; readonly run: number };

/** Stands for the folder of the files in texts about them. */
export const ROOT_MARK = "\u0001root\u0001";

const MOST_FILES = 200_000;
const MAX_MANIFEST_BYTES: number = 64 * 1024 * 1024;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
/** All files of one study. */
const MAX_BYTES = 16 * 1024 ** 3;
const MAX_SECONDS = 7 * 24 * 3600;
const MAX_COLUMNS = 1_000_000;
const SHA256 = /^[0-9a-f]{64}$/;
const WORD = 200;
const SENTENCE = 4000;

export const packCall: (call: StudyCall) => Uint8Array = packJson;
export const packBeat: (beat: WorkerBeat) => Uint8Array = packJson;
export const packManifest: (manifest: Manifest) => Uint8Array = packJson;

/** @throws Nonsense */
export function takeCall(data: Uint8Array): StudyCall {
  const from = new Untrusted(unpackJson(data), "the call");
  const silenceSeconds = Math.min(from.number("silenceSeconds"), MAX_SECONDS);
  if (!(silenceSeconds > 0)) throw from.wrong("silenceSeconds", "above 0");
  return {
    version: from.text("version", WORD),
    manifest: hash(from, "manifest"),
    manifestBytes: from.count("manifestBytes", MAX_MANIFEST_BYTES),
    silenceSeconds,
    isOver: from.flag("isOver"),
  };
}

/** @throws Nonsense */
export function takeBeat(data: Uint8Array): WorkerBeat {
  const from = new Untrusted(unpackJson(data), "the sign of life");
  return {
    worker: from.text("worker", WORD),
    hasLeft: from.flag("hasLeft"),
    ...(from.has("refused") && { refused: from.text("refused", SENTENCE) }),
  };
}

/** @throws Nonsense */
export function takeManifest(data: Uint8Array): Manifest {
  const from = new Untrusted(unpackJson(data), "the manifest");
  const files = from.objects("files").map(takeFile);
  if (files.length > MOST_FILES) throw new Nonsense("the study has too many files");
  if (files.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES)
    throw new Nonsense("the files of the study are too large");
  if (new Set(files.map(({ path }) => path)).size < files.length)
    throw new Nonsense("the study has two files of one name");
  return {
    study: relativePath(from, "study"),
    text: from.text("text", MAX_MANIFEST_BYTES),
    scenario: relativePath(from, "scenario"),
    ...(from.has("scenarioText") && {
      scenarioText: from.text("scenarioText", MAX_MANIFEST_BYTES),
    }),
    columns: from.count("columns", MAX_COLUMNS),
    traces: from.flag("traces"),
    files,
  };
}

function takeFile(from: Untrusted): ManifestFile {
  return {
    path: relativePath(from, "path"),
    sha256: hash(from, "sha256"),
    size: from.count("size", MAX_BYTES),
  };
}

/** Nothing that leaves the folder, on any system. */
function relativePath(from: Untrusted, key: string): string {
  const path = from.text(key, SENTENCE);
  const isPlain = path
    .split("/")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
    .every((part) => !/^\.{0,2}$|[\u0000-\u001f\\:]|[. ]$/.test(part));
  if (!isPlain) throw new Nonsense(`'${key}' is '${path}', which may lead out of its folder`);
  return path;
}

function hash(from: Untrusted, key: string): string {
  const text = from.text(key, WORD);
  if (!SHA256.test(text)) throw from.wrong(key, "a hash");
  return text;
}

export function packRun(run: StudyRun): Uint8Array {
  return packJson(encode(run));
}

/** @throws Nonsense */
export function takeRun(data: Uint8Array): StudyRun {
  const { run, point } = takeExact(data, "the run");
  // As a row's, whose shape holds that of a run.
  const row = studyRow({ run, point, outcome: "", values: [], seconds: 0 });
  if (row === undefined) throw new Nonsense("it is not a run");
  return { run: row.run, point: row.point };
}

export function packFromNode(message: FromWorkNode): Uint8Array {
  return packJson(encode(message));
}

/** @throws Nonsense */
export function takeFromNode(data: Uint8Array): FromWorkNode {
  const message = takeExact(data, "the answer");
  const from = new Untrusted(message, "the answer");
  const kind = from.choice("kind", ["row", "stored", "back"]);
  if (kind === "back") return { kind, run: from.count("run", Number.MAX_SAFE_INTEGER) };
  if (kind === "stored") {
    const answer = takeFile(from.object("answer"));
    if (answer.size > MAX_ANSWER_BYTES) throw new Nonsense("the answer is too long");
    return { kind, answer };
  }
  const row = studyRow(message["row"]);
  if (row === undefined) throw new Nonsense("it is not a row");
  const trace = from.has("trace") ? takeFile(from.object("trace")) : undefined;
  // Members that nobody knows go no further.
  const { run, point, outcome, reason, values, seconds, residuals } = row;
  const known: StudyRow = {
    ...{ run, point, outcome, values, seconds },
    ...(reason !== undefined && { reason }),
    ...(residuals !== undefined && { residuals }),
  };
  return { kind: "row", row: known, ...(trace !== undefined && { trace }) };
}

function takeExact(data: Uint8Array, what: string): Readonly<Record<string, unknown>> {
  const text = unpackJson(data);
  const value = typeof text === "string" ? decode(text)?.value : undefined;
  if (typeof value !== "object" || value === null) throw new Nonsense(`${what} is not an object`);
  return value as Readonly<Record<string, unknown>>;
}
