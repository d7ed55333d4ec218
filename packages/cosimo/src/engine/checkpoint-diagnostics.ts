/**
 * What can be wrong with a checkpoint, and with a run that is to be continued from one.
 */
import { type RulesFor, rulesFrom } from "../base/diagnostic.ts";

interface CheckpointParams {
  "checkpoint-torn": { reason: string };
  "checkpoint-version": { version: number; known: number };
  "checkpoint-other-plan": Record<string, never>;
  "checkpoint-not-repeatable": { unit: string; why: string };
}

export const CHECKPOINT_DIAGNOSTICS: RulesFor<CheckpointParams> = rulesFrom<CheckpointParams>({
  "checkpoint-torn": {
    rule: "A checkpoint file is whole.",
    message: (p) => `this is not a whole checkpoint: ${p.reason}`,
    fix: "take it out of the folder and resume again: the checkpoint before it is used then",
  },
  "checkpoint-version": {
    rule: "A checkpoint is of a format that this version of Cosimo knows.",
    message: (p) => `the checkpoint has format ${p.version}, this Cosimo knows format ${p.known}`,
    fix: "resume with the version of Cosimo that wrote it, or restart the run",
  },
  "checkpoint-other-plan": {
    rule: "A run is continued with the plan it was begun with.",
    message:
      "the checkpoint is of another plan: units, connections, steps or recorded columns differ",
    fix: "resume with the scenario and the options of the interrupted run, or restart the run",
  },
  "checkpoint-not-repeatable": {
    rule: "A unit that cannot save its state does the same again when the same calls are made.",
    message: (p) => `'${p.unit}' cannot be brought back: ${p.why}`,
    fix: "restart the run; such a unit must save its state to be continued (FMI: canSerializeFMUState)",
  },
});
