/**
 * What the tests of exported FMUs share: a folder for scenarios and FMUs, exports that must
 * succeed, traces of both.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { unwrap } from "../src/base/diagnostic.ts";
import type { FmuDescription } from "../src/fmi/description.ts";
import { type ExportedFile, exportFmuFile } from "../src/host/export-fmu.ts";
import { simulateScenarioFile } from "../src/host/scenario-file.ts";
import { TRUST_ALL } from "../src/host/trust.ts";
import type { NativeFmu } from "../src/platform/native/native-options.ts";
import { openFmuFile } from "../src/platform/node/fmu-file.ts";
import type { Trace } from "../src/record/trace.ts";

/** Milliseconds: compilers take their time on a busy machine. */
export const COMPILING = 180_000;

const ROOT = join(import.meta.dirname, "..", "..", "..");
export const EXAMPLES: string = join(ROOT, "examples");
/** Path of a fixture: `fmi2/Dahlquist`. */
export const fmu = (name: string): string => join(ROOT, "fixtures", "build", `${name}.fmu`);

export class ExportLab {
  readonly folder: string;
  private made = 0;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "cosimo-export-test-"));
    afterAll(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  /** A file of this test, by name. */
  write(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  async export(
    source: string,
    version: 2 | 3,
    sourcesOnly = false,
  ): Promise<{ readonly path: string; readonly facts: ExportedFile }> {
    const path = join(this.folder, `exported-${this.made++}.fmu`);
    const folder = join(this.folder, `work-${this.made}`);
    mkdirSync(folder);
    const made = await exportFmuFile(source, path, {
      version,
      sourcesOnly,
      tool: "Cosimo test",
      trust: TRUST_ALL,
      folder,
    });
    return { path, facts: unwrap(made) };
  }

  /** What the FMU says about itself; nothing is compiled. */
  async describe(source: string, version: 2 | 3): Promise<FmuDescription> {
    const { path } = await this.export(source, version, true);
    return unwrap(openFmuFile(path)).description;
  }

  /** Exported and unpacked, ready to be opened. */
  async native(source: string, version: 2 | 3): Promise<NativeFmu> {
    const { path } = await this.export(source, version);
    const file = unwrap(openFmuFile(path));
    const folder = unwrap(await file.extract(`${path}-unpacked`));
    return { folder, description: file.description };
  }

  /** Runs the exported FMU alone, as Cosimo runs any FMU. */
  async traceOf(path: string, step: number, stop: number, set = ""): Promise<Trace> {
    const text = `name: alone\nunits:\n  it: { ${path.endsWith(".fmu") ? "fmu" : "machine"}: ${path}, set: { ${set} } }\nexperiment: { stop: ${stop}, step: ${step} }\nmaster: jacobi\n`;
    return completed(this.write(`alone-${this.made++}.yaml`, text));
  }
}

export async function completed(path: string): Promise<Trace> {
  const { outcome, trace } = await simulateScenarioFile(path, { trust: true });
  expect(outcome.kind).toBe("completed");
  return trace;
}

type Column = Trace["columns"][number];

/** Every column of `exported` is the one of the same name in `original`, bit for bit. */
export function expectSame(original: Trace, exported: Trace, columns: number): void {
  expect(Array.from(exported.time)).toEqual(Array.from(original.time));
  const byName = new Map(original.columns.map((column) => [column.name, column]));
  const shared = exported.columns.flatMap((column): [Column, Column][] => {
    const other = byName.get(column.name.replace(/^it\./, ""));
    return other === undefined ? [] : [[other, column]];
  });
  expect(shared.length).toBe(columns);
  for (const [expected, found] of shared)
    expect({ [found.name]: valuesOf(found) }).toEqual({ [found.name]: valuesOf(expected) });
}

function valuesOf({ data }: Column): unknown[] {
  return Array.from(data as ArrayLike<unknown>);
}
