/**
 * The library of adaptations (packages/cosimo/adaptations, applied in examples/adaptations): each
 * scenario shows what is wrong without its adaptation, and that it is right with it. What is
 * expected are sums and formulas that are easy to check by hand.
 */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { simulateScenarioFile } from "../src/host/scenario-file.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "..", "examples", "adaptations");

interface Rows {
  readonly time: readonly number[];
  /** A recorded column, row by row. */
  of(name: string): readonly number[];
  at(name: string, time: number): number;
}

async function run(name: string, set: Readonly<Record<string, number>> = {}): Promise<Rows> {
  const { outcome, trace } = await simulateScenarioFile(join(FOLDER, `${name}.yaml`), {
    set,
    trust: true,
  });
  expect(outcome.kind).toBe("completed");
  const time = Array.from(trace.time);
  const of = (wanted: string): readonly number[] => {
    const column = trace.columns.find((one) => one.name === wanted);
    if (column === undefined) throw new Error(`${name} records no '${wanted}'`);
    return Array.from(column.data as Float64Array, Number);
  };
  const at = (wanted: string, instant: number): number => {
    const row = time.findIndex((t) => Math.abs(t - instant) < 1e-9);
    if (row < 0) throw new Error(`${name} has no row at ${instant}`);
    return of(wanted)[row]!;
  };
  return { time, of, at };
}

/** Every row of a column is what `expected` says for its time. */
function expectAll(rows: Rows, name: string, expected: (t: number, row: number) => number): void {
  const values = rows.of(name);
  expect(values.length).toBeGreaterThan(3);
  for (const [row, value] of values.entries())
    expect(value, `${name} in row ${row}`).toBeCloseTo(expected(rows.time[row]!, row), 9);
}

describe("values", () => {
  it("[AU80] frame.sa moves a slide through the world, not along its rails", async () => {
    const rows = await run("frame");
    expectAll(rows, "plain.x", (t) => t);
    expectAll(rows, "plain.y", (t) => 2 * t);
    expectAll(rows, "adapted.x", (t) => 3 + t);
    expectAll(rows, "adapted.y", (t) => -1 + 2 * t);
  });

  it("[AU81] extrapolate.sa leads a ramp on into the step, from the second step on", async () => {
    const rows = await run("extrapolate");
    const step = 0.1;
    // Held, a ramp loses half a step: Σ k h² = t²/2 - t h/2. Led on, only the first step does.
    expectAll(rows, "plain.x", (t) => (t * t - t * step) / 2);
    expectAll(rows, "adapted.x", (t) => (t === 0 ? 0 : (t * t - step * step) / 2));
  });

  it("[AU82] interpolate.sa makes the trapezoidal rule of held inputs", async () => {
    const rows = await run("interpolate");
    // The source goes first, and nobody declares the bare input: it holds the end of every step.
    expectAll(rows, "plain.x", (t) => (t * t + t * 0.1) / 2);
    expectAll(rows, "adapted.x", (t) => (t * t) / 2);
  });

  it("[AU83] quantize.sa tells multiples of its quantum, each a whole one away from the last", async () => {
    const rows = await run("quantize");
    expectAll(rows, "plain.x", (t) => (t < 1 ? t : 2 - t));
    // Up in quarters, down in quarters, and each is told when it is reached.
    expectAll(rows, "adapted.x", (t) =>
      t < 1 ? Math.floor(4 * t) / 4 : Math.ceil(4 * (2 - t)) / 4,
    );
    expect(rows.of("adapted.changes").at(-1)).toBe(8);
    expect(new Set(rows.of("plain.x")).size).toBe(17);
  });

  it("[AU84] hold.sa samples between the points of the others, and holds", async () => {
    const rows = await run("hold");
    expectAll(rows, "plain.x", (t) => t);
    expectAll(rows, "adapted.x", (t) => Math.floor(4 * t + 1e-9) / 4);
  });

  it("[AU85] reset.sa restarts a count that cannot be set", async () => {
    const rows = await run("reset");
    expectAll(rows, "plain.x", (t) => t);
    expectAll(rows, "adapted.x", (t) => (t < 1 + 1e-9 ? t : 0.5 + t - 1));
  });
});

