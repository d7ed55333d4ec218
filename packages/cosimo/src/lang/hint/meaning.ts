/**
 * What a file of hints means: requirements on traces, and facts about units that guide the choice
 * of a master.
 */
import type { Checked, Diagnostic } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import { conversion, convertValue } from "../../model/physical-unit-conversion.ts";
import { parseUnit } from "../../model/physical-unit-parse.ts";
import {
  type Formula,
  type HintFact,
  type NumberExpression,
  type RequirementDraft,
  type Scope,
  WITHOUT_END,
} from "../../model/requirement.ts";
import { report } from "./diagnostics.ts";
import type { HintFileSpec, HintSpec, PatternSpec, StatementSpec } from "./hint-file.ts";
import { measured, parseHint } from "./parse-hint.ts";
import { patternText, scopeText } from "./print-hint.ts";

export interface HintMeaning {
  readonly requirements: readonly RequirementDraft[];
  readonly hints: readonly HintFact[];
}

/** The meaning of a text. */
export function readHints(text: string, file: string): Checked<HintMeaning> {
  const { value, diagnostics } = parseHint(text, file);
  if (value === undefined) return { diagnostics };
  const meant = meaningOf(value);
  return { ...meant, diagnostics: [...diagnostics, ...meant.diagnostics] };
}

function meaningOf({ hints: specs }: HintFileSpec): Checked<HintMeaning> {
  const diagnostics: Diagnostic[] = [];
  const requirements: RequirementDraft[] = [];
  const hints: HintFact[] = [];
  const lines = new Map<string, number>();
  for (const spec of specs) {
    const line = lines.get(spec.name);
    if (line !== undefined)
      diagnostics.push(report("hint-twice", { what: `the hint '${spec.name}'`, line }, spec.place));
    lines.set(spec.name, spec.place.line ?? 0);
    const reader = new Meaning(spec, diagnostics);
    const fact = reader.fact();
    if (fact !== undefined) {
      if (fact !== "wrong") hints.push(fact);
      continue;
    }
    requirements.push(...reader.requirement());
  }
  return { value: { requirements, hints }, diagnostics };
}

const HERTZ = parseUnit("Hz");

class Meaning {
  private readonly spec: HintSpec;
  private readonly diagnostics: Diagnostic[];
  private readonly statements = new Map<string, StatementSpec>();
  /** What statements stand for, once they were read. */
  private readonly formulas = new Map<string, Formula<string>>();
  private isFine = true;

  constructor(spec: HintSpec, diagnostics: Diagnostic[]) {
    this.spec = spec;
    this.diagnostics = diagnostics;
    for (const one of spec.statements) {
      const first = this.statements.get(one.name);
      if (first !== undefined)
        this.wrong("hint-twice", { what: `'${one.name}'`, line: first.place.line ?? 0 }, one.place);
      else this.statements.set(one.name, one);
    }
  }

  private wrong: typeof report = (code, params, place) => {
    const diagnostic = report(code, params, place);
    this.isFine = false;
    this.diagnostics.push(diagnostic);
    return diagnostic;
  };

  /** The fact that the hint states; undefined where it is a requirement. */
  fact(): HintFact | "wrong" | undefined {
    const { pattern, scope, name } = this.spec;
    const used =
      pattern.first.kind === "holds" ? this.statements.get(pattern.first.signal) : undefined;
    if (used === undefined || used.value.kind === "formula") return undefined;
    const { value, place } = used;
    const what = value.kind === "power-bond" ? "a power bond" : "a property of a unit";
    if (scope.kind !== "globally" || pattern.kind !== "Universality") {
      this.wrong("hint-fact", { name: used.name, what }, pattern.place);
      return "wrong";
    }
    if (value.kind === "power-bond") return { kind: "power-bond", ports: value.ports, name, place };
    if (!/^exec_?rate$/i.test(value.property)) {
      this.wrong("hint-property", { property: value.property }, place);
      return "wrong";
    }
    const unit = parseUnit(measured(value.measure ?? "Hz"));
    const way = unit && HERTZ && conversion(unit, HERTZ);
    const hertz = way === undefined || "error" in way ? 0 : convertValue(value.value, way);
    if (hertz > 0) return { kind: "rate", unit: value.unit, hertz, name, place };
    this.wrong("hint-rate", { found: `${value.value} ${value.measure ?? ""}`.trim() }, place);
    return "wrong";
  }

  requirement(): RequirementDraft[] {
    const { name, description, scope, pattern, place } = this.spec;
    for (const one of this.statements.values()) this.read(one);
    const formula = this.meant(patternFormula(pattern));
    const meant = this.scope(scope);
    if (!this.isFine) return [];
    const text = `${patternText(pattern)}${scope.kind === "globally" ? "" : `, ${scopeText(scope)}`}`;
    return [
      {
        name,
        ...(description !== undefined && { description }),
        scope: meant,
        formula,
        text,
        place,
      },
    ];
  }

