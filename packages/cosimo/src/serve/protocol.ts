/**
 * What the studio's page and its server say to each other: the one file that both are built
 * against. Everything is under `/api/`, with the token of the link in the header `x-cosimo-token`
 * or in the query `token`. Paths are relative to the folder that is served, with `/`.
 *
 * | request | body → answer |
 * |---|---|
 * | `GET /api/files` | → `FileTree` |
 * | `GET /api/file?path=` | → bytes; `ETag` is the hash of the content |
 * | `PUT /api/file?path=` | bytes, `If-Match: <etag>` or `If-None-Match: *` → `SavedFile`; 412 (`ApiProblem`, code `file-changed`) where it was changed elsewhere |
 * | `GET /api/info?path=` | → `FmuPage` |
 * | `GET /api/describe?path=` | → `Described` (the file as it is saved) |
 * | `POST /api/describe` | `DescribeRequest` → `Described` (a text that may not be saved) |
 * | `GET /api/layout?path=`, `PUT /api/layout?path=` | → `Layout`; `Layout` → `SavedFile`: stored beside the scenario, `<name>.layout.json` |
 * | `POST /api/edit` | `EditRequest` → `EditAnswer` |
 * | `GET /api/library` | → `LibraryEntry[]`: adaptations that a unit can be given in a line |
 * | `POST /api/runs` | `RunRequest` → `RunInfo` |
 * | `GET /api/runs`, `GET /api/runs/<id>` | → `RunInfo[]`, `RunInfo` |
 * | `DELETE /api/runs/<id>` | forgets a run that has ended, and its rows |
 * | `POST /api/runs/<id>/pause`, `/resume`, `/step`, `/stop`, `/set`, `/fault` | nothing, `StepRequest`, `SetRequest`, `FaultRequest` → `RunInfo` |
 * | `POST /api/runs/<id>/save` | `SaveRequest` → `SavedFile`: its rows as a new trace in the folder (.csv, .parquet); `If-Match: <etag>` replaces one |
 * | `GET /api/runs/<id>/columns?signals=a.x,b.y&from=&to=&points=` | → binary columns (columns.ts) |
 * | `GET /api/trace?path=` | → `TraceInfo` |
 * | `GET /api/trace?path=&signals=…&from=&to=&points=` | → binary columns |
 * | `GET /api/difference?first=&second=&signals=…` | → binary columns: rows of both, the first minus the second; sources are `run:<id>`, `trace:<path>` |
 * | `GET /api/instant?of=&time=&by=&signals=` | → `Instant`: exact values, of all signals where none are named; `by` goes on by rows |
 * | `POST /api/expression` | `ExpressionRequest` → `DerivedAnswer`: a signal made of others, asked for as `derived=` beside `signals=` |
 * | `POST /api/stability`, `GET /api/stability/<id>`, `POST /api/stability/<id>/stop` | `StabilityRequest` → `StabilityJob` |
 * | WebSocket `/api/live` | `LiveRequest` → `LiveMessage` as text, binary columns as bytes |
 * | WebSocket `/api/language` | the language server protocol, one JSON message per frame; URIs are `file:///` + path |
 *
 * Whatever is refused is an `ApiProblem` with a status of 400 or more. In JSON, numbers that are
 * not finite are `null`.
 */
import type { Diagnostic } from "../base/diagnostic.ts";
import type { Outcome } from "../base/outcome.ts";
import type { EditedText, ScenarioEdit } from "../lang/scenario/edit/scenario-edit.ts";
import type { MasterName } from "../model/masters.ts";
import type { Direction, Nature, Variability } from "../model/unit-description.ts";
import type { ValueType } from "../model/value-type.ts";
import type { Explanation } from "../plan/explain/explanation.ts";
import type { ColumnInfo } from "../record/trace.ts";

/** Changes when a shipped message changes its meaning; the page compares. */
export const STUDIO_PROTOCOL = 1;

/** Header that carries the token. */
export const TOKEN_HEADER = "x-cosimo-token";

/** What was refused, and what to do. */
export interface ApiProblem {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  readonly diagnostics?: readonly Diagnostic[];
}

// ---- files ----------------------------------------------------------------------------------

export type FileKind =
  | "folder"
  | "scenario"
  | "fmu"
  | "adaptation"
  | "machine"
  | "package"
  | "interface"
  | "specification"
  | "hint"
  | "study"
  | "trace"
  | "module"
  | "other";

export interface FileTree {
  /** Name of the folder that is served. */
  readonly name: string;
  readonly files: readonly FileEntry[];
  /** There are more files than are listed. */
  readonly isCut?: true;
}

