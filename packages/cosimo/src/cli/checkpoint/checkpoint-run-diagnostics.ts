/**
 * What can keep a run from being checkpointed, or from being continued.
 */
import { DiagnosticsError, type RulesFor } from "../../base/diagnostic.ts";
import { error, say, warning } from "../../base/rule-text.ts";

interface CheckpointRunParams {
  "checkpoint-missing": Record<string, never>;
  "checkpoint-older": { time: number; reason: string };
  "checkpoint-changed": { changes: readonly string[] };
  "checkpoint-exists": { time: number; folder: string };
  "checkpoint-in-use": Record<string, never>;
  "checkpoint-rows-missing": { wanted: number; there: number };
  "checkpoint-damaged": { what: string };
  "checkpoint-impossible": { unit: string; why: string; fix: string };
  "checkpoint-ended": { unit: string; megabytes: number; time: number };
  "checkpoint-unwritable": { reason: string; time: number };
}

export const CHECKPOINT_RUN_DIAGNOSTICS: RulesFor<CheckpointRunParams> = {
  "checkpoint-missing": error("A run is continued from a checkpoint.", () =>
    say(
      "there is no checkpoint here to continue from",
      "check the folder (it is beside the first --out, or what --checkpoint dir= says), or run without --resume",
    ),
  ),
  "checkpoint-older": warning(
    "The newest checkpoint is whole; if it is not, the one before it is used.",
    (p) =>
      say(
        `the newest checkpoint cannot be used (${p.reason}); the run continues from t=${p.time}`,
        "nothing is lost but time; check the disk if this happens again",
      ),
  ),
  "checkpoint-changed": error(
    "A run is continued with everything as it was when it was interrupted.",
    (p) =>
      say(
        `something is not what it was when the run was interrupted: ${p.changes.join("; ")}`,
        "put it back and resume again; or start over: remove the folder and run without --resume",
      ),
  ),
  "checkpoint-exists": error("The checkpoints of an interrupted run are not overwritten.", (p) =>
    say(
      `the folder holds checkpoints of a run that reached t=${p.time}`,
      `continue it with --resume, or start over: remove the folder ${p.folder}`,
    ),
  ),
  "checkpoint-in-use": error("A folder of checkpoints belongs to one run at a time.", () =>
    say(
      "another run keeps its checkpoints here",
      "wait for it, or choose another folder with --checkpoint dir=",
    ),
  ),
  "checkpoint-rows-missing": error("The rows that a checkpoint counts are in its folder.", (p) =>
    say(
      `the checkpoint counts ${p.wanted} rows, in the folder are ${p.there}`,
      "put the files rows-*.bin back, or start over: remove the folder and run without --resume",
    ),
  ),
  "checkpoint-damaged": error(
    "Rows, texts and logs that a checkpoint needs are as they were when it was taken.",
    (p) =>
      say(
        `${p.what} changed since the checkpoint was taken: its checksum differs`,
        "put the folder back from a copy, or start over: remove the folder and run without --resume; check the disk",
      ),
  ),
  "checkpoint-impossible": error(
    "Every unit of a run with checkpoints can save its state or be brought back by repeating its inputs.",
    (p) =>
      say(
        `cannot checkpoint: '${p.unit}' can neither save its state nor be replayed: ${p.why}`,
        p.fix,
      ),
  ),
  "checkpoint-ended": warning(
    "The log of a unit that cannot save its state stays below the bound.",
    (p) =>
      say(
        `no checkpoints after t=${p.time}: the log of '${p.unit}' is longer than ${p.megabytes} MB`,
        "the run can be continued from there; allow more with --checkpoint replay=<size>",
      ),
  ),
  "checkpoint-unwritable": warning("A checkpoint can be written.", (p) =>
    say(
      `the checkpoint at t=${p.time} could not be written: ${p.reason}; the run goes on`,
      "check the folder and the free space; the checkpoints before it are whole",
    ),
  ),
};

/** Ends the attempt with one of them. @param file the folder of the checkpoints. */
export function refusal<Code extends keyof CheckpointRunParams>(
  code: Code,
  params: CheckpointRunParams[Code],
  file: string,
): DiagnosticsError {
  const rules: RulesFor<CheckpointRunParams> = CHECKPOINT_RUN_DIAGNOSTICS;
  const { severity, text } = rules[code];
  return new DiagnosticsError([{ code, severity, ...text(params), place: { file } }]);
}
