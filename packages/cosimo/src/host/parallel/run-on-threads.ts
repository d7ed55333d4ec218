/**
 * The parts of a model on threads: this one starts them, connects each with each, computes commit
 * times, and puts the trace together. Every way to end ends all threads: a part that fails, a
 * thread that dies.
 */
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { UnitError, type UnitFailure } from "../../base/outcome.ts";
import { GvtController } from "../../parallel/gvt.ts";
import { mergeSendings, type Sending } from "../../parallel/part.ts";
import type { PartsOptions } from "../../parallel/plan-parts.ts";
import type { PartStatistics } from "../../parallel/protocol.ts";
import { compareStamps } from "../../parallel/stamp.ts";
import type { FromPart, PartJob, ToPart } from "./thread-messages.ts";

export interface ThreadsResult {
  readonly sendings: readonly Sending[];
  readonly transitions: number;
  readonly states: ReadonlyMap<string, unknown>;
  readonly statistics: readonly PartStatistics[];
  /** Computations of the commit time. */
  readonly rounds: number;
}

export interface ThreadsJob {
  readonly module: string;
  readonly name: string;
  readonly options: PartsOptions;
  readonly count: number;
  /** The program of a thread. */
  readonly program?: URL;
}

type Finished = Extract<FromPart, { readonly kind: "finished" }>;
type Failed = Extract<FromPart, { readonly kind: "failed" }>;

/** @throws UnitError where a component fails, Error where a thread ends. */
export async function runOnThreads(job: ThreadsJob): Promise<ThreadsResult> {
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
): Promise<ThreadsResult> {
  const controller = new GvtController(count);
  const sendings: Sending[][] = workers.map(() => []);
  const finished = new Map<number, Finished>();
  const failed = new Map<number, Failed>();
  const tell = (to: number, message: ToPart): void => workers[to]?.postMessage(message);
  return new Promise((resolve, reject) => {
    workers.forEach((worker, number) => {
      worker.on("message", (message: FromPart) => {
        try {
          hear(number, message);
        } catch (error) {
          reject(error);
        }
      });
      worker.on("error", reject);
      worker.on("exit", (code) =>
        reject(new Error(`the thread of part ${number} ended with exit code ${code}`)),
      );
    });

    function hear(from: number, message: FromPart): void {
      switch (message.kind) {
        case "messages":
          controller.receive(from, message.messages);
          for (const { to, messages } of controller.take())
            tell(to, { kind: "messages", messages });
          break;
        case "sendings":
          for (const one of message.sendings) sendings[from]?.push(one);
          break;
        case "finished":
          finished.set(from, message);
          end();
          break;
        case "failed":
          failed.set(from, message);
          // Others may have failed earlier, and not know it yet.
          for (let to = 0; to < count; to++) tell(to, { kind: "end-at", time: message.stamp.time });
          end();
          break;
      }
    }

    function end(): void {
      const isOver = finished.size + failed.size === count;
      const [first] = [...failed.values()].sort((a, b) => compareStamps(a.stamp, b.stamp));
      if (first !== undefined) {
        if (!isOver && !isOptimistic) return;
        reject(errorOf(first.failure, first.text));
      } else if (isOver) resolve(result());
    }

    function result(): ThreadsResult {
      const ends = [...finished].sort(([a], [b]) => a - b).map(([, one]) => one);
      return {
        sendings: mergeSendings(sendings),
        transitions: ends.reduce((sum, one) => sum + one.transitions, 0),
        states: new Map(ends.flatMap(({ states }) => [...states])),
        statistics: ends.map(({ statistics }) => statistics),
        rounds: controller.round,
      };
    }
  });
}

function errorOf(failure: UnitFailure | undefined, text: string): Error {
  return failure === undefined ? new Error(text) : new UnitError(failure);
}
