/**
 * A run under the master 'event-driven': initialization as for every plan, then the coordinator
 * instead of steps. Rows are those of instants at which a unit stopped; a unit that did not stop
 * there shows what it had when it last did.
 */
import { countedInstant, gridInstant } from "../base/instants.ts";
import type { Outcome } from "../base/outcome.ts";
import { present } from "../base/present.ts";
import { restoreRunState, takeRunState } from "../engine/checkpoint.ts";
import { DivergenceMonitor } from "../engine/divergence-monitor.ts";
import { divergenceDiagnostic } from "../engine/explain-divergence.ts";
import { enterRun, exitInitialization, resolveInitial } from "../engine/initialize-plan.ts";
import { Interpreter } from "../engine/interpreter.ts";
import { packParts, unpackParts } from "../engine/masters/master-state.ts";
import { endRun, failureOf, type RunPlanOptions } from "../engine/run-plan.ts";
import { bindPlan } from "../engine/signals.ts";
import { StopWatch } from "../engine/stop-watch.ts";

import type { PortRef, Scenario } from "../model/scenario.ts";

import { withFaultTriggers } from "../plan/fault-needs.ts";
import { communicationStep, type Plan } from "../plan/plan.ts";
import { triggerText } from "../plan/triggers.ts";
import { ByteReader, ByteWriter } from "../unit/bytes.ts";
import type { Unit } from "../unit/unit.ts";
import type { Connector } from "./connector.ts";
import { connectorsOf, isSampledAlone } from "./connectors-of.ts";
import { Coordinator, Deadlock } from "./coordinator.ts";
import { Rows } from "./rows.ts";
import { SampledUnit } from "./sampled-unit.ts";
import { transfersOf } from "./transfer.ts";
import { WatchedUnit, watchedBy } from "./watched-unit.ts";

/**
 * Messages between two questions whether the run is to be stopped, and whether a checkpoint is due.
 */
const CHUNK = 1024;
const CHECKPOINT_CHUNK = 64;
/** Stops that wait for a unit that is under way. */
const MAX_WAITING = 16_384;

/**
 * @param units freshly instantiated, in the plan's order. They are terminated when the run
 * completes, never disposed.
 * @returns how the run ended; a failing unit is an outcome, not an exception.
 */