export interface FileEntry {
  /** Relative to the folder, `/` between names. */
  readonly path: string;
  readonly kind: FileKind;
  /** Of a folder: what is in it, folders first, by name. */
  readonly files?: readonly FileEntry[];
  readonly bytes?: number;
  /** Milliseconds since 1970. */
  readonly changed?: number;
}

export interface SavedFile {
  readonly path: string;
  readonly etag: string;
}

/** What `cosimo info --json` and `cosimo validate --json` print. */
export interface FmuPage {
  readonly path: string;
  /** As `cosimo info --json`. */
  readonly info: unknown;
  /** As text, for people. */
  readonly text: string;
  readonly findings: readonly Diagnostic[];
}

// ---- scenarios ------------------------------------------------------------------------------

export interface DescribeRequest {
  readonly path: string;
  /** In place of what the file holds. */
  readonly text?: string;
  /** As if the scenario said so. */
  readonly master?: string;
  readonly step?: number;
  /** Without what is read by people alone: the plan, and the long lists of the explanation. */
  readonly isBrief?: boolean;
}

/** What the properties of a scenario show of its explanation. */
export type BriefExplanation = Pick<Explanation, "loops" | "master" | "recommendation">;

/** What `cosimo check` knows of a scenario. Places are of files relative to the folder. */
export interface Described {
  readonly path: string;
  readonly diagnostics: readonly Diagnostic[];
  /** Absent where the text cannot be read at all. */
  readonly scenario?: DescribedScenario;
  /** Absent where there are errors; all of it where the answer is not to be brief. */
  readonly explanation?: BriefExplanation & Partial<Explanation>;
  /** What `cosimo check` prints. Absent from a brief answer. */
  readonly explanationText?: string;
  /** Absent from a brief answer. */
  readonly plan?: { readonly hash: string; readonly text: string };
}

export interface DescribedScenario {
  readonly name: string;
  readonly units: readonly DescribedUnit[];
  readonly connections: readonly DescribedConnection[];
  readonly bonds: readonly DescribedBond[];
  readonly events: readonly DescribedLine[];
  readonly constraints: readonly DescribedLine[];
  readonly requirements: readonly DescribedLine[];
  readonly faults: readonly DescribedLine[];
  /** Ports that a nested scenario shows, or that a package has: `name` is `inner`. */
  readonly ports: readonly { readonly name: string; readonly inner: string }[];
  readonly experiment: {
    readonly start?: number;
    readonly stop?: number;
    readonly step?: number;
    readonly tolerance?: number;
  };
  /** What will drive it, chosen where the file says nothing; absent where there are errors. */
  readonly master?: MasterName;
  /** As the file says; absent: Cosimo chooses. */
  readonly writtenMaster?: string;
  /** Units and connections change while it runs. */
  readonly isStructured: boolean;
}

export interface DescribedUnit {
  readonly name: string;
  readonly line?: number;
  /** fmu, module, adaptation, machine, table, scenario, group, formula, … */
  readonly sourceKind: string;
  /** Relative to the folder, where its source is a file in it. */
  readonly sourcePath?: string;
  /** Absent where the source could not be read. */
  readonly model?: string;
  /** "FMI 3.0 FMU", "TypeScript", "scenario". */
  readonly backend?: string;
  readonly ports: readonly DescribedPort[];
  /** Its own step, as written. */
  readonly step?: number;
  /**
   * Adaptations around it, the innermost first, with what they are given: `multi-rate { rate: 10
   * }`.
   */
  readonly adaptations: readonly string[];
  /** A process or a sandbox of its own. */
  readonly isolation?: string;
  /** Faults act on it. */
  readonly isFaulty: boolean;
  /**
   * Its upper left corner in the drawing of its package; y grows upwards, and the scale is the
   * drawing's own.
   */
  readonly drawnAt?: { readonly x: number; readonly y: number };
  /** Of a nested scenario: what is inside. */
  readonly inside?: DescribedScenario;
}

export interface DescribedPort {
  readonly name: string;
  readonly direction: Direction;
  readonly type: ValueType;
  readonly shape: readonly number[];
  readonly variability: Variability;
  readonly nature: Nature;
  /** Symbol of its physical unit. */
  readonly unit?: string;
  /** Inputs: reactive, delayed or undeclared; outputs: Mealy or Moore. */
  readonly kind?: string;
  /** Why it is of that kind. */
  readonly why?: string;
  readonly description?: string;
  /** What the unit starts with, as text. */
  readonly start?: string;
  /** What the scenario sets, as written. */
  readonly set?: string;
  readonly min?: number;
  readonly max?: number;
  readonly nominal?: number;
  /** Of an enumeration: names by value. */
  readonly items?: Readonly<Record<string, string>>;
  /** It can be changed while a run goes on. */
  readonly isTunable?: true;
  readonly isClock?: true;
}

