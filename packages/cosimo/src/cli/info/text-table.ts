/**
 * Columns of text for a terminal: left-aligned, as wide as needed, the last one cut at the
 * terminal's width.
 */

export function textTable(
  rows: readonly (readonly string[])[],
  indent = "  ",
  width = 120,
): string[] {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const widths = Array.from({ length: columns }, (_, c) =>
    rows.reduce((most, row) => Math.max(most, row[c]?.length ?? 0), 0),
  );
  // A column that is empty everywhere would only leave a gap.
  const used = widths.map((w, c) => ({ w, c })).filter(({ w }) => w > 0);
  return rows.map((row) => {
    const cells = used.map(({ w, c }, i) =>
      i === used.length - 1 ? (row[c] ?? "") : (row[c] ?? "").padEnd(w),
    );
    const line = `${indent}${cells.join("  ")}`.trimEnd();
    return line.length > width ? `${line.slice(0, width - 1)}…` : line;
  });
}
