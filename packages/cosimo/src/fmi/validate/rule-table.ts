/**
 * All rules that `cosimo validate` holds a description and its files to: code, severity, sentence
 * and text. The codes are part of the interface: they never change their meaning, and docs and
 * scripts refer to them.
 */

import type { RulesFor } from "../../base/diagnostic.ts";
import { note, say } from "../../base/rule-text.ts";
import { FILE_RULES, type FileParams } from "./texts-files.ts";
import { IDENTITY_RULES, type IdentityParams } from "./texts-identity.ts";
import {
  CLOCK_RULES,
  type ClockParams,
  STRUCTURE_RULES,
  type StructureParams,
} from "./texts-structure.ts";
import { VARIABLE_RULES, type VariableParams } from "./texts-variables.ts";

interface SummaryParams {
  "more-of-the-same": { readonly code: string; readonly count: number };
}

export interface ValidationParams
  extends IdentityParams,
    VariableParams,
    StructureParams,
    ClockParams,
    FileParams,
    SummaryParams {}

export type ValidationCode = keyof ValidationParams;

export const VALIDATION_RULES: RulesFor<ValidationParams> = {
  ...IDENTITY_RULES,
  ...VARIABLE_RULES,
  ...STRUCTURE_RULES,
  ...CLOCK_RULES,
  ...FILE_RULES,
  "more-of-the-same": note("Each rule is reported a limited number of times.", ({ code, count }) =>
    say(
      `${count} more findings of '${code}' are not listed`,
      "fix the ones listed first; they usually have one cause",
    ),
  ),
};
