/**
 * `cosimo validate`: holds a description, and the files around it, to the rules of the FMI
 * standards.
 *
 * The parser has reported what is wrong with the XML's shape; here is what only shows when the
 * parts are seen together. Rules and codes: rule-table.ts and docs/spec/validate.md. Every check is
 * one pass over the variables.
 */
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { FmuDescription } from "../description.ts";
import { checkArrays } from "./check-arrays.ts";
import { checkClocks } from "./check-clocks.ts";
import {
  checkExperiment,
  checkInterfaces,
  checkLogCategories,
  checkTypes,
  checkUnits,
} from "./check-identity.ts";
import { checkReferences } from "./check-references.ts";
import { checkStructure } from "./check-structure.ts";
import { checkVariables } from "./check-variables.ts";
import { makeContext } from "./context.ts";
import { Findings } from "./findings.ts";

export { validateFiles } from "./validate-files.ts";

/**
 * Everything that is wrong with a description, in the order of its lines. `file` is what places
 * name.
 */
export function validateDescription(
  description: FmuDescription,
  file = "modelDescription.xml",
): Diagnostic[] {
  const findings = new Findings(file);
  const context = makeContext(description, findings);
  checkInterfaces(context);
  checkExperiment(context);
  checkLogCategories(context);
  checkUnits(context);
  checkTypes(context);
  checkVariables(context);
  checkReferences(context);
  checkArrays(context);
  checkClocks(context);
  checkStructure(context);
  return findings.finish();
}
