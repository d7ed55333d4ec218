/**
 * `--checkpoint every=60s,dir=folder` and `--resume`: from words to what the run needs.
 */
import { nearest } from "../../base/nearest.ts";
import { present } from "../../base/present.ts";
import type { Rhythm } from "../../engine/checkpoint-rhythm.ts";
import { parseSeconds } from "../../model/physical-unit-conversion.ts";
import { UsageError } from "../command.ts";

export interface CheckpointRequest {
  readonly folder: string;
  readonly resume: boolean;
  /** Absent: as the interrupted run had it. */
  readonly rhythm?: KeptRhythm;
}

export interface KeptRhythm extends Rhythm {
  /** How long the log of a unit may grow that cannot save its state; 0: no logs. */
  readonly replayBytes: number;
}

const KEYS = ["every", "wall", "dir", "replay"];
const EXAMPLE = "for instance --checkpoint every=60s";
const REPLAY_BYTES = 256e6;
const BYTES: Readonly<Record<string, number>> = { kB: 1e3, MB: 1e6, GB: 1e9 };

/**
 * @param texts of all `--checkpoint` options.
 * @param outputs files that the run writes; the folder is beside the first.
 */
export function checkpointRequest(
  texts: readonly string[],
  resume: boolean,
  outputs: readonly string[],
): CheckpointRequest | undefined {
  if (texts.length === 0 && !resume) return undefined;
  const words = new Map<string, string>();
  for (const text of texts.flatMap((one) => one.split(","))) {
    const [, key = text.trim(), value = ""] = /^\s*(\w+)\s*=(.*)$/s.exec(text) ?? [];
    if (!KEYS.includes(key)) throw unknownKey(key);
    if (words.has(key)) throw new UsageError(`--checkpoint has '${key}' twice`, "keep one of them");
    words.set(key, value.trim());
  }
  const folder = words.get("dir") ?? beside(outputs, texts.length === 0);
  const every = seconds(words, "every");
  const wall = seconds(words, "wall");
  const isNew = every !== undefined || wall !== undefined || words.has("replay");
  if (every === undefined && wall === undefined && (!resume || words.has("replay")))
    throw new UsageError("--checkpoint does not say when", EXAMPLE);
  if (!isNew) return { folder, resume };
  const rhythm: KeptRhythm = {
    ...present({ every, wall }),
    replayBytes: replayBytes(words.get("replay")),
  };
  return { folder, resume, rhythm };
}

function unknownKey(key: string): UsageError {
  const guess = nearest(key, KEYS);
  return new UsageError(
    `--checkpoint knows ${KEYS.join(", ")}, not '${key}'`,
    guess ? `did you mean ${guess}=?` : EXAMPLE,
  );
}

function beside(outputs: readonly string[], resumes: boolean): string {
  if (outputs[0] !== undefined) return `${outputs[0]}.checkpoint`;
  throw new UsageError(
    `${resumes ? "--resume" : "--checkpoint"} does not know the folder of the checkpoints`,
    "give the result a file (-o run.csv: the folder is run.csv.checkpoint then), or name it: --checkpoint dir=folder",
  );
}

function seconds(words: ReadonlyMap<string, string>, key: string): number | undefined {
  const text = words.get(key);
  if (text === undefined) return undefined;
  const value = parseSeconds(text) ?? Number.NaN;
  if (value > 0 && value < Number.POSITIVE_INFINITY) return value;
  throw new UsageError(
    `--checkpoint ${key}=${text} is not a time`,
    `write a positive number with ms, s, min or h, for instance ${key}=60s`,
  );
}

function replayBytes(text: string | undefined): number {
  if (text === undefined) return REPLAY_BYTES;
  if (text === "off") return 0;
  const [, number, unit = ""] = /^([\d.]+)\s*(kB|MB|GB)$/.exec(text) ?? [];
  const value = Number(number) * (BYTES[unit] ?? Number.NaN);
  if (value > 0) return value;
  throw new UsageError(
    `--checkpoint replay=${text} is neither off nor a size`,
    "write off, or a size in kB, MB or GB, for instance replay=1GB",
  );
}
