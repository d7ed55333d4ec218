/**
 * `--input` on a scenario: the file becomes one more unit, a table whose outputs feed the inputs that its columns name.
 */
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import type { MakeUnit } from "../../host/load-scenario.ts";
import type { Connection, Scenario } from "../../model/scenario.ts";
import { scenarioPorts } from "../../model/scenario-ports.ts";
import { portSize } from "../../model/unit-description.ts";
import { type TableColumn, tableUnit } from "../../unit/table-unit.ts";
import { readInputColumns } from "../run/inputs.ts";
import { RUN_DIAGNOSTICS } from "../run/run-diagnostics.ts";

export interface DrivenScenario {
  readonly scenario: Scenario;
  readonly make: MakeUnit;
}

/** The scenario with a unit called `name` that plays the file, or undefined after a report. */
export function driveInputs(
  scenario: Scenario,
  path: string,
  name: string,
  report: (d: Diagnostic) => void,
): DrivenScenario | undefined {
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
  let description: Scenario["units"][number]["description"];
  try {
    const probe = make(name);
    description = probe.description;
    probe.dispose();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    report(diagnose(RUN_DIAGNOSTICS, "input-unusable", { reason: error.message }, place));
    return undefined;
  }
  const unit = {
    name,
    source: { kind: "module" as const, path: name },
    description,
    values: [],
    place,
  };
  return {
    scenario: {
      ...scenario,
      units: [...scenario.units, unit],
      connections: [...scenario.connections, ...connections],
    },
    make,
  };
}
