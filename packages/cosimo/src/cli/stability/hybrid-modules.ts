/**
 * Modes whose equations are those of a unit: imports the modules that a description names, where
 * they are trusted, and asks the units for their fields.
 */

import { dirname, resolve } from "node:path";
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { errorText } from "../../base/error-text.ts";
import { notTrusted, type Trust } from "../../host/trust.ts";
import type { HybridDescription } from "../../model/hybrid-description.ts";
import { loadModule } from "../../platform/node/load-module.ts";
import { HYBRID_DIAGNOSTICS } from "../../stability/hybrid-diagnostics.ts";
import type { VectorField } from "../../stability/hybrid-model.ts";
import { unitField } from "../../stability/hybrid-unit-field.ts";
import type { Unit } from "../../unit/unit.ts";

/** Fields by the mode's name; what cannot be opened is reported. */
export async function openModeUnits(
  file: string,
  { modes, states }: HybridDescription,
  trust: Trust,
  findings: Diagnostic[],
): Promise<Map<string, VectorField>> {
  const fields = new Map<string, VectorField>();
  for (const { name: mode, dynamics, place } of modes) {
    if (dynamics.kind !== "unit") continue;
    const { path } = dynamics;
    const module = resolve(dirname(file), path);
    const untrusted = notTrusted(trust, module, { name: mode, place });
    if (untrusted !== undefined) {
      findings.push(untrusted);
      continue;
    }
    try {
      const { default: make } = (await loadModule(module)) as { default?: (name: string) => Unit };
      if (typeof make !== "function")
        throw new Error("it has no default export that is a function");
      fields.set(mode, unitField(make(mode), states));
    } catch (error) {
      const why = errorText(error);
      findings.push(diagnose(HYBRID_DIAGNOSTICS, "hybrid-unit", { mode, path, why }, place));
    }
  }
  return fields;
}
