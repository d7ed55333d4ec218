/**
 * `--input` on a scenario: the file becomes one more unit, a table whose outputs feed the inputs that its columns name.
 */
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { type MakeUnit, moduleSource } from "../../host/sources/module.ts";
import type { SourceTree } from "../../host/sources/tree.ts";
import type { Connection, Scenario } from "../../model/scenario.ts";
import { scenarioPorts } from "../../model/scenario-ports.ts";
import { portSize } from "../../model/unit-description.ts";
import { type TableColumn, tableUnit } from "../../unit/table-unit.ts";
import { readInputColumns } from "../run/inputs.ts";
import { RUN_DIAGNOSTICS } from "../run/run-diagnostics.ts";

/** The unit that plays the file. */
const NAME = "input";

/** The scenario with one more unit that plays the file, which `tree` can open; undefined after a report. */
export function driveInputs(
  scenario: Scenario,
  path: string,
  tree: SourceTree,
  report: (d: Diagnostic) => void,
): Scenario | undefined {
  const all = scenarioPorts(scenario);
  const columns = readInputColumns(path, all.description, report);
  if (columns === undefined) return undefined;
  const place = { file: path, line: 1 };
  const outputs: Record<string, TableColumn> = {};
  const connections: Connection[] = [];
  for (const [port, values] of columns.ports) {
    const to = all.origin(port.index);
    const taken = scenario.connections.some((c) => c.to.unit === to.unit && c.to.port === to.port);
    if (taken) {
      report(diagnose(RUN_DIAGNOSTICS, "input-connected", { name: port.name }, place));
      continue;
    }
    const { type, shape, variability, unit } = port;
    const from = { unit: scenario.units.length, port: Object.keys(outputs).length };
    outputs[port.name] = { type, shape, variability, ...(unit ? { unit } : {}), values };
    connections.push({
      from,
      to,
      fromElement: 0,
      toElement: 0,
      count: portSize(port),
      factor: 1,
      offset: 0,
      place,
    });
  }
  const make: MakeUnit = (unitName) =>
    tableUnit({ name: "input signals", time: columns.time, outputs }, unitName);
  const source = { kind: "module", path: NAME } as const;
  let description: Scenario["units"][number]["description"];
  try {
    const probe = make(NAME);
    description = probe.description;
    probe.dispose();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    report(diagnose(RUN_DIAGNOSTICS, "input-unusable", { reason: error.message }, place));
    return undefined;
  }
  tree.add(source, moduleSource(make, NAME, tree));
  return {
    ...scenario,
    units: [...scenario.units, { name: NAME, source, description, values: [], place }],
    connections: [...scenario.connections, ...connections],
  };
}
