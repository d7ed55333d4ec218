/**
 * `cosimo compare a.csv b.parquet`: do two runs say the same? For people after a change, and for
 * scripts: the exit code answers.
 */

import { basename, extname } from "node:path";
import { unwrap } from "../../base/diagnostic.ts";
import { conversion, parseQuantity } from "../../model/physical-unit-conversion.ts";
import { writeWholeFile } from "../../platform/node/whole-file.ts";
import type { LabelledTrace } from "../../plot/figure.ts";
import {
  compareTraces,
  differenceTrace,
  type SignalComparison,
  type SignalTolerance,
  type TraceComparison,
} from "../../record/compare-traces.ts";
import type { Trace } from "../../record/trace.ts";
import { splitPatterns } from "../../record/trace-select.ts";
import { type Command, checkFormats, type ParsedArguments, STDIO, UsageError } from "../command.ts";
import { counted } from "../findings.ts";
import { textTable } from "../info/text-table.ts";
import { pickColumns } from "../pick-columns.ts";
import { drawPlot, PLOT_ENDINGS } from "../plot-file.ts";
import { readTrace } from "../read-trace.ts";
import { print, printFile, printJson } from "../terminal.ts";

const DEFAULT_RELATIVE = 1e-6;

export const compareCommand: Command = {
  name: "compare",
  summary: "Compare two traces signal by signal, within tolerances.",
  usage:
    "cosimo compare <a> <b> [--tolerance <x>] [--absolute <x>] [--time-tolerance <s>] [--signals <patterns>] [--plot <file>] [--json]",
  details:
    "Both are compared at every time that one of them has: continuous signals are interpolated, others held. Two rows at one time are an\n" +
    "event, whose values before and after are compared with those of the other trace. A difference is allowed up to\n" +
    "absolute + tolerance × (largest magnitude of the signal in <a>). Units are converted where both traces have them.\n" +
    "The exit code is 0 when all signals agree, 5 when they differ, 1 when a trace cannot be read.",
  arguments: [
    { name: "<a>", help: "the reference: .csv or .parquet; - is CSV on standard input" },
    { name: "<b>", help: "the trace to compare with it" },
  ],
  options: {
    "--tolerance <x>...": `relative: for all signals, or for some: --tolerance 'left.*=1e-3' (repeatable; default: ${DEFAULT_RELATIVE})`,
    "--absolute <x>...":
      "absolute, in the signal's unit or with one: --absolute 'left.x=1 mm' (repeatable; default: 0)",
    "--time-tolerance <s>": "by how much events may be apart (default: 0)",
    "--signals <patterns>...":
      "which signals, comma-separated, * and ? match any text (default: all)",
    "--common": "ignore signals that only one of them has, and time that only one of them covers",
    "--plot <file>...": "draw both and their difference: .svg, .png or .html (repeatable)",
    "--json": "print the comparison as JSON",
    "-q, --quiet": "print nothing; the exit code says it",
  },
  examples: {
    "cosimo compare before.csv after.csv": "does my change alter the result?",
    "cosimo compare reference.csv run.parquet --tolerance 1e-3 --absolute 'ball.h=1 mm' --time-tolerance '1 ms'":
      "another tool's trace: events may be 1 ms apart",
    "cosimo run scenario.yaml -o - | cosimo compare reference.csv - --plot difference.html":
      "in a pipe, with a picture",
  },
  async run(args) {
    const [firstFile = "", secondFile = ""] = args.positionals;
    const pictures = args.all("plot");
    checkFormats(pictures, PLOT_ENDINGS, "--plot", true);
    if (firstFile === STDIO && secondFile === STDIO)
      throw new UsageError("both traces are standard input", "name a file for one of them");
    const whole = [
      unwrap(await readTrace(firstFile)),
      unwrap(await readTrace(secondFile)),
    ] as const;
    const patterns = args.all("signals").flatMap(splitPatterns);
    const [first, second] = whole.map((trace) => pickColumns(trace, patterns)) as [Trace, Trace];
    const comparison = compareTraces(first, second, {
      tolerance: tolerancesOf(args, first),
      timeTolerance: args.positive("time-tolerance") ?? 0,
    });
    const isSame = agrees(comparison, args.has("common"));
    const labels = labelsOf(firstFile, secondFile);
    for (const file of pictures) {
      const picture = await drawDifference(file, [first, second], labels, comparison);
      if (file === STDIO) printFile(picture);
      else writeWholeFile(file, picture);
    }
    const answer = { files: [firstFile, secondFile], isSame, ...comparison, pictures };
    if (args.has("json")) printJson(answer, finite);
    else if (!args.has("quiet") && !pictures.includes(STDIO))
      print(page(comparison, labels, { isSame, pictures, isCommon: args.has("common") }));
    return isSame ? 0 : 5;
  },
};

