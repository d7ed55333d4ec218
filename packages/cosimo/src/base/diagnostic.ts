/**
 * What the user got wrong, as data: a code that never changes its meaning, the place, the cause and
 * the fix.
 *
 * Every zone keeps one table (code → severity, rule, text) and reports through it, so that a wrong
 * parameter does not compile and the reference page of all codes can be generated from the tables.
 */

/** A place in a source text. Lines and columns count from 1; absent means "the whole file". */
export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

export type Severity = "error" | "warning" | "note";

export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  /** What is wrong and why, one sentence without the place. */
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
  readonly place: Place;
}

export interface DiagnosticText {
  readonly message: string;
  readonly fix: string;
}

export interface DiagnosticRule<Params> {
  readonly severity: Severity;
  /** The rule that was broken, as one sentence; it is what the reference page prints. */
  readonly rule: string;
  readonly text: (params: Params) => DiagnosticText;
}

/** A table typed by the parameters of each code. */
export type RulesFor<ParamsByCode> = {
  readonly [Code in keyof ParamsByCode]: DiagnosticRule<ParamsByCode[Code]>;
};

export type DiagnosticTable = Readonly<Record<string, DiagnosticRule<never>>>;

/** Parameters that are texts: `Texts<"from" | "to">`. */
export type Texts<Names extends string> = { readonly [Name in Names]: string };

/** A row as tables write it: message and fix are texts, or made from the parameters. */
export interface DiagnosticRow<Params> {
  /** Default: error. */
  readonly severity?: Severity;
  readonly rule: string;
  readonly message: string | ((params: Params) => string);
  readonly fix: string | ((params: Params) => string);
}

/** `const RULES: RulesFor<Params> = rulesFrom<Params>({ "bad-name": { rule, message, fix } })`. */
export function rulesFrom<ParamsByCode>(
  rows: {
    readonly [Code in keyof ParamsByCode]: DiagnosticRow<ParamsByCode[Code]>;
  },
): RulesFor<ParamsByCode> {
  const made = <P>({ severity = "error", rule, message, fix }: DiagnosticRow<P>) => ({
    severity,
    rule,
    text: (params: P): DiagnosticText => ({
      message: typeof message === "string" ? message : message(params),
      fix: typeof fix === "string" ? fix : fix(params),
    }),
  });
  const entries = Object.entries<DiagnosticRow<never>>(rows);
  return Object.fromEntries(entries.map(([code, row]) => [code, made(row)])) as never;
}

type ParamsOf<Rule> = Rule extends DiagnosticRule<infer Params> ? Params : never;

/** Makes the diagnostic `code` of `table`; the type of `params` follows from the code. */
export function diagnose<Table extends DiagnosticTable, Code extends keyof Table & string>(
  table: Table,
  code: Code,
  params: ParamsOf<Table[Code]>,
  place: Place,
): Diagnostic {
  const rule = table[code] as DiagnosticRule<ParamsOf<Table[Code]>>;
  return { code, severity: rule.severity, ...rule.text(params), place };
}

/** Reports the diagnostic `code` of one table; returns undefined, so that callers can return it. */
export type ReportFor<ParamsByCode> = <Code extends keyof ParamsByCode & string>(
  code: Code,
  params: ParamsByCode[Code],
  place: Place,
) => undefined;

/** What reports through `table` into `diagnostics`. */
export function reporterFor<ParamsByCode>(
  table: RulesFor<ParamsByCode>,
  diagnostics: Diagnostic[],
): ReportFor<ParamsByCode> {
  return (code, params, place) => {
    const { severity, text } = table[code];
    diagnostics.push({ code, severity, ...text(params), place });
    return undefined;
  };
}

/** `model.xml:12:7 error unknown-unit: …` and the fix on a line of its own. */
export function formatDiagnostic(d: Diagnostic): string {
  return `${formatPlace(d.place)} ${d.severity} ${d.code}: ${d.message}\n  fix: ${d.fix}`;
}

export function formatPlace(place: Place): string {
  if (place.line === undefined) return place.file;
  if (place.column === undefined) return `${place.file}:${place.line}`;
  return `${place.file}:${place.line}:${place.column}`;
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((d) => d.severity === "error");
}

/** Adds findings to a list, of any number: `push(...more)` would put each of them on the stack. */
export function append(list: Diagnostic[], more: Iterable<Diagnostic>): void {
  for (const finding of more) list.push(finding);
}

/**
 * A value together with the findings about it. `value` is absent when an error made it meaningless;
 * a value beside errors is the best that could be read, for tools that explain further.
 */
export interface Checked<T> {
  readonly value?: T;
  readonly diagnostics: readonly Diagnostic[];
}

/** For callers that cannot continue: carries the diagnostics to the code that reports them. */
export class DiagnosticsError extends Error {
  readonly diagnostics: readonly Diagnostic[];
  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map(formatDiagnostic).join("\n"));
    this.name = "DiagnosticsError";
    this.diagnostics = diagnostics;
  }
}

/** The value of `checked`, or throws its diagnostics when one of them is an error. */
export function unwrap<T>(checked: Checked<T>): T {
  if (checked.value === undefined || hasErrors(checked.diagnostics)) {
    throw new DiagnosticsError(checked.diagnostics);
  }
  return checked.value;
}
