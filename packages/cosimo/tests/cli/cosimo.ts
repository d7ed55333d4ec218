/**
 * The command of the package (scripts/staged-package.mjs) in a child process, as a user or a script
 * meets it. Every caller has its own folder for temporary files, so that a test can tell what a run
 * left behind.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unzipSync } from "fflate";
import { afterAll } from "vitest";
import { unwrap } from "../../src/base/diagnostic.ts";
import { parseCsv } from "../../src/record/csv-read.ts";
import type { Trace } from "../../src/record/trace.ts";

export const ROOT: string = fileURLToPath(new URL("../../../..", import.meta.url));
export const BIN: string = join(ROOT, "out", "package", "bin", "cosimo.js");
export const FIXTURES: string = join(ROOT, "fixtures", "fmus");

export const fixture = (name: string): string => join(ROOT, "fixtures", "build", `${name}.fmu`);

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves as soon as the command's standard error contains `text`. */
  says(text: string): Promise<void>;
}

export interface Surroundings {
  /** For instance `ulimit -n 100`. */
  readonly limits?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What comes in on standard input; default: nothing. */
  readonly input?: string;
}

/**
 * A folder for one test file: `files` to write results to, `temp` for the command's temporary
 * folders.
 */
export class Workplace {
  readonly files: string;
  readonly temp: string;
  /** Folders in which modules are run without --trust. */
  trusted = "";

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), "cosimo-cli-test-"));
    this.files = join(folder, "files");
    this.temp = join(folder, "temp");
    for (const path of [this.files, this.temp]) mkdirSync(path);
    this.trusted = [this.files, ROOT].join(delimiter);
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
  }

  path(name: string): string {
    return join(this.files, name);
  }

  write(name: string, content: string): string {
    writeFileSync(this.path(name), content);
    return this.path(name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  trace(name: string): Trace {
    return unwrap(parseCsv(this.read(name), name));
  }

  /** What runs left in the temporary folder. */
  leftovers(): string[] {
    return readdirSync(this.temp);
  }

  /** A fixture as an unpacked folder whose description is changed by `edit`. */
  edited(name: string, edit: (xml: string) => string): string {
    const folder = mkdtempSync(join(this.files, "fmu-"));
    for (const [file, bytes] of Object.entries(unzipSync(readFileSync(fixture(name))))) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), bytes);
    }
    const description = join(folder, "modelDescription.xml");
    writeFileSync(description, edit(readFileSync(description, "utf8")));
    return folder;
  }

  run(...args: readonly string[]): Promise<Ended> {
    return this.start(...args).ended;
  }

  /** In a process group of its own, so that a test can press Ctrl-C as a terminal does. */
  start(...args: readonly string[]): Running {
    return this.startUnder({}, ...args);
  }

  /** Under `ulimit`s and with a changed environment. */
  startUnder({ limits = "", env = {}, input }: Surroundings, ...args: readonly string[]): Running {
    const command = [process.execPath, BIN, ...args];
    const [program, ...rest] =
      limits === "" ? command : ["/bin/sh", "-c", `${limits}; exec "$0" "$@"`, ...command];
    const child = spawn(program!, rest, {
      cwd: this.files,
      // Modules that tests write are their own, and so are those of the examples.
      env: { ...process.env, TMPDIR: this.temp, COSIMO_TRUST: this.trusted, ...env },
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      detached: true,
    });
    child.stdin?.end(input);
    let [stdout, stderr] = ["", ""];
    const waiting: { text: string; resolve: () => void }[] = [];
    child.stdout!.setEncoding("utf8").on("data", (piece) => {
      stdout += piece;
    });
    child.stderr!.setEncoding("utf8").on("data", (piece) => {
      stderr += piece;
      for (const { text, resolve } of waiting) if (stderr.includes(text)) resolve();
    });
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
    });
    return {
      process: child,
      ended,
      says: (text) =>
        new Promise((resolve) => {
          if (stderr.includes(text)) resolve();
          else waiting.push({ text, resolve });
        }),
    };
  }
}

/** Ctrl-C: the terminal sends SIGINT to the whole process group. */
export function pressCtrlC({ process: child }: Running): void {
  process.kill(-child.pid!, "SIGINT");
}

/** Values of a numeric column. */
export function numbersOf(trace: Trace, name: string): number[] {
  const column = trace.columns.find((candidate) => candidate.name === name);
  if (column === undefined)
    throw new Error(`no column '${name}' among ${trace.columns.map((c) => c.name).join(", ")}`);
  return Array.from<unknown>(column.data).map(Number);
}
