import { expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { flatten } from "../devs/flatten.ts";
import { atomic, coupled, port } from "../devs/model.ts";
import { ConservativePart } from "./conservative.ts";
import { Part } from "./part.ts";
import { splitModel } from "./split.ts";

const TICKS = 1000;

it("[PE16] busy components before a delay do not keep others from going on", () => {
  const busy = atomic<number, Record<string, never>, { out: ReturnType<typeof port<number>> }>({
    outputs: { out: port<number>() },
    initial: () => 0,
    timeAdvance: () => 0.01,
    output: (count, send) => send("out", count),
    internal: (count) => count + 1,
  });
  const ends = { inputs: { in: port<number>() }, outputs: { out: port<number>() } };
  const line = atomic<number[], typeof ends.inputs, typeof ends.outputs>({
    ...ends,
    minimumDelay: 1,
    initial: () => [],
    timeAdvance: ([due = Number.POSITIVE_INFINITY], now) => Math.max(0, due - now.time),
    output: (_, send) => send("out", 1),
    internal: (held) => held.slice(1),
    external: (held, input) => [...held, input.time + 1],
  });
  const model = coupled({
    name: "lookahead",
    components: { busy, line, far: line },
    couplings: ["busy.out -> line.in", "line.out -> far.in"],
  });
  const whole = unwrap(flatten(model));
  const split = splitModel(whole, Int32Array.of(0, 0, 1), TICKS);
  expect(split.parts[0]?.reach.get(1)).toEqual([
    { delay: 0, units: [1] },
    { delay: TICKS, units: [0] },
  ]);
  const options = { start: 0, ticksPerSecond: TICKS, record: "none" } as const;
  const part = new ConservativePart(split, new Part(split, 0, options), 10 * TICKS);
  part.proceed(1);
  const [packet] = part.take();
  // One event of `busy` is over, and its value leaves the line a second later.
  expect(packet).toEqual({
    to: 1,
    messages: [{ kind: "promise", stamp: { time: 1010, index: 0 } }],
  });
});
