/**
 * Ports, unit descriptions and drafts of scenarios with everything that a test does not care about
 * filled in.
 */
import type { ScenarioDraft } from "../scenario.ts";
import { NO_CAPABILITIES, type Port, type UnitDescription } from "../unit-description.ts";

/** A continuous input of one float64, but for what `more` says. */
export function testPort(index: number, name: string, more: Partial<Port> = {}): Port {
  return {
    index,
    name,
    direction: "input",
    type: "float64",
    shape: [],
    variability: "continuous",
    nature: "continuous",
    ...more,
  };
}

export function testUnit(
  ports: readonly Port[],
  more: Partial<UnitDescription> = {},
): UnitDescription {
  return {
    name: "demo",
    backend: "fmi3",
    ports,
    capabilities: NO_CAPABILITIES,
    experiment: {},
    ...more,
  };
}

/** A draft of units without connections, but for what `more` says. */
export function testDraft(
  units: ScenarioDraft["units"],
  more: Partial<ScenarioDraft> = {},
): ScenarioDraft {
  const place = more.place ?? { file: "s.yaml", line: 1 };
  return {
    name: "s",
    file: "s.yaml",
    units,
    connections: [],
    ports: [],
    experiment: {},
    master: { name: "", options: {}, place },
    record: { patterns: [], every: 1 },
    place,
    ...more,
  };
}
