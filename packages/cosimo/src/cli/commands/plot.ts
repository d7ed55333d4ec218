/**
 * `cosimo plot`: traces that were recorded before, one or several runs in one picture.
 */

import { basename, extname } from "node:path";
import { unwrap } from "../../base/diagnostic.ts";
import { present } from "../../base/present.ts";
import { writeWholeFile } from "../../platform/node/whole-file.ts";
import type { LabelledTrace } from "../../plot/figure.ts";
import type { Trace } from "../../record/trace.ts";
import { splitPatterns } from "../../record/trace-select.ts";
import type { Verdict } from "../../requirements/check-requirement.ts";
import { withMarks } from "../../requirements/mark-violations.ts";
import { verdictText } from "../../requirements/verdict-text.ts";
import { checkTrace } from "../../run/check-trace.ts";
import { hasColour } from "../colour.ts";
import { type Command, checkFormats, STDIO, UsageError } from "../command.ts";
import { printFindings } from "../findings.ts";
import { pickColumns } from "../pick-columns.ts";
import { drawPlot, PLOT_ENDINGS } from "../plot-file.ts";
import { readTrace } from "../read-trace.ts";
import { print, printFile, printJson, printStyled, visibleText } from "../terminal.ts";

export const plotCommand: Command = {
  name: "plot",
  summary: "Draw recorded traces; several runs are compared in one picture.",
  usage: "cosimo plot <trace.csv|trace.parquet> … [--signals <patterns>] [-o <file>]",
  details: "Without -o the signals are drawn in the terminal.",
  arguments: [
    {
      name: "<trace> …",
      help: "traces that 'cosimo run' wrote, or any table with a time column; - is CSV on standard input",
      many: true,
    },
  ],
  options: {
    "--signals <patterns>...":
      "which signals, comma-separated, * and ? match any text (default: all)",
    "-o, --out <file>...":
      "write the picture: .svg, .png or .html (repeatable); - is an SVG on standard output",
    "--label <name>...":
      "name of a run in the legend, in the order of the traces (default: file names)",
    "--require <text>...":
      "what must hold of the traces (repeatable), for instance 'always motor.speed < 3 rad/s':\nsays whether it does, and marks where it does not",
    "--title <text>": "title of the picture",
    "--json": "print the names of files and runs as JSON",
  },
  examples: {
    "cosimo plot run.csv --signals 'x*' -o run.svg": "some signals of one run",
    "cosimo plot jacobi.csv gauss-seidel.csv --signals left.x_1 -o compare.html":
      "two runs in one picture",
    "cosimo plot run.parquet --require 'always tank.level < 2 m'":
      "where is a requirement violated?",
  },
  async run(args) {
    const files = args.all("out");
    checkFormats(files, PLOT_ENDINGS, "-o", true);
    if (files.includes(STDIO) && args.has("json"))
      throw new UsageError(
        "-o - and --json both write to standard output",
        "name a file: -o run.svg",
      );
    const patterns = args.all("signals").flatMap(splitPatterns);
    const labels = args.all("label");
    const runs: LabelledTrace[] = [];
    for (const [i, path] of args.positionals.entries()) {
      const read = await readTrace(path);
      if (read.value !== undefined) printFindings(read.diagnostics);
      const whole = unwrap(read);
      const trace = withMarks(pickColumns(whole, patterns), required(whole, args.all("require")));
      runs.push({ label: labels[i] ?? basename(path, extname(path)), trace });
    }
    const [only, ...others] = runs;
    const input = only && others.length === 0 ? only.trace : shareUnits(runs);
    const title =
      args.one("title") ?? (runs.length > 1 ? runs.map((run) => run.label).join(" · ") : undefined);
    for (const file of files) {
      const picture = await drawPlot(file, input, present({ title }));
      if (file === STDIO) {
        printFile(picture);
        continue;
      }
      writeWholeFile(file, picture);
      if (!args.has("json") && !files.includes(STDIO)) print(file);
    }
    if (args.has("json")) printJson({ files, runs: runs.map(({ label }) => label) });
    else if (files.length === 0) {
      const { plotText } = await import("../../plot/terminal.ts");
      printStyled(
        plotText(visibleInput(input), {
          width: Math.min(120, process.stdout.columns ?? 80),
          color: hasColour(process.stdout),
        }),
      );
    }
    return 0;
  },
};

/** Verdicts on what is required, which are printed. */
function required(trace: Trace, requirements: readonly string[]): readonly Verdict[] {
  const checked = checkTrace(trace, requirements);
  const verdicts = unwrap(checked);
  printFindings(checked.diagnostics);
  for (const one of verdicts) print(verdictText(one));
  return verdicts;
}

/** Names come from files of others; colours are ours. */
function visibleInput(input: Trace | readonly LabelledTrace[]): Trace | readonly LabelledTrace[] {
  const visible = (trace: Trace): Trace => ({
    ...trace,
    meta: { ...trace.meta, title: visibleText(trace.meta.title) },
    columns: trace.columns.map((column) => ({
      ...column,
      name: visibleText(column.name),
      ...present({ unit: column.unit && visibleText(column.unit) }),
    })),
  });
  if ("columns" in input) return visible(input);
  return input.map(({ label, trace }) => ({ label: visibleText(label), trace: visible(trace) }));
}

/**
 * A table without notes knows no units: a signal takes the unit that another run gives the same
 * name.
 */
function shareUnits(runs: readonly LabelledTrace[]): LabelledTrace[] {
  const units = new Map(
    runs.flatMap(({ trace }) =>
      trace.columns.flatMap((c) => (c.unit === undefined ? [] : [[c.name, c.unit] as const])),
    ),
  );
  return runs.map(({ label, trace }) => ({
    label,
    trace: {
      ...trace,
      columns: trace.columns.map((column) => {
        const unit = column.unit ?? units.get(column.name);
        return unit === undefined ? column : { ...column, unit };
      }),
    },
  }));
}
