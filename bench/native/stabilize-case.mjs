/**
 * One stabilization, timed: `node stabilize-case.mjs <lift> [exact]` prints CPU seconds, growth
 * rate and proof, for the pendulum of the tests.
 */
import { stabilize } from "../../packages/cosimo/dist/stability/stabilize.js";
import { verifyStability } from "../../packages/cosimo/dist/stability/stabilize-verify.js";
import { pendulum } from "../../packages/cosimo/dist/stability/testing/coupled-examples.js";

const [lift, exact] = process.argv.slice(2);
const system = pendulum();
const began = process.cpuUsage();
const result = stabilize(system, { lift: Number(lift), exact: exact === "exact" });
const { user, system: kernel } = process.cpuUsage(began);
const check = verifyStability({ ...system, automaton: result.automaton }, result.forms);
console.log(
  JSON.stringify({
    seconds: (user + kernel) / 1e6,
    rate: result.rate.lower,
    removed: result.forbidden.length,
    rounds: result.rounds,
    isOptimal: result.isOptimal,
    longest: result.proof.longest,
    holds: check.holds,
  }),
);
