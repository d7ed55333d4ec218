/**
 * Findings for an editor: by file, as ranges. What was found inside an FMU or a scenario has no
 * place that an editor could show, so it comes along with the finding at the inner unit, which
 * follows it in the list.
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type DiagnosticRelatedInformation,
  DiagnosticSeverity,
  type Diagnostic as ProtocolDiagnostic,
} from "vscode-languageserver/node.js";
import { type Diagnostic, formatPlace } from "../../base/diagnostic.ts";
import { languageOf } from "../../lang/languages.ts";
import type { EditorDocument } from "../../lang/text/editor-language.ts";
import { rangeOf } from "./protocol-ranges.ts";

export interface Finding {
  readonly finding: Diagnostic;
  /** What was found inside of what this is about. */
  readonly inside: readonly Diagnostic[];
}

/** Findings by the text that they belong to. */
export function byFile(diagnostics: readonly Diagnostic[]): Map<string, Finding[]> {
  const files = new Map<string, Finding[]>();
  let inside: Diagnostic[] = [];
  for (const finding of diagnostics) {
    const { file } = finding.place;
    if (languageOf(file) === undefined) {
      inside.push(finding);
      continue;
    }
    const takes = finding.code === "unit-source-broken";
    const list = files.get(file) ?? [];
    list.push({ finding, inside: takes ? inside : [] });
    files.set(file, list);
    if (takes) inside = [];
  }
  return files;
}

const SEVERITIES = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  note: DiagnosticSeverity.Information,
} as const;

/** Findings of one file that editors show. */
const MOST_FINDINGS = 100;
/** What comes along with one of them. */
const MOST_INSIDE = 20;
/** Characters of a text. */
const LONGEST_TEXT = 1000;

/**
 * Those that weigh most, in their order, and how many there are beyond them.
 * @param showsRelated whether the editor shows what comes along; otherwise it is part of the text.
 */
export function allToProtocol(
  findings: readonly Finding[],
  document: EditorDocument,
  showsRelated: boolean,
): ProtocolDiagnostic[] {
  const weights = Object.keys(SEVERITIES);
  const weigh = ({ finding }: Finding): number => weights.indexOf(finding.severity);
  const shownFindings = new Set(
    findings.toSorted((one, other) => weigh(one) - weigh(other)).slice(0, MOST_FINDINGS),
  );
  const list = findings
    .filter((one) => shownFindings.has(one))
    .map((one) => toProtocol(one, document, showsRelated));
  const left = findings.length - list.length;
  if (left === 0) return list;
  const start = { line: 0, character: 0 };
  const message = `${left} more finding${left === 1 ? " is" : "s are"} omitted\nfix: correct what is shown first`;
  const severity = DiagnosticSeverity.Information;
  return [...list, { range: { start, end: start }, severity, source: "cosimo", message }];
}

export function toProtocol(
  { finding, inside }: Finding,
  document: EditorDocument,
  showsRelated: boolean,
): ProtocolDiagnostic {
  const text = [`${shortened(finding.message)}\nfix: ${shortened(finding.fix)}`];
  const shown = inside.slice(0, MOST_INSIDE);
  const related = shown.map(
    (one) => `${formatPlace(one.place)} ${one.code}: ${shortened(one.message)}`,
  );
  return {
    range: rangeOf(document.text, document.spanOf(finding)),
    severity: SEVERITIES[finding.severity],
    code: finding.code,
    source: "cosimo",
    message: [...text, ...(showsRelated ? [] : related)].join("\n"),
    ...(showsRelated && shown.length > 0
      ? { relatedInformation: shown.map((one, i) => relatedTo(one, related[i]!)) }
      : {}),
  };
}

function shortened(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}

function relatedTo({ place }: Diagnostic, message: string): DiagnosticRelatedInformation {
  const file = existsSync(place.file) ? place.file : dirname(place.file);
  const start = { line: (place.line ?? 1) - 1, character: (place.column ?? 1) - 1 };
  return { location: { uri: pathToFileURL(file).href, range: { start, end: start } }, message };
}
