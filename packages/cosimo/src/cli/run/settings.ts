/**
 * From the wishes of a command line to what the engine needs: experiment, values to set, columns to record.
 * Everything wrong is collected, so that a person fixes all of it at once.
 */
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import { banksFor, layoutPorts, type PortLayout } from "../../engine/port-layout.ts";
import { stepCount } from "../../engine/simulate-unit.ts";
import { readPortValue } from "../../model/port-value.ts";
import {
  type Experiment,
  type Port,
  portSize,
  portsByName,
  type UnitDescription,
} from "../../model/unit-description.ts";
import { type Banks, storeValue, type Value } from "../../model/value-type.ts";
import { mergeExperiment } from "../../run/plan-run.ts";
import { elementNames } from "./element-names.ts";
import type { RunJob } from "./protocol.ts";
import { RUN_DIAGNOSTICS } from "./run-diagnostics.ts";

export interface ResolvedExperiment {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly tolerance?: number;
}

/** Number of communication steps when nobody says anything: fine enough for a plot. */
const DEFAULT_STEPS = 500;

/** The command line first, then the FMU's default experiment, then what makes a decent plot. */
export function resolveExperiment(
  job: RunJob,
  defaults: Experiment,
  preferredStep: number | undefined,
  report: (d: Diagnostic) => void,
): ResolvedExperiment {
  const { start = 0, stop: end = start + 1, ...merged } = mergeExperiment(job, defaults);
  // A default that the start was moved past is no wish.
  const stop = job.stop !== undefined || end > start ? end : start + 1;
  const { step = preferredStep ?? niceStep((stop - start) / DEFAULT_STEPS), tolerance } = merged;
  const wrong = (option: string, message: string, fix: string): void =>
    report(diagnose(RUN_DIAGNOSTICS, "run-experiment-invalid", { message, fix }, { file: option }));
  if (!(stop > start))
    wrong(
      "--stop",
      `the stop time ${stop} is not after the start time ${start}`,
      `give --stop a time after ${start}`,
    );
  if (!(step > 0) && (stop > start || job.step !== undefined))
    wrong("--step", `the step ${step} is not positive`, "give --step a positive number of seconds");
  // Communication points that a double cannot tell apart would never reach the stop time.
  const latest = Math.max(Math.abs(start), Math.abs(stop));
  if (step > 0 && latest + step === latest)
    wrong(
      "--step",
      `the step ${step} is too small: at t=${latest} a double cannot tell two points apart`,
      `give --step more than ${latest * Number.EPSILON}`,
    );
  if (tolerance !== undefined && !(tolerance > 0)) {
    wrong(
      "--tolerance",
      `the tolerance ${tolerance} is not positive`,
      "give --tolerance a number such as 1e-6",
    );
  }
  return { start, stop, step, ...(tolerance === undefined ? {} : { tolerance }) };
}

/** The next smaller of 1, 2, 5 × 10ⁿ. */
function niceStep(rough: number): number {
  if (!(rough > 0)) return rough;
  const exponent = Math.floor(Math.log10(rough));
  const power = 10 ** exponent;
  const digit = [5, 2, 1].find((d) => d * power <= rough * (1 + 1e-12)) ?? 1;
  return Number(`${digit}e${exponent}`);
}

/** A unit that takes constant steps ends before a stop time that no whole number of them reaches. */
export function endsEarly(
  { start, stop, step }: ResolvedExperiment,
  unit: UnitDescription,
): Diagnostic[] {
  if (unit.capabilities.variableStep) return [];
  const steps = stepCount(start, stop, step, false);
  if (steps === stepCount(start, stop, step, true)) return [];
  const end = start + steps * step;
  return [diagnose(RUN_DIAGNOSTICS, "run-ends-early", { end, stop, step }, { file: "--step" })];
}

export interface Assignment {
  readonly port: Port;
  readonly text: string;
  /** Element to set, or undefined for the whole port. */
  readonly element?: number;
  readonly source: string;
}

/** Splits the `--set` texts and finds their ports. Structural parameters are among them. */
export function findAssignments(
  set: readonly string[],
  unit: UnitDescription,
  report: (d: Diagnostic) => void,
): Assignment[] {
  const byName = portsByName(unit);
  const found: Assignment[] = [];
  const seen = new Set<string>();
  for (const source of set) {
    const place = { file: `--set ${source}` };
    const split = /^\s*(.+?)\s*=(.*)$/s.exec(source);
    if (!split) {
      report(diagnose(RUN_DIAGNOSTICS, "set-malformed", { text: source }, place));
      continue;
    }
    const [, name = "", text = ""] = split;
    const target = byName.has(name) ? { port: byName.get(name)! } : findElement(name, byName);
    if (!target) {
      report(
        diagnose(
          RUN_DIAGNOSTICS,
          "unknown-variable",
          { name, nearest: nearest(name, byName.keys()) },
          place,
        ),
      );
    } else if (!isSettable(target.port)) {
      report(
        diagnose(RUN_DIAGNOSTICS, "not-settable", { name, what: describeRole(target.port) }, place),
      );
    } else if (seen.has(name)) {
      report(diagnose(RUN_DIAGNOSTICS, "set-twice", { name }, place));
    } else {
      seen.add(name);
      found.push({ ...target, text, source });
    }
  }
  return found;
}