  /** Statements are read in their order, so each may use those before it. */
  private read({ name, kind, value, place }: StatementSpec): void {
    if (value.kind !== "formula") return;
    const of = this.meant(value.formula);
    this.formulas.set(name, kind === "Event" ? { kind: "rises", of, place } : of);
  }

  private scope(scope: Scope<string>): Scope<string> {
    switch (scope.kind) {
      case "globally":
        return { kind: "globally" };
      case "before":
        return { kind: "before", end: this.meant(scope.end) };
      case "after":
        return { kind: "after", begin: this.meant(scope.begin) };
      default:
        return { kind: scope.kind, begin: this.meant(scope.begin), end: this.meant(scope.end) };
    }
  }

  /** The formula with what statements say in place of their names. */
  private meant(f: Formula<string>): Formula<string> {
    switch (f.kind) {
      case "constant":
        return f;
      case "compare":
        this.checkNumbers(f.left);
        this.checkNumbers(f.right);
        return f;
      case "holds":
        return f.signal.includes(".") ? f : this.statement(f);
      case "and":
      case "or":
      case "implies":
      case "iff":
      case "until":
      case "since":
        return { ...f, left: this.meant(f.left), right: this.meant(f.right) };
      default:
        return { ...f, of: this.meant(f.of) };
    }
  }

  private statement(f: Extract<Formula<string>, { kind: "holds" }>): Formula<string> {
    const found = this.formulas.get(f.signal);
    if (found !== undefined) return found;
    const fact = this.statements.get(f.signal)?.value;
    if (fact !== undefined && fact.kind !== "formula") {
      const what = fact.kind === "power-bond" ? "a power bond" : "a property of a unit";
      this.wrong("hint-fact", { name: f.signal, what }, f.place);
      return f;
    }
    const known = [...this.formulas.keys()];
    const params = { name: f.signal, nearest: nearest(f.signal, known), known };
    this.wrong("hint-unknown-statement", params, f.place);
    return f;
  }

  /** A statement is not a number: what is compared are signals. */
  private checkNumbers(e: NumberExpression<string>): void {
    if (e.kind === "signal" && !e.signal.includes(".")) {
      const known = [...this.formulas.keys()];
      const isStatement = known.includes(e.signal);
      if (isStatement) {
        const message = `'${e.signal}' is a condition, and is compared like a number`;
        this.wrong("hint-formula", { message, fix: "use it alone, or compare a signal" }, e.place);
      } else
        this.wrong(
          "hint-unknown-statement",
          { name: e.signal, nearest: nearest(e.signal, known), known },
          e.place,
        );
    }
    if (e.kind === "operation") {
      this.checkNumbers(e.left);
      this.checkNumbers(e.right);
    } else if (e.kind === "negate" || e.kind === "past") this.checkNumbers(e.of);
    else if (e.kind === "point" || e.kind === "response")
      for (const one of e.of) this.checkNumbers(one);
  }
}

/** Patterns as formulas (docs/spec/requirements.md, [RQ20]). */
function patternFormula(pattern: PatternSpec): Formula<string> {
  const { kind, first, second = first, interval = WITHOUT_END, place } = pattern;
  const always = (of: Formula<string>, over = WITHOUT_END): Formula<string> => ({
    kind: "always",
    interval: over,
    of,
    place,
  });
  const eventually = (of: Formula<string>, over = interval): Formula<string> => ({
    kind: "eventually",
    interval: over,
    of,
    place,
  });
  const not: Formula<string> = { kind: "not", of: first, place };
  const rises: Formula<string> = { kind: "rises", of: first, place };
  const implies = (left: Formula<string>, right: Formula<string>): Formula<string> => ({
    kind: "implies",
    left,
    right,
    place,
  });
  switch (kind) {
    case "Universality":
      return always(first, interval);
    case "Absence":
      return always(not, interval);
    case "Existence":
      return eventually(first);
    case "MinimumDuration":
      // At the instant itself it may be over: it held for that time.
      return always(implies(rises, always(first, { ...interval, isOpen: true })));
    case "MaximumDuration":
      return always(implies(rises, eventually(not)));
    case "Recurrence":
      return always(eventually(first));
    case "Response":
      return always(implies(first, eventually(second)));
    case "Precedence":
      return always(implies(first, { kind: "once", interval, of: second, place }));
    case "Invariance":
      return always(implies(first, always(second, interval)));
    case "Until":
      return { kind: "until", interval, left: first, right: second, place };
  }
}
