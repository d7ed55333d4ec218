/**
 * A draft that says nothing, for tests that need one and change a part of it.
 */
import type { ScenarioDraft } from "../scenario.ts";

export function emptyDraft(file: string, more: Partial<ScenarioDraft> = {}): ScenarioDraft {
  const place = { file };
  return {
    name: "test",
    file,
    units: [],
    connections: [],
    ports: [],
    experiment: {},
    master: { name: "", options: {}, place },
    record: { patterns: [], every: 1 },
    place,
    ...more,
  };
}
