/**
 * Timed state machines (`.machine.yaml`). A machine is data, not a program: it needs no trust.
 */

import { describeAdaptation } from "../../adapt/describe-adaptation.ts";
import { machineUnit } from "../../adapt/machine-unit.ts";
import { hasErrors } from "../../base/diagnostic.ts";
import { machineAsSa } from "../../lang/machine/machine-as-sa.ts";
import { parseMachine } from "../../lang/machine/parse-machine.ts";
import type { Machine } from "../../model/machine.ts";
import type { UnitSource } from "../../model/scenario.ts";
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
          description: { ...described, name: machine.name },
          adaptation,
          inner: new Map(),
          text,
        };
      }),
  };
}
