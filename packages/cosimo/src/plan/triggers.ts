/**
 * When a connection exchanges under the master 'event-driven': as written, or, where nothing is
 * written, as the nature of its source says. Runs, checks and explanations ask this.
 */

import { present } from "../base/present.ts";
import type { Connection, PortRef, Scenario, Trigger } from "../model/scenario.ts";
import { portAt, portName } from "../model/scenario-ports.ts";
import type { Capabilities, Port } from "../model/unit-description.ts";

export interface TriggerChoice {
  readonly trigger: Trigger;
  /** Why this one, for people. */
  readonly reason: string;
  /** Why it cannot be followed, and what to do. */
  readonly problem?: { readonly why: string; readonly fix: string };
}

/** @param step the communication step, for what is sampled. */
export function chooseTrigger(
  scenario: Scenario,
  connection: Connection,
  step: number,
): TriggerChoice {
  const source = portAt(scenario, connection.from);
  const { trigger } = connection;
  const choice =
    trigger === undefined ? impliedTrigger(source, step) : { trigger, reason: "as written" };
  const problem = problemOf(scenario, connection, choice.trigger, source);
  const note = noteOf(scenario, connection, choice.trigger);
  const reason = note === undefined ? choice.reason : `${choice.reason}; ${note}`;
  return { trigger: choice.trigger, reason, ...present({ problem }) };
}

function impliedTrigger(
  { nature }: Port,
  seconds: number,
): Pick<TriggerChoice, "trigger" | "reason"> {
  if (nature === "transient")
    return { trigger: { kind: "event" }, reason: "the source carries events" };
  if (nature === "piecewise-constant")
    return { trigger: { kind: "updated" }, reason: "the source is piecewise constant" };
  return { trigger: { kind: "every", seconds }, reason: `the source is ${nature}: it is sampled` };
}

/** How a unit comes to report what it does not report by itself (coordinate/watched-unit.ts). */
function noteOf(scenario: Scenario, connection: Connection, trigger: Trigger): string | undefined {
  const decides = decidingUnit(connection, trigger);
  if (decides === undefined || !isWatched(scenario, decides, trigger)) return undefined;
  const { name, description } = scenario.units[decides];
  const { rollback, variableStep } = description.capabilities;
  const what = { threshold: "crossings", event: "events" }[trigger.kind as string] ?? "updates";
  return rollback && variableStep
    ? `'${name}' does not report ${what}: they are located by repeating its steps`
    : `'${name}' does not report ${what}: they are noticed at the end of a communication step`;
}

/** The unit that says when a connection exchanges; none where both ends know. */
export function decidingUnit(
  { from, to }: Pick<Connection, "from" | "to">,
  trigger: Trigger,
): number | undefined {
  switch (trigger.kind) {
    case "every":
      return undefined;
    case "ready-to-read":
      return (trigger.port ?? to).unit;
    case "threshold":
      return trigger.port.unit;
    default:
      return (trigger.port ?? from).unit;
  }
}

/**
 * The port whose update, event or reading a trigger waits for; undefined where it is none of these.
 */
export function triggerPort(
  { from, to }: Pick<Connection, "from" | "to">,
  trigger: Trigger,
): PortRef | undefined {
  if (trigger.kind === "every" || trigger.kind === "threshold") return undefined;
  return trigger.port ?? (trigger.kind === "ready-to-read" ? to : from);
}

/** Whether updates, events or crossings of a unit are found by looking at it from outside. */
export function isWatched(scenario: Scenario, unit: number, trigger: Trigger): boolean {
  const { capabilities } = scenario.units[unit].description;
  if (trigger.kind === "updated" || trigger.kind === "event")
    return !reports(capabilities, trigger.kind);
  if (trigger.kind !== "threshold") return false;
  return capabilities.eventMode || !capabilities.predicates.includes("threshold");
}

/** A unit with event mode reports events and updates of its outputs, which change in event mode. */
function reports(
  { predicates, eventMode }: Capabilities,
  kind: Capabilities["predicates"][number],
): boolean {
  return predicates.includes(kind) || (eventMode && (kind === "updated" || kind === "event"));
}

function problemOf(
  scenario: Scenario,
  connection: Connection,
  trigger: Trigger,
  source: Port,
): TriggerChoice["problem"] {
  const { to, interaction } = connection;
  const { kind } = trigger;
  const decides = decidingUnit(connection, trigger);
  const unit = decides === undefined ? undefined : scenario.units[decides];
  const waited = triggerPort(connection, trigger);
  const { nature } = waited === undefined ? source : portAt(scenario, waited);
  if (kind === "threshold" && portAt(scenario, trigger.port).shape.length > 0)
    return {
      why: `'${portName(scenario, trigger.port)}' is an array`,
      fix: "compare a scalar output",
    };
  if (kind === "event" && waited && nature !== "transient")
    return {
      why: `'${portName(scenario, waited)}' has a value that lasts, and no events`,
      fix: "use when: updated",
    };
  if (
    kind === "updated" &&
    unit &&
    decides !== undefined &&
    nature === "continuous" &&
    isWatched(scenario, decides, trigger)
  )
    return {
      why: `'${unit.name}' does not report it`,
      fix: "use every: <time>, or a unit that reports it, such as a state machine",
    };
  // A clock that nobody handles cannot be looked at either.
  const isClock = waited !== undefined && portAt(scenario, waited).type === "clock";
  if (
    (kind === "ready-to-read" || (kind === "event" && isClock)) &&
    unit &&
    !reports(unit.description.capabilities, kind)
  )
    return {
      why: `'${unit.name}' does not report it`,
      fix: "use every: <time>, or a unit that reports it, such as a state machine",
    };
  const target = portAt(scenario, to);
  if (interaction !== undefined && target.type !== "boolean")
    return {
      why: `'${interaction}' is for booleans, and '${scenario.units[to.unit].name}.${target.name}' is none`,
      fix: "remove 'do', or connect a boolean",
    };
  return undefined;
}

/** @param scenario names the port of a threshold; without it the level alone is shown. */
export function triggerText(trigger: Trigger, scenario?: Scenario): string {
  if (trigger.kind === "every") return `every ${trigger.seconds} s`;
  if (trigger.kind !== "threshold") {
    const { kind, port } = trigger;
    if (port === undefined) return `when ${kind}`;
    return `when ${kind} on ${scenario === undefined ? "a port" : portName(scenario, port)}`;
  }
  const port = scenario === undefined ? "a signal" : portName(scenario, trigger.port);
  return `when ${port} ${trigger.direction === "rising" ? ">" : "<"} ${trigger.level}`;
}
