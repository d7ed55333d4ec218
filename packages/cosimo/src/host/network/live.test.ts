/**
 * What is said of a run that others watch, and what is made of it: a publisher whose network is a
 * list of messages, and watchers that hear them, whole, damaged, or far too many.
 */
import { describe, expect, it } from "vitest";
import { globOf } from "../../base/glob.ts";
import type { LiveAddress, LiveTopic } from "../../platform/nats/subjects.ts";
import { liveAddressOf, liveSubject } from "../../platform/nats/subjects.ts";
import type { ColumnInfo } from "../../record/trace.ts";
import type { TraceChunk } from "../../record/trace-chunk.ts";
import { PAGE_COLUMNS, putAbout, putColumns, putRows } from "./live-messages.ts";
import { LivePublisher, type LiveSource } from "./live-publisher.ts";
import { LiveList, type LivePicture, LiveWatch, type WatchEvents } from "./live-watch.ts";

const ADDRESS: LiveAddress = { identity: "oem", run: "lift", id: "0123abcd" };
const subject = (topic: LiveTopic, more: Partial<LiveAddress> = {}): string =>
  liveSubject("default", { ...ADDRESS, ...more }, topic);
const COLUMNS: readonly ColumnInfo[] = [
  { name: "a.x", type: "float64", unit: "m" },
  { name: "a.n", type: "uint64" },
  { name: "b.on", type: "boolean" },
  { name: "b.text", type: "string" },
  { name: "b.raw", type: "binary" },
];
const row = (n: number): TraceChunk => ({
  time: Float64Array.of(n / 10),
  data: [
    Float64Array.of([Number.NaN, -0, 0.1, Number.NEGATIVE_INFINITY][n % 4] as number),
    BigInt64Array.of(-1n - BigInt(n)),
    Float64Array.of(n % 2),
    [`text ${n}`],
    [Uint8Array.of(n % 256, 255)],
  ],
});
const about = (columns = COLUMNS.length, more: object = {}): Uint8Array =>
  putAbout({
    title: "lift",
    version: "0",
    start: 0,
    stop: 1,
    time: 0,
    steps: 0,
    rows: 0,
    columns,
    ...more,
  });

/** A wire that takes messages, and says when they arrived. */
class Wire {
  readonly sent: { subject: string; data: Uint8Array }[] = [];
  private readonly waiting: (() => void)[] = [];
  isStuck = false;
  isClosed = false;
  publish(to: string, data: Uint8Array): void {
    this.sent.push({ subject: to, data });
  }
  flush(): Promise<void> {
    return this.isStuck ? new Promise((resolve) => this.waiting.push(resolve)) : Promise.resolve();
  }
  async close(): Promise<void> {
    this.isClosed = true;
  }
  async arrive(): Promise<void> {
    this.isStuck = false;
    for (const resolve of this.waiting.splice(0)) resolve();
    await Promise.resolve();
  }
  count(topic: LiveTopic): number {
    return this.sent.filter((one) => one.subject.endsWith(topic)).length;
  }
}

class Source implements LiveSource {
  readonly title = "lift";
  readonly start = 0;
  readonly stop = 1;
  readonly columns: readonly ColumnInfo[] = COLUMNS;
  rows = 0;
  count(): number {
    return this.rows;
  }
  read(first: number, rows: number): TraceChunk {
    const all = Array.from({ length: rows }, (_, r) => row(first + r));
    const join = <T>(values: readonly (Iterable<T> | undefined)[]): T[] =>
      values.flatMap((one) => [...(one ?? [])]);
    return {
      time: Float64Array.from(join(all.map(({ time }) => time))),
      data: COLUMNS.map(({ type }, c) => {
        const values = join<unknown>(all.map(({ data }) => data[c] as Iterable<unknown>));
        if (type === "uint64") return BigInt64Array.from(values as bigint[]);
        return type === "string" || type === "binary"
          ? (values as string[])
          : Float64Array.from(values as number[]);
      }),
    };
  }
}

