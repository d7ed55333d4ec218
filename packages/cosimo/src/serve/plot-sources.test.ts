/** Exact values, differences and derived signals of recordings that are longer than any picture. */
import { expect, it } from "vitest";
import { derivedReader, deriveSignal } from "./derived-signals.ts";
import { differenceRows } from "./difference-rows.ts";
import { type RowSource, SignalIndex } from "./signal-index.ts";

function rowsOf(time: readonly number[], columns: Record<string, readonly number[]>): RowSource {
  const names = Object.keys(columns);
  return {
    names,
    count: () => time.length,
    read(column, first, target) {
      const values = column < 0 ? time : (columns[names[column] ?? ""] ?? []);
      for (let k = 0; k < target.length; k++) target[k] = values[first + k] ?? Number.NaN;
    },
  };
}

const linear = (): boolean => false;
const recording = (
  source: RowSource,
  isGoing = false,
  isStepwise: (signal: string) => boolean = linear,
) => ({
  index: new SignalIndex(source),
  names: source.names,
  isStepwise,
  isGoing,
});

const ROWS = 50_000;
const times = Array.from({ length: ROWS }, (_, i) => i * 1e-3);
/** Forty periods for every point of a picture. */
const sine = (phase: number): number[] => times.map((t) => Math.sin(2000 * t + phase));

it("[SV25] the difference of two recordings is made of rows, before a picture is", async () => {
  const [a, b] = [0, Math.PI / 2].map((phase) => rowsOf(times, { x: sine(phase) }));
  if (!a || !b) throw new Error("there are two");
  const index = new SignalIndex(differenceRows(recording(a), recording(b)));
  await index.prepare(["x"], async () => undefined);
  const { values } = index.query({ of: "", signals: ["x"], points: 1200 });
  const found = Math.max(...(values[0] ?? []).map(Math.abs));
  const truth = Math.max(
    ...times.map((t) => Math.abs(Math.sin(2000 * t) - Math.sin(2000 * t + Math.PI / 2))),
  );
  expect(found).toBe(truth);
  expect(truth).toBeCloseTo(Math.SQRT2, 3);
});

it("[SV25] where one has no row its curve counts, and nothing where it has not begun or has ended", () => {
  const a = rowsOf([0, 1, 1, 2, 3], { x: [0, 10, 20, 30, 40], n: [0, 1, 2, 3, 4] });
  const b = rowsOf([0.5, 1, 1.5, 2], { n: [1, 1, 1, 1], x: [1, 2, 3, 4] });
  const held = (name: string): boolean => name === "n";
  const read = (column: number, isGoing = false): number[] => {
    const rows = differenceRows(recording(a, isGoing, held), recording(b, false, held));
    const out = new Float64Array(rows.count());
    rows.read(column, 0, out);
    return [...out];
  };
  expect(read(-1)).toEqual([0, 0.5, 1, 1, 1.5, 2, 3]);
  expect(read(0)).toEqual([Number.NaN, 4, 8, 18, 22, 26, Number.NaN]);
  expect(read(1)).toEqual([Number.NaN, -1, 0, 1, 1, 2, Number.NaN]);
  const short = recording(rowsOf([0, 1], { x: [0, 1] }), true);
  expect(differenceRows(short, recording(b)).count()).toBe(3);
});

it("[SV26] values at an instant are those of its rows, at any length, and go on row by row", () => {
  const index = new SignalIndex(rowsOf(times, { x: sine(0), n: times.map((_, i) => i) }));
  const held = (name: string): boolean => name === "n";
  const at = (time: number, by = 0) => index.instant(time, by, ["x", "n"], held);
  expect(at(12.345)).toMatchObject({ row: 12345, values: { n: 12345, x: sine(0)[12345] } });
  const between = at(12.3455);
  expect(between).toMatchObject({ row: 12345, values: { n: 12345 } });
  const [low = 0, high = 0] = sine(0).slice(12345, 12347);
  expect(between.values["x"]).toBeCloseTo((low + high) / 2, 9);
  expect(at(12.3455, 1)).toMatchObject({ time: times[12346], row: 12346 });
  expect(at(12.345, -1)).toMatchObject({ time: times[12344], row: 12344 });
  expect(at(12.345, 10).row).toBe(12355);
  expect(at(-1)).toEqual({ time: -1, values: { x: null, n: null } });
  expect(at(1e3).values).toEqual({ x: null, n: null });
});

it("[SV27] signals are derived in the language of requirements, with units and findings", () => {
  const columns = [
    { name: "m.w", type: "float64", unit: "rad/s" },
    { name: "m.on", type: "boolean" },
  ] as const;
  const derive = (text: string) => deriveSignal(`= ${text}`, columns);
  const source = rowsOf([0, 1, 2, 3], { "m.w": [0, 2, 4, 6] });
  const index = new SignalIndex(source);
  const valuesOf = (text: string): number[] => {
    const { value } = derive(text);
    if (!value) throw new Error(`${text} is refused`);
    index.define(
      text,
      derivedReader(value, (name, first, target) => index.read(name, first, target)),
    );
    const out = new Float64Array(4);
    index.read(text, 0, out);
    return [...out];
  };
  expect(derive("m.w * 60 / 6.28").value).toMatchObject({
    info: { name: "= m.w * 60 / 6.28", unit: "rad/s", type: "float64" },
    signals: ["m.w"],
  });
  expect(valuesOf("m.w * 60 / 6")).toEqual([0, 20, 40, 60]);
  expect(valuesOf("max(m.w, 3) - m.w")).toEqual([3, 1, 0, 0]);
  expect(valuesOf("integral(m.w)")).toEqual([0, 1, 4, 9]);
  expect(derive("integral(m.w)").value?.info.unit).toBe("rad/s.s");
  expect(index.instant(1.5, 0, ["m.w * 60 / 6"], linear).values).toEqual({ "m.w * 60 / 6": 30 });
  const refused = (text: string): string => {
    const [first] = derive(text).diagnostics;
    return `${first?.message}: ${first?.fix}`;
  };
  expect(refused("m.v + 1")).toMatch(/'m.v' was not recorded: write m.w/);
  expect(refused("m.w +")).not.toBe("undefined: undefined");
  expect(refused("m.w + 1 kg")).toMatch(/kg/);
  expect(refused("m.on * 2")).toMatch(/not a number/);
  expect(refused("settling(m.w, 1, 0.1)")).toMatch(/requirement/);
});
