/**
 * The contract suite must be able to fail: each of these units breaks one rule, and the rule
 * notices.
 */
import { expect, it } from "vitest";
import type { Unit } from "../unit.ts";
import { CONTRACT_RULES, unitContract } from "./contract.ts";
import { makeLab } from "./contract-subject.ts";
import { DECAY, decay } from "./internal/decay.ts";

/** Lies: how an honest unit is bent, and the rules that must notice. */
const LIES: [string, string, (unit: Unit) => Partial<Unit>][] = [
  ["UN1", "terminates without leaving its phase", () => ({ terminate: () => {} })],
  ["UN3", "resets nothing but the phase it shows", (unit) => forgetfulReset(unit)],
  ["UN4", "lives on after dispose", () => ({ dispose: () => {} })],
  ["UN6", "offers nothing it does not claim, but claims nothing", (unit) => claim(unit, {})],
  ["UN11", "takes steps from anywhere", (unit) => ({ advance: anywhere(unit) })],
  ["UN13", "ends a little late", (unit) => ({ advance: late(unit) })],
  ["UN15", "answers by chance", (unit) => ({ read: noisy(unit) })],
  ["UN22", "ignores conditions", (unit) => ({ advance: deaf(unit) })],
  ["UN31", "ignores what is written", () => ({ write: () => {} })],
  ["UN34", "swallows forbidden writes", (unit) => ({ write: silently(unit) })],
  ["UN40", "restores nothing", () => ({ restore: () => {} })],
  ["UN42", "keeps released snapshots", () => ({ release: () => {} })],
  [
    "UN50",
    "knows no derivative",
    () => ({ directionalDerivative: (_u, _k, _s, out) => out.fill(7) }),
  ],
  ["UN52", "knows no slope", () => ({ getOutputDerivatives: (_p, _o, out) => out.fill(7) })],
  ["UN53", "ignores input derivatives", () => ({ setInputDerivatives: () => {} })],
];

function claim(unit: Unit, capabilities: object): Partial<Unit> {
  const none = { ...unit.description.capabilities, rollback: false, ...capabilities };
  return { description: { ...unit.description, capabilities: none } };
}

function forgetfulReset(unit: Unit): Partial<Unit> {
  let snapshot: ReturnType<Unit["save"]> | undefined;
  return {
    exitInitialization: () => {
      unit.exitInitialization();
      snapshot ??= unit.save();
      unit.restore(snapshot);
    },
  };
}

function anywhere(unit: Unit): Unit["advance"] {
  let now: number | undefined;
  return (from, until) => {
    const stop = unit.advance(now ?? from, until);
    now = stop.time;
    return stop;
  };
}

function late(unit: Unit): Unit["advance"] {
  return (from, until) => {
    const stop = unit.advance(from, until);
    return { ...stop, time: stop.time * (1 + Number.EPSILON) };
  };
}

function noisy(unit: Unit): Unit["read"] {
  return (access, banks) => {
    unit.read(access, banks);
    banks.f64[0] += 1e-9 * ++chance;
  };
}
let chance = 0;

function deaf(unit: Unit): Unit["advance"] {
  return (from, until) =>
    unit.advance(
      from,
      until.kind === "or" ? until.any.find(({ kind }) => kind === "time")! : until,
    );
}

function silently(unit: Unit): Unit["write"] {
  return (access, banks) => {
    try {
      unit.write(access, banks);
    } catch {
      // This is the lie: the caller never learns that the value was refused.
    }
  };
}

/** The unit with some of its members replaced; the others run on the unit itself. */
function bend(unit: Unit, lie: Partial<Unit>): Unit {
  return new Proxy(unit, {
    get: (target, key) => {
      const value = Reflect.get(key in lie ? lie : target, key, key in lie ? lie : target);
      return typeof value === "function" && !(key in lie) ? value.bind(target) : value;
    },
  });
}

async function failures(open: () => Unit): Promise<string[]> {
  const failed: string[] = [];
  for (const { rule, check } of CONTRACT_RULES) {
    const opened: Unit[] = [];
    try {
      await check(makeLab({ ...DECAY, open }, opened));
    } catch {
      failed.push(rule);
    }
  }
  return failed;
}

it("finds nothing in an honest unit", async () => {
  expect(await failures(decay)).toEqual([]);
});

it.each(LIES)("[%s] is noticed when a unit %s", async (rule, _, lie) => {
  const failed = await failures(() => {
    const unit = decay();
    return bend(unit, lie(unit));
  });
  expect(failed).toContain(rule);
});

it("refuses to skip without a reason, or what is not a rule", () => {
  const subject = { ...DECAY, open: decay };
  expect(() => unitContract("x", subject, [{ rule: "UN22", reason: " " }])).toThrow("reason");
  expect(() => unitContract("x", subject, [{ rule: "UN99", reason: "why" }])).toThrow("UN99");
});

it("fails for a claim about which the subject states no fact", async () => {
  const { directional: _, ...silent } = DECAY;
  const rule = CONTRACT_RULES.find((candidate) => candidate.rule === "UN50")!;
  await expect(rule.check(makeLab({ ...silent, open: decay }, []))).rejects.toThrow(
    "'directional'",
  );
});
