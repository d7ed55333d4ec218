/**
 * Offsets as lines and columns: line starts are found once, so that many lookups cost binary
 * searches and not scans of the text.
 */

export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * The place of the first number that is at least `value`, in numbers that rise; their count where
 * there is none.
 */
export function firstAtLeast(numbers: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? Number.NaN) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Lines and columns of this text, counted from 1. */
export function positionsIn(text: string): (offset: number) => Position {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    const line = firstAtLeast(starts, offset + 1);
    return { line, column: offset - (starts[line - 1] ?? 0) + 1 };
  };
}

/** Whether nothing but blanks stands before it on its line. */
export function beginsLine(text: string, offset: number): boolean {
  const before = skipBlanks(text, offset);
  return before === 0 || text[before - 1] === "\n";
}

/** Whether the line above the one that it begins is empty. */
export function isBlankAbove(text: string, offset: number): boolean {
  let at = skipBlanks(text, offset);
  if (text[at - 1] !== "\n") return false;
  at = skipBlanks(text, at - 1);
  return text[at - 1] === "\n";
}

/** Where the blanks before it begin, on the same line. */
function skipBlanks(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && text[at - 1] !== "\n" && /\s/.test(text.charAt(at - 1))) at--;
  return at;
}