function published(wire: Wire, clock: () => number, problems: string[] = []): LivePublisher {
  const settings = { project: "default", identity: "oem" };
  return new LivePublisher(wire, {
    ...{ settings, run: "lift", version: "0", clock },
    say: (problem) => problems.push(problem),
  });
}

function watching(patterns: readonly string[] = [], more: WatchEvents = {}) {
  const pictures: LivePicture[] = [];
  const watch = new LiveWatch(patterns.map(globOf), {
    picture: (one) => pictures.push(one),
    ...more,
  });
  return { watch, pictures };
}

describe("what a run shows", () => {
  it("[DI26] is its newest rows, exactly, with names, units and where it is, until it ends", async () => {
    const wire = new Wire();
    let now = 0;
    const live = published(wire, () => now);
    const source = new Source();
    live.begin(source);
    const ended: (string | undefined)[] = [];
    let names: readonly string[] = [];
    const { watch, pictures } = watching([], {
      begin: (columns) => {
        names = columns.map(({ name, unit }) => `${name} ${unit}`);
      },
      about: (one) => ended.push(one.ended),
    });
    for (const rows of [3, 3, 7, 500]) {
      source.rows = rows;
      await Promise.resolve();
      now += 100;
      live.tick();
    }
    source.rows = 501;
    live.progress(500);
    await live.end("completed");
    expect(wire.isClosed).toBe(true);
    for (const one of wire.sent) watch.hear(one.subject, one.data);
    expect(names).toEqual([
      "a.x m",
      "a.n undefined",
      "b.on undefined",
      "b.text undefined",
      "b.raw undefined",
    ]);
    // Of the last but one picture only what a message holds.
    expect(pictures.map((one) => [one.row, one.chunk.time.length])).toEqual([
      [0, 3],
      [3, 4],
      [400, 100],
      [500, 1],
    ]);
    for (const { row: first, chunk } of pictures)
      expect(chunk).toEqual(source.read(first, chunk.time.length));
    expect([watch.lost, watch.dropped, ended.at(-1)]).toEqual([0, 0, "completed"]);
    expect(watch.about).toMatchObject({ time: 50, steps: 500, rows: 501 });
  });

  it("[DI26] has one picture on its way at most, and nothing waits for it", async () => {
    const wire = new Wire();
    let now = 0;
    const live = published(wire, () => now);
    const source = new Source();
    live.begin(source);
    await Promise.resolve();
    wire.isStuck = true;
    for (source.rows = 1; source.rows < 10_000; source.rows++) {
      now += 100;
      live.tick();
    }
    expect(wire.count("rows")).toBe(1);
    expect(wire.sent.length).toBeLessThan(10);
    await wire.arrive();
    now += 100;
    live.tick();
    expect(wire.count("rows")).toBe(2);
    // A watcher that hears it has missed nothing that was sent.
    const { watch, pictures } = watching();
    for (const one of wire.sent) watch.hear(one.subject, one.data);
    expect(pictures.at(-1)?.row).toBeGreaterThan(9000);
    expect(watch.lost).toBe(0);
    await live.end("completed");
  });

  it("[DI26] takes one part in nine of the time at most, and problems are told once", async () => {
    const wire = new Wire();
    let now = 0;
    const problems: string[] = [];
    const live = published(wire, () => now, problems);
    const source = new Source();
    const { read } = source;
    source.read = (first, rows) => {
      now += 50;
      return read.call(source, first, rows);
    };
    live.begin(source);
    for (source.rows = 1; now < 10_000; source.rows++) {
      now += 10;
      live.tick();
      await Promise.resolve();
    }
    expect(wire.count("rows")).toBeGreaterThan(15);
    expect(wire.count("rows") * 50).toBeLessThan(10_000 / 8);
    source.read = () => {
      throw new Error("the file is gone");
    };
    for (let i = 0; i < 100; i++) {
      now += 1000;
      source.rows++;
      live.tick();
      await Promise.resolve();
    }
    expect(problems).toEqual(["live values: the file is gone"]);
    await live.end("failed");
  });
});