function agrees(
  { signals, missing, sameSpan, instants }: TraceComparison,
  isCommon: boolean,
): boolean {
  const isComplete = missing.first.length === 0 && missing.second.length === 0 && sameSpan;
  const isSomething = signals.length > 0 && instants > 0;
  return isSomething && (isComplete || isCommon) && signals.every(({ isWithin }) => isWithin);
}

/** JSON has no infinities. */
function finite(_key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return typeof value === "bigint" ? String(value) : value;
}

const WORD = /^\s*(?:(.+?)\s*=)?\s*([^=]+?)\s*$/s;

/** The last word that fits a signal holds; one for all signals counts only where no other fits. */
function tolerancesOf(args: ParsedArguments, reference: Trace): (name: string) => SignalTolerance {
  const relative = read("tolerance", (text) => numberOf(text, "tolerance"));
  const absolute = read("absolute", (text, name) => absoluteOf(text, name, reference));
  return (name) => ({
    relative: relative(name) ?? DEFAULT_RELATIVE,
    absolute: absolute(name) ?? 0,
  });

  function read(
    option: string,
    value: (text: string, name: string) => number,
  ): (name: string) => number | undefined {
    const words = args.all(option).map((text) => {
      const [, pattern, amount = ""] = WORD.exec(text) ?? [];
      const names =
        pattern === undefined
          ? undefined
          : new Set(pickColumns(reference, [pattern], `--${option}`).columns.map((c) => c.name));
      // What is wrong is said before anything is compared.
      for (const name of names ?? []) value(amount, name);
      return { names, amount };
    });
    return (name) => {
      const own = words.findLast(({ names }) => names?.has(name));
      const found = own ?? words.findLast(({ names }) => names === undefined);
      return found && value(found.amount, name);
    };
  }
}

function numberOf(text: string, option: string): number {
  const value = Number(text);
  if (text !== "" && value >= 0 && value < Number.POSITIVE_INFINITY) return value;
  throw new UsageError(
    `--${option} wants a number that is not negative, not '${text}'`,
    `for instance --${option} 1e-3, or for some signals --${option} 'left.*=1e-3'`,
  );
}

/** In the unit of the signal. A difference: offsets of temperatures do not count. */
function absoluteOf(text: string, name: string, { columns }: Trace): number {
  const { value, unit } = parseQuantity(text) ?? { value: Number.NaN, unit: "" };
  const own = columns.find((column) => column.name === name)?.unit;
  if (unit === "" || unit === own) return numberOf(String(value), "absolute");
  const way = conversion({ name: unit }, { name: own ?? "" });
  if (own !== undefined && !("error" in way)) return Math.abs(way.factor) * value;
  throw new UsageError(
    `--absolute '${text}' does not fit ${name}: ${"error" in way && own !== undefined ? way.error : "the trace gives it no unit"}`,
    "write a number in the signal's own unit, or a unit that can be converted to it",
  );
}

function labelsOf(first: string, second: string): readonly [string, string] {
  const [a, b] = [first, second].map((file) => basename(file, extname(file))) as [string, string];
  return a === b ? [first, second] : [a, b];
}

