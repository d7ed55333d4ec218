/**
 * Collects findings of one file. A description with a hundred thousand variables can break one rule
 * a hundred thousand times, so each rule is listed a limited number of times and then counted.
 */
import { type Diagnostic, diagnose, type Place } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import { VALIDATION_RULES, type ValidationCode, type ValidationParams } from "./rule-table.ts";

/** How often one code is listed. */
export const LISTED_PER_CODE = 500;
const SUGGESTED_PER_CODE = 20;

export class Findings {
  private readonly file: string;
  private readonly listed: Diagnostic[] = [];
  private readonly counts = new Map<ValidationCode, number>();

  constructor(file: string) {
    this.file = file;
  }

  /** The candidate closest to `typed`, for a finding of `code`. */
  suggest(code: ValidationCode, typed: string, candidates: Iterable<string>): string | undefined {
    // Searching costs more than the finding itself, so only the first few get a suggestion.
    const worthIt = (this.counts.get(code) ?? 0) < SUGGESTED_PER_CODE;
    return worthIt ? nearest(typed, candidates) : undefined;
  }

  report<Code extends ValidationCode>(
    code: Code,
    params: ValidationParams[Code],
    line?: number,
  ): void {
    const count = (this.counts.get(code) ?? 0) + 1;
    this.counts.set(code, count);
    if (count <= LISTED_PER_CODE) this.listed.push(this.make(code, params, line));
  }

  /**
   * In the order of lines, findings about the whole file first; what was only counted comes last.
   */
  finish(): Diagnostic[] {
    const all = this.listed.sort((a, b) => (a.place.line ?? 0) - (b.place.line ?? 0));
    for (const [code, count] of this.counts) {
      const more = count - LISTED_PER_CODE;
      if (more > 0) all.push(this.make("more-of-the-same", { code, count: more }, undefined));
    }
    return all;
  }

  private make<Code extends ValidationCode>(
    code: Code,
    params: ValidationParams[Code],
    line: number | undefined,
  ): Diagnostic {
    const place: Place = line === undefined ? { file: this.file } : { file: this.file, line };
    return diagnose(VALIDATION_RULES, code, params as never, place);
  }
}
