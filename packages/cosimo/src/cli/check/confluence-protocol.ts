/**
 * What `check --confluence` and the process that runs the units say to each other, and how a report
 * must look: what comes from a process with foreign code in it is not believed unseen.
 */

import {
  isCount,
  isKindOf,
  isListOf,
  isNumber,
  isObject,
  isOneOf,
  isOptional,
  isText,
  type Shape,
} from "../../base/shapes.ts";
import type { ChoiceMade, ConfluenceReport, OrderDifference } from "../../unit/explore-orders.ts";
import type { FromAnalysis } from "../protocol/protocol.ts";
import { ANALYSIS_SHAPES } from "../supervisor/message-shapes.ts";

export interface ConfluenceJob {
  readonly kind: "confluence";
  readonly model: string;
  /** For unpacked FMUs. Owned by the supervisor. */
  readonly folder: string;
  /** Modules are run wherever they are, not only in folders that the user trusts. */
  readonly trust: boolean;
  readonly set: readonly string[];
  readonly options: {
    readonly step?: number;
    readonly master?: string;
    readonly orders?: number;
    readonly seed?: number;
  };
}

export type FromConfluence = FromAnalysis<ConfluenceReport>;

const isChoice: Shape = isObject<ChoiceMade>({
  time: isNumber,
  what: isText,
  chosen: isText,
  among: isListOf(isText),
});

const isReport: Shape = isObject<ConfluenceReport>({
  verdict: isOneOf("no-ties", "confluent", "not-refuted", "order-matters"),
  orders: isCount,
  ties: isCount,
  seed: isOptional(isNumber),
  difference: isOptional(
    isObject<OrderDifference>({
      time: isOptional(isNumber),
      first: isChoice,
      second: isChoice,
      diff: isListOf(isText),
    }),
  ),
});

const isMessage: Shape = isKindOf<FromConfluence["kind"]>({
  ...ANALYSIS_SHAPES,
  report: isObject<{ readonly report: ConfluenceReport }>({ report: isReport }),
});

export function confluenceMessage(value: unknown): FromConfluence | undefined {
  return isMessage(value) ? (value as FromConfluence) : undefined;
}