describe("a watcher", () => {
  const all = putColumns(COLUMNS)[0] as Uint8Array;
  const rowsMessage = (picture: number, columns = COLUMNS): Uint8Array =>
    putRows(columns, { picture, row: picture }, row(picture))[0] as Uint8Array;

  it("[DI27] shows what its patterns name, in the order of the run, and counts what it did not see", () => {
    const { watch, pictures } = watching(["b.*n", "a.?"]);
    watch.hear(subject("about"), about());
    watch.hear(subject("columns"), all);
    for (const picture of [4, 5, 9]) watch.hear(subject("rows"), rowsMessage(picture));
    expect(pictures.map(({ chunk }) => chunk.data.length)).toEqual([3, 3, 3]);
    expect(pictures[0]?.chunk.data[2]).toEqual(Float64Array.of(0));
    expect(watch.lost).toBe(3);
  });

  it("[DI27] puts pages of wide rows together, and shows no half row", () => {
    const wide = Array.from(
      { length: 2 * PAGE_COLUMNS + 1 },
      (_, c): ColumnInfo => ({ name: `x${c}`, type: "float64" }),
    );
    const pages = putColumns(wide);
    expect(pages).toHaveLength(3);
    const values = (picture: number): Uint8Array[] =>
      putRows(
        wide,
        { picture, row: picture },
        {
          time: Float64Array.of(picture),
          data: wide.map((_, c) => Float64Array.of(picture + c)),
        },
      );
    const { watch, pictures } = watching(["x1000", "x0"]);
    watch.hear(subject("about"), about(wide.length));
    for (const page of [pages[2], pages[0], pages[0]])
      watch.hear(subject("columns"), page as Uint8Array);
    for (const page of values(1)) watch.hear(subject("rows"), page);
    expect(pictures).toEqual([]);
    watch.hear(subject("columns"), pages[1] as Uint8Array);
    const [first, second, third] = values(2);
    for (const page of [first, second]) watch.hear(subject("rows"), page as Uint8Array);
    for (const page of values(3)) watch.hear(subject("rows"), page);
    watch.hear(subject("rows"), third as Uint8Array);
    expect(pictures.map(({ chunk }) => chunk.data)).toEqual([
      [Float64Array.of(3), Float64Array.of(1003)],
    ]);
    expect(watch.dropped).toBe(0);
  });

  it("[DI28] counts what makes no sense, and goes on", () => {
    const reasons: string[] = [];
    const { watch, pictures } = watching([], {
      dropped: (from, why) => reasons.push(`${from}: ${why}`),
    });
    const json = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));
    const damaged: [string, Uint8Array][] = [
      ["somewhere.else", about()],
      [subject("about", { id: "nothex!!" }), about()],
      [subject("about"), Buffer.from("{")],
      [subject("about"), json([])],
      [subject("about"), json({ format: 2 })],
      [subject("about"), about(1e9)],
      [subject("about"), new Uint8Array(2 << 20).fill(32)],
      [subject("columns"), json({ format: 1, first: 0, columns: [{ name: "a", type: "float" }] })],
      [subject("columns"), putColumns(COLUMNS.slice(1))[0] as Uint8Array],
      [subject("columns"), json({ format: 1, first: 3, columns: [] })],
      [subject("rows"), rowsMessage(1, COLUMNS.slice(1))],
      [subject("rows"), rowsMessage(2, [...COLUMNS, COLUMNS[0] as ColumnInfo])],
      [subject("rows"), json({ format: 1, picture: 1, row: 0, first: 0, time: [], data: [] })],
      [subject("rows"), json({ format: 1, picture: 1, row: 0, first: 0, time: ["0"], data: [] })],
      [
        subject("rows"),
        json({ format: 1, picture: 1, row: 0, first: 0, time: [0], data: [["x"]] }),
      ],
      [subject("rows"), json({ format: 1, picture: -1, row: 0, first: 0, time: [0], data: [] })],
    ];
    watch.hear(subject("about"), about());
    for (const [to, data] of damaged.slice(0, 10)) watch.hear(to, data);
    watch.hear(subject("columns"), all);
    for (const [to, data] of damaged.slice(10)) watch.hear(to, data);
    expect(reasons).toHaveLength(damaged.length);
    expect(watch.dropped).toBe(damaged.length);
    expect(reasons[0]).toMatch(/^somewhere\.else: its subject/);
    expect(pictures).toEqual([]);
    watch.hear(subject("rows"), rowsMessage(50));
    expect(pictures).toHaveLength(1);
    const list = new LiveList();
    for (const [to, data] of damaged.slice(0, 7)) list.hear(to, data);
    list.hear(subject("about"), about());
    expect([list.dropped, list.all.length]).toEqual([7, 1]);
  });

  it("[DI28] is not damaged by any byte that is changed", () => {
    const messages = [about(), all, rowsMessage(3)];
    const topics: readonly LiveTopic[] = ["about", "columns", "rows"];
    const { watch, pictures } = watching();
    for (const [m, topic] of topics.entries())
      watch.hear(subject(topic), messages[m] as Uint8Array);
    let heard = 0;
    for (const [m, topic] of topics.entries())
      for (let at = 0; at < (messages[m]?.length ?? 0); at++)
        for (const byte of [0x22, 0x30, 0x5d, 0xff]) {
          const changed = Uint8Array.from(messages[m] ?? []);
          changed[at] = byte;
          watch.hear(subject(topic), changed);
          heard++;
        }
    expect(heard).toBeGreaterThan(1000);
    expect(watch.dropped).toBeGreaterThan(heard / 4);
    expect(pictures.length).toBeGreaterThan(1);
    for (const { chunk } of pictures) expect(chunk.data).toHaveLength(COLUMNS.length);
  });

  it("[DI28] keeps no more than one run has, whatever comes", () => {
    const { watch } = watching();
    watch.hear(subject("about"), about());
    watch.hear(subject("columns"), all);
    watch.hear(subject("rows"), rowsMessage(1));
    const { kept } = watch;
    expect(kept).toBe(COLUMNS.length + COLUMNS.length + 1);
    const messages = [rowsMessage(1), rowsMessage(2)];
    for (let n = 0; n < 100_000; n++) {
      watch.hear(subject("rows"), messages[n % 2] as Uint8Array);
      const id = n.toString(16).padStart(8, "0");
      watch.hear(subject("columns", { id }), all);
      watch.hear(subject("about", { identity: `u${n}` }), about());
    }
    expect(watch.kept).toBe(kept);
    const list = new LiveList();
    for (let n = 0; n < 20_000; n++)
      list.hear(subject("about", { id: n.toString(16).padStart(8, "0") }), about());
    expect(list.all).toHaveLength(10_000);
    expect(list.dropped).toBe(10_000);
  });

  it("[DI27] stays with the run that it heard first, and tells of another one once", () => {
    const others: LiveAddress[] = [];
    const { watch, pictures } = watching([], { other: (one) => others.push(one) });
    watch.hear(subject("about"), about());
    watch.hear(subject("columns"), all);
    for (const more of [{ id: "ffffffff" }, { identity: "evil" }])
      for (const topic of ["about", "columns", "rows"] as const)
        expect(watch.hear(subject(topic, more), rowsMessage(1))).toBe(false);
    watch.hear(subject("about", { id: "ffffffff" }), about());
    expect(pictures).toEqual([]);
    expect(others).toHaveLength(1);
  });

  it("finds a run by its subject", () => {
    expect(liveAddressOf(subject("rows"))).toEqual({ ...ADDRESS, topic: "rows" });
    for (const wrong of ["cosimo.p.live.a.b.0123abcd.all", "cosimo.p.live.a.0123abcd.rows", "x"])
      expect(liveAddressOf(wrong)).toBeUndefined();
  });
});
