/**
 * Asks the thread that opens FMUs and runs modules (describe-worker.ts), one question at a time. A
 * thread that dies or does not answer is replaced, and what it was running is not run again until
 * it changes.
 */
import { Worker } from "node:worker_threads";
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import type { DescribeRequest, FromWorker } from "./messages.ts";

export interface Described {
  readonly diagnostics: readonly Diagnostic[];
  readonly units: ReadonlyMap<string, UnitDescription>;
  /** Absolute paths of the texts that it depends on, its own among them. */
  readonly texts: ReadonlySet<string>;
}

export interface Question {
  readonly path: string;
  readonly texts: ReadonlyMap<string, string>;
  readonly isTrusted: boolean;
}

export class Describer {
  private worker: Worker | undefined;
  private readonly blocked = new Map<string, string>();
  private readonly folder = createTempFolder();
  private readonly log: (text: string) => void;
  /** How long a program may run; only those may never end. */
  patienceSeconds = 20;
  private last: Promise<unknown> = Promise.resolve();
  private count = 0;

  constructor(log: (text: string) => void) {
    this.log = log;
  }

  /**
   * @param pose makes the question when its turn has come; undefined: it is not of interest any
   * more.
   * @returns undefined where nothing can be said, even when asked twice; the log says why.
   */
  describe(pose: () => Question | undefined): Promise<Described | undefined> {
    const answer = this.last.then(() => {
      const question = pose();
      return question && this.ask(question, true);
    });
    this.last = answer.catch(() => undefined);
    return answer;
  }

  private async ask(question: Question, mayAskAgain: boolean): Promise<Described | undefined> {
    const { described, running, why } = await this.askOnce(question);
    if (described !== undefined) return described;
    this.log(`${question.path}: ${why}${running === undefined ? "" : ` while running ${running}`}`);
    if (running !== undefined) this.blocked.set(running, why!);
    return mayAskAgain ? this.ask(question, running !== undefined) : undefined;
  }

  private askOnce(question: Question): Promise<{
    readonly described?: Described;
    readonly running?: string;
    readonly why?: string;
  }> {
    const worker = this.worker ?? this.start();
    const id = ++this.count;
    return new Promise((resolve) => {
      let running: string | undefined;
      const fail = (why: string): void => {
        finish();
        this.worker = undefined;
        void worker.terminate();
        resolve({ why, ...(running === undefined ? {} : { running }) });
      };
      const onError = (error: Error): void => fail(error.stack ?? error.message);
      const onExit = (code: number): void => fail(`it ended the process (exit code ${code})`);
      let timer: NodeJS.Timeout | undefined;
      const late = `it did not end within ${this.patienceSeconds} s`;
      const onMessage = (message: FromWorker): void => {
        clearTimeout(timer);
        switch (message.kind) {
          case "running":
            running = message.program;
            timer = setTimeout(() => fail(late), this.patienceSeconds * 1000);
            break;
          case "ended":
            running = undefined;
            break;
          case "described":
            if (message.id !== id) break;
            finish();
            resolve({ described: message });
            break;
          case "failed":
            if (message.id === id) fail(message.why);
        }
      };
      const finish = (): void => {
        clearTimeout(timer);
        worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      };
      worker.on("message", onMessage).on("error", onError).on("exit", onExit);
      const folder = this.folder.path;
      worker.postMessage({
        id,
        ...question,
        folder,
        blocked: this.blocked,
      } satisfies DescribeRequest);
    });
  }

  private start(): Worker {
    const file = new URL("./describe-worker.js", import.meta.url);
    // What modules print must not get between the messages to the editor.
    const worker = new Worker(file, { stdout: true, stderr: true });
    for (const stream of [worker.stdout, worker.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => this.log(text.trimEnd()));
    // It may die between questions too, by what a module left behind.
    worker.on("error", (error: Error) => this.log(error.stack ?? error.message));
    worker.on("exit", () => {
      if (this.worker === worker) this.worker = undefined;
    });
    worker.unref();
    this.worker = worker;
    return worker;
  }
}