describe("derivatives", () => {
  it("[AU86] derivative.sa knows the speed of a parabola from its second step on", async () => {
    const rows = await run("derivative");
    expectAll(rows, "line.slope", (t, row) => (row === 0 ? 0 : 9.8 * (t - 0.05)));
    expectAll(rows, "adapted.slope", (t, row) => (row === 1 ? 9.8 * 0.05 : 9.8 * t));
  });

  it("[AU87] sensitivity.sa tries the step with other inputs and leaves no trace of it", async () => {
    const rows = await run("sensitivity");
    // x' = u - x over half a second: ∂x/∂u = 1 - exp(-1/2).
    expectAll(rows, "adapted.partial", (_t, row) => (row === 0 ? 0 : 1 - Math.exp(-0.5)));
    expectAll(rows, "adapted.x", (t) => 1 - Math.exp(-t));
    expect(rows.of("adapted.x")).toEqual(rows.of("plain.x"));
  });
});

describe("steps", () => {
  it("[AU88] iterate.sa ends each step where heater and plate agree", async () => {
    const rows = await run("iterate");
    // P = offered / (1 + 0.002 P), the positive root.
    const power = (t: number): number => (Math.sqrt(1 + 0.8 * (1 + t)) - 1) / 0.004;
    expectAll(rows, "adapted.power", (t, row) => (row === 0 ? 0 : power(t)));
    expectAll(rows, "adapted.temperature", (t, row) => (row === 0 ? 0 : power(t) / 2));
    // In turn they miss it: the heater knows the temperature of half a second ago.
    let temperature = power(0) / 2;
    expectAll(rows, "heater.power", (t, row) => {
      if (row === 0) return power(0);
      const reported = (100 * (1 + t)) / (1 + 0.004 * temperature);
      temperature = reported / 2;
      return reported;
    });
    expect(rows.at("heater.power", 2) - power(2)).toBeGreaterThan(5);
  });

  it("[AU89] multi-rate.sa makes a unit stable that is not at the step of the others", async () => {
    const rows = await run("multi-rate");
    expectAll(rows, "plain.x", (_t, row) => (-2) ** row);
    expectAll(rows, "adapted.x", (_t, row) => 0.7 ** (10 * row));
  });

  it("[AU90] triggered.sa executes a program for each message, not for each step", async () => {
    const rows = await run("triggered");
    const messages = [1, 4, 2];
    const message = (row: number): number => messages[Math.floor((row - 1) / 4)]!;
    let smoothed = 0;
    expectAll(rows, "adapted.x", (_t, row) => {
      if (row % 4 === 1) smoothed += (message(row) - smoothed) / 2;
      return smoothed;
    });
    expectAll(rows, "adapted.runs", (_t, row) => Math.ceil(row / 4));
    let eager = 0;
    expectAll(rows, "plain.x", (_t, row) => {
      if (row > 0) eager += (message(row) - eager) / 2;
      return eager;
    });
    expect(Math.abs(rows.at("plain.x", 2) - rows.at("adapted.x", 2))).toBeGreaterThan(1);
  });
});

describe("instants", () => {
  it("[AU91] crossing.sa ends a step where the signal meets the threshold", async () => {
    const rows = await run("crossing");
    const meets = Math.sqrt(0.5);
    expect(Math.min(...rows.time.map((t) => Math.abs(t - meets)))).toBeLessThan(1e-9);
    expectAll(rows, "adapted.x", (t) => Math.max(0, t - meets));
    // Compared where steps end, it is seen at 0.75 s.
    const plain = await run("crossing-plain");
    expectAll(plain, "plain.x", (t) => Math.max(0, t - 0.75));
  });

  it("[AU92] timed.sa ends a step where its time is over, between the points of the others", async () => {
    const rows = await run("timed");
    const over = 1.27;
    expect(Math.min(...rows.time.map((t) => Math.abs(t - over)))).toBeLessThan(1e-12);
    expectAll(rows, "adapted.x", (t) => Math.min(Math.max(0, t - 1), 0.27));
    expectAll(rows, "adapted.running", (t) => (t > 1 - 1e-9 && t < over - 1e-9 ? 1 : 0));
    // On the grid of the others nothing can end there.
    expect(rows.time.filter((t) => Math.abs(10 * t - Math.round(10 * t)) > 1e-6)).toHaveLength(1);
  });
});

