/**
 * Runs of a study inside a process that holds its units: FMUs are unpacked and loaded once, every
 * text of the scenario is planned once, and runs differ by the values that they set.
 */
import { readSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DiagnosticsError, hasErrors } from "../../base/diagnostic.ts";
import { explainOutcome, type Outcome, UnitError } from "../../base/outcome.ts";
import { present } from "../../base/present.ts";
import { fastestExecutor } from "../../host/fmu-in-code.ts";
import type { ISOLATION_DIAGNOSTICS } from "../../host/isolation/isolation-diagnostics.ts";
import { unitOpener } from "../../host/load-scenario.ts";
import { TRUST_NOBODY, userTrust } from "../../host/trust.ts";
import { parseStudy } from "../../lang/study/parse-study.ts";
import { applyFaults } from "../../model/apply-faults.ts";
import { wantedPort, withInnerPorts } from "../../model/inner-ports.ts";
import type { Scenario } from "../../model/scenario.ts";
import { type ScenarioPorts, scenarioPorts } from "../../model/scenario-ports.ts";
import type { Factor, StudyDraft, StudyPoint } from "../../model/study.ts";
import { portSize, portsByName } from "../../model/unit-description.ts";
import type { Value } from "../../model/value-type.ts";
import { CALL_NAMES } from "../../platform/native/call-names.ts";
import type { NATIVE_DIAGNOSTICS } from "../../platform/native/native-diagnostics.ts";
import { writeWholeFile } from "../../platform/node/whole-file.ts";
import { encodeParquet } from "../../record/parquet.ts";
import type { Trace } from "../../record/trace.ts";
import { bindTrace } from "../../requirements/bind-trace.ts";
import { checkRequirement } from "../../requirements/check-requirement.ts";
import { measureAtEnd } from "../../requirements/measure.ts";
import { withValues } from "../../run/apply-values.ts";
import { openUnits } from "../../run/open-units.ts";
import { planRun } from "../../run/plan-run.ts";
import { RepeatedRuns } from "../../run/repeated-runs.ts";
import { shownPoint } from "../../search/studies/factor-levels.ts";
import { resolveFactors } from "../../search/studies/resolve-factors.ts";
import { variantKey, variantText } from "../../search/studies/variant-text.ts";
import { disposeAll } from "../../unit/dispose-all.ts";
import { openStatus, type Status } from "../protocol/status.ts";
import { ORDERS_FD } from "../protocol/worker-channel.ts";
import { unitNames } from "../worker/load-model.ts";
import { type MeasuredData, readMeasured, residualsOf } from "./compare-measured.ts";
import {
  type FromStudy,
  isCompleted,
  type StudyJob,
  type StudyRow,
  type StudyRun,
  traceName,
} from "./study-protocol.ts";
import { type KeptColumn, loadStudyScenario, type StudyScenario } from "./study-scenario.ts";

/** How often a run looks whether it is still wanted. */
const LOOK_MS = 50;
/** Texts of the scenario whose units stay loaded. */
const MOST_VARIANTS = 8;

type Say = (message: FromStudy) => void;

export async function workOnStudy(
  job: StudyJob,
  say: Say,
  isCancelled: () => boolean,
): Promise<void> {
  const { value: study, diagnostics } = parseStudy(job.text, job.study);
  // The command has read it before.
  if (study === undefined) throw new DiagnosticsError(diagnostics);
  const worker = new StudyWorker(job, study, say, isCancelled);
  try {
    await worker.prepare();
    say({ kind: "ready" });
    for (const line of orderLines()) {
      if (isCancelled()) break;
      say({ kind: "row", row: await worker.run(JSON.parse(line) as StudyRun) });
    }
  } finally {
    worker.close();
  }
}

/** Lines as they come; the end where the command closes the pipe. */
function* orderLines(): Generator<string> {
  const chunk = Buffer.alloc(1 << 16);
  let text = "";
  for (;;) {
    let length: number;
    try {
      length = readSync(ORDERS_FD, chunk);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(PAUSE, 0, 0, 1);
      continue;
    }
    if (length === 0) return;
    text += chunk.toString("utf8", 0, length);
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    yield* lines;
  }
}

const PAUSE = new Int32Array(new SharedArrayBuffer(4));

/** A text of the scenario, planned, or why it cannot be run. */
type Variant =
  | { readonly problem: string }
  | {
      readonly scenario: Scenario;
      readonly ports: ScenarioPorts;
      readonly runs: RepeatedRuns;
      readonly study: StudyScenario;
    };

class StudyWorker {
  private readonly job: StudyJob;
  private readonly study: StudyDraft;
  private readonly say: Say;
  private readonly isCancelled: () => boolean;
  private readonly variants = new Map<string, Variant>();
  private measured: MeasuredData | undefined;
  private factors: readonly Factor[] = [];
  private columns: readonly KeptColumn[] = [];
  private names: readonly string[] = [];
  private status: Status | undefined;

