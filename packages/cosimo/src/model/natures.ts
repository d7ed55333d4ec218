/**
 * Which natures of ports go together: what the value of one means must be something that the other
 * can take.
 */
import type { Nature } from "./unit-description.ts";

/**
 * Why an output of one nature cannot drive an input of the other, and what to do; undefined where
 * it can.
 */
export function natureProblem(
  from: Nature,
  to: Nature,
): { readonly why: string; readonly fix: string } | undefined {
  if (to === "constant" && from !== "constant")
    return {
      why: "the input is constant, and nothing may change it during a run",
      fix: "correct its nature, or give it an initial value instead of a source",
    };
  if (to === "transient" && from !== "transient")
    return {
      why: `the input takes events, and the output is ${from}: it has a value at any time`,
      fix: "connect an output that is transient",
    };
  if (from === "transient" && to !== "transient" && to !== "piecewise-constant")
    return {
      why: `the output carries events, which have no value between them, and the input is ${to}`,
      fix: "connect an input that is piecewise constant or transient",
    };
  return undefined;
}
