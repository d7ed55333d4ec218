/**
 * How many cases a property test tries. All of them take minutes, so by default it is a tenth;
 * `.ci/run` sets COSIMO_ALL_CASES=1 and tries all, `npm run test:fast` sets COSIMO_FEW_CASES=1 and
 * tries a fiftieth.
 */
const isAll = process.env["COSIMO_ALL_CASES"] === "1";
const [part, least] = process.env["COSIMO_FEW_CASES"] === "1" ? [50, 3] : [10, 5];

/**
 * A tenth of `all`, at least 5 (a fiftieth and 3, where few are requested), or `all` where all
 * cases are requested.
 */
export function cases(all: number): number {
  return isAll ? all : Math.min(all, Math.max(least, Math.ceil(all / part)));
}