  constructor(job: StudyJob, study: StudyDraft, say: Say, isCancelled: () => boolean) {
    this.job = job;
    this.study = study;
    this.say = say;
    this.isCancelled = isCancelled;
  }

  async prepare(): Promise<void> {
    const { value, diagnostics } = await this.load(this.job.scenarioText);
    if (value === undefined) throw new DiagnosticsError(diagnostics);
    const resolved = resolveFactors(this.study, value.scenario);
    if (resolved.value === undefined) throw new DiagnosticsError(resolved.diagnostics);
    this.factors = resolved.value;
    this.columns = value.columns;
    const { goal } = this.study;
    if (goal?.kind === "calibrate") {
      const folder = dirname(resolve(this.job.study));
      const measured = await readMeasured(goal, value.compared, folder);
      if (measured.value === undefined) throw new DiagnosticsError(measured.diagnostics);
      this.measured = measured.value;
    }
    this.names = unitNames(value.scenario);
    this.status = openStatus(this.job.folder, this.names.length);
    this.say({ kind: "units", units: this.names, callNames: CALL_NAMES });
  }

  async run({ run, point }: StudyRun): Promise<StudyRow> {
    const begun = performance.now();
    const ended = await this.attempt(run, point, begun);
    return { run, point, ...ended, seconds: (performance.now() - begun) / 1000 };
  }

  close(): void {
    for (const variant of this.variants.values()) if ("runs" in variant) variant.runs.close();
    this.variants.clear();
  }

  private load(text: string | undefined) {
    const { scenario, trust, folder } = this.job;
    return loadStudyScenario(
      this.study,
      scenario,
      trust === "nobody" ? TRUST_NOBODY : userTrust(trust),
      folder,
      text,
    );
  }

  private async attempt(run: number, point: StudyPoint, begun: number): Promise<Ended> {
    const none = this.columns.map(() => Number.NaN);
    try {
      const variant = await this.variantOf(point);
      if ("problem" in variant)
        return { outcome: "rejected", reason: variant.problem, values: none };
      const scenario = this.withLevels(variant, point);
      const limit = 1000 * (this.study.limits.seconds ?? Number.POSITIVE_INFINITY);
      let [from, looked, isOver] = [begun, begun, false];
      const { outcome, trace } = await variant.runs.run(scenario, {
        // Loading is not running.
        onBegin: () => {
          from = performance.now();
          if (Number.isFinite(limit)) this.say({ kind: "begun" });
        },
        shouldStop: () => {
          const now = performance.now();
          isOver = now - from > limit;
          if (isOver) return true;
          if (now - looked < LOOK_MS) return false;
          looked = now;
          return this.isCancelled();
        },
      });
      if (isOver) {
        const reason = `it took longer than ${limit / 1000} s, at t=${outcome.time}`;
        return { outcome: "timed-out", reason, values: none };
      }
      if (!isCompleted({ outcome: outcome.kind }))
        return { outcome: outcome.kind, reason: reasonOf(outcome), values: none };
      this.keepTrace(run, point, trace);
      return this.kept(variant.study, outcome, trace);
    } catch (error) {
      if (error instanceof UnitError)
        return { outcome: "failed", reason: error.message, values: none };
      const lacking = this.job.trust === "nobody" ? lackOfMachine(error) : undefined;
      if (lacking !== undefined) throw new Error(lacking);
      if (error instanceof DiagnosticsError)
        return { outcome: "rejected", reason: firstProblem(error), values: none };
      throw error;
    }
  }

  private kept({ columns, compared }: StudyScenario, outcome: Outcome, trace: Trace): Ended {
    const residuals = this.measured && residualsOf(compared, this.measured, trace);
    if (this.measured !== undefined && residuals === undefined)
      return {
        outcome: "failed",
        reason: "the run does not reach over the measured data",
        values: columns.map(() => Number.NaN),
      };
    const values = columns.map((column) => {
      if (column.kind === "squares") return (residuals ?? []).reduce((sum, r) => sum + r * r, 0);
      const { requirement } = column;
      if (column.kind === "measure") return measureAtEnd(requirement, trace);
      return checkRequirement(requirement, bindTrace(requirement, trace)).robustness;
    });
    return { outcome: outcome.kind, values, ...(residuals && { residuals }) };
  }

  private async variantOf(point: StudyPoint): Promise<Variant> {
    const key = variantKey(this.factors, point);
    const known = this.variants.get(key);
    if (known !== undefined) {
      // The one that was used last is the last to go.
      this.variants.delete(key);
      this.variants.set(key, known);
      return known;
    }
    for (const [old, variant] of this.variants) {
      if (this.variants.size < MOST_VARIANTS) break;
      if ("runs" in variant) variant.runs.close();
      this.variants.delete(old);
    }
    const made = await this.makeVariant(point);
    this.variants.set(key, made);
    return made;
  }

