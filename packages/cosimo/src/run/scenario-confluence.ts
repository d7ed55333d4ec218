/**
 * Confluence of a scenario: does the order of simultaneous events change its trace? What can be
 * ordered differently are values of one instant between units (under a master that coordinates),
 * and events inside units that offer it (`Unit.ties`: discrete-event models).
 */
import { unwrap } from "../base/diagnostic.ts";
import { type Outcome, UnitError } from "../base/outcome.ts";
import { present } from "../base/present.ts";
import type { RunPlanOptions } from "../engine/run-plan.ts";
import { scenarioPorts } from "../model/scenario-ports.ts";
import {
  type ConfluenceReport,
  type EventSequence,
  type ExploreOptions,
  exploreOrders,
  type OrderedEvent,
} from "../unit/explore-orders.ts";
import type { Ties } from "../unit/ties.ts";
import type { Unit } from "../unit/unit.ts";
import { executePlan } from "./execute-plan.ts";
import { mergeExperiment, planRun, type RunRequest } from "./plan-run.ts";
import { type OpenStructure, runStructure } from "./run-structure.ts";
import type { RunnableScenario } from "./simulate-scenario.ts";

export interface ScenarioConfluenceOptions extends RunRequest, ExploreOptions {
  /** Called between steps from time to time; it may throw to end the check. */
  readonly onStep?: () => void | Promise<void>;
}

/**
 * Runs the scenario as often as there are orders to try.
 * @throws DiagnosticsError when it has no plan; UnitError when a unit fails under the order that
 * the rules name.
 */
export async function scenarioConfluence(
  runnable: RunnableScenario,
  options: ScenarioConfluenceOptions = {},
): Promise<ConfluenceReport> {
  const { scenario } = runnable;
  const { stop: end, tolerance } = mergeExperiment(options, scenario.experiment);
  if (end === undefined)
    throw new RangeError(`'${scenario.name}' has no stop time; give one: { stop: 10 }`);
  const stop: number = end;
  const ports = scenarioPorts(scenario);
  const { compiled, columns, structure } = unwrap(planRun(scenario, options, { ports }));
  const { plan } = compiled;
  // Numbers about the run, such as rejected steps, are not events of it.
  const isPort = (column: string): boolean =>
    scenario.units.some(({ name }) => column.startsWith(`${name}.`));
  let isFirst = true;

  async function run(ties: Ties): Promise<EventSequence> {
    const events: OrderedEvent[] = [];
    const last = new Map<string, string>();
    const open: OpenStructure = async (...given) => {
      const opened = await runnable.open(...given);
      for (const unit of opened.units)
        unit.ties?.decideBy(inside(unit, ties, plan.coupling !== undefined));
      return opened;
    };
    const running: RunPlanOptions = {
      stop,
      ...present({ tolerance }),
      ties,
      shouldStop: async () => {
        await options.onStep?.();
        return false;
      },
      onExchange: (source, time, value) => void events.push({ time, source, value: String(value) }),
      onRow: (time, banks) => {
        plan.record.columns.forEach(({ bank, slot }, c) => {
          const value = String(banks[bank][slot]);
          const source = columns[c].name;
          if (!isPort(source) || last.get(source) === value) return;
          last.set(source, value);
          events.push({ time, source, value });
        });
      },
    };
    const outcome =
      structure === undefined
        ? await runPlanned(open, running)
        : await runStructure(structure, open, running);
    if (outcome.kind === "failed") {
      if (isFirst) throw new UnitError(outcome.failure);
      const { unit, status, time } = outcome.failure;
      events.push({ time, source: unit, value: `fails: ${status}` });
    }
    isFirst = false;
    // Units are at times of their own while they are coordinated.
    events.sort((a, b) => a.time - b.time);
    return { events, end: last };
  }
  async function runPlanned(open: OpenStructure, running: RunPlanOptions): Promise<Outcome> {
    const opened = await open(scenario, plan, new Map());
    try {
      return await executePlan(plan, scenario, opened.units, running);
    } finally {
      opened.close();
    }
  }
  const { orders, seed, onProgress } = options;
  return exploreOrders(run, present({ orders, seed, onProgress }));
}

/**
 * Ties inside a unit, with its name.
 * @param isRepeated steps may be rejected and repeated: a tie that is met again is decided as
 * before.
 */
function inside({ name }: Unit, ties: Ties, isRepeated: boolean): Ties {
  const decided = new Map<string, number>();
  return {
    choose({ time, what, among }) {
      const key = `${time} ${what} ${among.join(" ")}`;
      const choice = decided.get(key) ?? ties.choose({ time, what: `'${name}': ${what}`, among });
      if (isRepeated) decided.set(key, choice);
      return choice;
    },
  };
}
