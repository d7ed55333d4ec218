/**
 * What is added to a scenario as a whole (faults, input signals) reaches each of its structures:
 * units that always exist, further ports of units, and connections, which are there while both of
 * their ends are.
 */
import type { Fault, FaultTrigger, FaultyUnit } from "./faults.ts";
import type { PortRef, Scenario, ScenarioUnit, StructureState } from "./scenario.ts";
import { mapSignals } from "./scenario-ports.ts";

/**
 * @param before a scenario whose structure changes.
 * @param after the same with changed units, more units behind them, and more connections;
 * references are to all units.
 */
export function extendStructure(before: Scenario, after: Scenario): Scenario {
  const { structure } = before;
  if (structure === undefined) return after;
  const added = after.units.slice(before.units.length).map((_, k) => before.units.length + k);
  const states = structure.states.map(({ units, scenario }): StructureState => {
    const all = [...units, ...added];
    const isThere = ({ unit }: PortRef): boolean => all.includes(unit);
    const here = <R extends PortRef>(ref: R): R => ({ ...ref, unit: all.indexOf(ref.unit) });
    const connections = after.connections
      .filter(({ from, to }) => isThere(from) && isThere(to))
      .map((one) => ({ ...one, from: here(one.from), to: here(one.to) }));
    return {
      units: all,
      scenario: {
        ...scenario,
        units: all.map((u, k) => {
          const { description, faulty } = after.units[u] as ScenarioUnit;
          const own = scenario.units[k] ?? (after.units[u] as ScenarioUnit);
          return { ...own, description, ...(faulty && { faulty: localFaulty(faulty) }) };
        }),
        connections: [...scenario.connections, ...connections],
      },
    };

    /**
     * Its faults, with what they name counted as this structure counts units; signals of absent
     * units are not there.
     */
    function localFaulty(faulty: FaultyUnit): FaultyUnit {
      const levels = faulty.levels.filter(
        ({ signal, other, of }) =>
          isThere(signal) &&
          (other === undefined || isThere(other)) &&
          (of === undefined || [...of.signals.values()].every(isThere)),
      );
      return {
        ...faulty,
        faults: faulty.faults.map((one) => ({ ...one, fault: localFault(one.fault) })),
        levels: levels.map(({ signal, other, of, ...level }) => ({
          ...level,
          signal: here(signal),
          ...(other && { other: here(other) }),
          ...(of && { of: mapSignals(of, here) }),
        })),
      };
    }

    function localFault(fault: Fault): Fault {
      return { ...fault, unit: all.indexOf(fault.unit), when: localWhen(fault.when) };
    }

    function localWhen(when: FaultTrigger): FaultTrigger {
      if (when.kind === "time") return when;
      const signals = [...when.condition.signals].filter(([, ref]) => isThere(ref));
      const local = new Map(signals.map(([name, ref]) => [name, here(ref)]));
      return { ...when, condition: { ...when.condition, signals: local } };
    }
  });
  // The structures have the connections; the scenario as a whole has none.
  return { ...after, connections: before.connections, structure: { ...structure, states } };
}
