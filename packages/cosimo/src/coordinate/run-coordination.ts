/**
 * A run under the master 'event-driven': initialization as for every plan, then the coordinator instead of steps. Rows are those of
 * instants at which a unit stopped; a unit that did not stop there shows what it had when it last did.
 */
import { type Outcome, UnitError } from "../base/outcome.ts";
import { DivergenceMonitor } from "../engine/divergence-monitor.ts";
import { divergenceDiagnostic } from "../engine/explain-divergence.ts";
import {
  enterInitialization,
  exitInitialization,
  resolveInitial,
} from "../engine/initialize-plan.ts";
import { Interpreter } from "../engine/interpreter.ts";
import type { RunPlanOptions } from "../engine/run-plan.ts";
import { bindPlan } from "../engine/signals.ts";
import { StopWatch } from "../engine/stop-watch.ts";
import type { Scenario } from "../model/scenario.ts";
import type { Plan } from "../plan/plan.ts";
import { triggerText } from "../plan/triggers.ts";
import type { Unit } from "../unit/unit.ts";
import type { Connector } from "./connector.ts";
import { connectorsOf } from "./connectors-of.ts";
import { Coordinator, Deadlock } from "./coordinator.ts";
import { Rows } from "./rows.ts";
import { type Transfer, transferOf } from "./transfer.ts";

/** Messages between two looks at whether the run is to be stopped. */
const CHUNK = 1000;

/**
 * @param units freshly instantiated, in the plan's order. They are terminated when the run completes, never disposed.
 * @returns how the run ended; a failing unit is an outcome, not an exception.
 */
export async function runCoordination(
  plan: Plan,
  scenario: Scenario,
  units: readonly Unit[],
  options: RunPlanOptions,
): Promise<Outcome> {
  const { stop, tolerance, shouldStop } = options;
  const connectors = connectorsOf(scenario, plan.step).value ?? [];
  const state = bindPlan(plan, units);
  const rows = new Rows(state, options.onRow);
  const monitor = new DivergenceMonitor(plan, scenario, state.banks.f64);
  const counts = new Float64Array(connectors.length);
  const transfers = scenario.connections.map((connection): Transfer => {
    const portOf = ({ unit, port }: Connector["from"]) =>
      scenario.units[unit].description.ports[port];
    return transferOf(connection, portOf(connection.from), portOf(connection.to));
  });
  const stops = new StopWatch(units, plan.step);
  let coordinator: Coordinator | undefined;
  let advances = 0;
  try {
    const interpreter = new Interpreter(state);
    enterInitialization(units, scenario.units, {
      start: plan.start,
      stop,
      ...(tolerance === undefined ? {} : { tolerance }),
    });
    options.onInitialized?.(resolveInitial(state, interpreter));
    exitInitialization(state, interpreter);
    rows.begin();
    coordinator = new Coordinator(units, connectors, {
      start: plan.start,
      origin: options.origin ?? plan.start,
      stop,
      transfers,
      watched: rows.recordedPorts(),
      ...(options.ties && { ties: options.ties }),
      onExchange: ({ connector, time, value }) => {
        counts[connector]++;
        options.onExchange?.(connectors[connector].name, time, value);
      },
      onStop: (unit, time, reason) => {
        advances++;
        stops.note(unit, time, reason === "event" || reason === "updated");
        rows.take(unit, time);
      },
      onApply: (unit, time) => rows.take(unit, time),
    });
    coordinator.begin();
    while (!coordinator.run(CHUNK)) {
      rows.flush(coordinator.reached);
      monitor.lookForNumbers(coordinator.reached);
      if (await shouldStop?.(coordinator.reached, advances)) return ended("cancelled");
    }
    rows.flush(Number.POSITIVE_INFINITY);
    monitor.lookForNumbers(stop);
    return ended("completed");
  } catch (error) {
    rows.flush(Number.POSITIVE_INFINITY);
    const at = { time: coordinator?.reached ?? plan.start, steps: advances };
    if (error instanceof UnitError) return { kind: "failed", ...at, failure: error.failure };
    if (!(error instanceof Deadlock)) throw error;
    const failure = {
      unit: plan.name,
      call: "advance",
      status: error.message,
      time: at.time,
      log: [],
    };
    return { kind: "failed", ...at, failure };
  } finally {
    const { finding } = monitor;
    if (finding) options.onDivergence?.(divergenceDiagnostic(finding, plan, scenario));
    options.onMaster?.({
      steps: rows.count,
      iterations: 0,
      rejections: [],
      advances,
      events: sum(counts),
      bonds: [],
      notes: [...exchangeNotes(connectors, counts), ...stops.notes()],
    });
  }

  function ended(kind: "completed" | "cancelled"): Outcome {
    const outcome: Outcome = { kind, time: coordinator?.reached ?? plan.start, steps: advances };
    options.onRecorded?.(outcome);
    for (const unit of units) if (unit.phase === "step") unit.terminate();
    return outcome;
  }
}

/** Connectors with the same trigger exchange together, which counts once. */
function exchangeNotes(connectors: readonly Connector[], counts: Float64Array): string[] {
  const groups = new Map<string, { readonly text: string; readonly count: number }>();
  connectors.forEach((connector, c) => {
    const { trigger, from, to } = connector;
    const { unit, port } = trigger.kind === "ready-to-read" ? to : from;
    const text = triggerText(trigger);
    const key = trigger.kind === "every" ? text : `${text} ${unit}.${port}`;
    groups.set(key, { text, count: Math.max(groups.get(key)?.count ?? 0, counts[c]) });
  });
  const byText = new Map<string, number>();
  for (const { text, count } of groups.values()) byText.set(text, (byText.get(text) ?? 0) + count);
  const total = [...byText.values()].reduce((sum, count) => sum + count, 0);
  const parts = [...byText].map(([text, count]) => `${count} ${text}`).join(", ");
  return [
    `${total} exchanges: ${parts}`,
    ...connectors.map(
      ({ name, trigger }, c) => `${name} (${triggerText(trigger)}): ${counts[c]} values`,
    ),
  ];
}

const sum = (counts: Float64Array): number => counts.reduce((total, one) => total + one, 0);
