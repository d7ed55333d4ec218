/**
 * Checks of the model structure: lists that are complete and exact, and dependencies that make
 * sense.
 */
import type { FmuVariable, Unknown } from "../description.ts";
import type { UnknownList } from "../versions/fmi-version.ts";
import { isContinuousFloat, isFloat, type ValidationContext } from "./context.ts";

export function checkStructure(context: ValidationContext): void {
  for (const key of Object.keys(context.version.lists) as UnknownList[]) checkList(context, key);
  checkOutputs(context);
  if (context.version.hasInitialUnknowns) checkInitialUnknowns(context);
}

/** What holds for every list, and for the entries of each. */
function checkList(context: ValidationContext, key: UnknownList): void {
  const { description: d, version, findings } = context;
  const list = version.lists[key];
  const seen = new Set<number>();
  for (const entry of d.structure[key]) {
    const variable = d.variables[entry.variable];
    if (variable === undefined) {
      findings.report("unknown-missing", { list, reference: entry.reference }, entry.line);
      continue;
    }
    const { name } = variable;
    if (seen.has(entry.variable)) findings.report("unknown-duplicate", { list, name }, entry.line);
    seen.add(entry.variable);
    checkEntry(context, key, variable, entry.line);
    checkDependencies(context, key, list, variable, entry);
  }
}

function checkEntry(
  { description: d, findings }: ValidationContext,
  key: UnknownList,
  variable: FmuVariable,
  line: number,
): void {
  const { name, causality } = variable;
  const localOrOutput = causality === "local" || causality === "output";
  if (key === "outputs" && causality !== "output") findings.report("output-extra", { name }, line);
  if (key === "derivatives") {
    if (variable.derivativeReference === undefined || !isContinuousFloat(variable)) {
      findings.report("state-derivative-illegal", { name }, line);
    }
    const state = d.variables[variable.derivativeOf ?? -1];
    if (state !== undefined && state.causality !== "local" && state.causality !== "output") {
      findings.report("state-illegal", { name: state.name }, line);
    }
  }
  if (key === "eventIndicators" && !(isContinuousFloat(variable) && localOrOutput)) {
    findings.report("event-indicator-illegal", { name }, line);
  }
  if (key === "clockedStates") {
    const because = clockedStateFault(variable);
    if (because !== undefined) findings.report("clocked-state-illegal", { name, because }, line);
  }
}

function clockedStateFault(variable: FmuVariable): string | undefined {
  if (variable.type === "clock") return "it is a clock";
  if (variable.clocks === undefined) return "it belongs to no clock";
  if (variable.previous === undefined) return "it names no previous value";
  return variable.variability === "discrete" ? undefined : "it is not discrete";
}

function checkOutputs({ description: d, findings }: ValidationContext): void {
  const listed = new Set(d.structure.outputs.map((entry) => entry.variable));
  d.variables.forEach(({ causality, name, line }, index) => {
    if (causality === "output" && !listed.has(index)) {
      findings.report("output-missing", { name }, line);
    }
  });
}

function checkInitialUnknowns(context: ValidationContext): void {
  const { description: d, version, findings } = context;
  const listed = new Set(d.structure.initialUnknowns.map((entry) => entry.variable));
  const tolerant =
    version.mayOmitInitialUnknowns && d.modelExchange === undefined && listed.size === 0;
  let absent = 0;
  d.variables.forEach((variable, index) => {
    if (variable.clocks !== undefined || listed.has(index)) return;
    const because = initialUnknownReason(context, variable, index);
    if (because === undefined) return;
    if (tolerant) absent++;
    else {
      const { name, line } = variable;
      findings.report("initial-unknown-missing", { name, because }, line);
    }
  });
  if (absent > 0) {
    findings.report("initial-unknowns-absent", { count: absent }, d.structure.line);
  }
  let last = -1;
  for (const { variable: index, line } of d.structure.initialUnknowns) {
    const variable = d.variables[index];
    if (variable === undefined) continue;
    const { name } = variable;
    const belongs = variable.clocks !== undefined || variable.type === "clock";
    if (!belongs && initialUnknownReason(context, variable, index) === undefined) {
      findings.report("initial-unknown-extra", { name }, line);
    }
    if (version.ordersInitialUnknowns && index < last) {
      findings.report("initial-unknown-order", { name }, line);
    }
    last = Math.max(last, index);
  }
}

/** Why a variable is an unknown of initialization; undefined when it is none. */
function initialUnknownReason(
  { states, stateDerivatives }: ValidationContext,
  { causality, initial, type }: FmuVariable,
  index: number,
): string | undefined {
  if (type === "clock") return undefined;
  if (causality === "calculatedParameter") return "a calculated parameter";
  if (initial !== "approx" && initial !== "calculated") return undefined;
  if (causality === "output") return "an output that is not exact";
  if (states.has(index)) return "a continuous state that is not exact";
  return stateDerivatives.has(index) ? "the derivative of a continuous state" : undefined;
}

function checkDependencies(
  context: ValidationContext,
  key: UnknownList,
  list: string,
  variable: FmuVariable,
  entry: Unknown,
): void {
  const { description: d, findings } = context;
  const { name } = variable;
  const { dependencies, dependencyReferences, dependencyKinds: kinds, line } = entry;
  if (kinds !== undefined && kinds.length !== dependencies?.length) {
    const count = dependencies?.length;
    const params = {
      list,
      name,
      kinds: kinds.length,
      dependencies: count === undefined ? "no dependencies attribute" : `${count} dependencies`,
    };
    findings.report("dependency-kinds", params, line);
  }
  for (const kind of kinds ?? []) {
    const because = kindFault(key, variable, kind);
    if (because === undefined) continue;
    findings.report("dependency-kind-illegal", { list, name, kind, because }, line);
    break;
  }
  dependencies?.forEach((index, i) => {
    const known = d.variables[index];
    if (known === undefined) {
      const reference = dependencyReferences?.[i] ?? -1;
      findings.report("dependency-unknown", { list, name, reference }, line);
    } else if (!mayBeKnown(context, known, index)) {
      findings.report("dependency-not-known", { list, name, dependency: known.name }, line);
    }
  });
}

function kindFault(key: UnknownList, variable: FmuVariable, kind: string): string | undefined {
  if (kind === "dependent") return undefined;
  if (!isFloat(variable)) return "it is not a floating-point variable";
  if (key === "initialUnknowns" && kind !== "constant") {
    return "an initial unknown is dependent or constant";
  }
  return undefined;
}

/**
 * What an unknown may depend on. Which discrete variables are states is not written anywhere, so
 * all of them pass.
 */
function mayBeKnown({ states }: ValidationContext, variable: FmuVariable, index: number): boolean {
  const { causality, variability, initial } = variable;
  if (causality === "output" || causality === "local" || causality === "calculatedParameter") {
    return states.has(index) || initial === "exact" || variability === "discrete";
  }
  return true;
}