export interface DescribedConnection {
  /** `unit.port`, as written; a formula as written. */
  readonly from: string;
  readonly to: string;
  readonly line?: number;
  /**
   * What it became: more than one where a terminal or `*` is connected; none where it could not be
   * resolved.
   */
  readonly wires: readonly DescribedWire[];
}

export interface DescribedWire {
  readonly fromUnit: string;
  readonly fromPort: string;
  readonly toUnit: string;
  readonly toPort: string;
  /** The target gets the value of this formula, of which the source is one term. */
  readonly formula?: string;
  /** "deg → rad", "· 0.001". */
  readonly conversion?: string;
  readonly approximation?: string;
  /** Name of its bond. */
  readonly bond?: string;
  /**
   * Part of a loop within a step, through outputs or through inputs that use its end: index of
   * `explanation.loops`.
   */
  readonly loop?: number;
  /** A loop is broken here: the value is one step old. */
  readonly isLate?: true;
  /** It carries events. */
  readonly isEvent?: true;
}

export interface DescribedBond {
  readonly name: string;
  readonly effort: { readonly from: string; readonly to: string };
  readonly flow: { readonly from: string; readonly to: string };
  readonly line?: number;
}

export interface DescribedLine {
  readonly text: string;
  readonly line?: number;
}

export interface EditRequest {
  readonly path: string;
  readonly text: string;
  readonly edit: ScenarioEdit;
}

export interface EditAnswer extends EditedText {
  readonly described: Described;
}

export interface LibraryEntry {
  readonly name: string;
  readonly summary: string;
  /** Options with their defaults: `rate: 10`. */
  readonly options: readonly {
    readonly name: string;
    readonly type: string;
    readonly value?: string;
  }[];
}

/**
 * Where the boxes of a scenario are. Names of nested units have their way in front: `car/wheel`.
 */
export interface Layout {
  readonly version: 1;
  readonly units: Readonly<Record<string, BoxPlace>>;
  /** Bends of wires, by `from -> to`. */
  readonly wires?: Readonly<Record<string, readonly (readonly [number, number])[]>>;
}

export interface BoxPlace {
  readonly x: number;
  readonly y: number;
  readonly width?: number;
  readonly height?: number;
}

// ---- runs -----------------------------------------------------------------------------------

export interface RunRequest {
  /** A scenario, an FMU, a package. */
  readonly path: string;
  /** Of a scenario that is not saved. */
  readonly text?: string;
  readonly options?: RunOptions;
  /**
   * Of traces in `options.out` that are there already: the ETag of the one that is replaced, by
   * path.
   */
  readonly replaces?: Readonly<Record<string, string>>;
}

/** As the options of `cosimo run`. */
export interface RunOptions {
  readonly start?: number;
  readonly stop?: number;
  readonly step?: number;
  readonly tolerance?: number;
  readonly master?: string;
  readonly set?: readonly string[];
  readonly faults?: readonly string[];
  /** Patterns; default: what the scenario says, else the outputs. */
  readonly record?: readonly string[];
  readonly realtime?: number;
  readonly executor?: "auto" | "interpreter" | "machine-code";
  readonly threads?: number | "auto";
  readonly isolate?: "process" | "sandbox";
  readonly stopOnDivergence?: boolean;
  readonly stopOnViolation?: boolean;
  /** Waits before the first step. */
  readonly paused?: boolean;
  /**
   * Traces that are written at the end, in the folder: new ones, unless `replaces` says otherwise.
   */
  readonly out?: readonly string[];
}

export type RunState = "starting" | "running" | "paused" | "ended";

export interface RunInfo {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly state: RunState;
  readonly options: RunOptions;
  /** Milliseconds since 1970. */
  readonly began: number;
  readonly experiment?: { readonly start: number; readonly stop: number; readonly step: number };
  readonly columns: readonly ColumnInfo[];
  readonly units: readonly string[];
  readonly time?: number;
  readonly steps: number;
  readonly rows: number;
  readonly diagnostics: readonly Diagnostic[];
  /** Parameters and inputs that `set` can change while it runs: `unit.port`. */
  readonly tunable: readonly string[];
  readonly changes: readonly RunChange[];
  readonly log: readonly LogLine[];
  /** Where the time went; while it runs as far as it is known. */
  readonly times?: UnitTimes;
  // At the end:
  readonly outcome?: Outcome;
  /** The outcome in a sentence. */
  readonly ending?: string;
  /** The unit that failed or crashed. */
  readonly failedUnit?: string;
  readonly wallSeconds?: number;
  readonly executor?: string;
  readonly verdicts?: readonly {
    readonly name: string;
    readonly state: string;
    readonly text: string;
  }[];
  readonly files?: readonly string[];
}

/** What a person changed while it ran. */
export interface RunChange {
  readonly time: number;
  readonly text: string;
}

