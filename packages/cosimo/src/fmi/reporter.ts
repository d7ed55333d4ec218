/**
 * Collects what is noticed while reading one XML file. A hostile or badly generated file repeats the same mistake a
 * hundred thousand times, so every code is listed a limited number of times and the rest only counted.
 */

import { type Diagnostic, type DiagnosticRule, diagnose } from "../base/diagnostic.ts";
import { DESCRIPTION_DIAGNOSTICS, type DescriptionDiagnostics } from "./description-diagnostics.ts";

type ParamsOf<Rule> = Rule extends DiagnosticRule<infer Params> ? Params : never;

const LISTED_PER_CODE = 50;

export class Reporter {
  readonly file: string;
  private readonly found: Diagnostic[] = [];
  private readonly counts = new Map<string, number>();
  private unlisted = 0;

  constructor(file: string) {
    this.file = file;
  }

  report<Code extends keyof DescriptionDiagnostics>(
    code: Code,
    params: ParamsOf<DescriptionDiagnostics[Code]>,
    line: number,
  ): void {
    const count = (this.counts.get(code) ?? 0) + 1;
    this.counts.set(code, count);
    if (count > LISTED_PER_CODE) {
      this.unlisted++;
      return;
    }
    const table: DescriptionDiagnostics = DESCRIPTION_DIAGNOSTICS;
    this.found.push(diagnose(table, code, params, { file: this.file, line }));
  }

  /** In the order of the lines, so that a page of diagnostics reads along the file. */
  finish(): readonly Diagnostic[] {
    this.found.sort((a, b) => (a.place.line ?? 0) - (b.place.line ?? 0));
    if (this.unlisted > 0) {
      const place = { file: this.file };
      this.found.push(
        diagnose(DESCRIPTION_DIAGNOSTICS, "xml-too-many-problems", { more: this.unlisted }, place),
      );
    }
    return this.found;
  }
}
