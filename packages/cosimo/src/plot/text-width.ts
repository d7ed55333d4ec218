/**
 * How wide a text will be, without a font at hand. Errs on the wide side, so that what is laid out
 * with it never overlaps; the widths are those of DejaVu Sans and Verdana, the widest fonts a plot
 * is drawn with.
 */

const NARROW = /[ijlItfr.,:;'|!()[\] /\\-]/;
const WIDE = /[mwMW@%\u2192]/;
const UPPER = /[A-Z0-9#$&+=<>_~?]/;

/** Width in pixels of `text` at `size` pixels. */
export function textWidth(text: string, size: number): number {
  let ems = 0;
  for (const char of text) {
    if (NARROW.test(char)) ems += 0.4;
    else if (WIDE.test(char)) ems += 0.98;
    else if (UPPER.test(char)) ems += 0.72;
    else ems += char.codePointAt(0)! > 0x2e80 ? 1.05 : 0.63;
  }
  return ems * size;
}

/** `text`, shortened in the middle to fit into `width`: both ends of a variable's name matter. */
export function fitText(text: string, size: number, width: number): string {
  if (textWidth(text, size) <= width) return text;
  const chars = [...text];
  for (let keep = chars.length - 1; keep > 2; keep--) {
    const head = Math.ceil(keep / 2);
    const short = `${chars.slice(0, head).join("")}…${chars.slice(chars.length - (keep - head)).join("")}`;
    if (textWidth(short, size) <= width) return short;
  }
  return "…";
}