  private async makeVariant(point: StudyPoint): Promise<Variant> {
    const { scenarioText } = this.job;
    const edited =
      scenarioText === undefined ? undefined : variantText(scenarioText, this.factors, point);
    const [problem] = edited?.problems ?? [];
    if (problem !== undefined) return { problem };
    const { value, diagnostics } = await this.load(edited?.text);
    if (value === undefined) return { problem: firstProblem({ diagnostics }) };
    const wanted = this.factors.flatMap(({ target }) =>
      target.kind === "port" ? [wantedPort(target.port)] : [],
    );
    const shown = withInnerPorts(value.scenario, wanted);
    const planned = planRun(
      applyFaults(shown),
      this.study.keep.traces ? {} : { record: recorded(shown) },
    );
    if (planned.value === undefined || hasErrors(planned.diagnostics))
      return { problem: firstProblem(planned) };
    const { stop } = shown.experiment;
    if (stop === undefined) return { problem: "the scenario has no stop time" };
    const open = unitOpener(value.tree, {
      folder: this.job.folder,
      native: (name) => {
        const index = this.names.indexOf(name);
        return this.status === undefined ? {} : { lastCall: this.status.call(index) };
      },
      isolation: present({ choice: this.job.isolation }),
    });
    const runs = new RepeatedRuns(
      {
        scenario: shown,
        executor: fastestExecutor,
        open: async (given, plan, kept) => {
          const units = await openUnits(given, plan, open, { kept });
          return { units, close: () => disposeAll(units) };
        },
      },
      planned.value,
    );
    return { scenario: shown, ports: scenarioPorts(shown), runs, study: value };
  }

  /** The scenario with the levels of ports. */
  private withLevels(
    { scenario, ports }: Extract<Variant, { scenario: Scenario }>,
    point: StudyPoint,
  ): Scenario {
    const byName = portsByName(ports.description);
    const values = new Map<number, readonly Value[]>();
    for (const [f, { target, levels }] of this.factors.entries()) {
      const port = target.kind === "port" ? byName.get(target.port) : undefined;
      const level = point[f] ?? Number.NaN;
      const value = (levels.kind === "list" ? levels.written[level] : level) as Value | undefined;
      if (port !== undefined && value !== undefined)
        values.set(port.index, new Array<Value>(portSize(port)).fill(value));
    }
    return applyFaults(withValues(scenario, ports, values, this.job.study));
  }

  /** Before its row is sent, so that no row lacks its trace. */
  private keepTrace(run: number, point: StudyPoint, trace: Trace): void {
    const { traces } = this.job;
    if (traces === undefined) return;
    const levels = shownPoint(this.factors, point);
    const entries = Object.fromEntries(
      this.factors.map(({ name }, f) => [`factor ${name}`, String(levels[f])]),
    );
    const meta = {
      ...trace.meta,
      entries: { ...trace.meta.entries, run: String(run), ...entries },
    };
    const pieces = [...encodeParquet({ ...trace, meta })];
    writeWholeFile(join(traces, traceName(run)), Buffer.concat(pieces));
  }
}

type Ended = Pick<StudyRow, "outcome" | "reason" | "values" | "residuals">;

/**
 * What measures, requirements and constraints name; of a study that keeps nothing, nothing but one
 * signal.
 */
function recorded({ requirements = [], units }: Scenario): readonly string[] {
  const names = new Set(requirements.flatMap(({ signals }) => signals.map(({ name }) => name)));
  // Elements of arrays are recorded because requirements name them; a pattern would need care.
  const plain = [...names].filter((name) => !name.includes("["));
  if (plain.length > 0) return plain;
  for (const { name, description } of units)
    for (const port of description.ports)
      if (port.direction === "output") return [`${name}.${port.name}`];
  return [];
}

/** What this machine lacks says nothing about a run: another worker may have it. */
const OF_MACHINE: ReadonlySet<string> = new Set<
  keyof typeof NATIVE_DIAGNOSTICS | keyof typeof ISOLATION_DIAGNOSTICS
>([
  "binary-platform-missing",
  "binary-unloadable",
  "binary-needs-python",
  "isolation-platform",
  "sandbox-missing",
]);

function lackOfMachine(error: unknown): string | undefined {
  if (!(error instanceof DiagnosticsError)) return undefined;
  return error.diagnostics.find(({ code }) => OF_MACHINE.has(code))?.message;
}

/** In a line. */
function reasonOf(outcome: Outcome): string {
  return explainOutcome(outcome).split("\n")[0] ?? outcome.kind;
}

function firstProblem({ diagnostics }: Pick<DiagnosticsError, "diagnostics">): string {
  const wrong = diagnostics.find(({ severity }) => severity === "error") ?? diagnostics[0];
  return wrong?.message ?? "it cannot be planned";
}
