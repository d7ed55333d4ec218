/**
 * Random networks of state machines and discrete-event units, with delays, zero delays and cycles,
 * beside something continuous: every event that is sent is received exactly once.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { atomic, devsUnit, port, signal } from "../src/devs.ts";
import { defineScenario } from "../src/run/define-scenario.ts";
import { simulateScenario } from "../src/run/simulate-scenario.ts";
import { linearUnit } from "../src/unit/linear-unit.ts";
import { stateMachineUnit } from "../src/unit/state-machine-unit.ts";
import type { Unit } from "../src/unit/unit.ts";

const INPUTS = [0, 1];

/** Sends at given times; counts what arrives and, after its delay, passes it on. */
function devsNode(name: string, times: readonly number[], delay: number | undefined): Unit {
  interface State {
    counts: number[];
    sent: number;
    due: number[];
    isNew: boolean;
  }
  const int = () => port<number>({ type: "int32", held: true });
  return devsUnit(
    atomic({
      name,
      inputs: { in0: signal(), in1: signal() },
      outputs: { out: signal(), n0: int(), n1: int(), sent: int() },
      initial: (): State => ({ counts: [0, 0], sent: 0, due: [...times], isNew: false }),
      timeAdvance: ({ due, isNew }, now) =>
        isNew ? 0 : Math.max(0, (due[0] ?? Number.POSITIVE_INFINITY) - now.time),
      output: ({ counts: [a = 0, b = 0], sent, due, isNew }, send) => {
        const isSending = !isNew && due.length > 0;
        if (isSending) send("out", true);
        send("n0", a);
        send("n1", b);
        send("sent", sent + (isSending ? 1 : 0));
      },
      internal: (state) => {
        if (state.isNew) return { ...state, isNew: false };
        return { ...state, sent: state.sent + 1, due: state.due.slice(1) };
      },
      external: (state, input) => {
        const arrived = INPUTS.map((k) => input.values(`in${k}` as "in0").length);
        const counts = state.counts.map((count, k) => count + (arrived[k] ?? 0));
        const more = (arrived[0] ?? 0) + (arrived[1] ?? 0);
        const due =
          delay === undefined
            ? state.due
            : [...state.due, ...new Array<number>(more).fill(input.time + delay)].sort(
                (x, y) => x - y,
              );
        return { ...state, counts, due, isNew: true };
      },
    }),
    { name, maxTransitions: 5000 },
  );
}

/** The same as a machine, which passes on at once or not at all. */
function machineNode(name: string, times: readonly number[], relays: boolean): Unit {
  const receive = (k: number) => ({
    on: `in${k}`,
    to: "run",
    do: (m: { get(p: string): number; set(p: string, v: number): void; emit(e: string): void }) => {
      m.set(`n${k}`, m.get(`n${k}`) + 1);
      if (!relays) return;
      m.set("sent", m.get("sent") + 1);
      m.emit("out");
    },
  });
  const source = times.length > 0;
  return stateMachineUnit({
    name,
    inputs: {
      in0: { type: "boolean", nature: "transient" },
      in1: { type: "boolean", nature: "transient" },
    },
    outputs: { n0: { type: "int32" }, n1: { type: "int32" }, sent: { type: "int32" } },
    events: ["out"],
    initial: source ? "t0" : "run",
    states: {
      run: { transitions: INPUTS.map(receive) },
      ...Object.fromEntries(
        times.map((time, k) => [
          `t${k}`,
          {
            transitions: [
              {
                after: time - (times[k - 1] ?? 0),
                to: k + 1 < times.length ? `t${k + 1}` : "end",
                do: (m: Parameters<ReturnType<typeof receive>["do"]>[0]) => {
                  m.set("sent", m.get("sent") + 1);
                  m.emit("out");
                },
              },
            ],
          },
        ]),
      ),
      end: {},
    },
  });
}

const STOP = 4;
/** Half of the runs are coordinated, the others take common steps. */
const MASTERS = [
  ...new Array<string>(4).fill("event-driven"),
  ...["jacobi", "gauss-seidel", "iterative", "adaptive"],
] as const;
const times = fc
  .array(
    fc.integer({ min: 0, max: 16 }).map((k) => k / 4),
    { minLength: 1, maxLength: 6 },
  )
  .map((list) => list.sort((a, b) => a - b));
