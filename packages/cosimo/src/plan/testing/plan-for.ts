/**
 * Plans for tests: compiled without columns unless a test names some, and failing on any error.
 */
import { unwrap } from "../../base/diagnostic.ts";
import type { Scenario } from "../../model/scenario.ts";
import { type CompileOptions, compilePlan } from "../compile.ts";
import { OP_WIDTH, type Plan } from "../plan.ts";

export function planFor(scenario: Scenario, options: Partial<CompileOptions> = {}): Plan {
  return unwrap(compilePlan(scenario, { record: [], ...options })).plan;
}

/** Ops as lists of four words. */
export function opsIn(ops: Int32Array): number[][] {
  return Array.from({ length: ops.length / OP_WIDTH }, (_, i) => [
    ...ops.subarray(i * OP_WIDTH, (i + 1) * OP_WIDTH),
  ]);
}
