/**
 * Zero-delay cycles of a scenario, before it runs: events that may go round between units at one
 * instant, infinitely often (survey §5.2.6).
 *
 * A connection to an input that takes events is an edge with the minimum delay of the unit that it
 * leads to. The min-plus closure of that graph has a zero on its diagonal exactly where edges of
 * weight zero alone form a cycle, because delays are not negative; these edges are searched. A
 * delay that is not known counts as unknown, not as zero. Under masters with common steps only
 * units with event mode exchange events at an instant, for all others a step lies between; where
 * units are coordinated, all that react without moving do.
 */
import type { Scenario } from "../model/scenario.ts";
import { separateCycles } from "../numerics/shortest-cycle.ts";
import { isCoupled } from "./master-needs.ts";
import type { PlanReport } from "./plan-diagnostics.ts";

export function reportZeroDelayCycles(
  scenario: Scenario,
  report: PlanReport,
  isCoordinated = false,
): void {
  const { units } = scenario;
  for (const cycle of separateCycles(zeroEdges(scenario, isCoordinated))) {
    const names = cycle.map((u) => units[u]!.name);
    report("zero-delay-cycle", { cycle: names }, units[cycle[0]!]!.place);
  }
}

/** By unit: units that it sends events to and that may answer at once. */
function zeroEdges({ units, connections }: Scenario, isCoordinated: boolean): number[][] {
  const targets = units.map(() => new Set<number>());
  for (const { from, to } of connections) {
    const { description } = units[to.unit]!;
    const { eventMode, zeroStep } = description.capabilities;
    const isEvent = !isCoupled(description.ports[to.port]!);
    const answersAtOnce =
      description.minimumDelay === 0 && (eventMode || (isCoordinated && zeroStep === true));
    if (isEvent && answersAtOnce) targets[from.unit]!.add(to.unit);
  }
  return targets.map((found) => [...found]);
}
