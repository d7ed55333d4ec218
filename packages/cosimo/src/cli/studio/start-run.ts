/**
 * A run of the studio: the job that `cosimo run` would make, in a process of its own, and what it
 * says in the words of the server.
 */
import { resolve } from "node:path";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { explainOutcome, type Outcome } from "../../base/outcome.ts";
import { present } from "../../base/present.ts";
import type { Profile } from "../../engine/profile.ts";
import { verdictText } from "../../requirements/verdict-text.ts";
import type { UnitTimes } from "../../serve/protocol.ts";
import type { RunEnd, RunEvent, RunOrder, StartedRun } from "../../serve/services.ts";
import { NO_CONTROL, type RunControl, writeControl } from "../protocol/control-file.ts";
import type { FromWorker, RunHeader, RunJob } from "../protocol/protocol.ts";
import { failureText } from "../protocol/worker-failure.ts";
import { executorText } from "../supervisor/execution-text.ts";
import type { RunReport } from "../supervisor/supervise-run.ts";
import { withShortLog } from "../supervisor/unit-log.ts";
import { spoolRows } from "./spool-rows.ts";
import { startProcess } from "./start-process.ts";

export function startRun(
  order: RunOrder,
  trust: boolean,
  hear: (event: RunEvent) => void,
): StartedRun {
  let control: RunControl = { ...NO_CONTROL, isPaused: order.options.paused === true };
  let plan: RunHeader | undefined;
  let outcome: Outcome | undefined;
  let isOver = false;
  const { folder } = order;
  const put = (changed: Partial<RunControl>): void => {
    control = { ...control, ...changed };
    writeControl(folder, control);
  };
  put({});
  const end = (ended: RunEnd): void => {
    if (isOver) return;
    isOver = true;
    outcome = ended.outcome;
    hear(ended);
  };
  const child = startProcess(
    { kind: "run", job: jobOf(order, trust), folder, out: order.out },
    {
      line: (message) => hear({ kind: "log", line: { status: "output", message } }),
      message(said) {
        switch (said.kind) {
          case "message":
            if (said.message.kind === "plan") plan = said.message.plan;
            for (const event of eventsOf(said.message, folder)) hear(event);
            break;
          case "report":
            end(endOf(said.report));
            break;
          case "refused":
            end(refused("refused before it began", said.diagnostics));
            break;
          case "broken":
            end(refused(said.message, []));
            break;
          default:
            break;
        }
      },
      end: (how) => end(refused(`the process of the run ended with ${how}`, [])),
    },
  );
  return {
    pause: (isPaused) => put({ isPaused }),
    step: (count) => put({ isPaused: true, steps: control.steps + count }),
    set: (text) => put({ set: [...control.set, text] }),
    stop: child.stop,
    kill: child.kill,
    save: (file) =>
      plan === undefined || outcome === undefined
        ? Promise.resolve([])
        : saveRows({ plan, outcome, folder, file: resolve(file) }),
  };
}

function jobOf({ file, text, options }: RunOrder, trust: boolean): Omit<RunJob, "folder"> {
  const { isolate } = options;
  return {
    kind: "run",
    model: file,
    trust,
    isInteractive: true,
    set: options.set ?? [],
    faults: options.faults ?? [],
    faultFiles: [],
    clocks: [],
    record: options.record ?? [],
    debugLogging: false,
    stopOnDivergence: options.stopOnDivergence ?? false,
    stopOnViolation: options.stopOnViolation ?? false,
    events: "auto",
    executor: options.executor ?? "auto",
    profile: true,
    ...present({
      text,
      isolation: isolate && ({ kind: isolate } as const),
      start: options.start,
      stop: options.stop,
      step: options.step,
      tolerance: options.tolerance,
      master: options.master,
      threads: options.threads,
      realtime: options.realtime,
    }),
  };
}

function eventsOf(message: FromWorker, folder: string): RunEvent[] {
  switch (message.kind) {
    case "plan": {
      const { title, units, columns, experiment } = message.plan;
      const rows = spoolRows(folder, message.plan);
      return [{ kind: "plan", title, units, columns, experiment, rows }];
    }
    case "progress":
    case "tunable":
    case "held":
    case "changed":
    case "diagnostics":
      return [message];
    case "profile":
      return [{ kind: "times", times: timesOf(message.profile) }];
    case "log": {
      const { unit, status, category, message: text } = message;
      const said = category === "" ? text : `${category}: ${text}`;
      return [{ kind: "log", line: { unit, status, message: said } }];
    }
    default:
      return [];
  }
}

function timesOf({ units, couplingShare }: Profile): UnitTimes {
  return { units: units.map(({ unit, share }) => ({ unit, share })), couplingShare };
}

function endOf(report: RunReport): RunEnd {
  const { outcome, broken, execution, verdicts } = report;
  const isFailure = outcome?.kind === "failed" || outcome?.kind === "crashed";
  const ending =
    broken !== undefined && outcome?.kind !== "aborted"
      ? failureText(broken)
      : outcome === undefined
        ? "refused before it began"
        : explainOutcome(withShortLog(outcome));
  return {
    kind: "ended",
    diagnostics: report.diagnostics,
    ending,
    wallSeconds: report.wallSeconds,
    verdicts: verdicts.map((one) => ({
      name: one.name,
      state: one.state,
      text: verdictText(one),
    })),
    files: report.files.map((file) => resolve(file)),
    ...present({
      outcome,
      failedUnit: isFailure ? outcome.failure.unit : undefined,
      executor: execution && executorText(execution),
      times: execution?.profile && timesOf(execution.profile),
    }),
  };
}

function refused(ending: string, diagnostics: readonly Diagnostic[]): RunEnd {
  return { kind: "ended", diagnostics, ending, wallSeconds: 0, verdicts: [], files: [] };
}

interface Saved {
  readonly plan: RunHeader;
  readonly outcome: Outcome;
  readonly folder: string;
  readonly file: string;
}

function saveRows(order: Saved): Promise<readonly Diagnostic[]> {
  return new Promise((done, fail) => {
    let found: readonly Diagnostic[] | undefined;
    let problem = "";
    startProcess(
      { kind: "save", ...order },
      {
        line: (text) => {
          problem = text;
        },
        message(said) {
          if (said.kind === "saved" || said.kind === "refused") found = said.diagnostics;
          else if (said.kind === "broken") problem = said.message;
        },
        end: (how) => (found === undefined ? fail(new Error(problem || how)) : done(found)),
      },
    );
  });
}
