/**
 * Modes whose equations are those of a unit: imports the modules that a description names and asks the units for their fields.
 */
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import type { HybridDescription } from "../../model/hybrid-description.ts";
import { HYBRID_DIAGNOSTICS } from "../../stability/hybrid-diagnostics.ts";
import type { VectorField } from "../../stability/hybrid-model.ts";
import { unitField } from "../../stability/hybrid-unit-field.ts";
import type { Unit } from "../../unit/unit.ts";

/** Fields by the mode's name; what cannot be opened is reported. */
export async function openModeUnits(
  file: string,
  { modes, states }: HybridDescription,
  findings: Diagnostic[],
): Promise<Map<string, VectorField>> {
  const fields = new Map<string, VectorField>();
  for (const { name: mode, dynamics, place } of modes) {
    if (dynamics.kind !== "unit") continue;
    const { path } = dynamics;
    try {
      const { href } = pathToFileURL(resolve(dirname(file), path));
      const { default: make } = (await import(href)) as { default?: (name: string) => Unit };
      if (typeof make !== "function")
        throw new Error("it has no default export that is a function");
      fields.set(mode, unitField(make(mode), states));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      findings.push(diagnose(HYBRID_DIAGNOSTICS, "hybrid-unit", { mode, path, why }, place));
    }
  }
  return fields;
}
