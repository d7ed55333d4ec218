import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Diagnostic, DiagnosticsError } from "../../base/diagnostic.ts";
import type { Checkpoint } from "../../engine/checkpoint.ts";
import { makeBanks } from "../../model/value-type.ts";
import { folderOfFile } from "../../platform/node/testing/folders.ts";
import { CheckpointFolder } from "./checkpoint-folder.ts";

const parent = folderOfFile("folder");
let made = 0;
const newPath = (): string => join(parent, `run-${made++}`);

const checkpoint = (steps: number): Checkpoint => ({
  planHash: "h",
  steps,
  time: steps / 10,
  banks: makeBanks({ f64: 2 }),
  units: [{ kind: "saved", bytes: Uint8Array.of(steps) }],
  rows: steps,
  parts: [],
  facts: { rhythm: "{}" },
});
const stored = (path: string): string[] =>
  readdirSync(path).filter((name) => name.startsWith("checkpoint-"));

describe("a folder of checkpoints", () => {
  it("[CK9] keeps the last two, and gives the newest", async () => {
    const folder = await CheckpointFolder.open(newPath());
    for (const steps of [0, 1, 2, 3]) folder.store(checkpoint(steps));
    expect(stored(folder.path)).toEqual(["checkpoint-3.bin", "checkpoint-4.bin"]);
    expect(folder.newest()?.checkpoint).toEqual(checkpoint(3));
    folder.close();
    const again = await CheckpointFolder.open(folder.path);
    again.store(checkpoint(4));
    expect(stored(again.path)).toEqual(["checkpoint-4.bin", "checkpoint-5.bin"]);
    again.close();
  });

  it("[CK4] falls back to the one before where the newest is torn, and says so", async () => {
    const folder = await CheckpointFolder.open(newPath());
    folder.store(checkpoint(1));
    folder.store(checkpoint(2));
    const newest = join(folder.path, "checkpoint-2.bin");
    writeFileSync(newest, readFileSync(newest).subarray(0, -1));
    const found = folder.newest();
    expect(found?.checkpoint.steps).toBe(1);
    expect(found?.diagnostics.map(({ code }) => code)).toEqual(["checkpoint-older"]);
    writeFileSync(join(folder.path, "checkpoint-1.bin"), "");
    expect(() => folder.newest()).toThrow(DiagnosticsError);
    folder.close();
  });

  it("[CK13] skips a checkpoint whose rows or logs are damaged", async () => {
    const folder = await CheckpointFolder.open(newPath());
    folder.store(checkpoint(1));
    folder.store(checkpoint(2));
    const damage = { code: "checkpoint-damaged", severity: "error", message: "m", fix: "f" };
    const problem = ({ steps }: Checkpoint, file: string): Diagnostic | undefined =>
      steps === 2 ? ({ ...damage, place: { file } } as Diagnostic) : undefined;
    expect(folder.newest(problem)?.checkpoint.steps).toBe(1);
    folder.close();
  });

  it("[CK6] cuts a log where a checkpoint knew it, and goes on from there", async () => {
    const folder = await CheckpointFolder.open(newPath());
    expect(folder.log(3)).toEqual(new Uint8Array(0));
    folder.appendLog(3, 0, Uint8Array.of(1, 2, 3));
    folder.appendLog(3, 2, Uint8Array.of(9));
    expect([...folder.log(3)]).toEqual([1, 2, 9]);
    folder.clear();
    expect([...folder.log(3)]).toEqual([]);
    folder.close();
  });

  it("[CK11] is removed with a run that stored nothing, and kept with one that did", async () => {
    const empty = await CheckpointFolder.open(newPath());
    empty.close();
    expect(existsSync(empty.path)).toBe(false);
    const kept = await CheckpointFolder.open(newPath());
    expect(kept.newest()).toBeUndefined();
    kept.store(checkpoint(1));
    kept.close();
    expect(existsSync(kept.path)).toBe(true);
  });
});