describe("parameters", () => {
  const root = (t: number): number => (Math.sqrt(1 + 0.8 * (1 + t)) - 1) / 0.004;
  const cases: readonly {
    readonly name: string;
    readonly set: Readonly<Record<string, number>>;
    readonly column: string;
    readonly expected: (t: number, row: number) => number;
  }[] = [
    { name: "frame", set: { X0: 7, ANGLE: 2 }, column: "x", expected: (t) => 7 + t },
    { name: "frame", set: { Y0: 7, ANGLE: -1 }, column: "y", expected: (t) => 7 + 2 * t },
    {
      name: "extrapolate",
      set: { WEIGHT: 0 },
      column: "x",
      expected: (t) => (t * t - t * 0.1) / 2,
    },
    { name: "quantize", set: { QUANTUM: 2 }, column: "x", expected: () => 0 },
    {
      name: "hold",
      set: { PERIOD: 0.07 },
      column: "x",
      expected: (t) => 0.07 * Math.floor(t / 0.07 + 1e-9),
    },
    {
      name: "reset",
      set: { VALUE: -3 },
      column: "x",
      expected: (t) => (t < 1 + 1e-9 ? t : t - 4),
    },
    {
      name: "derivative",
      set: { INITIAL: 5 },
      column: "slope",
      expected: (t, row) => [5, 9.8 * 0.05][row] ?? 9.8 * t,
    },
    {
      name: "sensitivity",
      set: { DELTA: 10 },
      column: "partial",
      expected: (_t, row) => (row === 0 ? 0 : 1 - Math.exp(-0.5)),
    },
    {
      name: "iterate",
      set: { ROUNDS: 1 },
      column: "power",
      expected: lagging(),
    },
    {
      name: "iterate",
      set: { RELATIVE: 0, ABSOLUTE: 1e-10 },
      column: "power",
      expected: (t, row) => (row === 0 ? 0 : root(t)),
    },
    { name: "multi-rate", set: { RATE: 1 }, column: "x", expected: (_t, row) => (-2) ** row },
    // A unit that takes no step at all would stand still without a word.
    { name: "multi-rate", set: { RATE: 0 }, column: "x", expected: (_t, row) => (-2) ** row },
    {
      name: "triggered",
      set: { INITIAL: 1 },
      column: "runs",
      expected: (_t, row) => Math.max(0, Math.ceil(row / 4) - 1),
    },
    {
      name: "crossing",
      set: { THRESHOLD: 2 },
      column: "x",
      expected: (t) => Math.max(0, t - Math.SQRT2),
    },
    {
      name: "crossing",
      set: { INITIAL: 1 },
      column: "x",
      // It begins at or above, then the signal is below until it rises.
      expected: (t) => Math.min(t, 0.25) + Math.max(0, t - Math.SQRT1_2),
    },
    {
      name: "timed",
      set: { DURATION: 0.61 },
      column: "x",
      expected: (t) => Math.min(Math.max(0, t - 1), 0.61),
    },
  ];

  it.each(cases)("[AU93] $name with $set", async ({ name, set, column, expected }) => {
    const given = Object.entries(set).map(([key, value]) => [`adapted.${key}`, value]);
    const rows = await run(name, Object.fromEntries(given));
    expectAll(rows, `adapted.${column}`, expected);
  });

  /** One round: the heater with the temperature that the last step left. */
  function lagging(): (t: number, row: number) => number {
    let temperature = 0;
    return (t, row) => {
      if (row === 0) return 0;
      const reported = (100 * (1 + t)) / (1 + 0.004 * temperature);
      temperature = reported / 2;
      return reported;
    };
  }
});
