/**
 * A unit elsewhere is a unit: the contract over messages, how many messages there are, what is
 * believed of an answer.
 */
import { describe, expect, it } from "vitest";
import { UnitLost } from "../base/outcome.ts";
import { type Capabilities, NO_CAPABILITIES } from "../model/unit-description.ts";
import { makeBanks } from "../model/value-type.ts";
import { ByteReader, type ByteWriter } from "../unit/bytes.ts";
import { stateMachineUnit } from "../unit/state-machine-unit.ts";
import { unitContract } from "../unit/testing/contract.ts";
import {
  advanceTo,
  failureOf,
  getNumber,
  indexOf,
  setValues,
  startUnit,
} from "../unit/testing/drive.ts";
import { DECAY, decay } from "../unit/testing/internal/decay.ts";
import { samplerSubject } from "../unit/testing/internal/sampler.ts";
import type { Unit } from "../unit/unit.ts";
import { RemoteHost } from "./open-remote.ts";
import { MemoryTransport } from "./testing/memory-transport.ts";
import { remote, restarted } from "./testing/subjects.ts";

unitContract("messages (equations)", { ...DECAY, open: () => remote(decay).unit });

unitContract(
  "messages, with restarts",
  // Dies after every 7th message of each life, but for the third: then it has the time to come to
  // the end.
  { ...DECAY, open: () => restarted(decay, (message, life) => life < 2 && message === 7).unit },
);

unitContract(
  "messages (a state machine)",
  samplerSubject(() => remote(sampler).unit),
);

function sampler(): Unit {
  return stateMachineUnit({
    name: "sampler",
    parameters: { every: { start: 0.4, variability: "fixed" } },
    inputs: { u: {} },
    outputs: { y: {}, n: { type: "int32" } },
    initial: "wait",
    states: {
      wait: {
        transitions: [
          {
            to: "wait",
            after: "every",
            reads: ["u"],
            do: (m) => {
              m.set("y", m.get("u"));
              m.set("n", m.get("n") + 1);
            },
          },
        ],
      },
    },
  });
}

/** Steps as a master takes them: write, advance, read, with accesses that are bound once. */
function driver(unit: Unit): (steps: number, from?: number) => number[] {
  const banks = makeBanks({ f64: 2 });
  const input = unit.bind([{ port: indexOf(unit, "u"), slot: 0 }]);
  const output = unit.bind([{ port: indexOf(unit, "y"), slot: 1 }]);
  return (steps, first = 0) =>
    Array.from({ length: steps }, (_, i) => {
      banks.f64[0] = Math.sin(first + i);
      unit.write(input, banks);
      unit.advance((first + i) * 0.1, { kind: "time", time: (first + i + 1) * 0.1 });
      unit.read(output, banks);
      return banks.f64[1]!;
    });
}

