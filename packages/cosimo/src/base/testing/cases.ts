/**
 * How many cases a property test tries. All of them take minutes, so by default it is a tenth; `.ci/run` sets
 * COSIMO_ALL_CASES=1 and tries all.
 */
const isAll = process.env["COSIMO_ALL_CASES"] === "1";

/** A tenth of `all`, at least 5, or `all` where all cases are requested. */
export function cases(all: number): number {
  return isAll ? all : Math.min(all, Math.max(5, Math.ceil(all / 10)));
}
