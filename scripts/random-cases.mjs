/**
 * Before every test file: property tests try the same cases each time, so that what lands does not
 * depend on luck and what fails does so again. COSIMO_SEED=<number> tries others,
 * COSIMO_SEED=random those of a seed that it prints.
 */
import fc from "fast-check";

const wanted = process.env.COSIMO_SEED ?? "20240501";
const seed = wanted === "random" ? Date.now() % 2 ** 31 : Number(wanted);
if (!Number.isSafeInteger(seed))
  throw new Error(`COSIMO_SEED is ${wanted}, not a whole number or 'random'`);
if (wanted === "random") console.log(`COSIMO_SEED=${seed}`);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
