/**
 * `cosimo study compare a b`: do two studies say the same? Run by run, column by column.
 */
import { append, type Diagnostic } from "../../base/diagnostic.ts";
import type { Table, TableColumn } from "../../record/table.ts";
import { type Command, UsageError } from "../command.ts";
import { counted, printFindings } from "../findings.ts";
import { readStudyTable } from "../study/study-table.ts";
import { print, printJson } from "../terminal.ts";

interface ComparedColumn {
  readonly column: string;
  /** 'only in a', 'only in b', 'texts', or numbers. */
  readonly state: "equal" | "differs" | "missing";
  /** Of numbers: the largest difference, as a part of the largest value. */
  readonly worst?: number;
  /** Number of the first run that differs. */
  readonly run?: number;
  readonly runs: number;
}

export const studyCompareCommand: Command = {
  name: "study compare",
  summary: "Compare the tables of two studies: run by run, column by column.",
  usage: "cosimo study compare <results> <results> [--tolerance <x>] [--json]",
  details:
    "Runs are matched by their numbers. Numbers may differ by --tolerance, relative to the largest of their column. Exit code 5: they differ.",
  arguments: [{ name: "<results>", help: "a folder of results, or its runs.parquet", many: true }],
  options: {
    "--tolerance <x>": "how far numbers may be apart (default: 0, the same)",
    "--json": "print the comparison as JSON",
  },
  examples: {
    "cosimo study compare before.results after.results": "did my change change anything?",
    "cosimo study compare a.results b.results --tolerance 1e-6": "up to rounding?",
  },
  async run(args) {
    const [first, second, ...more] = args.positionals;
    if (first === undefined || second === undefined || more.length > 0)
      throw new UsageError(
        "two folders of results are compared",
        "cosimo study compare a.results b.results",
      );
    const [a, b] = await Promise.all([readStudyTable(first), readStudyTable(second)]);
    const diagnostics: Diagnostic[] = [];
    append(diagnostics, [...a.diagnostics, ...b.diagnostics]);
    printFindings(diagnostics);
    if (a.value === undefined || b.value === undefined) return 1;
    const compared = compareTables(a.value, b.value, args.number("tolerance") ?? 0);
    const isEqual =
      compared.columns.every(({ state }) => state === "equal") && compared.missing === 0;
    if (args.has("json")) printJson({ isEqual, ...compared });
    else print(pageOf(compared, isEqual));
    return isEqual ? 0 : 5;
  },
};

interface ComparedTables {
  readonly runs: number;
  /** Runs that only one of them has. */
  readonly missing: number;
  readonly columns: readonly ComparedColumn[];
}

export function compareTables(a: Table, b: Table, tolerance: number): ComparedTables {
  const rowsOf = ({ columns }: Table): Map<number, number> => {
    const runs: ArrayLike<unknown> = columns.find(({ name }) => name === "run")?.data ?? [];
    return new Map(Array.from(runs, (run, row) => [Number(run), row]));
  };
  const [left, right] = [rowsOf(a), rowsOf(b)];
  const common = [...left.keys()].filter((run) => right.has(run));
  const pairs = common.map((run) => [left.get(run) ?? 0, right.get(run) ?? 0, run] as const);
  const names = [...new Set([...a.columns, ...b.columns].map(({ name }) => name))];
  const columns = names.map((name): ComparedColumn => {
    const [one, two] = [a, b].map((table) => table.columns.find((column) => column.name === name));
    if (one === undefined || two === undefined) return { column: name, state: "missing", runs: 0 };
    return compareColumn(one, two, pairs, tolerance);
  });
  return { runs: common.length, missing: left.size + right.size - 2 * common.length, columns };
}

function compareColumn(
  one: TableColumn,
  two: TableColumn,
  pairs: readonly (readonly [number, number, number])[],
  tolerance: number,
): ComparedColumn {
  const column = one.name;
  if (one.type === "string" || two.type === "string") {
    const wrong = pairs.filter(([i, j]) => String(one.data[i]) !== String(two.data[j]));
    return stateOf(column, wrong);
  }
  const size = [...one.data, ...two.data].reduce(
    (most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most),
    0,
  );
  const difference = (i: number, j: number): number => {
    const [x, y] = [one.data[i] ?? Number.NaN, two.data[j] ?? Number.NaN];
    if (Object.is(x, y) || x === y) return 0;
    const apart = Math.abs(x - y) / size;
    return Number.isNaN(apart) ? Number.POSITIVE_INFINITY : apart;
  };
  const wrong = pairs.filter(([i, j]) => difference(i, j) > tolerance);
  const worst = pairs.reduce((most, [i, j]) => Math.max(most, difference(i, j)), 0);
  return { ...stateOf(column, wrong), worst };
}

function stateOf(
  column: string,
  wrong: readonly (readonly [number, number, number])[],
): ComparedColumn {
  const [first] = wrong;
  if (first === undefined) return { column, state: "equal", runs: 0 };
  return { column, state: "differs", run: first[2], runs: wrong.length };
}

function pageOf({ runs, missing, columns }: ComparedTables, isEqual: boolean): string {
  const lines = [`${counted(runs, "run")} compared: ${isEqual ? "the same" : "they differ"}`];
  if (missing > 0) lines.push(`  ${counted(missing, "run")} only in one of them`);
  for (const { column, state, run, runs: wrong, worst } of columns) {
    if (state === "missing") lines.push(`  ${column}: only in one of them`);
    else if (state === "differs")
      lines.push(
        `  ${column}: differs in ${counted(wrong, "run")}, first in run ${run}${worst === undefined ? "" : `, by up to ${worst.toExponential(1)} of its largest value`}`,
      );
    else if (worst !== undefined && worst > 0)
      lines.push(`  ${column}: within ${worst.toExponential(1)}`);
  }
  return lines.join("\n");
}
