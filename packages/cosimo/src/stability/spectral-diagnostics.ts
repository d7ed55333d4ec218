/**
 * What keeps an analysis of stability from looking where it was asked to.
 */
import { type RulesFor, rulesFrom } from "../base/diagnostic.ts";

export const SPECTRAL_DIAGNOSTICS: RulesFor<{
  "point-without-rollback": { units: string; at: number };
  "point-before-start": { at: number; start: number };
}> = rulesFrom<{
  "point-without-rollback": { units: string; at: number };
  "point-before-start": { at: number; start: number };
}>({
  "point-without-rollback": {
    rule: "Experiments at a time of the run need units that can save and restore their state.",
    message: ({ units, at }) =>
      `${units} cannot go back to t=${at} after an experiment: the state cannot be saved and restored`,
    fix: "analyse the start, where such units are restarted: omit --at",
  },
  "point-before-start": {
    rule: "The time at which units are linearized lies in the run.",
    message: ({ at, start }) => `t=${at} is before the start of the run at t=${start}`,
    fix: ({ start }) => `give a time from ${start} on`,
  },
});
