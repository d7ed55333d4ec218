/**
 * The thread behind the server, played by this test: one question at a time, and what happens when
 * it dies or does not answer.
 */
import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { DescribeRequest, FromWorker } from "./messages.ts";

class FakeStream extends EventEmitter {
  setEncoding(): this {
    return this;
  }
}

class FakeWorker extends EventEmitter {
  readonly stdout = new FakeStream();
  readonly stderr = new FakeStream();
  readonly requests: DescribeRequest[] = [];
  isTerminated = false;

  constructor() {
    super();
    workers.push(this);
  }

  postMessage(request: DescribeRequest): void {
    this.requests.push({ ...request, blocked: new Map(request.blocked) });
  }

  async terminate(): Promise<number> {
    this.isTerminated = true;
    return 0;
  }

  unref(): void {}

  say(message: FromWorker): void {
    this.emit("message", message);
  }

  answer(id = this.requests.at(-1)?.id ?? 0): void {
    this.say({
      kind: "described",
      id,
      diagnostics: [],
      units: new Map(),
      texts: new Set(["/a.sa"]),
    });
  }
}

const workers: FakeWorker[] = [];
vi.mock("node:worker_threads", () => ({ Worker: FakeWorker }));
const { Describer } = await import("./describer.ts");

const log: string[] = [];
const question = (path: string) => ({ path, texts: new Map<string, string>(), isTrusted: true });
const settled = (): Promise<void> => vi.advanceTimersByTimeAsync(0).then(() => undefined);
const describer = (): InstanceType<typeof Describer> => new Describer((text) => log.push(text));

beforeEach(() => {
  workers.length = 0;
  log.length = 0;
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a question", () => {
  it("[LS5] is asked when the one before was answered, and of the same thread", async () => {
    const one = describer();
    const answers = ["/a.sa", "/b.sa"].map((path) => one.describe(() => question(path)));
    await settled();
    const [worker] = workers;
    expect(worker.requests.map(({ path }) => path)).toEqual(["/a.sa"]);
    worker.answer();
    await settled();
    expect(worker.requests.map(({ path }) => path)).toEqual(["/a.sa", "/b.sa"]);
    expect(worker.requests[0].id).not.toBe(worker.requests[1].id);
    worker.answer();
    expect((await Promise.all(answers)).map((answer) => answer?.texts.size)).toEqual([1, 1]);
    expect(workers).toHaveLength(1);
    expect(log).toEqual([]);
  });

  it("[LS3] is posed when its turn comes, and dropped where nobody needs it any more", async () => {
    const one = describer();
    const first = one.describe(() => question("/a.sa"));
    let isWanted = true;
    const second = one.describe(() => (isWanted ? question("/b.sa") : undefined));
    await settled();
    isWanted = false;
    workers[0].answer();
    await first;
    expect(await second).toBeUndefined();
    expect(workers[0].requests).toHaveLength(1);
  });

  it("[LS5] is not answered by the answer to another one", async () => {
    const answer = describer().describe(() => question("/a.sa"));
    let isDone = false;
    void answer.then(() => {
      isDone = true;
    });
    await settled();
    workers[0].answer(-1);
    workers[0].say({ kind: "failed", id: -1, why: "of another question" });
    await settled();
    expect(isDone).toBe(false);
    workers[0].answer();
    expect(await answer).toBeDefined();
  });
});

