/**
 * The parts of a model on threads: this one starts them, connects each with each, computes commit
 * times, and puts the trace together. Every way to end ends all threads: a part that fails, a
 * thread that dies.
 */
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { PartsOptions } from "../../parallel/plan-parts.ts";
import { CollectedParts, type PartsResult } from "./collect-parts.ts";
import type { FromPart, PartJob } from "./thread-messages.ts";

export interface ThreadsJob {
  readonly module: string;
  readonly name: string;
  readonly options: PartsOptions;
  readonly count: number;
  /** The program of a thread. */
  readonly program?: URL;
}

/** @throws UnitError where a component fails, Error where a thread ends. */
export async function runOnThreads(job: ThreadsJob): Promise<PartsResult> {
  const { count, program = new URL("./part-worker.js", import.meta.url) } = job;
  const workers = startThreads(job, program);
  try {
    return await carry(workers, count, job.options.kind === "optimistic");
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

function startThreads({ module, name, options, count }: ThreadsJob, program: URL): Worker[] {
  const ports = Array.from({ length: count }, () => new Map<number, MessagePort>());
  ports.forEach((own, a) => {
    ports.slice(a + 1).forEach((other, k) => {
      const { port1, port2 } = new MessageChannel();
      own.set(a + 1 + k, port1);
      other.set(a, port2);
    });
  });
  return ports.map((own, number) => {
    const job: PartJob = { module, name, options, number, count, ports: own };
    return new Worker(program, { workerData: job, transferList: [...own.values()] });
  });
}

function carry(
  workers: readonly Worker[],
  count: number,
  isOptimistic: boolean,
): Promise<PartsResult> {
  const parts = new CollectedParts(count, isOptimistic, (to, message) =>
    workers[to]?.postMessage(message),
  );
  return new Promise((resolve, reject) => {
    workers.forEach((worker, number) => {
      worker.on("message", (message: FromPart) => {
        try {
          const result = parts.hear(number, message);
          if (result !== undefined) resolve(result);
        } catch (error) {
          reject(error);
        }
      });
      worker.on("error", reject);
      worker.on("exit", (code) =>
        reject(new Error(`the thread of part ${number} ended with exit code ${code}`)),
      );
    });
  });
}
