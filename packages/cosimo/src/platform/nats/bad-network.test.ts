/**
 * A unit behind both ends of a channel on networks with seeds: loss, delay, other orders,
 * repetition, a server that is killed and comes back (what was under way is gone), partitions, slow
 * calls, peers that crash. Every run gives the values of the unit at hand, or ends with the words
 * for what happened; none hangs. A seed that fails does so again.
 */
import { describe, expect, it } from "vitest";
import { UnitLost } from "../../base/outcome.ts";
import { makeBanks } from "../../model/value-type.ts";
import { RemoteHost } from "../../remote/open-remote.ts";
import { PeerLost } from "../../remote/protocol.ts";
import { RestartingTransport } from "../../remote/restarting-transport.ts";
import type { Transport } from "../../remote/transport.ts";
import { UnitServer } from "../../remote/unit-server.ts";
import { ByteReader, ByteWriter } from "../../unit/bytes.ts";
import { indexOf, startUnit } from "../../unit/testing/drive.ts";
import { decay } from "../../unit/testing/internal/decay.ts";
import type { Unit } from "../../unit/unit.ts";
import { AnswerLine, type CallAction, CallLine, type Patience } from "./call-line.ts";
import { takeFrame } from "./frames.ts";

const CASES = process.env["COSIMO_ALL_CASES"] === "1" ? 4000 : 400;
const PATIENCE: Patience = { silenceSeconds: 20, callSeconds: 200 };
const TURN = 0.05;
const LIMIT = 96;
const STEPS = 12;

/** mulberry32 */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

interface Weather {
  readonly loss: number;
  readonly double: number;
  readonly delay: number;
  /** How long a call may take at its unit. */
  readonly work: number;
  /** The server is killed then, and back after so many seconds. */
  readonly away: readonly (readonly [from: number, seconds: number])[];
  /** The process of the unit crashes then; the caller gets an error, or hears nothing any more. */
  readonly crashes: readonly number[];
  readonly isTold: boolean;
}

const FAIR: Weather = {
  ...{ loss: 0, double: 0, delay: 0.2, work: 0 },
  ...{ away: [], crashes: [], isTold: true },
};

/** A network, its clock and its chance: the same for all peers of a run. */
class World {
  now = 0;
  readonly next: () => number;
  readonly weather: Weather;
  crashes = 0;

  constructor(seed: number, weather: Weather) {
    this.next = random(seed);
    this.weather = weather;
  }

  get isAway(): boolean {
    const { now } = this;
    return this.weather.away.some(([from, seconds]) => now >= from && now < from + seconds);
  }
}

interface Parcel {
  readonly at: number;
  readonly bytes: Uint8Array;
  readonly toUnit: boolean;
}

/** One session with one unit; time passes while an answer is waited for. */
class BadTransport implements Transport {
  private readonly world: World;
  private readonly caller = new CallLine("motor", "supplier-a", 1, LIMIT);
  private readonly line = new AnswerLine(1, LIMIT);
  private readonly server = new UnitServer({ open: () => decay() });
  private readonly out = new ByteWriter();
  private parcels: Parcel[] = [];
  private done: { readonly at: number; readonly answer: Uint8Array } | undefined;
  private heardAt: number;
  private wasAway = false;
  private crashedAt: number | undefined;

  constructor(world: World) {
    this.world = world;
    this.heardAt = world.now;
  }

  send(message: ByteWriter): void {
    this.post(this.caller.begin(message.take(), this.world.now), true);
  }

  receive(): ByteReader {
    for (let turns = 0; turns < 1e5; turns++) {
      const answer = this.turn();
      if (answer !== undefined) return new ByteReader(answer);
    }
    throw new Error("internal: it hangs");
  }

  close(): void {
    this.parcels = [];
  }

  private turn(): Uint8Array | undefined {
    const { world } = this;
    world.now += TURN;
    const { now, isAway, weather } = world;
    if (this.crashedAt === undefined && now >= (weather.crashes[world.crashes] ?? 1e9)) {
      world.crashes++;
      this.crashedAt = now;
      this.done = undefined;
    }
    // A server that is killed takes along what it had.
    if (isAway) this.parcels = [];
    if (this.wasAway && !isAway) this.act(this.caller.reconnected(now));
    this.wasAway = isAway;
    if (this.done !== undefined && now >= this.done.at) {
      const { answer } = this.done;
      this.done = undefined;
      this.post(this.line.answer(answer), false);
    }
    // The node of a unit is heard every second, whatever the unit does; so is the end of a session.
    if (!isAway && (this.crashedAt === undefined || weather.isTold)) this.heardAt = now;
    if (this.crashedAt !== undefined && weather.isTold && !isAway && now > this.crashedAt + 1)
      throw new PeerLost("its session ended", { problem: "its session has ended" });
    const due = this.parcels.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    this.parcels = this.parcels.filter(({ at }) => at > now);
    for (const { bytes, toUnit } of due) {
      const answer = toUnit ? this.serve(bytes) : this.caller.take(takeFrame(bytes), now);
      if (answer !== undefined) return answer;
    }
    this.act(this.caller.tick(now, { heardAt: this.heardAt, isConnected: !isAway }, PATIENCE));
    return undefined;
  }

  private act(action: CallAction | undefined): void {
    if (action?.kind === "resend") this.post(action.frames, true);
    if (action?.kind === "lost") throw new PeerLost(action.how, { problem: action.problem });
  }

