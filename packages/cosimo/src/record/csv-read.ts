/**
 * CSV in: input signals that people write by hand or export from anywhere, and traces read back.
 *
 * Spreadsheets of the world disagree about CSV, so the reader looks instead of asking: comma, semicolon or tab;
 * decimal comma where the comma is free; byte order mark, Excel's `sep=` line, comment lines, a row of units.
 * What it cannot take it reports with line, cause and fix.
 */
import { type Checked, type Diagnostic, diagnose, hasErrors } from "../base/diagnostic.ts";
import { type CsvScanner, scanCsv } from "./csv-scan.ts";
import { type CellReader, cellReaderFor, parseNumber } from "./csv-values.ts";
import { RECORD_DIAGNOSTICS } from "./diagnostics.ts";
import type { Column, Trace } from "./trace.ts";

/** After so many mistakes the rest is not listed. */
const MAX_MISTAKES = 20;

/**
 * Reads a table of signals over time. Columns come back as numbers, as booleans where the first cell is true or
 * false, as 64-bit integers where a double could not hold them, or as strings.
 * The value is absent when a diagnostic is an error.
 */
export function parseCsv(text: string, file: string): Checked<Trace> {
  const diagnostics: Diagnostic[] = [];
  const start = skipPreamble(text);
  const delimiter = start.delimiter ?? detectDelimiter(text, start.at);
  const scanner = scanCsv(text, delimiter, start.at, start.line);
  const header = readHeader(scanner, file, diagnostics);
  if (header === undefined) return { diagnostics };
  const table = readRows(scanner, header, delimiter, file, diagnostics);
  if (hasErrors(diagnostics)) return { diagnostics };

  const columns: Column[] = [];
  let time = new Float64Array(0);
  for (const [i, name] of header.names.entries()) {
    const { type, data } = table.readers[i]?.finish() ?? { type: "float64", data: time };
    const unit = table.units[i];
    if (i === header.timeAt) time = data as Float64Array<ArrayBuffer>;
    else columns.push({ name, type, data, ...(unit ? { unit } : {}) });
  }
  return { value: { meta: { title: file, entries: {} }, time, columns }, diagnostics };
}

interface Header {
  readonly names: readonly string[];
  /** Which column is the time. */
  readonly timeAt: number;
}

/** The first row; undefined when what is wrong with it makes reading on pointless. */
function readHeader(
  scanner: CsvScanner,
  file: string,
  diagnostics: Diagnostic[],
): Header | undefined {
  const row = scanner.next();
  if (row === undefined) {
    diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "csv-empty", {}, { file }));
    return undefined;
  }
  const place = { file, line: row.line };
  const names = row.cells.slice();
  const first = names[0];
  if (row.openQuoteLine > 0) {
    const opened = { file, line: row.openQuoteLine };
    diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "csv-open-quote", {}, opened));
    return undefined;
  }
  if (names.every((name, i) => !row.quoted[i] && parseNumber(name) !== undefined)) {
    diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "csv-no-header", { first }, place));
    return undefined;
  }
  if (names.length > 1 && names.at(-1) === "") names.pop();
  for (const name of repeated(names)) {
    diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "csv-duplicate-column", { name }, place));
  }
  const timeAt = timeColumn(names);
  if (timeAt < 0) {
    diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "csv-time-assumed", { first }, place));
  }
  return hasErrors(diagnostics) ? undefined : { names, timeAt: Math.max(timeAt, 0) };
}

interface Rows {
  /** One a column; empty when there is no row. */
  readonly readers: readonly CellReader[];
  /** Units by column; empty when no row names them. */
  readonly units: readonly string[];
}

