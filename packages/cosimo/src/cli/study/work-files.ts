/**
 * Files of a study on their way to workers: by the hash of their content through a store, and back
 * into a folder of the same shape. The worker believes no name and no size, and keeps what it has
 * checked, so that the next study need not send it again.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { libraryName } from "../../host/adaptation-library.ts";
import { fileDigest, pathFrom } from "../../host/sources/recorded-files.ts";
import type { ObjectStore } from "../../platform/nats/work-queue.ts";
import { Nonsense } from "../../remote/protocol.ts";
import { UsageError } from "../command.ts";
import type { PreparedStudy } from "./prepare-study.ts";
import { type Manifest, type ManifestFile, packManifest } from "./work-protocol.ts";

const PIECE_BYTES = 1 << 20;
/** What a worker keeps of studies that are over. */
const MAX_KEPT_BYTES = 8 * 1024 ** 3;

export interface PackedStudy {
  readonly manifest: Uint8Array;
  readonly files: readonly ManifestFile[];
  /** Absolute: what paths are relative to. */
  readonly root: string;
}

/** @throws UsageError where it cannot be sent. */
export function packStudy({ study, job, columns, read }: PreparedStudy): PackedStudy {
  const [module] = read.modules;
  if (module !== undefined)
    throw new UsageError(
      `the module '${module}' is a program, which is not sent to workers`,
      "run the study on this machine, without --workers, or export the module's unit as an FMU",
    );
  const studyFile = resolve(job.study);
  const scenario = resolve(job.scenario);
  const measured =
    study.goal?.kind === "calibrate" ? [resolve(dirname(studyFile), study.goal.data)] : [];
  // Workers have the library of their own, of the same version.
  const own = [...read.list(), ...measured].filter((path) => libraryName(path) === undefined);
  const paths = [...new Set(own)].sort();
  const root = commonFolder([studyFile, scenario, ...paths]);
  const from = (path: string): string => pathFrom(root, path);
  const files = paths.map((path) => ({
    path: from(path),
    sha256: fileDigest(path),
    size: statSync(path).size,
  }));
  const { scenarioText } = job;
  const manifest: Manifest = {
    study: from(studyFile),
    text: job.text,
    scenario: from(scenario),
    ...(scenarioText !== undefined && { scenarioText }),
    columns: columns.length,
    traces: study.keep.traces,
    files,
  };
  return { manifest: packManifest(manifest), files, root };
}

/** The folder that all of them are in. */
function commonFolder(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map((path) => dirname(path).split(sep));
  let length = first.length;
  for (const parts of others)
    while (first.slice(0, length).some((part, i) => part !== parts[i])) length--;
  return first.slice(0, length).join(sep) || sep;
}

/** Puts into the store what is not there. @throws UsageError where a file has changed meanwhile. */
export async function sendStudy(
  { manifest, files, root }: PackedStudy,
  store: ObjectStore,
): Promise<string> {
  const sent = new Set<string>();
  for (const { path, sha256 } of files) {
    if (sent.has(sha256)) continue;
    sent.add(sha256);
    await store.put({ name: sha256 }, piecesOf(join(root, path)));
    if (fileDigest(join(root, path)) !== sha256)
      throw new UsageError(`${join(root, path)} was changed while it was sent`, "try again");
  }
  const name = createHash("sha256").update(manifest).digest("hex");
  await store.putBlob({ name }, manifest);
  return name;
}

export function piecesOf(path: string): ReadableStream<Uint8Array> {
  const file = openSync(path, "r");
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = Buffer.alloc(PIECE_BYTES);
      const length = readSync(file, piece);
      if (length > 0) controller.enqueue(piece.subarray(0, length));
      else {
        closeSync(file);
        controller.close();
      }
    },
    cancel: () => closeSync(file),
  });
}

/** What was fetched from the store, by hash. */
export class FileCache {
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /**
   * Lays the files out below `root`. @throws Nonsense where they are not what they are said to be.
   */
  async place(files: readonly ManifestFile[], store: ObjectStore, root: string): Promise<void> {
    this.shrink(new Set(files.map(({ sha256 }) => sha256)));
    for (const { path, sha256, size } of files) {
      const kept = join(this.folder, sha256);
      if (!existsSync(kept)) await fetchFile(store, { path, sha256, size }, kept);
      const target = join(root, path);
      mkdirSync(dirname(target), { recursive: true });
      copyFileSync(kept, target);
    }
  }

  private shrink(wanted: ReadonlySet<string>): void {
    const sizes = readdirSync(this.folder).map((name) => ({
      name,
      size: statSync(join(this.folder, name)).size,
    }));
    if (sizes.reduce((sum, { size }) => sum + size, 0) < MAX_KEPT_BYTES) return;
    for (const { name } of sizes) if (!wanted.has(name)) rmSync(join(this.folder, name));
  }
}

/**
 * @param target is there as a whole, or not.
 * @param name in the store.
 * @throws Nonsense where it is not what it is said to be.
 */
export async function fetchFile(
  store: ObjectStore,
  said: ManifestFile,
  target: string,
  name: string = said.sha256,
): Promise<void> {
  const partial = `${target}.part`;
  const file = openSync(partial, "w", 0o600);
  try {
    try {
      for await (const piece of checkedPieces(store, said, name))
        for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at, piece.length - at);
    } finally {
      closeSync(file);
    }
    renameSync(partial, target);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

/** The same for something small. */
export async function fetchBytes(store: ObjectStore, said: ManifestFile): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of checkedPieces(store, said, said.path)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Ends only where all of it is what it is said to be. */
async function* checkedPieces(
  store: ObjectStore,
  { path, sha256, size }: ManifestFile,
  name: string,
): AsyncGenerator<Uint8Array> {
  const found = await store.get(name);
  if (found === null) throw new Nonsense(`the content of '${path}' is not there`);
  const hash = createHash("sha256");
  const reader = found.data.getReader();
  let length = 0;
  for (let turn = await reader.read(); turn.done !== true; turn = await reader.read()) {
    length += turn.value.length;
    if (length > size) {
      await reader.cancel();
      break;
    }
    hash.update(turn.value);
    yield turn.value;
  }
  if (length !== size || hash.digest("hex") !== sha256)
    throw new Nonsense(`the content of '${path}' is not what its hash says`);
}
