/**
 * The thread of one part: it loads the model, cuts it as all others do, and carries messages
 * between its part and the ports. Whatever arrives meanwhile is taken before the part goes on.
 */
import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  workerData,
} from "node:worker_threads";
import { UnitError } from "../../base/outcome.ts";
import { openPart, planParts } from "../../parallel/plan-parts.ts";
import type { PartMessage, Runner } from "../../parallel/protocol.ts";
import { loadDevsModel } from "./load-model.ts";
import type { FromPart, PartJob, ToPart } from "./thread-messages.ts";

/** Instants, and milliseconds, between two looks at what has arrived. */
const LIMIT = 64;
const PATIENCE = 0.2;
/** What became final is passed on in pieces. */
const MOST_SENDINGS = 4096;

if (parentPort !== null) await run(workerData as PartJob, parentPort);

async function run(job: PartJob, home: MessagePort): Promise<void> {
  const { module, name, options, number, count, ports } = job;
  const say = (message: FromPart): void => home.postMessage(message);
  const split = planParts(await loadDevsModel(module, name), options);
  if (split.parts.length !== count)
    throw new Error(
      `'${module}' gave ${split.parts.length} parts here and ${count} before: it must give the same model every time`,
    );
  const runner = openPart(split, number, options);
  let isScheduled = false;
  let isOver = false;
  const schedule = (): void => {
    if (isScheduled || isOver) return;
    isScheduled = true;
    setImmediate(work);
  };
  ports.forEach((port, from) => {
    port.on("message", (messages: readonly PartMessage[]) => {
      runner.receive(from, messages);
      schedule();
    });
  });
  home.on("message", (message: ToPart) => {
    if (message.kind === "messages") runner.receive(count, message.messages);
    else runner.endAt(message.time);
    schedule();
  });
  schedule();

  function work(): void {
    isScheduled = false;
    for (const [from, port] of ports) drain(runner, from, port);
    const begin = performance.now();
    let hasMore = true;
    for (let k = 0; k < LIMIT && hasMore && performance.now() - begin < PATIENCE; k++)
      hasMore = runner.proceed(1);
    for (const { to, messages } of runner.take()) {
      const port = ports.get(to);
      if (port === undefined) say({ kind: "messages", messages });
      else port.postMessage(messages);
    }
    report();
    if (hasMore) schedule();
  }

  function report(): void {
    const sendings = runner.takeSendings();
    for (let k = 0; k < sendings.length; k += MOST_SENDINGS)
      say({ kind: "sendings", sendings: sendings.slice(k, k + MOST_SENDINGS) });
    const { failure, statistics, transitions } = runner;
    if (isOver || !(failure !== undefined || runner.isFinished)) return;
    isOver = true;
    if (failure === undefined)
      say({ kind: "finished", statistics, transitions, states: runner.states });
    else {
      const { stamp, error } = failure;
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      const known = error instanceof UnitError ? error.failure : undefined;
      say({ kind: "failed", stamp, failure: known, text });
    }
  }
}

function drain(runner: Runner, from: number, port: MessagePort): void {
  for (;;) {
    const one = receiveMessageOnPort(port) as { message: readonly PartMessage[] } | undefined;
    if (one === undefined) return;
    runner.receive(from, one.message);
  }
}
