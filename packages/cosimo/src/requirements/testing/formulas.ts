/**
 * Formulas for tests: short ways to write them, and random ones.
 */
import fc from "fast-check";
import {
  COMPARISONS,
  type Comparison,
  type Formula,
  type Interval,
  type NumberExpression,
  type Requirement,
  type RequirementSignal,
  type Scope,
  WITHOUT_END,
} from "../../model/requirement.ts";
import type { SampledSignals } from "../sampled-signals.ts";

type F = Formula<number>;
type E = NumberExpression<number>;

export const place: { readonly file: string } = { file: "test" };

export const signal = (index: number): E => ({ kind: "signal", signal: index, place });
export const number = (value: number): E => ({ kind: "number", value, place });
export const compare = (left: E, operator: Comparison, right: number | E): F => ({
  kind: "compare",
  operator,
  left,
  right: typeof right === "number" ? number(right) : right,
  place,
});
export const past = (
  name: Extract<E, { kind: "past" }>["function"],
  of: E,
  window?: number,
): E => ({ kind: "past", function: name, of, ...(window !== undefined && { window }), place });
export const always = (of: F, interval: Interval = WITHOUT_END): F => ({
  kind: "always",
  interval,
  of,
  place,
});
export const eventually = (of: F, interval: Interval = WITHOUT_END): F => ({
  kind: "eventually",
  interval,
  of,
  place,
});
export const not = (of: F): F => ({ kind: "not", of, place });
export const implies = (left: F, right: F): F => ({ kind: "implies", left, right, place });
export const isTrue = (index: number): F => ({ kind: "holds", signal: index, place });

export function requirement(
  formula: F,
  scope: Scope<number> = { kind: "globally" },
  signals: readonly Partial<RequirementSignal>[] = [],
): Requirement {
  const all = [0, 1, 2].map((i) => ({
    name: "xyz"[i] as string,
    type: "float64" as const,
    isStepwise: false,
    ...signals[i],
  }));
  return { name: "r", text: "r", formula, scope, signals: all, place };
}

/** Rows of some signals; times are 0, 1, 2, … where none are given. */
export function rows(
  columns: readonly (readonly number[])[],
  { time, stepwise = [] }: { time?: readonly number[]; stepwise?: readonly number[] } = {},
): SampledSignals {
  const n = columns[0]?.length ?? 0;
  return {
    time: Float64Array.from(time ?? [...Array(n).keys()]),
    values: columns.map((column) => Float64Array.from(column)),
    isStepwise: columns.map((_, i) => stepwise.includes(i)),
  };
}

/** Ends are multiples of `unit`, some are infinite. */
const interval = (unit: number): fc.Arbitrary<Interval> =>
  fc.tuple(fc.nat(3), fc.option(fc.nat(4))).map(([from, length]) => ({
    from: from * unit,
    ...(length !== null && { to: (from + length) * unit }),
  }));

const level = fc.integer({ min: -4, max: 4 });

/** Over signals 0 and 1. @param unit what the ends of intervals are multiples of. */
export const randomFormula = (unit = 1): fc.Arbitrary<F> =>
  fc.letrec<{ formula: F; leaf: F }>((tie) => ({
    leaf: fc
      .tuple(fc.constantFrom(...COMPARISONS), fc.nat(1), level)
      .map(([operator, index, at]) => compare(signal(index), operator, at)),
    formula: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      tie("leaf"),
      tie("formula").map(not),
      fc
        .tuple(fc.constantFrom("rises" as const, "falls" as const), tie("formula"))
        .map(([kind, of]): F => ({ kind, of, place })),
      fc
        .tuple(
          fc.constantFrom("and" as const, "or" as const, "implies" as const, "iff" as const),
          tie("formula"),
          tie("formula"),
        )
        .map(([kind, left, right]): F => ({ kind, left, right, place })),
      fc
        .tuple(
          fc.constantFrom(
            "always" as const,
            "eventually" as const,
            "historically" as const,
            "once" as const,
          ),
          interval(unit),
          tie("formula"),
        )
        .map(([kind, within, of]): F => ({ kind, interval: within, of, place })),
      fc
        .tuple(
          fc.constantFrom("until" as const, "since" as const),
          interval(unit),
          tie("formula"),
          tie("formula"),
        )
        .map(([kind, within, left, right]): F => ({ kind, interval: within, left, right, place })),
    ),
  })).formula;

/** Values of both signals, small enough to be equal now and then. */
export const randomRows: fc.Arbitrary<SampledSignals> = fc
  .array(fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })), {
    minLength: 1,
    maxLength: 12,
  })
  .map((pairs) => rows([pairs.map(([x]) => x / 2), pairs.map(([, y]) => y / 2)]));
