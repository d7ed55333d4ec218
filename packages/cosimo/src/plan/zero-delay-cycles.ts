/**
 * Zero-delay cycles of a scenario, before it runs: events that may go round between units at one instant, infinitely often (survey §5.2.6).
 *
 * A connection to an input that takes events is an edge with the minimum delay of the unit that it leads to. The min-plus closure of that graph has a
 * zero on its diagonal exactly where edges of weight zero alone form a cycle, because delays are not negative; these edges are searched. A delay
 * that is not known counts as unknown, not as zero. Only units with event mode exchange events at an instant; under all else a step lies between.
 */
import type { Scenario } from "../model/scenario.ts";
import { separateCycles } from "../numerics/shortest-cycle.ts";
import { isCoupled } from "./master-needs.ts";
import type { PlanReport } from "./plan-diagnostics.ts";

export function reportZeroDelayCycles(scenario: Scenario, report: PlanReport): void {
  const { units } = scenario;
  for (const cycle of separateCycles(zeroEdges(scenario))) {
    const names = cycle.map((u) => units[u]!.name);
    report("zero-delay-cycle", { cycle: names }, units[cycle[0]!]!.place);
  }
}

/** By unit: units that it sends events to and that may answer at once. */
function zeroEdges({ units, connections }: Scenario): number[][] {
  const targets = units.map(() => new Set<number>());
  for (const { from, to } of connections) {
    const { description } = units[to.unit]!;
    const isEvent = !isCoupled(description.ports[to.port]!);
    const answersAtOnce = description.minimumDelay === 0 && description.capabilities.eventMode;
    if (isEvent && answersAtOnce) targets[from.unit]!.add(to.unit);
  }
  return targets.map((found) => [...found]);
}