interface PageOptions {
  readonly isSame: boolean;
  readonly pictures: readonly string[];
  readonly isCommon: boolean;
}

/** Signals that differ come first: they are what a person is here for. */
function page(
  comparison: TraceComparison,
  [first, second]: readonly [string, string],
  { isSame, pictures, isCommon }: PageOptions,
): string {
  const { signals, missing, sameSpan, spans, instants, from, to } = comparison;
  const outside = signals.filter(({ isWithin }) => !isWithin);
  const shown = [...outside, ...signals.filter(({ isWithin }) => isWithin)].slice(0, MAX_SHOWN);
  const rows = shown.map(rowOf);
  const rest = signals.length - shown.length;
  const range = `${counted(instants, "instant")} from ${from} s to ${to} s`;
  return [
    ...textTable([["signal", "largest difference", "at", "allowed", ""], ...rows]),
    ...(rest > 0 ? [`  … and ${counted(rest, "signal")} more: --json lists all`] : []),
    ...missing.second.map((name) => `  ${name} is not in ${second}`).slice(0, MAX_SHOWN),
    ...missing.first.map((name) => `  ${name} is not in ${first}`).slice(0, MAX_SHOWN),
    ...(sameSpan ? [] : [`  ${spanText(first, spans[0])}, ${spanText(second, spans[1])}`]),
    ...pictures.map((file) => `  ${file}`),
    isSame
      ? `${first} and ${second} agree: ${counted(signals.length, "signal")}, ${range}`
      : `${first} and ${second} differ: ${outside.length} of ${counted(signals.length, "signal")}, ${range}${hint(comparison, isCommon)}`,
  ].join("\n");
}

const MAX_SHOWN = 40;

function hint({ missing, sameSpan, signals }: TraceComparison, isCommon: boolean): string {
  if (signals.length === 0)
    return "\n  fix: they have no signal in common; see their names with 'cosimo plot'";
  const isComplete = missing.first.length === 0 && missing.second.length === 0 && sameSpan;
  return isComplete || isCommon ? "" : "\n  fix: --common compares what both have";
}

function spanText(label: string, [start, stop]: readonly [number, number]): string {
  return start > stop ? `${label} has no rows` : `${label} goes from ${start} s to ${stop} s`;
}

function rowOf(signal: SignalComparison): string[] {
  const { name, unit = "", largest, at, allowed, isWithin, reason, firstOutside } = signal;
  if (reason !== undefined) return [name, "–", "–", "–", reason];
  const verdict = isWithin ? "ok" : `differs from t=${short(firstOutside ?? 0)} s on`;
  const when = at === undefined ? "–" : `${short(at)} s`;
  return [
    name,
    `${short(largest)} ${unit}`.trim(),
    when,
    `${short(allowed)} ${unit}`.trim(),
    verdict,
  ];
}

function short(value: number): string {
  return value === Number.POSITIVE_INFINITY ? "∞" : String(Number(value.toPrecision(4)));
}

/** Both traces in one figure, and below it what lies between them. */
async function drawDifference(
  file: string,
  traces: readonly [Trace, Trace],
  labels: readonly [string, string],
  { signals }: TraceComparison,
): Promise<string | Uint8Array> {
  const outside = signals.filter(({ isWithin }) => !isWithin);
  const names = (outside.length > 0 ? outside : signals)
    .slice(0, MAX_DRAWN)
    .map(({ name }) => name);
  const runs = traces.map(
    (trace, i): LabelledTrace => ({
      label: labels[i] ?? "",
      trace: { ...trace, columns: trace.columns.filter(({ name }) => names.includes(name)) },
    }),
  );
  const label = `${labels[1]} − ${labels[0]}`;
  const title = `${labels[0]} and ${labels[1]}`;
  const all = [...runs, { label, trace: differenceTrace(...traces, names) }];
  return drawPlot(file, all, { title });
}

const MAX_DRAWN = 12;
