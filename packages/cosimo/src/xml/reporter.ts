/**
 * Collects what is noticed while reading one XML file. A hostile or badly generated file repeats
 * the same mistake a hundred thousand times, so every code is listed a limited number of times and
 * the rest only counted.
 */

import { type Diagnostic, diagnose, type RulesFor } from "../base/diagnostic.ts";
import { XML_DIAGNOSTICS, type XmlParams } from "./xml-diagnostics.ts";

const LISTED_PER_CODE = 50;

/** What the XML reader needs: a place for its reports, whatever else can be reported there. */
export interface XmlReports {
  report<Code extends keyof XmlParams>(code: Code, params: XmlParams[Code], line: number): void;
}

/** Reports by the codes of one format's table, those of XML included. */
export class Reporter<Params extends XmlParams = XmlParams> implements XmlReports {
  readonly file: string;
  private readonly table: RulesFor<Params>;
  private readonly found: Diagnostic[] = [];
  private readonly counts = new Map<string, number>();
  private unlisted = 0;

  constructor(file: string, table: RulesFor<Params>) {
    this.file = file;
    this.table = table;
  }

  /** @param file another one that this one is read with. */
  report<Code extends keyof Params & string>(
    code: Code,
    params: Params[Code],
    line: number,
    file: string = this.file,
  ): void {
    const count = (this.counts.get(code) ?? 0) + 1;
    this.counts.set(code, count);
    if (count > LISTED_PER_CODE) {
      this.unlisted++;
      return;
    }
    const rule = this.table[code];
    const place = { file, line };
    this.found.push({ code, severity: rule.severity, ...rule.text(params), place });
  }

  /** In the order of the lines, so that a page of diagnostics reads along the file. */
  finish(): readonly Diagnostic[] {
    this.found.sort((a, b) => (a.place.line ?? 0) - (b.place.line ?? 0));
    if (this.unlisted > 0) {
      const place = { file: this.file };
      this.found.push(
        diagnose(XML_DIAGNOSTICS, "xml-too-many-problems", { more: this.unlisted }, place),
      );
    }
    return this.found;
  }
}
