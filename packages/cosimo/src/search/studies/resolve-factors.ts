/**
 * The factors of a study against its scenario: names meet ports and units, values become numbers in
 * the unit of their port, and what cannot be varied is reported before anything runs.
 */
import {
  type Checked,
  type Diagnostic,
  hasErrors,
  type Place,
  type ReportFor,
  reporterFor,
} from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import { present } from "../../base/present.ts";
import { parseFaultLine } from "../../lang/fault/parse-fault.ts";
import { APPROXIMATIONS } from "../../lang/scenario/keys.ts";
import { wantedPort, withInnerPorts } from "../../model/inner-ports.ts";
import { MASTER_NAMES, masterNamed } from "../../model/masters.ts";
import { conversion, convertValue, parseSeconds } from "../../model/physical-unit-conversion.ts";
import { parseUnit } from "../../model/physical-unit-parse.ts";
import { isFloat, readPortValue } from "../../model/port-value.ts";
import { isSettable } from "../../model/resolve-scenario-values.ts";
import type { Scenario } from "../../model/scenario.ts";
import { scenarioPorts } from "../../model/scenario-ports.ts";
import {
  DISTRIBUTIONS,
  type DistributionName,
  type DistributionParameter,
  type Factor,
  type FactorDraft,
  type StudyDraft,
  type WrittenLevel,
  type WrittenQuantity,
} from "../../model/study.ts";
import { type Port, portsByName } from "../../model/unit-description.ts";
import type { Value } from "../../model/value-type.ts";
import { SOBOL_DIMENSIONS } from "../../numerics/sobol-sequence.ts";
import { STUDY_RULES, type StudyDiagnosticParams } from "./diagnostics.ts";

type Report = ReportFor<StudyDiagnosticParams>;

export function resolveFactors(
  { factors: drafts, design }: Pick<StudyDraft, "factors" | "design">,
  scenario: Scenario,
): Checked<readonly Factor[]> {
  const diagnostics: Diagnostic[] = [];
  const report = reporterFor(STUDY_RULES, diagnostics);
  const ports = drafts.flatMap(({ target }) => (target.kind === "port" ? [target.port] : []));
  const shown = withInnerPorts(scenario, ports.map(wantedPort));
  const byName = portsByName(scenarioPorts(shown).description);
  const factors = drafts.flatMap((draft) => {
    const resolver = new FactorResolver(draft, report, diagnostics);
    return resolver.resolve(byName, scenario) ?? [];
  });
  if (design?.method === "sobol") {
    const count = design.indices ? 2 * factors.length : factors.length;
    const params = { count: String(count), most: String(SOBOL_DIMENSIONS) };
    if (count > SOBOL_DIMENSIONS) report("study-dimensions", params, design.place);
  }
  return hasErrors(diagnostics) ? { diagnostics } : { value: factors, diagnostics };
}

/** What is varied in the text of the scenario, and not by setting a port. */
export function isInText({ target }: Pick<Factor, "target">): boolean {
  return target.kind !== "port";
}

class FactorResolver {
  private readonly draft: FactorDraft;
  private readonly report: Report;
  private readonly diagnostics: Diagnostic[];

  constructor(draft: FactorDraft, report: Report, diagnostics: Diagnostic[]) {
    this.draft = draft;
    this.report = report;
    this.diagnostics = diagnostics;
  }

  resolve(ports: ReadonlyMap<string, Port>, scenario: Scenario): Factor | undefined {
    const { target, place, name: factor } = this.draft;
    if (isInText(this.draft) && !/\.ya?ml$/i.test(scenario.file))
      return this.report("study-no-text", { factor }, place);
    switch (target.kind) {
      case "port":
        return this.port(target.port, ports);
      case "step":
        if (target.unit !== undefined && !this.hasUnit(target.unit, scenario)) return undefined;
        return this.numbers("s", (text) => {
          const seconds = parseSeconds(text);
          return seconds !== undefined && seconds > 0 ? seconds : undefined;
        });
      case "master":
        return this.listed((level) => {
          const name =
            typeof level === "object" && level !== null && "name" in level ? level["name"] : level;
          return this.oneOf(String(name), MASTER_NAMES, masterNamed(String(name)) !== undefined);
        });
      case "approximation":
        return this.listed((level) =>
          this.oneOf(
            String(level),
            APPROXIMATIONS,
            APPROXIMATIONS.some((one) => one === level),
          ),
        );
      case "adaptation":
        return this.hasUnit(target.unit, scenario) ? this.listed(() => true) : undefined;
      case "fault":
        return this.fault(target.pattern);
    }
  }

