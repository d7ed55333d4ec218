/**
 * Orders of simultaneous events: models that are known to be confluent, and models that are known
 * not to be.
 */
import { describe, expect, it } from "vitest";
import { diffLines } from "../unit/explore-orders.ts";
import { checkConfluence } from "./confluence.ts";
import { atomic, type Component, coupled, port } from "./model.ts";
import { crossing } from "./testing/traffic-light.ts";

/**
 * AX-1 with a light that is green for 40 s: it leaves green when the officer switches it off, at
 * t=100.
 */
function hurriedCrossing(semantics: "classic" | "parallel", select?: string[]): Component {
  const seconds: Record<string, number> = { red: 60, green: 40, yellow: 10, off: Infinity };
  const next: Record<string, string> = {
    red: "green",
    green: "yellow",
    yellow: "red",
    off: "red",
  };
  const light = atomic({
    inputs: { command: port<string>() },
    outputs: { colour: port<string>() },
    initial: "red",
    timeAdvance: (colour) => seconds[colour],
    output: (colour, send) => send("colour", next[colour]),
    internal: (colour) => next[colour],
    external: (colour, input): string => (input.get("command") === "toOff" ? "off" : colour),
  });
  const officer = atomic({
    outputs: { command: port<string>() },
    initial: "idle",
    timeAdvance: (state) => (state === "idle" ? 100 : Infinity),
    output: (_, send) => send("command", "toOff"),
    internal: () => "working",
  });
  return coupled({
    name: "crossing",
    semantics,
    ...(select && { select }),
    components: { light, officer },
    couplings: ["officer.command -> light.command"],
  });
}

/** `count` sources that send their number at t=1, 2, … to one receiver. */
function sources(
  count: number,
  receive: (state: number[], values: number[]) => number[],
): Component {
  const source = (value: number) =>
    atomic({
      outputs: { out: port<number>() },
      initial: 0,
      timeAdvance: () => 1,
      output: (_, send) => send("out", value),
      internal: (k) => k + 1,
    });
  const names = Array.from({ length: count }, (_, i) => `s${i}`);
  const receiver = atomic({
    inputs: { in: port<number>() },
    outputs: { out: port<number>() },
    initial: [] as number[],
    timeAdvance: (state) => (state.length > 0 ? 0 : Infinity),
    output: (state, send) => send("out", state[0]),
    internal: (): number[] => [],
    external: (state, input) => receive(state, input.values("in")),
  });
  return coupled({
    name: "sources",
    outputs: { out: port<number>() },
    components: {
      ...Object.fromEntries(names.map((name, i) => [name, source(i + 1)])),
      receiver,
    },
    couplings: [...names.map((name) => `${name}.out -> receiver.in`), "receiver.out -> out"],
  });
}

const sum = (_: number[], values: number[]): number[] => [values.reduce((a, b) => a + b, 0)];
const last = (_: number[], values: number[]): number[] => [values.at(-1)!];

describe("the order of simultaneous events", () => {
  it("[SI1] there is none to choose in AX-1: no two events coincide", async () => {
    expect(await checkConfluence(crossing, { stop: 1000 })).toEqual({
      verdict: "no-ties",
      orders: 1,
      ties: 0,
    });
  });

  it("[SI1] matters where the light changes while the officer switches it off (classic)", async () => {
    const report = await checkConfluence(hurriedCrossing("classic"), { stop: 200 });
    expect(report.verdict).toBe("order-matters");
    expect(report.difference).toEqual({
      time: 100,
      first: {
        time: 100,
        what: "which component goes first",
        chosen: "light",
        among: ["light", "officer"],
      },
      second: {
        time: 100,
        what: "which component goes first",
        chosen: "officer",
        among: ["light", "officer"],
      },
      diff: ['- t=100 light.colour "yellow"', '  t=100 officer.command "toOff"'],
    });
  });

  it("[SI1] begins with the order of the rules: 'select' decides what comes first", async () => {
    const { difference } = await checkConfluence(hurriedCrossing("classic", ["officer", "light"]), {
      stop: 200,
    });
    expect(difference?.first.chosen).toBe("officer");
    expect(difference?.diff).toContain('+ t=100 light.colour "yellow"');
  });

  it("[SI2] internal and external transition are a tie where no confluent one is given", async () => {
    const report = await checkConfluence(hurriedCrossing("parallel"), { stop: 100 });
    expect(report.verdict).toBe("order-matters");
    expect(report.difference?.time).toBeUndefined();
    expect(report.difference?.diff).toEqual([
      '- at the end: light "off"',
      '+ at the end: light "red"',
    ]);
  });

  it("[SI2] a confluent transition settles it", async () => {
    const model = hurriedCrossing("parallel");
    if (model.kind !== "coupled" || model.components["light"].kind !== "atomic") throw new Error();
    const light = { ...model.components["light"], confluent: () => "off" };
    const settled = { ...model, components: { ...model.components, light } };
    expect((await checkConfluence(settled, { stop: 200 })).verdict).toBe("no-ties");
  });

  it("[SI2] bags: a sum does not depend on the order of its values, the last value does", async () => {
    const confluent = await checkConfluence(sources(3, sum), { stop: 1 });
    expect(confluent).toEqual({ verdict: "confluent", orders: 6, ties: 2 });
    const { verdict, difference } = await checkConfluence(sources(3, last), { stop: 1 });
    expect(verdict).toBe("order-matters");
    expect(difference?.time).toBe(1);
    expect(difference?.diff.filter((line) => !line.startsWith(" "))).toEqual([
      "- t=1 receiver.out 3",
      "+ t=1 receiver.out 2",
    ]);
  });

  it("[SI3] few orders are all tried, many are drawn from a seed; the same seed draws the same", async () => {
    const few = await checkConfluence(sources(3, sum), { stop: 2, orders: 36 });
    expect(few).toEqual({ verdict: "confluent", orders: 36, ties: 4 });
    const many = await checkConfluence(sources(6, sum), { stop: 3, orders: 20, seed: 7 });
    expect(many).toEqual({ verdict: "not-refuted", orders: 20, ties: 15, seed: 7 });
    const tried: number[][] = [];
    const model = sources(6, (state, values) => {
      tried.push(values);
      return sum(state, values);
    });
    await checkConfluence(model, { stop: 2, orders: 10, seed: 3 });
    const again = tried.splice(0);
    await checkConfluence(model, { stop: 2, orders: 10, seed: 3 });
    expect(tried).toEqual(again);
    await checkConfluence(model, { stop: 2, orders: 10, seed: 4 });
    expect(tried.slice(again.length)).not.toEqual(again);
  });

  it("[SI3] says how far it is", async () => {
    const seen: string[] = [];
    await checkConfluence(sources(2, sum), {
      stop: 1,
      onProgress: (done, of) => void seen.push(`${done}/${of}`),
    });
    expect(seen).toEqual(["1/100", "2/100"]);
  });

  it("[SI1] diffs of event sequences show what both have, and what one has", () => {
    expect(diffLines(["a", "b", "c"], ["a", "c", "d"])).toEqual(["  a", "- b", "  c", "+ d"]);
    const long = Array.from({ length: 2000 }, (_, i) => String(i));
    expect(diffLines([...long, "x"], [...long, "y"])).toEqual([
      "  1997",
      "  1998",
      "  1999",
      "- x",
      "+ y",
    ]);
  });
});
