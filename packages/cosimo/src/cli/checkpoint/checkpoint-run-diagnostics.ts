/**
 * What can keep a run from being checkpointed, or from being continued.
 */
import type { RulesFor } from "../../base/diagnostic.ts";

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
  "checkpoint-missing": {
    severity: "error",
    rule: "A run is continued from a checkpoint.",
    text: () => ({
      message: "there is no checkpoint here to go on from",
      fix: "check the folder (it is beside the first --out, or what --checkpoint dir= says), or run without --resume",
    }),
  },
  "checkpoint-older": {
    severity: "warning",
    rule: "The newest checkpoint is whole; if it is not, the one before it is used.",
    text: (p) => ({
      message: `the newest checkpoint cannot be used (${p.reason}); the run goes on from t=${p.time}`,
      fix: "nothing is lost but time; check the disk if this happens again",
    }),
  },
  "checkpoint-changed": {
    severity: "error",
    rule: "A run is continued with everything as it was when it was interrupted.",
    text: (p) => ({
      message: `something is not what it was when the run was interrupted: ${p.changes.join("; ")}`,
      fix: "put it back and resume again; or begin anew: take the folder away and run without --resume",
    }),
  },
  "checkpoint-exists": {
    severity: "error",
    rule: "The checkpoints of an interrupted run are not overwritten.",
    text: (p) => ({
      message: `here are checkpoints of a run that came to t=${p.time}`,
      fix: `continue it with --resume, or begin anew: remove the folder ${p.folder}`,
    }),
  },
  "checkpoint-in-use": {
    severity: "error",
    rule: "A folder of checkpoints belongs to one run at a time.",
    text: () => ({
      message: "another run keeps its checkpoints here",
      fix: "wait for it, or choose another folder with --checkpoint dir=",
    }),
  },
  "checkpoint-rows-missing": {
    severity: "error",
    rule: "The rows that a checkpoint counts are in its folder.",
    text: (p) => ({
      message: `the checkpoint counts ${p.wanted} rows, in the folder are ${p.there}`,
      fix: "put the files rows-*.bin back, or begin anew: take the folder away and run without --resume",
    }),
  },
  "checkpoint-damaged": {
    severity: "error",
    rule: "Rows, texts and logs that a checkpoint needs are as they were when it was taken.",
    text: (p) => ({
      message: `${p.what} changed since the checkpoint was taken: the checksum is another`,
      fix: "put the folder back from a copy, or begin anew: take the folder away and run without --resume; check the disk",
    }),
  },
  "checkpoint-impossible": {
    severity: "error",
    rule: "Every unit of a run with checkpoints can save its state or be brought back by repeating its inputs.",
    text: (p) => ({
      message: `cannot checkpoint: '${p.unit}' can neither save its state nor be replayed: ${p.why}`,
      fix: p.fix,
    }),
  },
  "checkpoint-ended": {
    severity: "warning",
    rule: "The log of a unit that cannot save its state stays below the bound.",
    text: (p) => ({
      message: `no checkpoints after t=${p.time}: the log of '${p.unit}' is longer than ${p.megabytes} MB`,
      fix: "the run can be continued from there; allow more with --checkpoint replay=<size>",
    }),
  },
  "checkpoint-unwritable": {
    severity: "warning",
    rule: "A checkpoint can be written.",
    text: (p) => ({
      message: `the checkpoint at t=${p.time} could not be written: ${p.reason}; the run goes on`,
      fix: "check the folder and the free space; the checkpoints before it are whole",
    }),
  },
};
