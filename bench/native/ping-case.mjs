/**
 * The floor of bench/distributed.mjs: a message through the server and back by two connections of
 * this process. `node ping-case.mjs <server> <count>` prints the median in microseconds.
 */
import { connect } from "@nats-io/transport-node";

const [server, count] = process.argv.slice(2);
const options = { servers: server };
const [near, far] = [await connect(options), await connect(options)];
far.subscribe("ping", { callback: (_, { data }) => far.publish("pong", data) });
let arrived = () => undefined;
near.subscribe("pong", { callback: () => arrived() });
await Promise.all([near.flush(), far.flush()]);
const body = new Uint8Array(100);
const times = [];
for (let k = 0; k < Number(count); k++) {
  const begun = performance.now();
  await new Promise((resolve) => {
    arrived = resolve;
    near.publish("ping", body);
  });
  times.push(1000 * (performance.now() - begun));
}
await Promise.all([near.close(), far.close()]);
const sorted = times.slice(times.length / 2).sort((a, b) => a - b);
console.log(JSON.stringify({ median: sorted[sorted.length >> 1] }));
