/**
 * Connections → connectors: where no trigger is written, what the ports mean decides. Continuous ports are sampled at the communication
 * step, piecewise-constant ones exchange on update where their unit reports updates, transient ones deliver every event.
 */
import { type Checked, type Diagnostic, diagnose, hasErrors } from "../base/diagnostic.ts";
import type { Connection, Scenario, Trigger } from "../model/scenario.ts";
import type { Port, UnitDescription } from "../model/unit-description.ts";
import { strongComponents } from "../plan/strong-components.ts";
import { type Connector, initiatorCycle } from "./connector.ts";
import { COORDINATION_DIAGNOSTICS } from "./diagnostics.ts";

/** @returns one connector per connection, in their order. */
export function connectorsOf(scenario: Scenario, step: number): Checked<readonly Connector[]> {
  const diagnostics: Diagnostic[] = [];
  const connectors = scenario.connections.map((connection): Connector => {
    const [source, target] = [connection.from, connection.to].map(({ unit, port }) => ({
      unit: scenario.units[unit],
      port: scenario.units[unit].description.ports[port],
    }));
    const { trigger, why } = connection.trigger
      ? { trigger: connection.trigger, why: undefined }
      : impliedTrigger(source.port, source.unit.description, step);
    const name = `${source.unit.name}.${source.port.name} -> ${target.unit.name}.${target.port.name}`;
    const problem = why ?? problemOf(trigger, connection, source, target);
    if (problem !== undefined)
      diagnostics.push(
        diagnose(
          COORDINATION_DIAGNOSTICS,
          "trigger-not-possible",
          { connection: name, trigger: triggerText(trigger), ...problem },
          connection.place,
        ),
      );
    const { from, to, interaction } = connection;
    return { name, from, to, trigger, ...(interaction !== undefined && { interaction }) };
  });
  const cycle = initiatorCycle(scenario.units.length, connectors);
  if (cycle !== undefined) {
    const names = cycle.map((unit) => scenario.units[unit].name);
    const place = scenario.units[cycle[0]].place;
    diagnostics.push(diagnose(COORDINATION_DIAGNOSTICS, "trigger-cycle", { units: names }, place));
  }
  if (hasErrors(diagnostics)) return { diagnostics };
  return { value: withFeedThrough(scenario, connectors), diagnostics };
}

/**
 * Where an output follows inputs at once, it is published after timed values of the same instant have reached them. Around an algebraic
 * loop nothing waits: each unit publishes what it has.
 */
function withFeedThrough(
  { units }: Scenario,
  connectors: readonly Connector[],
): readonly Connector[] {
  const isTimed = ({ trigger }: Connector): boolean => trigger.kind === "every";
  const needs = connectors.map((connector): number[] => {
    const { unit, port } = connector.from;
    const { feedThrough } = units[unit].description.ports[port];
    if (!isTimed(connector)) return [];
    return [...connectors.keys()].filter((c) => {
      const { to } = connectors[c];
      const isFollowed = feedThrough === undefined || feedThrough.includes(to.port);
      return isTimed(connectors[c]) && to.unit === unit && isFollowed;
    });
  });
  const loopOf = new Map<number, number>();
  strongComponents(needs).forEach((members, loop) => {
    for (const member of members) loopOf.set(member, loop);
  });
  return connectors.map((connector, c) => {
    const after = needs[c].filter((other) => loopOf.get(other) !== loopOf.get(c));
    return after.length === 0 ? connector : { ...connector, after };
  });
}

interface End {
  readonly unit: Scenario["units"][number];
  readonly port: Port;
}

interface Problem {
  readonly why: string;
  readonly fix: string;
}

function impliedTrigger(
  { nature, name }: Port,
  { capabilities: { predicates } }: UnitDescription,
  seconds: number,
): { readonly trigger: Trigger; readonly why?: Problem } {
  if (nature === "transient") {
    if (predicates.includes("event")) return { trigger: { kind: "event" } };
    return {
      trigger: { kind: "event" },
      why: {
        why: `'${name}' carries events, and its unit does not stop at them`,
        fix: "use a unit that reports events: a state machine, or an FMU with event mode",
      },
    };
  }
  if (nature === "piecewise-constant" && predicates.includes("updated"))
    return { trigger: { kind: "updated" } };
  return { trigger: { kind: "every", seconds } };
}

/** Why a trigger that was written cannot be followed. */
function problemOf(
  { kind }: Trigger,
  { interaction }: Connection,
  source: End,
  target: End,
): Problem | undefined {
  const ends = { source: source.unit.name, target: target.unit.name };
  const needed = { updated: source, event: source, "ready-to-read": target, every: undefined };
  const unit = needed[kind]?.unit;
  if (kind !== "every" && unit && !unit.description.capabilities.predicates.includes(kind))
    return {
      why: `'${unit.name}' does not report it`,
      fix: "use every: <time>, or another unit: 'cosimo info' shows what a unit reports",
    };
  if (kind === "event" && source.port.nature !== "transient")
    return {
      why: `'${ends.source}.${source.port.name}' has a value that lasts, and no events`,
      fix: "use when: updated",
    };
  if (interaction !== undefined && target.port.type !== "boolean")
    return {
      why: `'${interaction}' is for booleans, and '${ends.target}.${target.port.name}' is none`,
      fix: "remove 'do', or connect a boolean",
    };
  return undefined;
}

export function triggerText(trigger: Trigger): string {
  return trigger.kind === "every" ? `every ${trigger.seconds} s` : `when ${trigger.kind}`;
}
