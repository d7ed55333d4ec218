/**
 * Rules and the statements in them: types, storage, and whether they do what they must.
 */
import type { Place } from "../../base/diagnostic.ts";
import type { Rule, Statement } from "../../model/adaptation/data.ts";
import { eachExpression, eachStatement, expressionsOf } from "../../model/adaptation/walk.ts";
import { constantOf, flowOf } from "./check-flow.ts";
import type { Part, Scope } from "./check-scope.ts";
import { demand, given, typeOf, typeOfCall } from "./check-types.ts";
import { report } from "./diagnostics.ts";
import { steppedBy, UNIT_FUNCTIONS } from "./rewrite.ts";

export function checkRule(rule: Rule, first: Part, second: Part, scope: Scope): void {
  const { condition, place } = rule;
  demand(condition, "boolean", scope, first, "the condition of a rule");
  if (constantOf(condition) === false) scope.diagnostics.push(report("sa-never", {}, place));
  for (const [statements, part] of [
    [rule.first, first],
    [rule.second, second],
  ] as const) {
    checkBlock(statements, part, scope);
    flowOf(statements, false, scope.diagnostics);
    eachStatement(statements, (s) => {
      if (s.kind === "return") scope.diagnostics.push(report("sa-return-place", {}, s.place));
    });
  }
}

function checkBlock(statements: readonly Statement[], part: Part, scope: Scope): void {
  scope.enter();
  for (const statement of statements) checkStatement(statement, part, scope);
  scope.leave();
}

function checkStatement(s: Statement, part: Part, scope: Scope): void {
  switch (s.kind) {
    case "assign": {
      const { unit, name } = s.target;
      const wanted = scope.assign(s.target, part);
      demand(s.value, wanted, scope, part, given(name, unit));
      break;
    }
    case "var": {
      if (s.type !== undefined) demand(s.value, s.type, scope, part, given(s.name));
      const found = s.type ?? typeOf(s.value, scope, part);
      const type = found === "integer" && s.type === undefined ? "real" : found;
      scope.declareLocal(s.name, type, s.place);
      break;
    }
    case "if":
      demand(s.condition, "boolean", scope, part, "the condition of 'if'");
      checkBlock(s.then, part, scope);
      checkBlock(s.otherwise, part, scope);
      break;
    case "for":
      demand(s.from, "real", scope, part, "the begin of a range");
      demand(s.to, "real", scope, part, "the end of a range");
      scope.enter();
      scope.declareLocal(s.variable, "integer", s.place);
      checkBlock(s.body, part, scope);
      scope.leave();
      break;
    case "while":
      if (steppedBy(s).length > 0)
        scope.diagnostics.push(report("sa-step-in-condition", {}, s.place));
      demand(s.condition, "boolean", scope, part, "the condition of 'while'");
      checkBlock(s.body, part, scope);
      break;
    case "return":
      demand(s.value, "real", scope, part, "what is returned");
      break;
    case "call":
      typeOfCall(s.call, scope, part, true);
      break;
    case "break":
  }
}

export function checkControl(control: readonly Statement[], scope: Scope): void {
  checkBlock(control, "control", scope);
  const { falls, stepped } = flowOf(control, false, scope.diagnostics);
  const last = control.at(-1)?.place ?? scope.adaptation.place;
  if (falls) scope.diagnostics.push(report("sa-return", {}, last));
  const calls = unitCalls(control);
  const firstOf = (unit: string, ...callees: readonly string[]): Place | undefined =>
    calls.find((call) => call.unit === unit && callees.includes(call.callee))?.place;
  for (const { unit, description } of scope.units) {
    const { name } = unit;
    if (!stepped.has(name)) {
      const written = firstOf(name, "do_step") !== undefined;
      scope.diagnostics.push(report("sa-no-step", { unit: name, written }, unit.place));
    }
    const used = firstOf(name, "save_state", "rollback");
    if (used !== undefined && description?.capabilities.rollback === false)
      scope.diagnostics.push(report("sa-rollback", { unit: name }, used));
    const back = firstOf(name, "rollback");
    if (back !== undefined && firstOf(name, "save_state") === undefined)
      scope.diagnostics.push(report("sa-never-saved", { unit: name }, back));
  }
}

interface UnitCall {
  readonly callee: string;
  readonly unit: string;
  readonly place: Place;
}

/** Calls that concern inner units, in the order of the text. */
function unitCalls(control: readonly Statement[]): UnitCall[] {
  const calls: UnitCall[] = [];
  eachStatement(control, (s) => {
    for (const expression of expressionsOf(s))
      eachExpression(expression, (e) => {
        if (e.kind !== "call" || !UNIT_FUNCTIONS.has(e.callee)) return;
        const [unit] = e.arguments;
        if (unit?.kind === "reference")
          calls.push({ callee: e.callee, unit: unit.name, place: e.place });
      });
  });
  return calls;
}