function findElement(
  name: string,
  byName: ReadonlyMap<string, Port>,
): { port: Port; element: number } | undefined {
  const port = byName.get(name.replace(/\[[^[\]]*\]$/, ""));
  if (!port) return undefined;
  const element = elementNames(port).indexOf(name.replaceAll(" ", ""));
  return element < 0 ? undefined : { port, element };
}

function isSettable(port: Port): boolean {
  if (port.variability === "constant") return false;
  if (port.direction === "independent" || port.direction === "calculated-parameter") return false;
  return port.direction !== "output" && port.direction !== "local"
    ? true
    : port.start !== undefined;
}

export function describeRole(port: Port): string {
  const role = port.direction.replace("-", " ");
  const article = /^[aeiou]/.test(role) ? "an" : "a";
  return port.variability === "constant" ? "a constant" : `${article} ${role}`;
}

/** Sizes that structural parameters get, by name. */
export function structuralValues(assignments: readonly Assignment[]): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { port, text } of assignments) {
    const size = Number(text);
    if (port.direction === "structural-parameter" && Number.isInteger(size))
      sizes.set(port.name, size);
  }
  return sizes;
}

/** The values to write before initialization; structural parameters are left to the backend. */
export function parseAssignments(
  assignments: readonly Assignment[],
  report: (d: Diagnostic) => void,
): { readonly layout: PortLayout; readonly banks: Banks } {
  const elements = new Map<Port, (Value | undefined)[]>();
  for (const assignment of assignments) {
    const { port, text, element, source } = assignment;
    const place = { file: `--set ${source}` };
    const size = portSize(port);
    const texts = element === undefined && size > 1 ? text.trim().split(/[\s,;]+/) : [text];
    if (texts.length !== 1 && texts.length !== size) {
      report(
        diagnose(
          RUN_DIAGNOSTICS,
          "set-value-count",
          { name: port.name, wanted: size, given: texts.length },
          place,
        ),
      );
      continue;
    }
    const values = texts.map((word): Value | undefined => {
      const parsed = readPortValue(port, word);
      if (!("value" in parsed)) {
        report(
          diagnose(
            RUN_DIAGNOSTICS,
            "bad-value",
            {
              text: word,
              name: port.name,
              type: port.type,
              fix: "how" in parsed ? parsed.how : parsed.why,
            },
            place,
          ),
        );
        return undefined;
      }
      if (
        typeof parsed.value === "number" &&
        (parsed.value < (port.min ?? parsed.value) || parsed.value > (port.max ?? parsed.value))
      ) {
        report(
          diagnose(
            RUN_DIAGNOSTICS,
            "out-of-range",
            { name: port.name, value: parsed.value, min: port.min, max: port.max },
            place,
          ),
        );
      }
      return parsed.value;
    });
    const all =
      elements.get(port) ??
      Array.from({ length: size }, (_, i) => port.start?.[port.start.length === 1 ? 0 : i]);
    if (element === undefined)
      for (let i = 0; i < size; i++) all[i] = values[values.length === 1 ? 0 : i];
    else all[element] = values[0];
    elements.set(port, all);
  }
  const ports = [...elements.keys()].filter((port) => port.direction !== "structural-parameter");
  const layout = layoutPorts(ports);
  const banks = banksFor(layout);
  ports.forEach((port, p) => {
    elements.get(port)!.forEach((value, i) => {
      if (value !== undefined) storeValue(banks, port.type, layout.slots[p]!.slot + i, value);
    });
  });
  return { layout, banks };
}

/** `name=seconds` of `--clock`, by port. */
export function clockIntervals(
  texts: readonly string[],
  unit: UnitDescription,
  report: (d: Diagnostic) => void,
): Map<number, number> {
  const clocks = unit.ports.filter(
    (port) => port.direction === "input" && port.clock !== undefined,
  );
  const intervals = new Map<number, number>();
  for (const text of texts) {
    const at = text.lastIndexOf("=");
    const name = text.slice(0, Math.max(at, 0)).trim();
    const seconds = Number(text.slice(at + 1));
    const clock = clocks.find((port) => port.name === name);
    if (clock && seconds > 0) intervals.set(clock.index, seconds);
    else {
      const guess = clock
        ? undefined
        : nearest(
            name,
            clocks.map((port) => port.name),
          );
      report(
        diagnose(
          RUN_DIAGNOSTICS,
          "clock-unknown",
          { name: text, nearest: guess },
          { file: `--clock ${text}` },
        ),
      );
    }
  }
  return intervals;
}

/** Clocks that never tick unless somebody chooses their interval, and nobody did. */
export function openClocks(
  unit: UnitDescription,
  intervals: ReadonlyMap<number, number>,
): Diagnostic[] {
  return unit.ports
    .filter(
      ({ index, direction, clock }) =>
        direction === "input" &&
        clock?.interval === "fixed" &&
        clock.seconds === undefined &&
        !intervals.has(index),
    )
    .map(({ name, place }) =>
      diagnose(RUN_DIAGNOSTICS, "clock-interval-open", { name }, place ?? { file: unit.name }),
    );
}
