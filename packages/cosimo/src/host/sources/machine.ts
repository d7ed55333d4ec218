/**
 * Timed state machines (`.machine.yaml`). A machine is data, not a program: it needs no trust.
 */

import { describeAdaptation } from "../../adapt/describe-adaptation.ts";
import { machineUnit } from "../../adapt/machine-unit.ts";
import { hasErrors } from "../../base/diagnostic.ts";
import { machineAsSa, NEXT_EVENT } from "../../lang/machine/machine-as-sa.ts";
import { parseMachine } from "../../lang/machine/parse-machine.ts";
import type { Machine } from "../../model/machine.ts";
import type { UnitSource } from "../../model/scenario.ts";
import type { Port, UnitDescription } from "../../model/unit-description.ts";
import type { ReadSource, Source } from "./source.ts";

export const readMachine: ReadSource<Extract<UnitSource, { readonly kind: "machine" }>> = async (
  { unit, path },
  tree,
) =>
  tree.once(path, async () => {
    const { value, diagnostics } = parseMachine(tree.files.text(path), path);
    tree.report(...diagnostics);
    if (value === undefined || hasErrors(diagnostics))
      return tree.broken(unit, path, "it is not a usable state machine");
    return machineSource(value, path);
  });

function machineSource(machine: Machine, path: string): Source {
  const { description } = machineUnit(machine, machine.name);
  return {
    path,
    describe: () => description,
    open: async ({ name }) => machineUnit(machine, name),
    toC: (_, around) =>
      around.once(machine, "", () => {
        const text = machineAsSa(machine);
        const adaptation = around.parseAdaptation(text, path);
        const described = describeAdaptation(adaptation, new Map());
        return {
          kind: "adaptation",
          description: withEvents({ ...described, name: machine.name }, description),
          adaptation,
          inner: new Map(),
          text,
          nextEvent: NEXT_EVENT,
        };
      }),
  };
}

/**
 * Event mode of the exported unit, where nothing but events and discrete inputs act on the machine.
 * Its outputs that carry events are marked in any case.
 */
function withEvents(exported: UnitDescription, machine: UnitDescription): UnitDescription {
  // Steps are refused where a cascade does not end, and nowhere else.
  const { refusesSteps: _, ...capabilities } = exported.capabilities;
  const eventMode = exported.ports.every(
    ({ direction, variability }) => direction !== "input" || variability !== "continuous",
  );
  const events = machine.ports.filter(({ nature }) => nature === "transient");
  const isEvent = ({ name, direction }: Port): boolean =>
    (eventMode || direction === "output") && events.some((port) => port.name === name);
  return {
    ...exported,
    ports: exported.ports.map((port) => (isEvent(port) ? { ...port, nature: "transient" } : port)),
    capabilities: eventMode ? { ...capabilities, eventMode } : capabilities,
  };
}