const node = fc.oneof(
  fc.record({ kind: fc.constant("source" as const), times, isDevs: fc.boolean() }),
  fc.record({ kind: fc.constant("relay" as const), isDevs: fc.boolean() }),
  fc.record({ kind: fc.constant("sink" as const), isDevs: fc.boolean() }),
  fc.record({ kind: fc.constant("delay" as const), delay: fc.constantFrom(0.25, 0.5, 0.75) }),
);

describe("random mixed scenarios", () => {
  it("[CO4] every event that is sent is received exactly once, whatever the step", async () => {
    let [cycles, doubles, total] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.array(node, { minLength: 2, maxLength: 7 }),
        fc.array(fc.nat(1000), { minLength: 14, maxLength: 14 }),
        fc.constantFrom(0.03, 0.25, 1, 3),
        fc.constantFrom(...MASTERS),
        async (nodes, choices, step, master) => {
          const units = nodes.map((one, k): Unit => {
            const name = `u${k}`;
            if (one.kind === "delay") return devsNode(name, [], one.delay);
            const own = one.kind === "source" ? one.times : [];
            const isRelay = one.kind === "relay";
            return one.isDevs
              ? devsNode(name, own, isRelay ? 0 : undefined)
              : machineNode(name, own, isRelay);
          });
          // Each input has one source at most. What passes on at once leads forward; what waits may
          // lead anywhere, once.
          const wires: { from: number; to: number; input: number }[] = [];
          const waits = new Set<number>();
          nodes.forEach(({ kind }, to) => {
            if (kind === "source") return;
            for (const input of INPUTS) {
              const from = (choices[2 * to + input] ?? 0) % nodes.length;
              const source = nodes[from];
              if (from === to || source === undefined || source.kind === "sink") continue;
              if (source.kind === "relay" && from > to) continue;
              if (source.kind === "delay" && (waits.has(from) || kind === "relay")) continue;
              if (source.kind === "delay") waits.add(from);
              wires.push({ from, to, input });
            }
          });
          const ran = await simulateScenario(
            defineScenario({
              units: {
                ...Object.fromEntries(units.map((unit) => [unit.name, unit])),
                other: linearUnit({ name: "other", states: { x: { start: 1 } }, a: [[-1]] }),
              },
              connections: wires.map(({ from, to, input }) => ({
                from: `u${from}.out`,
                to: `u${to}.in${input}`,
                ...(master === "event-driven" && { trigger: { kind: "event" } }),
              })),
              experiment: { stop: STOP, step },
              master,
              record: ["*.sent", "*.n?", "*.out"],
            }),
          );
          const { outcome, trace, diagnostics } = ran;
          expect(outcome).toMatchObject({ kind: "completed", time: STOP });
          // Common steps do not end at events that are recorded and not connected.
          const isShown = (k: number): boolean =>
            master === "event-driven" || wires.some(({ from }) => from === k);
          for (const { code, message } of diagnostics) {
            if (code === "zero-delay-cycle") continue;
            const k = nodes.findIndex((_, u) => message.includes(`'u${u}.out'`));
            expect([code, isShown(k)], message).toEqual(["events-at-step-ends", false]);
          }
          const last = (name: string): number =>
            Number(trace.columns.find((column) => column.name === name)?.data.at(-1));
          for (const { from, to, input } of wires) {
            expect(last(`u${to}.n${input}`), `u${from} -> u${to}.in${input}`).toBe(
              last(`u${from}.sent`),
            );
            total += last(`u${from}.sent`);
          }
          // Every event has a row of its own, too.
          nodes.forEach((_, k) => {
            if (!isShown(k)) return;
            const marks = trace.columns.find(({ name }) => name === `u${k}.out`)?.data;
            const rows = Array.from(marks as Float64Array).filter((mark) => mark !== 0).length;
            expect(rows, `rows of u${k}.out`).toBe(last(`u${k}.sent`));
          });
          if (ran.master?.notes.some((note) => note.includes("for each other"))) cycles++;
          if (
            nodes.some((one) => one.kind === "source" && new Set(one.times).size < one.times.length)
          )
            doubles++;
        },
      ),
      { numRuns: 150, seed: 7 },
    );
    expect(cycles).toBeGreaterThan(3);
    expect(doubles).toBeGreaterThan(10);
    expect(total).toBeGreaterThan(200);
  }, 60_000);
});
