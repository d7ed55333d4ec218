/**
 * Findings as people read them. A generated file has the same mistake a hundred thousand times, and
 * a name in it may be megabytes long: a report says what is wrong, how often, and stays short
 * enough to be read. JSON has everything.
 */
import { append, type Diagnostic, formatDiagnostic, type Severity } from "../base/diagnostic.ts";
import { printError } from "./terminal.ts";

/** Findings of one file that are printed; and messages of one unit (supervisor/unit-log.ts). */
export const SHOWN_PER_FILE = 50;
/** And of all together. */
export const SHOWN = 500;
/** Characters of a text that are printed. */
const LONGEST_TEXT = 1000;

const SEVERITIES: readonly Severity[] = ["error", "warning", "note"];

/** One text per finding, in their order, and a line that counts those omitted: the least severe. */
export function findingTexts(findings: readonly Diagnostic[]): string[] {
  const shown = chosen(findings);
  const texts = findings.filter((finding) => shown.has(finding)).map(shortText);
  const left = findings.filter((finding) => !shown.has(finding));
  if (left.length > 0) texts.push(`… and ${countText(left)} more${placesText(left)}`);
  return texts;
}

/** `2 errors, 1 warning`. */
export function verdictCounts(findings: readonly Diagnostic[]): string {
  const of = (severity: Severity): number => findings.filter((d) => d.severity === severity).length;
  return `${counted(of("error"), "error")}, ${counted(of("warning"), "warning")}`;
}

/** `1 step`, `1,000 steps`. */
export function counted(n: number, word: string): string {
  return `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
}

const reported: Diagnostic[] = [];

/** What `printFindings` was given so far, all of it. */
export function reportedFindings(): readonly Diagnostic[] {
  return reported;
}

/** Writes findings to stderr. */
export function printFindings(findings: readonly Diagnostic[]): void {
  append(reported, findings);
  for (const text of findingTexts(findings)) printError(text);
}

function chosen(findings: readonly Diagnostic[]): ReadonlySet<Diagnostic> {
  const shown = new Set<Diagnostic>();
  const perFile = new Map<string, number>();
  for (const severity of SEVERITIES)
    for (const finding of findings) {
      if (finding.severity !== severity) continue;
      if (shown.size === SHOWN) return shown;
      const count = perFile.get(finding.place.file) ?? 0;
      if (count === SHOWN_PER_FILE) continue;
      perFile.set(finding.place.file, count + 1);
      shown.add(finding);
    }
  return shown;
}

function shortText(finding: Diagnostic): string {
  const { place, message, fix } = finding;
  return formatDiagnostic({
    ...finding,
    place: { ...place, file: shortened(place.file) },
    message: shortened(message),
    fix: shortened(fix),
  });
}

export function shortened(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  const left = text.length - LONGEST_TEXT;
  // The end of a sentence says as much as its beginning; what is quoted is in between.
  return `${text.slice(0, LONGEST_TEXT - 100)} … (${left} characters omitted) … ${text.slice(-100)}`;
}

/** `3 errors and 1 note`. */
function countText(findings: readonly Diagnostic[]): string {
  return SEVERITIES.map((severity) => ({
    severity,
    count: findings.filter((finding) => finding.severity === severity).length,
  }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => `${count} ${severity}${count === 1 ? "" : "s"}`)
    .join(" and ");
}

function placesText(findings: readonly Diagnostic[]): string {
  const [first = "", ...others] = new Set(findings.map(({ place }) => place.file));
  return others.length === 0 ? ` in ${shortened(first)}` : ` in ${others.length + 1} files`;
}