  private serve(bytes: Uint8Array): undefined {
    if (this.crashedAt !== undefined) return;
    const question = this.line.take(takeFrame(bytes));
    if (question.kind === "repeat") this.post(question.frames, false);
    if (question.kind !== "new") return;
    // Open and batch alike: decay opens at once.
    if (this.server.handle(new ByteReader(question.message), this.out) instanceof Promise)
      throw new Error("a unit in memory opens at once");
    const { now, next, weather } = this.world;
    this.done = { at: now + next() ** 3 * weather.work, answer: this.out.take() };
  }

  private post(frames: readonly Uint8Array[], toUnit: boolean): void {
    const { world } = this;
    const { loss, double, delay } = world.weather;
    if (world.isAway) return;
    for (const bytes of frames)
      for (let copies = world.next() < double ? 2 : 1; copies > 0; copies--)
        if (world.next() >= loss)
          this.parcels.push({ at: world.now + world.next() * delay, bytes, toUnit });
  }
}

function drive(unit: Unit): number[] {
  startUnit(unit);
  const banks = makeBanks({ f64: 2 });
  const input = unit.bind([{ port: indexOf(unit, "u"), slot: 0 }]);
  const output = unit.bind([{ port: indexOf(unit, "y"), slot: 1 }]);
  return Array.from({ length: STEPS }, (_, i) => {
    banks.f64[0] = Math.sin(i);
    unit.write(input, banks);
    unit.advance(i * 0.1, { kind: "time", time: (i + 1) * 0.1 });
    unit.read(output, banks);
    return banks.f64[1]!;
  });
}

const EXPECTED = drive(decay());

/** @returns the values, or in which words it ended. */
function run(
  seed: number,
  weather: Weather,
  restarts = false,
): { readonly values: number[] | string; readonly seconds: number } {
  const world = new World(seed, weather);
  const start = (): Transport => new BadTransport(world);
  try {
    const transport = restarts
      ? new RestartingTransport({ start, onRestart: () => undefined, baseEvery: 4 })
      : start();
    const { description } = decay();
    const unit = new RemoteHost(transport).open({ name: "far", order: "", description });
    return { values: drive(unit), seconds: world.now };
  } catch (error) {
    const isExpected = error instanceof UnitLost || error instanceof PeerLost;
    if (!isExpected) throw new Error(`seed ${seed}`, { cause: error });
    const problem = error instanceof UnitLost ? error.failure.problem : error.problem;
    return { values: problem ?? "", seconds: world.now };
  }
}

const WORDS =
  /its session has ended|'motor' on 'supplier-a' (was waited for \d+ s: (nothing was heard of its node|the connection to the server was lost) for \d+ s|did not answer within 200 s)/;

describe("a unit on a bad network", { timeout: 120_000 }, () => {
  it(`[DI21] ${CASES} seeds of everything at once: its values, or the words for what happened`, () => {
    const ends = { values: 0, words: 0, restarted: 0 };
    for (let seed = 0; seed < CASES; seed++) {
      const next = random(seed + 1e6);
      const isRough = next() < 0.7;
      const weather: Weather = {
        loss: isRough ? next() * 0.25 : 0,
        double: next() * 0.4,
        delay: next() * 2,
        work: next() < 0.3 ? 15 : 0,
        away: Array.from({ length: Math.floor(next() * 3) }, () => [next() * 30, next() * 25]),
        crashes: next() < 0.4 ? [next() * 30, 15 + next() * 60].sort((a, b) => a - b) : [],
        isTold: next() < 0.5,
      };
      const restarts = next() < 0.5;
      const { values } = run(seed, weather, restarts);
      if (typeof values === "string") {
        ends.words++;
        expect(values, `seed ${seed}`).toMatch(WORDS);
        continue;
      }
      expect(values, `seed ${seed}`).toEqual(EXPECTED);
      ends.values++;
      if (restarts && weather.crashes.length > 0) ends.restarted++;
    }
    expect(Math.min(ends.values, ends.words, ends.restarted)).toBeGreaterThan(CASES / 40);
  });

  /** Every turn of a run on a fair network, a tenth of them by default. */
  const { seconds } = run(1, FAIR);
  const every = CASES < 4000 ? 10 : 1;
  const instants = Array.from(
    { length: Math.ceil(seconds / TURN / every) },
    (_, i) => i * every * TURN,
  );

  it("[DI6] a server that is killed and comes back, at every step: its values", () => {
    expect(instants.length).toBeGreaterThan(5);
    for (const at of instants)
      for (const away of [0.1, 3, 18])
        expect(run(1, { ...FAIR, away: [[at, away]] }).values, `at ${at}`).toEqual(EXPECTED);
  });

  it("[DI7] one that does not come back, at every step: the words for it", () => {
    for (const at of instants)
      expect(run(1, { ...FAIR, away: [[at, 1e9]] }).values, `at ${at}`).toMatch(
        /connection to the server was lost for 2\d s/,
      );
  });

  it("[DI11] a peer that crashes, at every step: with restart its values, without it the words", () => {
    for (const at of instants)
      for (const isTold of [true, false]) {
        const weather = { ...FAIR, crashes: [at], isTold };
        expect(run(1, weather, true).values, `at ${at}`).toEqual(EXPECTED);
        const { values } = run(1, weather);
        // One that crashes after its last answer is not missed.
        if (typeof values === "string") expect(values, `at ${at}`).toMatch(WORDS);
        else expect([at > seconds - 1, values], `at ${at}`).toEqual([true, EXPECTED]);
      }
  });
});
