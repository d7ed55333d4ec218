/**
 * When a connection exchanges under the master 'event-driven': as written, or, where nothing is
 * written, as the nature of its source says. Runs, checks and explanations ask this.
 */

import type { Connection, Scenario, Trigger } from "../model/scenario.ts";
import { portAt } from "../model/scenario-ports.ts";
import type { Port } from "../model/unit-description.ts";

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
    trigger === undefined
      ? impliedTrigger(scenario, connection, source, step)
      : { trigger, reason: "as written" };
  const problem = problemOf(scenario, connection, choice.trigger, source);
  return { ...choice, ...(problem && { problem }) };
}

function impliedTrigger(
  scenario: Scenario,
  { from }: Connection,
  { nature }: Port,
  seconds: number,
): Pick<TriggerChoice, "trigger" | "reason"> {
  const { predicates } = scenario.units[from.unit].description.capabilities;
  if (nature === "transient")
    return { trigger: { kind: "event" }, reason: "the source carries events" };
  if (nature === "piecewise-constant" && predicates.includes("updated"))
    return { trigger: { kind: "updated" }, reason: "the source is piecewise constant" };
  const reason =
    nature === "piecewise-constant"
      ? "the source is piecewise constant, and its unit does not report updates: it is sampled"
      : `the source is ${nature}: it is sampled`;
  return { trigger: { kind: "every", seconds }, reason };
}

function problemOf(
  scenario: Scenario,
  { from, to, interaction }: Connection,
  { kind }: Trigger,
  source: Port,
): TriggerChoice["problem"] {
  const decides = kind === "every" ? undefined : kind === "ready-to-read" ? to : from;
  const unit = decides && scenario.units[decides.unit];
  if (kind !== "every" && unit && !unit.description.capabilities.predicates.includes(kind))
    return {
      why: `'${unit.name}' does not report it`,
      fix: "use every: <time>, or a unit that reports it, such as a state machine",
    };
  if (kind === "event" && source.nature !== "transient")
    return {
      why: `'${scenario.units[from.unit].name}.${source.name}' has a value that lasts, and no events`,
      fix: "use when: updated",
    };
  const target = portAt(scenario, to);
  if (interaction !== undefined && target.type !== "boolean")
    return {
      why: `'${interaction}' is for booleans, and '${scenario.units[to.unit].name}.${target.name}' is none`,
      fix: "remove 'do', or connect a boolean",
    };
  return undefined;
}

export function triggerText(trigger: Trigger): string {
  return trigger.kind === "every" ? `every ${trigger.seconds} s` : `when ${trigger.kind}`;
}
