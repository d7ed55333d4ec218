/**
 * Checks of FMI 3 clocks and of the variables that belong to them (FMI 3.0, section 2.2.8).
 */
import type { ClockAttributes, FmuVariable } from "../description.ts";
import type { ValidationContext } from "./context.ts";

export function checkClocks(context: ValidationContext): void {
  const { description: d } = context;
  const previousOf = new Map<number, FmuVariable>();
  for (const variable of d.variables) {
    if (variable.type === "clock") checkClock(context, variable);
    // The schema gives clocks no previous; the parser has said so.
    const previous = variable.type === "clock" ? undefined : variable.previous;
    if (variable.clocks !== undefined) checkClocked(context, variable, variable.clocks);
    if (previous !== undefined) checkPrevious(context, variable, previous, previousOf);
  }
}

const PERIODIC: ReadonlySet<string> = new Set(["constant", "fixed", "tunable"]);

function checkClock(context: ValidationContext, variable: FmuVariable): void {
  const { description: d, findings } = context;
  const { name, causality, variability, clock, line } = variable;
  if (causality !== "input" && causality !== "output" && causality !== "local") {
    findings.report("clock-causality", { name, causality }, line);
    return;
  }
  if (variability !== "discrete" && variability !== "tunable") {
    findings.report("clock-variability", { name, variability }, line);
  }
  if (clock === undefined) return;
  const interval = clock.intervalVariability;
  if (interval !== "triggered" && causality !== "input") {
    findings.report("clock-not-input", { name, interval }, line);
  }
  if (d.scheduledExecution !== undefined && causality === "input" && clock.priority === undefined) {
    findings.report("clock-priority-missing", { name }, line);
  }
  checkInterval(context, name, clock, line);
}

function checkInterval(
  { findings }: ValidationContext,
  name: string,
  clock: ClockAttributes,
  line: number,
): void {
  const { intervalVariability: interval, intervalDecimal, shiftDecimal, intervalCounter } = clock;
  const { resolution, shiftCounter, supportsFraction } = clock;
  if (!PERIODIC.has(interval)) {
    const stated = intervalDecimal ?? intervalCounter ?? resolution;
    if (stated !== undefined || shiftDecimal !== 0 || shiftCounter !== 0n) {
      findings.report("clock-interval-unused", { name, interval }, line);
    }
    return;
  }
  if (interval === "constant" && intervalDecimal === undefined) {
    findings.report("clock-interval-missing", { name }, line);
  }
  const invalid = (what: string): void =>
    findings.report("clock-interval-invalid", { name, what }, line);
  if (intervalDecimal !== undefined && !(intervalDecimal > 0)) {
    invalid(`intervalDecimal ${intervalDecimal} is not positive`);
  }
  if (shiftDecimal < 0) invalid(`shiftDecimal ${shiftDecimal} is negative`);
  if (intervalCounter === 0n) invalid("intervalCounter is 0");
  if (resolution === 0n) invalid("resolution is 0");
  const fraction = (because: string): void =>
    findings.report("clock-fraction", { name, because }, line);
  const counts = intervalCounter !== undefined || shiftCounter !== 0n;
  if (!supportsFraction && (counts || resolution !== undefined)) {
    fraction("it states a fraction, but supportsFraction is not true");
  } else if (supportsFraction && resolution === undefined && (counts || interval === "constant")) {
    fraction("it supports fractions and states no resolution");
  } else if (supportsFraction && intervalCounter === undefined && interval === "constant") {
    fraction("it supports fractions and states no intervalCounter");
  }
}

function checkClocked(
  { byReference, findings }: ValidationContext,
  variable: FmuVariable,
  clocks: readonly number[],
): void {
  const { name, variability, line } = variable;
  if (variability !== "discrete" && variability !== "tunable") {
    findings.report("clocked-variability", { name }, line);
  }
  for (const reference of clocks) {
    const clock = byReference.get(reference);
    if (clock === undefined) findings.report("clocks-unknown", { name, reference }, line);
    else if (clock.type !== "clock") {
      findings.report("clocks-not-clock", { name, other: clock.name }, line);
    } else if (clock.causality === "local" && variable.causality !== "local") {
      findings.report("clocks-local", { name, clock: clock.name }, line);
    }
  }
}

function checkPrevious(
  { byReference, findings }: ValidationContext,
  variable: FmuVariable,
  reference: number,
  previousOf: Map<number, FmuVariable>,
): void {
  const { name, line } = variable;
  const target = byReference.get(reference);
  if (target === undefined) {
    findings.report("previous-unknown", { name, reference }, line);
    return;
  }
  const sharing = previousOf.get(reference);
  if (sharing !== undefined) {
    findings.report("previous-shared", { name, other: sharing.name }, line);
  }
  previousOf.set(reference, variable);
  const because = previousFault(variable, target);
  if (because !== undefined) findings.report("previous-illegal", { name, because }, line);
}

function previousFault(variable: FmuVariable, target: FmuVariable): string | undefined {
  if (variable.clocks === undefined) return "it belongs to no clock";
  if (variable.variability !== "discrete") return "it is not discrete";
  if (target === variable) return "it names itself";
  if (target.type !== variable.type) return `'${target.name}' has another type`;
  if (target.variability !== "discrete") return `'${target.name}' is not discrete`;
  return target.causality === "input" ? `'${target.name}' is an input` : undefined;
}