export interface LogLine {
  readonly time?: number;
  /** Absent: the run itself. */
  readonly unit?: string;
  readonly status: string;
  readonly message: string;
}

export interface UnitTimes {
  /** Parts of the measured time, between 0 and 1. */
  readonly units: readonly { readonly unit: string; readonly share: number }[];
  readonly couplingShare: number;
}

export interface StepRequest {
  /** Communication steps; default: 1. The run is paused after them. */
  readonly steps?: number;
}

export interface SetRequest {
  /** `unit.port=value`, as `cosimo run --set`. */
  readonly set: string;
}

export interface FaultRequest {
  /**
   * As `cosimo run --fault`: `motor.speed stuck 0 for 2 s`; it acts from now on unless it says
   * when.
   */
  readonly fault: string;
}

export interface SaveRequest {
  readonly path: string;
}

/** Values at an instant as they were recorded, between rows where a signal is linear there. */
export interface Instant {
  readonly of: string;
  readonly time: number;
  /** The last row that is not later. */
  readonly row?: number;
  readonly rowTime?: number;
  readonly values: Readonly<Record<string, number | string | null>>;
}

export interface ExpressionRequest {
  /** `run:<id>` or `trace:<path>`. */
  readonly of: string;
  /** A number in the language of requirements: `motor.speed * 60 / 6.28`. */
  readonly text: string;
}

/** A mistake is not a failure of the request: what is typed is often half done. */
export interface DerivedAnswer {
  readonly signal?: DerivedInfo;
  readonly diagnostics: readonly Diagnostic[];
}

export interface DerivedInfo {
  /** Its name is `= ` and the text; columns are asked for by it. */
  readonly info: ColumnInfo;
  readonly signals: readonly string[];
}

export interface TraceInfo {
  readonly path: string;
  readonly title: string;
  readonly columns: readonly ColumnInfo[];
  readonly rows: number;
  readonly from?: number;
  readonly to?: number;
  readonly entries: Readonly<Record<string, string>>;
}

// ---- live -----------------------------------------------------------------------------------

/**
 * What a page sends on `/api/live`. A new `watch` of a run with the same `plot` replaces the old
 * one.
 */
export type LiveRequest =
  | {
      readonly kind: "watch";
      readonly run: string;
      /** The page's own number of what it draws; binary frames repeat it. */
      readonly plot: number;
      readonly signals: readonly string[];
      /** About how many points per signal. */
      readonly points: number;
      /** What is seen: absent ends move with the run; `last` alone shows the last seconds. */
      readonly from?: number;
      readonly to?: number;
      readonly last?: number;
    }
  | { readonly kind: "unwatch"; readonly run: string; readonly plot: number }
  /** The newest values of these signals (`[]`: no more), for the wires. */
  | { readonly kind: "values"; readonly run: string; readonly signals: readonly string[] };

/**
 * What the server sends as text; each stands for itself, so that a slow page misses some and loses
 * nothing.
 */
export type LiveMessage =
  | { readonly kind: "hello"; readonly protocol: number; readonly runs: readonly RunInfo[] }
  /** A run began, or changed its state, or ended. */
  | { readonly kind: "run"; readonly run: RunInfo }
  /** A run and its rows are no more. */
  | { readonly kind: "forgotten"; readonly run: string }
  | {
      readonly kind: "progress";
      readonly run: string;
      readonly time: number;
      readonly steps: number;
      readonly rows: number;
      readonly times?: UnitTimes;
    }
  | { readonly kind: "log"; readonly run: string; readonly lines: readonly LogLine[] }
  | {
      readonly kind: "values";
      readonly run: string;
      readonly time: number;
      readonly values: Readonly<Record<string, number | string>>;
    }
  /** Something in the folder changed on the disk; the page asks again. */
  | { readonly kind: "files"; readonly paths: readonly string[] }
  | { readonly kind: "stability"; readonly job: StabilityJob }
  | { readonly kind: "problem"; readonly problem: ApiProblem };

// ---- jobs -----------------------------------------------------------------------------------

export interface StabilityRequest {
  readonly path: string;
  readonly text?: string;
  readonly master?: string;
  readonly step?: number;
}

export interface StabilityJob {
  readonly id: string;
  readonly path: string;
  readonly state: "working" | "done" | "failed" | "stopped";
  /** Between 0 and 1. */
  readonly fraction: number;
  readonly doing: string;
  readonly failure?: string;
  readonly diagnostics: readonly Diagnostic[];
  /** As `cosimo stability spectral --json`. */
  readonly report?: unknown;
  readonly advice?: readonly string[];
  /** The picture of `cosimo stability spectral --plot`, as SVG. */
  readonly picture?: string;
}

export type { ColumnInfo, Diagnostic, EditedText, Explanation, MasterName, Outcome, ScenarioEdit };
