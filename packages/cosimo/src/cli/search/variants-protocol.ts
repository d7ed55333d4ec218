/**
 * What `cosimo search` and the process that holds the units say to each other about the stability
 * of variants, and how a report must look.
 */

import {
  isBoolean,
  isKindOf,
  isListOf,
  isNumber,
  isObject,
  isOptional,
  isText,
  type Shape,
} from "../../base/shapes.ts";
import type { VariantStability } from "../../run/variant-stability.ts";
import type { FromAnalysis } from "../protocol/protocol.ts";
import { ANALYSIS_SHAPES } from "../supervisor/message-shapes.ts";

export interface VariantsJob {
  readonly kind: "variants";
  readonly model: string;
  /** For unpacked FMUs. Owned by the supervisor. */
  readonly folder: string;
  readonly trust: boolean;
  readonly set: readonly string[];
  /** What the file would hold, for every variant. */
  readonly texts: readonly string[];
}

export type FromVariants = FromAnalysis<readonly VariantStability[]>;

const isReport: Shape = isListOf(
  isObject<VariantStability>({
    radius: isOptional(isNumber),
    isUnstable: isBoolean,
    why: isOptional(isText),
  }),
);

const isMessage: Shape = isKindOf<FromVariants["kind"]>({
  ...ANALYSIS_SHAPES,
  report: isObject<{ readonly report: unknown }>({ report: isReport }),
});

export function variantsMessage(value: unknown): FromVariants | undefined {
  return isMessage(value) ? (value as FromVariants) : undefined;
}
