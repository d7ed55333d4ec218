/**
 * Cuts CSV text into rows of cells: quotes, doubled quotes, line ends inside quotes, CRLF, comment
 * lines.
 *
 * Why our own: a file of signals has millions of cells, diagnostics need the line of each row, and
 * the reader must know which cells were quoted (that is how "1" differs from 1).
 */

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const QUOTE = 34;
const HASH = 35;

/** The row that was read last. The scanner hands out the same object again: copy what you keep. */
export interface CsvRow {
  /** Where the row begins; the first line is 1. */
  line: number;
  readonly cells: string[];
  readonly quoted: boolean[];
  /** Line of a quote that is never closed; such a row is the last one. 0: none. */
  openQuoteLine: number;
}

export interface CsvScanner {
  /** The next row that is neither empty nor a comment, or undefined at the end. */
  next(): CsvRow | undefined;
}

export function scanCsv(text: string, delimiter: string, from: number, line: number): CsvScanner {
  const separator = delimiter.charCodeAt(0);
  const end = text.length;
  const row: CsvRow = { line, cells: [], quoted: [], openQuoteLine: 0 };
  let at = from;
  let currentLine = line;

  /** Moves behind the line end at `at`. */
  function endLine(): void {
    if (text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF) at++;
    at++;
    currentLine++;
  }

  function skipLine(): void {
    while (at < end && !isLineEnd(text.charCodeAt(at))) at++;
    if (at < end) endLine();
  }

  function skipBlanks(): void {
    let code = text.charCodeAt(at);
    while (code === SPACE || (code === TAB && separator !== TAB)) code = text.charCodeAt(++at);
  }

  /** Reads from the opening quote at `at` to behind the closing one. */
  function quotedCell(): string {
    const opened = currentLine;
    let cell = "";
    for (at++; ; ) {
      const close = text.indexOf('"', at);
      const part = text.slice(at, close < 0 ? end : close);
      currentLine += countLineEnds(part);
      cell += part;
      if (close < 0) {
        row.openQuoteLine = opened;
        at = end;
        return cell;
      }
      at = close + 1;
      if (text.charCodeAt(at) !== QUOTE) return cell;
      cell += '"';
      at++;
    }
  }

  function plainCell(): string {
    const start = at;
    let code = text.charCodeAt(at);
    while (at < end && code !== separator && !isLineEnd(code)) code = text.charCodeAt(++at);
    let stop = at;
    while (stop > start && text.charCodeAt(stop - 1) <= SPACE) stop--;
    return text.slice(start, stop);
  }

  function readCells(): void {
    row.cells.length = 0;
    row.quoted.length = 0;
    row.line = currentLine;
    for (;;) {
      skipBlanks();
      const quoted = text.charCodeAt(at) === QUOTE;
      const cell = quoted ? quotedCell() : "";
      row.cells.push(cell + plainCell());
      row.quoted.push(quoted);
      if (at >= end) return;
      if (text.charCodeAt(at) !== separator) {
        endLine();
        return;
      }
      at++;
    }
  }

  return {
    next() {
      while (at < end) {
        const code = text.charCodeAt(at);
        if (isLineEnd(code) || code === HASH) {
          skipLine();
          continue;
        }
        readCells();
        if (row.cells.length > 1 || row.cells[0] !== "" || row.quoted[0]) return row;
      }
      return undefined;
    },
  };
}

function isLineEnd(code: number): boolean {
  return code === LF || code === CR;
}

function countLineEnds(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}