function readRows(
  scanner: CsvScanner,
  { names, timeAt }: Header,
  delimiter: string,
  file: string,
  diagnostics: Diagnostic[],
): Rows {
  const decimalComma = delimiter !== ",";
  const readers: CellReader[] = [];
  let units: string[] = [];
  let row = scanner.next();
  if (row !== undefined && isUnitsRow(row.cells, timeAt)) {
    units = row.cells.map((cell) => cell.replace(/^\[(.*)\]$/s, "$1"));
    row = scanner.next();
  }
  let previous = Number.NEGATIVE_INFINITY;
  for (; row !== undefined; row = scanner.next()) {
    const place = { file, line: row.line };
    const { cells, quoted } = row;
    if (diagnostics.length >= MAX_MISTAKES) {
      const shown = diagnostics.length;
      diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "csv-many-mistakes", { shown }, place));
      break;
    }
    if (row.openQuoteLine > 0) {
      const opened = { file, line: row.openQuoteLine };
      diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "csv-open-quote", {}, opened));
      break;
    }
    if (cells.length === names.length + 1 && cells.at(-1) === "") cells.pop();
    if (cells.length !== names.length) {
      // A header such as time,A[1,1] falls apart at the commas inside its names.
      const commaNames = delimiter === "," && names.some((name) => /[[(][^\])]*$/.test(name));
      const counts = { expected: names.length, found: cells.length, commaNames };
      diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "csv-cell-count", counts, place));
      if (commaNames) break;
      continue;
    }
    if (readers.length === 0) {
      // Where even the time is quoted, quotes say nothing about types.
      const quotesMeanText = !quoted[timeAt];
      for (const [i, cell] of cells.entries()) {
        const asText = quotesMeanText && quoted[i] === true;
        readers.push(cellReaderFor(cell, asText, i === timeAt, decimalComma));
      }
    }
    for (let i = 0; i < names.length; i++) {
      if (readers[i].push(cells[i])) continue;
      const cell = { column: names[i], text: cells[i] };
      diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "csv-not-a-number", cell, place));
    }
    const time = readers[timeAt].last();
    if (time < previous) {
      const times = { time, previous };
      diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "csv-time-decreases", times, place));
    } else if (!Number.isFinite(time) && parseNumber(cells[timeAt]) !== undefined) {
      const text = cells[timeAt];
      diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "csv-time-not-finite", { text }, place));
    } else if (Number.isFinite(time)) previous = time;
  }
  return { readers, units };
}

/** Byte order mark and Excel's `sep=;` line. */
function skipPreamble(text: string): { at: number; line: number; delimiter?: string } {
  const at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const match = /^sep=([,;\t])\r?\n/i.exec(text.slice(at, at + 8));
  if (match === null) return { at, line: 1 };
  return { at: at + match[0].length, line: 2, delimiter: match[1] };
}

/** Looks at the first row outside quotes: a tab beats a semicolon, which beats a comma. */
function detectDelimiter(text: string, from: number): string {
  const row = firstRowWithoutQuotes(text, from);
  if (row.includes("\t")) return "\t";
  return row.includes(";") ? ";" : ",";
}

function firstRowWithoutQuotes(text: string, from: number): string {
  let at = from;
  while (text.charAt(at) === "#" || text.charAt(at) === "\n" || text.charAt(at) === "\r") {
    const lineEnd = text.indexOf("\n", at);
    if (lineEnd < 0) return "";
    at = lineEnd + 1;
  }
  let kept = "";
  let inside = false;
  for (; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') inside = !inside;
    else if (inside) continue;
    else if (char === "\n" || char === "\r") break;
    else kept += char;
  }
  return kept;
}

/** The column called time, or else t; -1 when there is neither. */
function timeColumn(names: readonly string[]): number {
  const lower = names.map((name) => name.toLowerCase());
  const at = lower.indexOf("time");
  return at >= 0 ? at : lower.indexOf("t");
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, i) => name === "" || names.indexOf(name) < i))];
}

/** The row below the header that names units: its time cell is s or [s] or the like, and no cell is a number. */
function isUnitsRow(cells: readonly string[], timeAt: number): boolean {
  if (!/^\[?(s|sec|seconds|ms|us|min|h)\]?$/i.test(cells[timeAt] ?? "")) return false;
  return cells.every((cell) => cell === "1" || parseNumber(cell) === undefined);
}