describe("messages", () => {
  it("[IS1] write, advance and read are one message, once the unit knows what is read", () => {
    const { unit, transport } = remote(decay);
    startUnit(unit);
    const drive = driver(unit);
    const local = decay();
    startUnit(local);
    const first = drive(3);
    const before = transport.sent.length;
    const next = drive(100, 3);
    expect(transport.sent.length - before).toBe(100);
    expect([...first, ...next]).toEqual(driver(local)(103));
  });

  it("[IS1] a rollback, an iteration and its reads are one message too", () => {
    const { unit, transport } = remote(decay);
    startUnit(unit);
    const drive = driver(unit);
    drive(3);
    const before = transport.sent.length;
    const saved = unit.save();
    const [first] = drive(1, 3);
    for (let i = 0; i < 5; i++) {
      unit.restore(saved);
      expect(drive(1, 3)).toEqual([first]);
    }
    unit.release(saved);
    expect(transport.sent.length - before).toBe(6);
  });

  it("[IS1] what is no longer read is no longer sent", () => {
    const { unit, transport } = remote(decay);
    startUnit(unit);
    const drive = driver(unit);
    drive(3);
    const sizes = (): number => transport.sent.at(-1)!.length;
    const withRead = sizes();
    for (let i = 3; i < 15; i++) unit.advance(i * 0.1, { kind: "time", time: (i + 1) * 0.1 });
    expect(sizes()).toBeLessThan(withRead);
  });

  it("[IS2] values that were read are not handed out after something was done to the unit", () => {
    const { unit } = remote(decay);
    startUnit(unit);
    advanceTo(unit, 0, 0.1);
    const before = getNumber(unit, "y");
    setValues(unit, { u: 5 });
    expect(getNumber(unit, "y")).toBe(before + 5);
    const saved = unit.save();
    setValues(unit, { u: 0 });
    expect(getNumber(unit, "y")).toBe(before);
    unit.restore(saved);
    expect(getNumber(unit, "y")).toBe(before + 5);
  });

  it("[IS3] a peer that is lost is the failure of its unit, with the call that it was in; freeing it is not a second one", () => {
    const { unit, transport } = remote(decay, { dies: (message) => message > 6 });
    startUnit(unit);
    const drive = driver(unit);
    expect(failureOf(() => drive(10))).toMatchObject({
      unit: "far",
      call: "fmi2DoStep",
      status: "SIGSEGV",
    });
    expect(() => getNumber(unit, "y")).toThrow(UnitLost);
    expect(unit.faultCounts?.() ?? []).toEqual([]);
    unit.dispose();
    expect(transport.isClosed).toBe(true);
    expect(unit.phase).toBe("disposed");
  });

  it("[IS3] two units of one peer: the answer of the first waits while the second is called", () => {
    const transport = new MemoryTransport(() => decay());
    const host = new RemoteHost(transport);
    const { description } = decay();
    const units = ["a", "b"].map((name) => host.open({ name, order: "", description }));
    for (const unit of units) startUnit(unit);
    for (const unit of units) unit.beginAdvance?.(0, { kind: "time", time: 0.1 });
    expect(() => units[1]!.save() && getNumber(units[1]!, "y")).toThrow(
      "finishAdvance comes first",
    );
    const [a, b] = units.map((unit) => ({ ...unit.finishAdvance!() }));
    expect([a, b]).toEqual(Array(2).fill({ reason: "time", port: -1, time: 0.1 }));
    units[0]!.dispose();
    expect(transport.isClosed).toBe(false);
    units[1]!.dispose();
    expect(transport.isClosed).toBe(true);
  });
});

