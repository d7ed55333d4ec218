import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KeptFmus } from "./kept-fmus.ts";

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cosimo-kept-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function counting(): { readonly fmus: KeptFmus; readonly read: string[] } {
  const read: string[] = [];
  const fmus = new KeptFmus((path) => {
    read.push(path);
    return { diagnostics: [] };
  });
  return { fmus, read };
}

describe("FMUs that are kept", () => {
  it("[SV28] a file is read again when its size or its times are others", () => {
    const path = join(folder, "a.fmu");
    writeFileSync(path, "one");
    const { fmus, read } = counting();
    const first = fmus.open(path);
    expect(fmus.open(path)).toBe(first);
    expect(read).toHaveLength(1);
    writeFileSync(path, "longer");
    expect(fmus.open(path)).not.toBe(first);
    expect(read).toHaveLength(2);
    utimesSync(path, 1, 1);
    fmus.open(path);
    expect(read).toHaveLength(3);
    rmSync(path);
    fmus.open(path);
    expect(read).toHaveLength(4);
  });

  it("[SV28] a folder is read each time: its files change without it", () => {
    const path = join(folder, "unpacked");
    mkdirSync(path);
    const { fmus, read } = counting();
    fmus.open(path);
    fmus.open(path);
    expect(read).toHaveLength(2);
  });

  it("keeps a bounded number, those that were used last", () => {
    const paths = Array.from({ length: 300 }, (_, i) => join(folder, `${i}.fmu`));
    for (const path of paths) writeFileSync(path, "");
    const { fmus, read } = counting();
    for (const path of paths) {
      fmus.open(path);
      fmus.open(paths[0] ?? "");
    }
    expect(read).toHaveLength(300);
    fmus.open(paths[1] ?? "");
    expect(read).toHaveLength(301);
  });
});
