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
} from "../../base/shapes.ts";
import type { IdentificationFacts } from "../../stability/identify.ts";
import type { SpectralReport } from "../../stability/spectral.ts";
import type { JitterReport } from "../../stability/spectral-jitter.ts";
import type { MasterReport } from "../../stability/spectral-sweeps.ts";
import type { Sweep, UnstableInterval } from "../../stability/sweep.ts";
import { ANALYSIS_SHAPES } from "../supervisor/message-shapes.ts";
import type { FromSpectral } from "./spectral-protocol.ts";

const isSweep: Shape = isObject<Sweep>({
  steps: isListOf(isNumber),
  radii: isListOf(isOptional(isNumber)),
  unstable: isListOf(isObject<UnstableInterval>(each(isOptional(isNumber), "from", "to"))),
  ...each(isOptional(isNumber), "limit", "refused"),
});

const isMaster: Shape = isObject<MasterReport>({
  label: isText,
  isChosen: isBoolean,
  ...each(isOptional(isNumber), "radius", "margin", "moving"),
  isStable: isOptional(isBoolean),
  eigenvalues: isListOf(
    isObject<MasterReport["eigenvalues"][number]>(each(isNumber, "re", "im", "modulus")),
  ),
  ticks: isNumber,
  reason: isOptional(isText),
  sweep: isOptional(isSweep),
});

const isUnitFacts: Shape = isObject<IdentificationFacts>({
  unit: isText,
  method: isOneOf("equations", "steps"),
  stateNames: isListOf(isText),
  ...each(isNumber, "states", "error", "curvature", "steps"),
  canRollBack: isBoolean,
});

type Drivers = SpectralReport["drivers"];

const isReport: Shape = isObject<SpectralReport>({
  scenario: isText,
  ...each(isNumber, "step", "at", "delay"),
  units: isListOf(isUnitFacts),
  masters: (value) => isListOf(isMaster)(value) && (value as readonly unknown[]).length > 0,
  drivers: isObject<Drivers>({
    units: isListOf(
      isObject<Drivers["units"][number]>({
        name: isText,
        kind: isOneOf("states", "signal", "between"),
        share: isNumber,
      }),
    ),
    couplings: isListOf(
      isObject<Drivers["couplings"][number]>({ connection: isText, sensitivity: isNumber }),
    ),
  }),
  jitter: isOptional(
    isObject<JitterReport>({
      jitter: isNumber,
      sizes: isListOf(isObject<JitterReport["sizes"][number]>(each(isNumber, "step", "radius"))),
      met: isObject<JitterReport["met"]>({ value: isNumber, sequence: isListOf(isNumber) }),
      proven: isObject<JitterReport["proven"]>({ value: isNumber, method: isText }),
      verdict: isText,
    }),
  ),
  maps: isOptional(
    isListOf(
      isObject<NonNullable<SpectralReport["maps"]>[number]>({
        name: isText,
        rows: isListOf(isListOf(isNumber)),
      }),
    ),
  ),
  ...each(isListOf(isText), "notes", "advice"),
});

const isSpectralMessage: Shape = isKindOf<FromSpectral["kind"]>({
  ...ANALYSIS_SHAPES,
  report: isObject<{ readonly report: SpectralReport }>({ report: isReport }),
});

export function spectralMessage(value: unknown): FromSpectral | undefined {
  return isSpectralMessage(value) ? (value as FromSpectral) : undefined;
}
