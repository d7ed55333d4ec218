/**
 * What a message of an analysis must look like; see supervisor/message-shapes.ts for why.
 */

import {
  each,
  isBoolean,
  isKindOf,
  isListOf,
  isNumber,
  isObject,
  isOneOf,
  isOptional,
  isText,
  type Shape,
} from "../protocol/shapes.ts";
import { ANALYSIS_SHAPES } from "../supervisor/message-shapes.ts";
import type { FromSpectral } from "./spectral-protocol.ts";

const isSweep: Shape = isObject({
  steps: isListOf(isNumber),
  radii: isListOf(isOptional(isNumber)),
  unstable: isListOf(isObject(each(isOptional(isNumber), "from", "to"))),
  ...each(isOptional(isNumber), "limit", "refused"),
});

const isMaster: Shape = isObject({
  label: isText,
  isChosen: isBoolean,
  ...each(isOptional(isNumber), "radius", "margin", "moving"),
  isStable: isOptional(isBoolean),
  eigenvalues: isListOf(isObject(each(isNumber, "re", "im", "modulus"))),
  ticks: isNumber,
  reason: isOptional(isText),
  sweep: isOptional(isSweep),
});

const isUnitFacts: Shape = isObject({
  unit: isText,
  method: isOneOf("equations", "steps"),
  stateNames: isListOf(isText),
  ...each(isNumber, "states", "error", "curvature", "steps"),
  canRollBack: isBoolean,
});

const isReport: Shape = isObject({
  scenario: isText,
  ...each(isNumber, "step", "at", "delay"),
  units: isListOf(isUnitFacts),
  masters: (value) => isListOf(isMaster)(value) && (value as readonly unknown[]).length > 0,
  drivers: isObject({
    units: isListOf(
      isObject({ name: isText, kind: isOneOf("states", "signal", "between"), share: isNumber }),
    ),
    couplings: isListOf(isObject({ connection: isText, sensitivity: isNumber })),
  }),
  jitter: isOptional(
    isObject({
      jitter: isNumber,
      sizes: isListOf(isObject({ step: isNumber, radius: isNumber })),
      met: isObject({ value: isNumber, sequence: isListOf(isNumber) }),
      proven: isObject({ value: isNumber, method: isText }),
      verdict: isText,
    }),
  ),
  maps: isOptional(isListOf(isObject({ name: isText, rows: isListOf(isListOf(isNumber)) }))),
  ...each(isListOf(isText), "notes", "advice"),
});

const isSpectralMessage: Shape = isKindOf<FromSpectral["kind"]>({
  ...ANALYSIS_SHAPES,
  report: isObject({ report: isReport }),
});

export function spectralMessage(value: unknown): FromSpectral | undefined {
  return isSpectralMessage(value) ? (value as FromSpectral) : undefined;
}
