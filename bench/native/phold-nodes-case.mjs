/**
 * One case of bench/phold.mjs over nodes: `node phold-nodes-case.mjs <server> <export> <stop>
 * <node/offer> …`. Prints seconds of wall clock from when all parts were ready, and the events that
 * federates have finished.
 */
import { runDevsOnNodes } from "cosimo/node";

const [server, name, stop, ...places] = process.argv.slice(2);
process.env.COSIMO_SERVER = server;
const run = await runDevsOnNodes(places, { export: name, stop: Number(stop), record: "none" });
const count = [...run.states.values()].reduce((sum, { done = 0 }) => sum + done, 0);
console.log(JSON.stringify({ seconds: run.seconds, count }));
process.exit(0);
