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
import { openPart, planParts } from "../../parallel/plan-parts.ts";
import type { PartMessage, Runner } from "../../parallel/protocol.ts";
import { loadDevsModel } from "./load-model.ts";
import { PartLoop } from "./part-loop.ts";
import type { FromPart, PartJob, ToPart } from "./thread-messages.ts";

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
  const loop = new PartLoop({
    runner,
    send: ({ to, messages }) => {
      const port = ports.get(to);
      if (port === undefined) say({ kind: "messages", messages });
      else port.postMessage(messages);
    },
    say,
    listen: () => {
      for (const [from, port] of ports) drain(runner, from, port);
    },
  });
  ports.forEach((port, from) => {
    port.on("message", (messages: readonly PartMessage[]) => {
      runner.receive(from, messages);
      loop.schedule();
    });
  });
  home.on("message", (message: ToPart) => {
    if (message.kind === "messages") runner.receive(count, message.messages);
    else runner.endAt(message.time);
    loop.schedule();
  });
  loop.schedule();
}

function drain(runner: Runner, from: number, port: MessagePort): void {
  for (;;) {
    const one = receiveMessageOnPort(port) as { message: readonly PartMessage[] } | undefined;
    if (one === undefined) return;
    runner.receive(from, one.message);
  }
}