export async function runCoordination(
  plan: Plan,
  given: Scenario,
  units: readonly Unit[],
  options: RunPlanOptions,
): Promise<Outcome> {
  const scenario = withFaultTriggers(given);
  const { stop, shouldStop, checkpoint, resume, endings = [] } = options;
  const connectors = connectorsOf(scenario, plan.step).value ?? [];
  const state = bindPlan(plan, units);
  const rows = new Rows(state, options.onRow);
  const monitor = new DivergenceMonitor(plan, scenario, state.banks.f64);
  const counts = new Float64Array(connectors.length);
  const transfers = transfersOf(scenario);
  const isApart = scenario.connections.length === 0;
  const isAlone = isSampledAlone(scenario);
  const movable = units.map((unit, u) => {
    const at = { start: plan.start, step: communicationStep(plan, u) };
    const watched = watchedBy(unit, u, connectors, { ...at, endings });
    const isSampled =
      isApart && rows.recordedPorts().some((ref) => ref.unit === u && isContinuous(unit, ref));
    if (!isSampled) return watched;
    const instant = isAlone ? gridInstant : countedInstant;
    return new SampledUnit(watched, { ...at, instant, onPoint: (time) => rows.take(u, time, 0) });
  });
  const stops = new StopWatch(units, plan.step);
  let coordinator: Coordinator | undefined;
  try {
    const interpreter = new Interpreter(state);
    enterRun(state, scenario.units, options);
    const loops = resolveInitial(state, interpreter);
    options.onInitialized?.(loops);
    exitInitialization(state, interpreter);
    if (resume !== undefined) restoreRunState(state, resume);
    coordinator = new Coordinator(movable, connectors, {
      start: plan.start,
      stop,
      ...present({
        origin: options.origin,
        ties: options.ties,
        isSequential: options.isSequential,
      }),
      transfers,
      watched: rows.recordedPorts(),
      endings,
      onExchange: ({ connector, time, value }) => {
        counts[connector]++;
        options.onExchange?.(connectors[connector].name, time, value);
      },
      onStop: (unit, time, isByItself) => stops.note(unit, time, isByItself),
      onMove: (unit, time, index) => rows.take(unit, time, index),
      isFull: () => rows.waiting > MAX_WAITING,
    });
    if (resume?.master === undefined) {
      rows.begin();
      coordinator.begin();
      keep(coordinator);
    } else unpack(resume.master, coordinator);
    // Checkpoints are due at simulated times too, so they are asked for more often than the host.
    const chunk = options.chunk ?? (checkpoint === undefined ? CHUNK : CHECKPOINT_CHUNK);
    const limited = (): number => Math.min(chunk, options.chunkLimit?.() ?? chunk);
    for (let chunks = 1; !coordinator.run(limited()); chunks++) {
      const { reached, advances } = coordinator;
      rows.flush(reached);
      monitor.lookForNumbers(reached);
      // A caller that says how often has reasons: it paces the run, or watches requirements.
      const isAsked =
        options.chunk !== undefined ||
        options.chunkLimit?.() !== undefined ||
        chunks % Math.max(1, Math.floor(CHUNK / chunk)) === 0;
      const isOver = isAsked && (await shouldStop?.(reached, advances));
      if (isOver || checkpoint?.isDue(reached)) keep(coordinator);
      if (!isOver) continue;
      rows.flushReached(reached);
      return ended("cancelled");
    }
    rows.flush(Number.POSITIVE_INFINITY);
    monitor.lookForNumbers(stop);
    return ended("completed");
  } catch (error) {
    rows.flush(Number.POSITIVE_INFINITY);
    const at = { time: coordinator?.reached ?? plan.start, steps: coordinator?.advances ?? 0 };
    if (!(error instanceof Deadlock)) return failureOf(plan, at, error);
    const failure = { unit: plan.name, call: "advance", status: error.message, log: [] };
    return { kind: "failed", ...at, failure: { ...failure, time: at.time } };
  } finally {
    const { finding } = monitor;
    if (finding) options.onDivergence?.(divergenceDiagnostic(finding, plan, scenario));
    options.onMaster?.({
      steps: rows.count,
      iterations: 0,
      rejections: [],
      advances: coordinator?.advances ?? 0,
      events: sum(counts),
      bonds: [],
      notes: [
        ...exchangeNotes(scenario, connectors, counts),
        ...(coordinator === undefined ? [] : otherNotes(connectors, coordinator)),
        ...parallelNotes(
          elsewhereText(scenario, movable),
          coordinator?.together ?? 0,
          options.isSequential === true,
        ),
        ...stops.notes(),
        ...movable.flatMap((unit) => (unit instanceof WatchedUnit ? unheldNotes(unit) : [])),
      ],
    });
  }

  function keep(at: Coordinator): void {
    if (checkpoint === undefined) return;
    const bytes = new ByteWriter();
    bytes.bytes(at.save());
    rows.save(bytes);
    bytes.f64s(counts);
    bytes.bytes(packParts([monitor]));
    const progress = { steps: at.advances, time: at.reached };
    checkpoint.store(takeRunState(state, progress, bytes.take()));
  }

  function unpack(saved: Uint8Array, at: Coordinator): void {
    const bytes = new ByteReader(saved);
    at.restore(bytes.bytes());
    rows.restore(bytes);
    for (let c = 0; c < counts.length; c++) counts[c] = bytes.f64();
    unpackParts(bytes.bytes(), [monitor]);
  }

  function ended(kind: "completed" | "cancelled"): Outcome {
    const { reached = plan.start, advances = 0 } = coordinator ?? {};
    return endRun(units, options, { kind, time: reached, steps: advances });
  }
}