  // ---- ports ---------------------------------------------------------------------------------

  private port(name: string, ports: ReadonlyMap<string, Port>): Factor | undefined {
    const { place, name: factor, levels } = this.draft;
    const port = ports.get(name);
    if (port === undefined) {
      const settable = [...ports.values()].filter(isSettable).map((one) => one.name);
      const near = nearest(name, settable);
      const fix =
        near === undefined
          ? `there are ${settable.slice(0, 8).join(", ")}`
          : `did you mean '${near}'?`;
      return this.report("study-unknown-port", { factor, port: name, fix }, place);
    }
    const refuse = (why: string, fix: string): undefined =>
      this.report("study-not-settable", { factor, why, fix }, place);
    if (!isSettable(port))
      return refuse(
        `'${name}' is an ${port.direction} without a start value`,
        "name a parameter, an input or a state",
      );
    if (port.direction === "structural-parameter")
      return refuse(`'${name}' shapes its unit when it is made`, "write a scenario for each size");
    if (levels.kind === "distribution" && !isFloat(port.type))
      return refuse(
        `'${name}' (${port.type}) has no values between others`,
        "write a list of values",
      );
    if (isFloat(port.type))
      return this.numbers(port.unit?.name, (text) => {
        const read = readPortValue(port, text);
        return "value" in read ? Number(read.value) : undefined;
      });
    const written: Value[] = [];
    const found = this.listed((level) => {
      const read = readPortValue(port, scalarOf(level));
      if ("value" in read) written.push(read.value);
      return "value" in read || ("how" in read ? read.how : read.why);
    });
    if (found === undefined || found.levels.kind !== "list") return undefined;
    return { ...found, levels: { ...found.levels, written: written as WrittenLevel[] } };
  }

  // ---- numbers -------------------------------------------------------------------------------

  /** @param unit what numbers are in. */
  private numbers(
    unit: string | undefined,
    read: (text: string) => number | undefined,
  ): Factor | undefined {
    const { name, target, levels, start, points } = this.draft;
    const number = (value: WrittenLevel, place: Place): number | undefined => {
      const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
      const found = text === "" ? undefined : read(text);
      if (found !== undefined && Number.isFinite(found)) return found;
      const why =
        unit === undefined
          ? "it is not a number"
          : `it is not a number that can be converted to ${unit}`;
      const fix = `write a number${unit === undefined ? "" : `, or one with a unit: 5 ${unit}`}`;
      return this.report("study-level", { factor: name, level: textOf(value), why, fix }, place);
    };
    const quantity = ({ value, unit: own, place }: WrittenQuantity): number | undefined =>
      number(own === "" ? value : `${value} ${own}`, place);
    const begin = start && quantity(start);
    const known = { name, target, ...present({ unit, start: begin, points }) };
    if (levels.kind === "list") {
      const labels = levels.levels.map((level) => number(level, this.draft.place));
      if (labels.some((label) => label === undefined)) return undefined;
      return {
        ...known,
        levels: { kind: "list", labels: labels as number[], written: labels as number[] },
      };
    }
    const parameters: Partial<Record<DistributionParameter, number>> = {};
    for (const [key, given] of Object.entries(levels.parameters)) {
      // The deviation of a logarithm has no unit, and that of a temperature is a difference.
      const isRatio = levels.name === "lognormal" && key === "deviation";
      const found = isRatio
        ? given.value
        : key === "deviation"
          ? deviationIn(given, unit)
          : quantity(given);
      if (found === undefined) return undefined;
      parameters[key as DistributionParameter] = found;
    }
    if (!this.hasWidth(levels.name, parameters, levels.parameters)) return undefined;
    return { ...known, levels: { kind: "distribution", name: levels.name, parameters } };
  }

