/**
 * CSV in: input signals that people write by hand or export from anywhere, and traces read back.
 *
 * Spreadsheets of the world disagree about CSV, so the reader looks instead of asking: comma,
 * semicolon or tab; decimal comma where the comma is free; byte order mark, Excel's `sep=` line,
 * comment lines, a row of units. What it cannot take it reports with line, cause and fix.
 */
import { type Checked, type Diagnostic, diagnose, hasErrors } from "../base/diagnostic.ts";
import { csvNotesFile } from "./csv.ts";
import {
  type HeaderNames,
  inSeconds,
  isTimeUnit,
  namesAndUnits,
  timeColumn,
} from "./csv-header.ts";
import { type CsvScanner, scanCsv } from "./csv-scan.ts";
import { type CellReader, cellReaderFor, parseNumber } from "./csv-values.ts";
import { RECORD_DIAGNOSTICS } from "./diagnostics.ts";
import type { Column, Trace } from "./trace.ts";
import { notedColumn, readTraceNotes, type TraceNotes } from "./trace-notes.ts";

/** After so many mistakes the rest is not listed. */
const MAX_MISTAKES = 20;

/**
 * Reads a table of signals over time. Columns come back as numbers, as booleans where the first
 * cell is true or false, as 64-bit integers where a double could not hold them, or as strings. The
 * value is absent when a diagnostic is an error.
 * @param notes the text of the notes beside the file (`csvNotesFile`), which say units, types,
 * events and what was run.
 */
export function parseCsv(text: string, file: string, notes?: string): Checked<Trace> {
  const diagnostics: Diagnostic[] = [];
  const start = skipPreamble(text);
  const delimiter = start.delimiter ?? detectDelimiter(text, start.at);
  const scanner = scanCsv(text, delimiter, start.at, start.line);
  const noted = notes === undefined ? undefined : readNotes(notes, file, diagnostics);
  const isNoted = (name: string): boolean => noted?.columns.has(name) === true;
  const header = readHeader(scanner, file, isNoted, diagnostics);
  if (header === undefined) return { diagnostics };
  const table = readRows(scanner, header, delimiter, file, diagnostics);
  if (hasErrors(diagnostics)) return { diagnostics };

  const columns: Column[] = [];
  let time = new Float64Array(0);
  for (const [i, name] of header.names.entries()) {
    const { type, data } = table.readers[i]?.finish() ?? { type: "float64", data: time };
    const unit = table.units[i] || header.units[i];
    if (i === header.timeAt) {
      time = inSeconds(data as Float64Array<ArrayBuffer>, unit ?? "");
      continue;
    }
    const column: Column = { name, type, data, ...(unit ? { unit } : {}) };
    const info = noted?.columns.get(name);
    // Units in the table itself win: they were written into it later.
    columns.push(info && !unit ? notedColumn(column, info) : column);
  }
  const meta = noted?.meta ?? { title: file, entries: {} };
  return { value: { meta, time, columns }, diagnostics };
}

/**
 * What stands beside a table. Without it the table is as good as any: notes that cannot be read are
 * a warning.
 */
function readNotes(text: string, file: string, diagnostics: Diagnostic[]): TraceNotes | undefined {
  let notes: TraceNotes | undefined;
  try {
    notes = readTraceNotes(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (notes === undefined) {
    const place = { file: csvNotesFile(file) };
    diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "csv-notes-unreadable", {}, place));
  }
  return notes;
}

interface Header extends HeaderNames {
  /** Which column is the time. */
  readonly timeAt: number;
}

/** The first row; undefined when what is wrong with it makes reading on pointless. */
function readHeader(
  scanner: CsvScanner,
  file: string,
  isNoted: (name: string) => boolean,
  diagnostics: Diagnostic[],
): Header | undefined {
  const row = scanner.next();
  if (row === undefined) {
    diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "csv-empty", {}, { file }));
    return undefined;
  }
  const place = { file, line: row.line };
  const cells = row.cells.slice();
  const first = cells[0];
  if (row.openQuoteLine > 0) {
    const opened = { file, line: row.openQuoteLine };
    diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "csv-open-quote", {}, opened));
    return undefined;
  }
  if (cells.every((name, i) => !row.quoted[i] && parseNumber(name) !== undefined)) {
    diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "csv-no-header", { first }, place));
    return undefined;
  }
  if (cells.length > 1 && cells.at(-1) === "") cells.pop();
  const { names, units } = namesAndUnits(cells, row.quoted, isNoted);
  for (const name of repeated(names)) {
    diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "csv-duplicate-column", { name }, place));
  }
  const timeAt = timeColumn(names);
  if (timeAt < 0) {
    diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "csv-time-assumed", { first }, place));
  }
  return hasErrors(diagnostics) ? undefined : { names, units, timeAt: Math.max(timeAt, 0) };
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

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, i) => name === "" || names.indexOf(name) < i))];
}

/**
 * The row below the header that names units: its time cell is s or [s] or the like, and no cell is
 * a number.
 */
function isUnitsRow(cells: readonly string[], timeAt: number): boolean {
  if (!isTimeUnit(cells[timeAt] ?? "")) return false;
  return cells.every((cell) => cell === "1" || parseNumber(cell) === undefined);
}