/** Connectors with the same trigger exchange together, which counts once. */
export function exchangeNotes(
  scenario: Scenario,
  connectors: readonly Connector[],
  counts: Float64Array,
): string[] {
  const groups = new Map<string, { readonly text: string; readonly count: number }>();
  connectors.forEach((connector, c) => {
    const { trigger, from, to } = connector;
    // What a formula takes is exchanged where its result arrives.
    if (scenario.units[to.unit].source.kind === "formula") return;
    const { unit, port } = trigger.kind === "ready-to-read" ? to : from;
    const text = triggerText(trigger, scenario);
    const key = trigger.kind === "every" ? text : `${text} ${unit}.${port}`;
    groups.set(key, { text, count: Math.max(groups.get(key)?.count ?? 0, counts[c]) });
  });
  const byText = new Map<string, number>();
  for (const { text, count } of groups.values()) byText.set(text, (byText.get(text) ?? 0) + count);
  if (byText.size === 0) return [];
  const total = [...byText.values()].reduce((sum, count) => sum + count, 0);
  const parts = [...byText].map(([text, count]) => `${count} ${text}`).join(", ");
  return [
    `${total} exchanges: ${parts}`,
    ...connectors.map(
      ({ name, trigger }, c) => `${name} (${triggerText(trigger, scenario)}): ${counts[c]} values`,
    ),
  ];
}

/** Outputs that are not what their declaration says. */
function unheldNotes({ description, unheld }: WatchedUnit): string[] {
  return [...unheld].map(
    (port) =>
      `'${description.ports[port].name}' of '${description.name}' changes however little the unit moves, although it is declared discrete: exchanged at the end of communication steps`,
  );
}

/** Units that moved together, and events that a unit could not tell apart. */
function otherNotes(connectors: readonly Connector[], { cycles, merged }: Coordinator): string[] {
  return [
    ...cycles.map(
      ({ units, rollbacks }) =>
        `${units.join(", ")} decide instants for each other: ${rollbacks} rollbacks`,
    ),
    ...connectors.flatMap(({ name }, c) =>
      merged.get(c) === undefined
        ? []
        : [
            `${name}: ${merged.get(c)} events met another one of their instant, and were seen as one`,
          ],
    ),
  ];
}

/** Where units work elsewhere: how many of them at once, or why no two. */
function parallelNotes(elsewhere: string | undefined, together: number, isOff: boolean): string[] {
  if (elsewhere === undefined) return [];
  const of = `of ${elsewhere}`;
  if (isOff) return [`parallel: off, as asked, ${of}`];
  return together > 1
    ? [`parallel: up to ${together} ${of} were under way at once (conservative, by promises)`]
    : [`parallel: never two ${of} were under way at once: each waits for promises of another`];
}

/** The units that work elsewhere, counted, and where that is; undefined where there are not two. */
function elsewhereText(scenario: Scenario, units: readonly Unit[]): string | undefined {
  const kinds = units.flatMap(({ beginAdvance }, u) =>
    beginAdvance === undefined ? [] : [scenario.units[u]?.source.kind],
  );
  if (kinds.length < 2) return undefined;
  const onNodes = kinds.filter((kind) => kind === "remote").length;
  const where =
    onNodes === 0
      ? "in processes of their own"
      : onNodes === kinds.length
        ? "on nodes"
        : `elsewhere (${onNodes} on nodes, ${kinds.length - onNodes} in processes of their own)`;
  return `${kinds.length} units ${where}`;
}

function isContinuous({ description }: Unit, { port }: PortRef): boolean {
  const { nature } = description.ports[port];
  return nature === "continuous" || nature === "piecewise-continuous";
}

const sum = (counts: Float64Array): number => counts.reduce((total, one) => total + one, 0);
