/**
 * What keeps an analysis of stability from looking where it was asked to.
 */
import type { RulesFor } from "../base/diagnostic.ts";

export const SPECTRAL_DIAGNOSTICS: RulesFor<{
  "point-without-rollback": { units: string; at: number };
  "point-before-start": { at: number; start: number };
}> = {
  "point-without-rollback": {
    severity: "error",
    rule: "Experiments at a time of the run need units that can save and restore their state.",
    text: ({ units, at }) => ({
      message: `${units} cannot go back to t=${at} after an experiment: the state cannot be saved and restored`,
      fix: "analyse the start, where such units are restarted: omit --at",
    }),
  },
  "point-before-start": {
    severity: "error",
    rule: "The time at which units are linearized lies in the run.",
    text: ({ at, start }) => ({
      message: `t=${at} is before the start of the run at t=${start}`,
      fix: `give a time from ${start} on`,
    }),
  },
};