  private hasWidth(
    name: DistributionName,
    parameters: Readonly<Partial<Record<DistributionParameter, number>>>,
    written: Readonly<Partial<Record<DistributionParameter, WrittenQuantity>>>,
  ): boolean {
    const { from = 0, to = 0, mode = 0, median = 0, deviation = 0 } = parameters;
    const wrong = (key: DistributionParameter, why: string, fix: string): boolean => {
      const { place, name: factor } = this.draft;
      this.report("study-width", { factor, why, fix }, written[key]?.place ?? place);
      return false;
    };
    if (DISTRIBUTIONS[name].isBounded && !(from < to))
      return wrong(
        "to",
        `'to' (${to}) is not above 'from' (${from})`,
        "write the lesser number as 'from'",
      );
    if (name === "log-uniform" && !(from > 0))
      return wrong("from", `the logarithm of ${from} is not a number`, "write a 'from' above 0");
    if (name === "triangular" && !(mode >= from && mode <= to))
      return wrong(
        "mode",
        `'mode' (${mode}) is not between 'from' and 'to'`,
        "move it between them",
      );
    if (name === "lognormal" && !(median > 0))
      return wrong("median", `'median' (${median}) is not positive`, "write a median above 0");
    if (!DISTRIBUTIONS[name].isBounded && !(deviation > 0))
      return wrong(
        "deviation",
        `'deviation' (${deviation}) is not positive`,
        "write a deviation above 0",
      );
    return true;
  }

  // ---- lists and texts -----------------------------------------------------------------------

  /** @param accepts true, or why not. */
  private listed(accepts: (level: WrittenLevel) => true | string): Factor | undefined {
    const { name, target, levels, place } = this.draft;
    if (levels.kind !== "list") {
      const fix = "write a list of values";
      return this.report(
        "study-not-settable",
        { factor: name, why: "it has no numbers between others", fix },
        place,
      );
    }
    let isFine = true;
    for (const level of levels.levels) {
      const why = accepts(level);
      if (why === true) continue;
      isFine = false;
      this.report(
        "study-level",
        { factor: name, level: textOf(level), why, fix: "write one of its values" },
        place,
      );
    }
    if (!isFine) return undefined;
    return {
      name,
      target,
      levels: { kind: "list", labels: levels.levels.map(scalarOf), written: levels.levels },
    };
  }

  private oneOf(found: string, known: readonly string[], isKnown: boolean): true | string {
    if (isKnown) return true;
    const near = nearest(found, known);
    return near === undefined ? `there are ${known.join(", ")}` : `did you mean '${near}'?`;
  }

  private hasUnit(unit: string, { units }: Scenario): boolean {
    const names = units.map(({ name }) => name);
    if (names.includes(unit)) return true;
    const near = nearest(unit, names);
    const fix = near === undefined ? `there are ${names.join(", ")}` : `did you mean '${near}'?`;
    this.report("study-unknown-unit", { factor: this.draft.name, unit, fix }, this.draft.place);
    return false;
  }

  /** The text of a fault, with each of its values. */
  private fault(pattern: string | undefined): Factor | undefined {
    const { levels, place } = this.draft;
    const check = (level: WrittenLevel): boolean => {
      const text = faultText(pattern, level);
      if (text === undefined) return true;
      const { diagnostics } = parseFaultLine(text, place);
      this.diagnostics.push(...diagnostics);
      return !hasErrors(diagnostics);
    };
    if (levels.kind === "list")
      return levels.levels.every(check) ? this.listed(() => true) : undefined;
    const factor = this.numbers(undefined, (text) => Number(text));
    return factor !== undefined && check(1) ? factor : undefined;
  }
}

/** The line of a fault; undefined where there is none. */
export function faultText(pattern: string | undefined, level: WrittenLevel): string | undefined {
  if (level === "none" || level === null) return undefined;
  return pattern === undefined ? textOf(level) : pattern.replaceAll("{}", textOf(level));
}

function scalarOf(level: WrittenLevel): Value {
  return typeof level === "object" ? textOf(level) : level;
}

function wayTo(from: string, to: string) {
  const [own, wanted] = [parseUnit(from), parseUnit(to)];
  const way = own && wanted && conversion(own, wanted);
  return way === undefined || "error" in way ? undefined : way;
}

function deviationIn(
  { value, unit: own }: WrittenQuantity,
  unit: string | undefined,
): number | undefined {
  if (own === "" || unit === undefined) return value;
  const way = wayTo(own, unit);
  return way && convertValue(value, { ...way, offset: 0 });
}

function textOf(level: WrittenLevel): string {
  return typeof level === "string"
    ? level
    : JSON.stringify(level, (_, one) => (typeof one === "bigint" ? String(one) : one));
}
