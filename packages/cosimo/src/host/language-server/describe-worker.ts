/**
 * The thread that opens FMUs and runs modules, so that a large FMU does not block typing, and a
 * module that never returns ends with its thread. What it opened it keeps, until the file changes.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { parentPort } from "node:worker_threads";
import { type Checked, type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import type { FmuFile } from "../../platform/node/fmu-file.ts";
import { loadModule } from "../../platform/node/load-module.ts";
import { diskFiles, type Files } from "../sources/files.ts";
import { trustOf } from "../trust.ts";
import { describeText } from "./describe-texts.ts";
import { LANGUAGE_SERVER_RULES } from "./diagnostics.ts";
import type { DescribeRequest, FromWorker } from "./messages.ts";

/**
 * Used only where the editor trusts the folder; the content of packages is in no trusted folder.
 */
const DISK = diskFiles(trustOf([resolve("/")]));

const port = parentPort!;
const say = (message: FromWorker): void => port.postMessage(message);

/** Requests come one at a time: the server waits for the answer. */
port.on("message", (request: DescribeRequest) => {
  answer(request).catch((error: Error) =>
    say({ kind: "failed", id: request.id, why: error.stack ?? error.message }),
  );
});
// What modules leave behind, and nothing awaits.
process.on("unhandledRejection", (error) => process.stderr.write(`${String(error)}\n`));

async function answer(request: DescribeRequest): Promise<void> {
  const { id, path } = request;
  const notRun = new Set<string>();
  const texts = new Set<string>();
  const files = filesFor(request, notRun, texts);
  const folder = mkdtempSync(join(request.folder, "check-"));
  try {
    const { diagnostics, units } = await describeText(path, folder, files);
    const known = { id, diagnostics: withoutRunning(diagnostics, notRun), texts };
    try {
      say({ kind: "described", ...known, units });
    } catch {
      say({ kind: "described", ...known, units: cloneable(units) });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The description of a module's unit may hold anything; what cannot be sent is not known. */
function cloneable(units: ReadonlyMap<string, UnitDescription>): Map<string, UnitDescription> {
  return new Map(
    [...units].flatMap(([name, description]) => {
      try {
        return [[name, structuredClone(description)] as const];
      } catch {
        return [];
      }
    }),
  );
}

const fmus = new Map<string, { readonly stamp: string; readonly fmu: Checked<FmuFile> }>();
const KEPT_FMUS = 64;

/**
 * Size and time of change: they identify a version of a file. Where they cannot be read, opening
 * the file says why.
 */
function stampOf(path: string): string {
  try {
    const { size, mtimeMs } = statSync(path);
    return `${size}@${mtimeMs}`;
  } catch {
    return "none";
  }
}

function openFmu(path: string): Checked<FmuFile> {
  // An unpacked FMU is a folder, whose own time does not change with its description.
  const stamp = `${stampOf(path)} ${stampOf(join(path, "modelDescription.xml"))}`;
  const known = fmus.get(path);
  if (known?.stamp === stamp) return known.fmu;
  const fmu = DISK.fmu(path);
  if (fmus.size >= KEPT_FMUS) fmus.delete(fmus.keys().next().value!);
  fmus.set(path, { stamp, fmu });
  return fmu;
}

function filesFor(
  { texts, isTrusted, blocked }: DescribeRequest,
  notRun: Set<string>,
  read: Set<string>,
): Files {
  /** Why a program must not run; otherwise the blame is on it from now on. */
  function whyNot(path: string): string | undefined {
    if (!isTrusted) {
      notRun.add(path);
      return "it is not run";
    }
    const program = `${path}?${stampOf(path)}`;
    const reason = blocked.get(program);
    if (reason === undefined) say({ kind: "running", program });
    return reason;
  }
  return {
    ...DISK,
    text(path) {
      say({ kind: "ended" });
      read.add(resolve(path));
      return texts.get(resolve(path)) ?? DISK.text(path);
    },
    fmu(path) {
      say({ kind: "ended" });
      return openFmu(path);
    },
    // The editor says for the whole folder what is trusted.
    notTrusted: () => undefined,
    async module(path) {
      const reason = whyNot(path);
      if (reason !== undefined) throw new Error(reason);
      // The stamp makes a module that changed another one.
      return loadModule(path, stampOf(path));
    },
    refusedScenario: whyNot,
  };
}

/** What was not run is not broken: one note, at the unit. */
function withoutRunning(
  findings: readonly Diagnostic[],
  notRun: ReadonlySet<string>,
): Diagnostic[] {
  return findings.flatMap((finding) => {
    const path = [...notRun].find((one) => finding.message.includes(one));
    if (path === undefined || !ABOUT_SOURCES.has(finding.code)) return [finding];
    if (finding.place.file === path) return [];
    return [diagnose(LANGUAGE_SERVER_RULES, "program-not-run", { path }, finding.place)];
  });
}

const ABOUT_SOURCES: ReadonlySet<string> = new Set(["module-not-a-unit", "unit-source-broken"]);
