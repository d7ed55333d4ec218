/**
 * `cosimo plot`: traces that were recorded before, one or several runs in one picture.
 */

import { writeFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { type Checked, DiagnosticsError, unwrap } from "../../base/diagnostic.ts";
import { present } from "../../base/present.ts";
import { NO_CAPABILITIES, type UnitDescription } from "../../model/unit-description.ts";
import type { LabelledTrace } from "../../plot/figure.ts";
import { traceFormatOf } from "../../record/formats.ts";
import type { Trace } from "../../record/trace.ts";
import { selectColumns, splitPatterns } from "../../record/trace-select.ts";
import { type Command, checkFormats } from "../command.ts";
import { drawPlot, PLOT_ENDINGS } from "../plot-file.ts";
import { readBytes } from "../read-file.ts";
import { print, printStyled, visibleText } from "../terminal.ts";

export const plotCommand: Command = {
  name: "plot",
  summary: "Draw recorded traces; several runs are compared in one picture.",
  usage: "cosimo plot <trace.csv|trace.parquet> … [--signals <patterns>] [-o <file>]",
  details: "Without -o the signals are drawn in the terminal.",
  arguments: [
    {
      name: "<trace> …",
      help: "traces that 'cosimo run' wrote, or any table with a time column",
      many: true,
    },
  ],
  options: {
    "--signals <patterns>...":
      "which signals, comma-separated, * and ? match any text (default: all)",
    "-o, --out <file>...": "write the picture: .svg, .png or .html (repeatable)",
    "--label <name>...":
      "name of a run in the legend, in the order of the traces (default: file names)",
    "--title <text>": "title of the picture",
  },
  examples: {
    "cosimo plot run.csv --signals 'x*' -o run.svg": "some signals of one run",
    "cosimo plot jacobi.csv gauss-seidel.csv --signals left.x_1 -o compare.html":
      "two runs in one picture",
  },
  async run(args) {
    const files = args.all("out");
    checkFormats(files, PLOT_ENDINGS, "-o");
    const patterns = args.all("signals").flatMap(splitPatterns);
    const labels = args.all("label");
    const runs: LabelledTrace[] = [];
    for (const [i, path] of args.positionals.entries()) {
      const trace = pick(unwrap(await readTrace(path)), patterns);
      runs.push({ label: labels[i] ?? basename(path, extname(path)), trace });
    }
    const [only, ...others] = runs;
    const input = only && others.length === 0 ? only.trace : shareUnits(runs);
    const title =
      args.one("title") ?? (runs.length > 1 ? runs.map((run) => run.label).join(" · ") : undefined);
    for (const file of files) {
      writeFileSync(file, await drawPlot(file, input, present({ title })));
      print(file);
    }
    if (files.length === 0) {
      const { plotText } = await import("../../plot/terminal.ts");
      printStyled(
        plotText(visibleInput(input), {
          width: Math.min(120, process.stdout.columns ?? 80),
          color: process.stdout.isTTY === true,
        }),
      );
    }
    return 0;
  },
};

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

/** CSV knows no units: a signal takes the unit that another run gives the same name. */
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

async function readTrace(path: string): Promise<Checked<Trace>> {
  const { value: bytes, diagnostics } = readBytes(path);
  if (bytes === undefined) return { diagnostics };
  return traceFormatOf(path).read({ file: path, bytes, text: () => bytes.toString("utf8") });
}

/** The columns that the patterns name; all of them without patterns. */
function pick(trace: Trace, patterns: readonly string[]): Trace {
  if (patterns.length === 0) return trace;
  const unit: UnitDescription = {
    name: trace.meta.title,
    backend: "typescript",
    capabilities: NO_CAPABILITIES,
    experiment: {},
    ports: trace.columns.map((column, index) => ({
      index,
      name: column.name,
      direction: "output",
      type: column.type,
      shape: [],
      variability: "continuous",
      nature: "continuous",
    })),
  };
  const chosen = selectColumns(unit, patterns);
  if (chosen.value === undefined || chosen.diagnostics.length > 0) {
    throw new DiagnosticsError(
      chosen.diagnostics.map((d) => ({ ...d, place: { file: "--signals" } })),
    );
  }
  const ports = new Set(chosen.value.map(({ port }) => port));
  return { ...trace, columns: trace.columns.filter((_, c) => ports.has(c)) };
}