describe("what a peer says", () => {
  /** A peer whose answers pass through `damage`. */
  function damaged(damage: (answer: Uint8Array, count: number) => Uint8Array): () => Unit {
    return () => {
      const honest = new MemoryTransport(() => decay());
      let count = 0;
      const host = new RemoteHost({
        send: (message: ByteWriter) => honest.send(message),
        receive: () => new ByteReader(damage(honest.receive().rest(), count++)),
        close: () => honest.close(),
      });
      return host.open({ name: "far", order: "", description: decay().description });
    };
  }

  it("[IS4] is not believed: whatever it sends, the unit works or fails by name", () => {
    let seed = 1;
    const random = (below: number): number => {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      return seed % below;
    };
    let lost = 0;
    for (let round = 0; round < 400; round++) {
      const at = 1 + random(8);
      const open = damaged((answer, count) => {
        if (count !== at) return answer;
        switch (random(3)) {
          case 0:
            return answer.subarray(0, random(answer.length));
          case 1:
            return Uint8Array.from({ length: random(200) }, () => random(256));
          default: {
            const copy = answer.slice();
            copy[random(copy.length)] = random(256);
            return copy;
          }
        }
      });
      const unit = open();
      try {
        startUnit(unit);
        driver(unit)(5);
        unit.terminate();
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
        expect((error as Error).message).not.toContain("internal");
        if (error instanceof UnitLost) lost++;
      } finally {
        try {
          unit.dispose();
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }
    }
    expect(lost).toBeGreaterThan(100);
  });

  it("[IS4] about its ports and abilities is held against the description", () => {
    const { description } = decay();
    const other = new RemoteHost(new MemoryTransport(() => sampler()));
    expect(() => other.open({ name: "far", order: "", description })).toThrow("ports");
    const capabilities = { ...description.capabilities, rollback: false };
    const host = new RemoteHost(new MemoryTransport(() => decay()));
    const unit = host.open({
      name: "far",
      order: "",
      description: { ...description, capabilities },
    });
    startUnit(unit);
    expect(() => unit.save()).toThrow("rollback");
  });

  it("[IS4] about what it can do adds nothing to the description", () => {
    const { description } = decay();
    const boastful = (): Unit => {
      const capabilities: Capabilities = {
        ...description.capabilities,
        ...{ outputDerivativeOrder: 9, inputDerivativeOrder: 9, zeroStep: true, eventMode: true },
        ...{ earlyReturn: true, intermediateUpdate: true, adjointDerivatives: true },
        predicates: ["updated", "ready-to-read", "event", "threshold"],
      };
      return Object.assign(decay(), { description: { ...description, capabilities } });
    };
    for (const known of [description.capabilities, NO_CAPABILITIES]) {
      const unit = new RemoteHost(new MemoryTransport(boastful)).open({
        ...{ name: "far", order: "" },
        description: { ...description, capabilities: known },
      });
      const { capabilities } = unit.description;
      expect({ ...capabilities, zeroStep: capabilities.zeroStep === true }).toEqual({
        ...known,
        zeroStep: known.zeroStep === true,
      });
    }
  });
});

describe("restart", () => {
  it("[IS7] a lost peer is replaced, its inputs are replayed, and the values are those of an undisturbed run", () => {
    const expected = (() => {
      const { unit } = remote(decay);
      startUnit(unit);
      return driver(unit)(50);
    })();
    for (const baseEvery of [5, 1000]) {
      const { unit, lives, reports } = restarted(
        decay,
        (message, life) => message === 40 && life === 0,
        { baseEvery },
      );
      startUnit(unit);
      expect(driver(unit)(50)).toEqual(expected);
      expect(lives).toHaveLength(2);
      expect(reports).toHaveLength(1);
      expect(reports[0]).toMatch(/^SIGSEGV, \d+$/);
    }
  });

  it("[IS7] with a base there is less to replay than from the start", () => {
    const replayed = [4, 1000].map((baseEvery) => {
      const { unit, reports } = restarted(decay, (message, life) => message > 60 && life === 0, {
        baseEvery,
      });
      startUnit(unit);
      driver(unit)(60);
      return Number(/\d+$/.exec(reports[0]!)![0]);
    });
    expect(replayed[0]).toBeLessThan(replayed[1]! / 2);
  });

  it("[IS23] what is sent to a unit that gives no state is kept up to a bound, and then forgotten with a word", () => {
    const mute = (): Unit => {
      const unit = decay();
      const { description } = unit;
      const capabilities = { ...description.capabilities, serialize: false };
      return Object.assign(unit, { description: { ...description, capabilities } });
    };
    for (const [make, last] of [
      [mute, "failed"],
      [decay, "restarted"],
    ] as const) {
      const said: string[] = [];
      const { unit, reports } = restarted(make, (message, life) => life === 0 && message === 300, {
        maxBytes: 20_000,
        onForgotten: () => said.push("forgotten"),
      });
      startUnit(unit);
      const run = (): unknown => driver(unit)(400);
      if (last === "failed") {
        expect(failureOf(run)).toMatchObject({ status: "SIGSEGV" });
        expect(reports).toEqual([]);
      } else {
        run();
        expect(reports).toHaveLength(1);
      }
      expect(said).toEqual(["forgotten"]);
    }
  });

  it("[IS8] a message that ends the peer three times in a row is the unit's failure", () => {
    const { unit, lives } = restarted(decay, (message) => message === 12);
    startUnit(unit);
    expect(failureOf(() => driver(unit)(50))).toMatchObject({ status: "SIGSEGV" });
    expect(lives).toHaveLength(3);
  });

  it("[IS8] a unit that does not do the same again is noticed", () => {
    let made = 0;
    const moody = (): Unit => {
      const unit = decay();
      const level = made++;
      const { advance } = unit;
      unit.advance = (from, until) => {
        const stop = advance.call(unit, from, until);
        // The description is made of the first one, the first life is the second.
        if (level > 1 && stop.time > 0.25) setValues(unit, { u: level });
        return stop;
      };
      return unit;
    };
    const { unit, reports } = restarted(moody, (message, life) => message === 20 && life === 0);
    startUnit(unit);
    driver(unit)(20);
    expect(reports[0]).toContain("other answers");
  });
});
