/**
 * Findings for an editor: by file, as ranges. What was found inside an FMU or a scenario has no place that an editor could show, so it comes along with
 * the finding at the inner unit, which follows it in the list.
 */
import { existsSync } from "node:fs";
import { dirname, extname } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type DiagnosticRelatedInformation,
  DiagnosticSeverity,
  type Diagnostic as ProtocolDiagnostic,
} from "vscode-languageserver/node.js";
import { type Diagnostic, formatPlace } from "../../base/diagnostic.ts";
import { spanOfFinding } from "../../lang/sa/ide/findings.ts";
import type { SaDocument } from "../../lang/sa/ide/sa-document.ts";
import { rangeOf } from "./protocol-ranges.ts";

export interface Finding {
  readonly finding: Diagnostic;
  /** What was found inside of what this is about. */
  readonly inside: readonly Diagnostic[];
}

/** Findings by the `.sa` file that they belong to. */
export function byFile(diagnostics: readonly Diagnostic[]): Map<string, Finding[]> {
  const files = new Map<string, Finding[]>();
  let inside: Diagnostic[] = [];
  for (const finding of diagnostics) {
    const { file } = finding.place;
    if (extname(file).toLowerCase() !== ".sa") {
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

/** @param showsRelated whether the editor shows what comes along; otherwise it is part of the text. */
export function toProtocol(
  { finding, inside }: Finding,
  document: SaDocument,
  showsRelated: boolean,
): ProtocolDiagnostic {
  const text = [`${finding.message}\nfix: ${finding.fix}`];
  const related = inside.map((one) => `${formatPlace(one.place)} ${one.code}: ${one.message}`);
  return {
    range: rangeOf(document.text, spanOfFinding(document, finding)),
    severity: SEVERITIES[finding.severity],
    code: finding.code,
    source: "cosimo",
    message: [...text, ...(showsRelated ? [] : related)].join("\n"),
    ...(showsRelated && inside.length > 0
      ? { relatedInformation: inside.map((one, i) => relatedTo(one, related[i]!)) }
      : {}),
  };
}

function relatedTo({ place }: Diagnostic, message: string): DiagnosticRelatedInformation {
  const file = existsSync(place.file) ? place.file : dirname(place.file);
  const start = { line: (place.line ?? 1) - 1, character: (place.column ?? 1) - 1 };
  return { location: { uri: pathToFileURL(file).href, range: { start, end: start } }, message };
}