describe("a thread", () => {
  const fails: readonly (readonly [string, (worker: FakeWorker) => void, string])[] = [
    ["dies", (worker) => worker.emit("exit", 3), "it ended the process (exit code 3)"],
    [
      "throws",
      (worker) => worker.emit("error", Object.assign(new Error("x"), { stack: "where" })),
      "where",
    ],
    [
      "fails",
      (worker) => worker.say({ kind: "failed", id: worker.requests.at(-1)?.id ?? 0, why: "a bug" }),
      "a bug",
    ],
  ];

  it.each(fails)("[LS5] that %s is replaced, and asked once more", async (_, fail, why) => {
    const answer = describer().describe(() => question("/a.sa"));
    await settled();
    fail(workers[0]);
    await settled();
    expect(workers).toHaveLength(2);
    expect(workers[0].isTerminated).toBe(true);
    expect(log).toContain(`/a.sa: ${why}`);
    workers[1].answer();
    expect(await answer).toBeDefined();
  });

  it("[LS5] that fails twice without a program is not asked a third time, and the next question is", async () => {
    const one = describer();
    const answer = one.describe(() => question("/a.sa"));
    for (const k of [0, 1]) {
      await settled();
      workers[k].emit("exit", 1);
    }
    expect(await answer).toBeUndefined();
    const next = one.describe(() => question("/b.sa"));
    await settled();
    expect(workers).toHaveLength(3);
    workers[2].answer();
    expect(await next).toBeDefined();
  });

  it("[LS5] that dies between questions is replaced at the next one", async () => {
    const one = describer();
    const first = one.describe(() => question("/a.sa"));
    await settled();
    workers[0].answer();
    await first;
    workers[0].emit("exit", 0);
    const second = one.describe(() => question("/a.sa"));
    await settled();
    expect(workers).toHaveLength(2);
    workers[1].answer();
    await second;
  });

  it("[LS5] prints into the log, without the end of the line", async () => {
    const answer = describer().describe(() => question("/a.sa"));
    await settled();
    workers[0].stdout.emit("data", "from a module\n");
    workers[0].stderr.emit("data", "and its errors\n\n");
    workers[0].answer();
    await answer;
    expect(log).toEqual(["from a module", "and its errors"]);
  });
});

describe("a program", () => {
  it("[LS5] that ends the thread is named, and not run again while it is the same", async () => {
    const one = describer();
    const answer = one.describe(() => question("/a.sa"));
    await settled();
    workers[0].say({ kind: "running", program: "/m.mjs?1" });
    workers[0].emit("exit", 3);
    await settled();
    const why = "it ended the process (exit code 3)";
    expect(log).toEqual([`/a.sa: ${why} while running /m.mjs?1`]);
    expect([...workers[1].requests[0].blocked]).toEqual([["/m.mjs?1", why]]);
    workers[1].answer();
    await answer;
    const next = one.describe(() => question("/b.sa"));
    await settled();
    expect(workers[1].requests[1].blocked.get("/m.mjs?1")).toBe(why);
    workers[1].answer();
    await next;
  });

  it("[LS5] that ended is not to blame for what comes after it", async () => {
    const answer = describer().describe(() => question("/a.sa"));
    await settled();
    workers[0].say({ kind: "running", program: "/m.mjs?1" });
    workers[0].say({ kind: "ended" });
    workers[0].emit("exit", 1);
    await settled();
    expect(workers[1].requests[0].blocked.size).toBe(0);
    workers[1].answer();
    await answer;
  });

  it("[LS5] may take its time but not longer than the patience; a program that ended has none", async () => {
    const one = describer();
    one.patienceSeconds = 5;
    const answer = one.describe(() => question("/a.sa"));
    await settled();
    workers[0].say({ kind: "running", program: "/slow.mjs?1" });
    await vi.advanceTimersByTimeAsync(4999);
    expect(workers).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(log[0]).toBe("/a.sa: it did not end within 5 s while running /slow.mjs?1");
    expect(workers).toHaveLength(2);
    workers[1].say({ kind: "running", program: "/other.mjs?1" });
    workers[1].say({ kind: "ended" });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(workers).toHaveLength(2);
    workers[1].answer();
    expect(await answer).toBeDefined();
  });

  it("[LS5] after another is blocked too: every one of them is tried once", async () => {
    const answer = describer().describe(() => question("/a.sa"));
    for (const k of [0, 1, 2]) {
      await settled();
      workers[k].say({ kind: "running", program: `/m${k}.mjs?1` });
      workers[k].emit("exit", 1);
    }
    await settled();
    expect([...workers[3].requests[0].blocked.keys()]).toEqual([
      "/m0.mjs?1",
      "/m1.mjs?1",
      "/m2.mjs?1",
    ]);
    workers[3].answer();
    expect(await answer).toBeDefined();
  });
});
