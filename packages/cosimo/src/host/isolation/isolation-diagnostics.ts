/** What can be said about units in processes of their own. */
import { type RulesFor, rulesFrom, type Texts } from "../../base/diagnostic.ts";

interface IsolationParams {
  "isolation-platform": Texts<"unit" | "why">;
  "isolation-group": Texts<"unit" | "group">;
  "isolation-automatic": Texts<"unit" | "path">;
  "sandbox-missing": Texts<"unit" | "why" | "fix">;
  "sandbox-module": Texts<"unit">;
  "unit-restarted": Texts<"unit" | "why">;
  "restart-differs": Texts<"unit">;
  "restart-forgotten": Texts<"unit">;
  "unit-lost-late": Texts<"unit" | "how">;
}

export const ISOLATION_DIAGNOSTICS: RulesFor<IsolationParams> = rulesFrom<IsolationParams>({
  "isolation-platform": {
    rule: "Units have processes of their own on Linux.",
    message: ({ unit, why }) => `'${unit}' cannot have a process of its own here: ${why}`,
    fix: "omit 'isolate' and --isolate: the run itself has a process of its own on every system",
  },
  "isolation-group": {
    rule: "Units of one group share a process, and so what is said about it.",
    message: ({ unit, group }) =>
      `'${unit}' is in the group '${group}', but wants another process than the units before it: a sandbox, other limits or another 'onFailure'`,
    fix: "say the same for all units of the group, or give the unit another one; sandboxes are not shared",
  },
  "isolation-automatic": {
    severity: "note",
    rule: "FMUs that may be instantiated once per process get processes of their own.",
    message: ({ unit, path }) =>
      `'${unit}' runs in a process of its own: '${path}' allows one instance per process`,
    fix: "nothing is to be done; a step of it takes some microseconds more",
  },
  "sandbox-missing": {
    rule: "A sandbox needs bubblewrap and a system that lets it work.",
    message: ({ unit, why }) => `'${unit}' cannot be put into a sandbox: ${why}`,
    fix: ({ fix }) => fix,
  },
  "sandbox-module": {
    rule: "A module is run to learn its ports, before there is a sandbox.",
    message: ({ unit }) => `'${unit}' is a module (a program), which cannot be put into a sandbox`,
    fix: "use 'isolate: process' if you trust it, and do not run it if you do not",
  },
  "unit-restarted": {
    severity: "warning",
    rule: "A unit whose process was lost is restarted where 'onFailure: restart' is set.",
    message: ({ unit, why }) => `'${unit}' was restarted: ${why}`,
    fix: "ask the supplier of the unit why; its inputs were replayed, and the run went on",
  },
  "restart-differs": {
    severity: "warning",
    rule: "A restarted unit gives the answers that it gave before.",
    message: ({ unit }) =>
      `'${unit}' did not give the same answers again when its inputs were replayed: from here on the trace is not what it would have been`,
    fix: "do not restart units that depend on chance, time or files",
  },
  "restart-forgotten": {
    severity: "warning",
    rule: "What a restarted unit is brought to its state with fits into the memory that is kept for it.",
    message: ({ unit }) =>
      `'${unit}' can no longer be restarted: it does not give its state, and what it was sent since the beginning takes more than 256 MiB`,
    fix: "the run goes on, and ends if the unit is lost; ask its supplier for an FMU that can serialize its state",
  },
  "unit-lost-late": {
    severity: "warning",
    rule: "A unit's process ends when its unit is freed, and not before.",
    message: ({ unit, how }) =>
      `the process of '${unit}' ended with ${how} while the unit was freed`,
    fix: "ask the supplier of the unit why; the results are not affected",
  },
});
