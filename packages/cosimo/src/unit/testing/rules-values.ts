/** Contract rules about values, predicates, snapshots and derivatives. */
import { expect } from "vitest";
import { makeBanks } from "../../model/value-type.ts";
import type { Predicate, Stop } from "../predicate.ts";
import { CapabilityError, type Unit } from "../unit.ts";
import { expectNear, factFor, type Lab, type Rule, type TimedFact } from "./contract-subject.ts";
import {
  advanceTo,
  getNumber,
  getValues,
  indexOf,
  settleEvents,
  setValues,
  startUnit,
} from "./drive.ts";

/** Runs until `condition` or 12 steps, settling events that were not requested. */
function runUntil(lab: Lab, unit: Unit, condition: Predicate): Stop {
  const end = lab.start + 12 * lab.subject.step;
  const until: Predicate = { kind: "or", any: [{ kind: "time", time: end }, condition] };
  let from = lab.start;
  for (;;) {
    const { reason, port, time } = unit.advance(from, until);
    if (reason !== "event" || condition.kind === "event") return { reason, port, time };
    settleEvents(unit);
    from = time;
  }
}

async function checkTimed(
  lab: Lab,
  kind: "updated" | "event",
  fact: TimedFact | undefined,
): Promise<void> {
  const unit = await lab.started();
  if (!unit.description.capabilities.predicates.includes(kind)) return;
  const { port, time, timeTolerance, value } = factFor(fact, kind);
  const stop = runUntil(lab, unit, { kind, port: indexOf(unit, port) });
  expect(stop.reason).toBe(kind);
  expectNear(stop.time, time, timeTolerance);
  if (kind === "event" && unit.description.capabilities.eventMode) settleEvents(unit);
  if (value !== undefined) expect(getNumber(unit, port)).toBe(value);
}

export const PREDICATE_RULES: readonly Rule[] = [
  {
    rule: "UN20",
    says: "a predicate that is not claimed is refused before time moves",
    async check(lab) {
      const unit = await lab.started();
      const claimed = unit.description.capabilities.predicates;
      const port = indexOf(unit, lab.subject.behaviour.port);
      const to = lab.start + lab.subject.step;
      const all: Predicate[] = [
        { kind: "updated", port },
        { kind: "ready-to-read", port },
        { kind: "event", port },
        { kind: "threshold", port, value: 0, direction: "any" },
      ];
      for (const condition of all) {
        if ((claimed as readonly string[]).includes(condition.kind)) continue;
        const until: Predicate = { kind: "or", any: [{ kind: "time", time: to }, condition] };
        expect(() => unit.advance(lab.start, until), condition.kind).toThrow(CapabilityError);
      }
      expect(advanceTo(unit, lab.start, to).time).toBe(to);
    },
  },
  {
    rule: "UN21",
    says: "or stops at the earliest of its parts",
    async check(lab) {
      const unit = await lab.started();
      const { start, subject } = lab;
      const near = start + subject.step;
      const far = start + 2 * subject.step;
      const until: Predicate = {
        kind: "or",
        any: [
          { kind: "time", time: far },
          { kind: "or", any: [{ kind: "time", time: near }] },
        ],
      };
      const { reason, time } = unit.advance(start, until);
      if (reason === "time") expect(time).toBe(near);
      else expect(time).toBeLessThanOrEqual(near);
    },
  },
  {
    rule: "UN22",
    says: "a threshold is located, in its direction, on the far side, and once",
    async check(lab) {
      const unit = await lab.started();
      if (!unit.description.capabilities.predicates.includes("threshold")) return;
      const fact = factFor(lab.subject.threshold, "threshold");
      const { value, direction } = fact;
      const port = indexOf(unit, fact.port);
      const stop = runUntil(lab, unit, { kind: "threshold", port, value, direction });
      expect(stop).toMatchObject({ reason: "threshold", port });
      expectNear(stop.time, fact.time, fact.timeTolerance);
      const reached = getNumber(unit, fact.port);
      expectNear(reached, value, fact.valueTolerance);
      expect(direction === "rising" ? reached >= value : reached <= value).toBe(true);
      const soon = stop.time + lab.subject.step / 16;
      const again = unit.advance(stop.time, {
        kind: "or",
        any: [
          { kind: "time", time: soon },
          { kind: "threshold", port, value, direction },
        ],
      });
      expect(again.reason).not.toBe("threshold");
      const opposite = await lab.started();
      const other = direction === "rising" ? "falling" : "rising";
      const missed = runUntil(lab, opposite, { kind: "threshold", port, value, direction: other });
      expect(missed.time).not.toBe(stop.time);
    },
  },
  {
    rule: "UN23",
    says: "updated stops where the output got its new value",
    check: (lab) => checkTimed(lab, "updated", lab.subject.updated),
  },
  {
    rule: "UN23",
    says: "event stops where the event happened",
    check: (lab) => checkTimed(lab, "event", lab.subject.event),
  },
  {
    rule: "UN24",
    says: "ready-to-read stops before the input is read",
    async check(lab) {
      const unit = await lab.started();
      if (!unit.description.capabilities.predicates.includes("ready-to-read")) return;
      const fact = factFor(lab.subject.readyToRead, "readyToRead");
      const port = indexOf(unit, fact.port);
      const stop = runUntil(lab, unit, { kind: "ready-to-read", port });
      expect(stop).toMatchObject({ reason: "ready-to-read", port });
      expectNear(stop.time, fact.time, fact.timeTolerance);
      setValues(unit, { [fact.port]: fact.value });
      advanceTo(unit, stop.time, stop.time + lab.subject.step / 16);
      expect(getNumber(unit, fact.shows.port)).toBe(fact.shows.expected);
    },
  },
];

export const VALUE_RULES: readonly Rule[] = [
  {
    rule: "UN30",
    says: "start values are readable from initialization on",
    async check(lab) {
      const unit = await lab.open();
      const { settable, values } = lab.subject;
      setValues(unit, { ...values, ...(settable && { [settable.port]: settable.value }) });
      unit.enterInitialization({ start: lab.start });
      if (settable) expect(getNumber(unit, settable.port)).toBe(settable.value);
      const written = new Set([...Object.keys(values ?? {}), settable?.port]);
      const untouched = unit.description.ports.filter(
        ({ name, direction, start }) =>
          (direction === "input" || direction === "parameter") && start && !written.has(name),
      );
      for (const { name, start } of untouched) {
        const expected = typeof start![0] === "boolean" ? Number(start![0]) : start![0];
        expect(getValues(unit, name)[0], name).toStrictEqual(expected);
      }
    },
  },
  {
    rule: "UN31",
    says: "a value written is the value read back",
    async check(lab) {
      const { settable } = lab.subject;
      const unit = await lab.open();
      if (settable === undefined) return;
      startUnit(
        unit,
        { start: lab.start },
        { ...lab.subject.values, [settable.port]: settable.value },
      );
      expect(getNumber(unit, settable.port)).toBe(settable.value);
    },
  },
  {
    rule: "UN32",
    says: "reading touches no other slot than those bound",
    async check(lab) {
      const unit = await lab.started();
      const banks = makeBanks({ f64: 5 });
      banks.f64.fill(-77);
      const port = indexOf(unit, lab.subject.behaviour.port);
      unit.read(unit.bind([{ port, slot: 3 }]), banks);
      expectNear(
        banks.f64[3],
        lab.subject.behaviour.at(lab.start),
        lab.subject.behaviour.tolerance,
      );
      expect([...banks.f64.subarray(0, 3), banks.f64[4]]).toEqual([-77, -77, -77, -77]);
    },
  },
  {
    rule: "UN33",
    says: "inputs keep their value until they are written again",
    async check(lab) {
      const { feedThrough, step } = lab.subject;
      const unit = await lab.started();
      if (feedThrough === undefined) return;
      setValues(unit, { [feedThrough.input]: feedThrough.value });
      advanceTo(unit, lab.start, lab.start + step);
      advanceTo(unit, lab.start + step, lab.start + 2 * step);
      expect(getNumber(unit, feedThrough.input)).toBe(feedThrough.value);
    },
  },
  {
    rule: "UN34",
    says: "a port that cannot be written now is refused by name",
    async check(lab) {
      const { behaviour, fixed, step } = lab.subject;
      const unit = await lab.started();
      const before = getNumber(unit, behaviour.port);
      expect(() => setValues(unit, { [behaviour.port]: before + 1 })).toThrow(behaviour.port);
      expect(getNumber(unit, behaviour.port)).toBe(before);
      if (fixed === undefined) return;
      const kept = getNumber(unit, fixed.port);
      expect(() => setValues(unit, { [fixed.port]: fixed.value })).toThrow(fixed.port);
      expect(getNumber(unit, fixed.port)).toBe(kept);
      expect(advanceTo(unit, lab.start, lab.start + step).time).toBe(lab.start + step);
    },
  },
  {
    rule: "UN35",
    says: "an output with feed-through follows its input at once",
    async check(lab) {
      const { feedThrough } = lab.subject;
      const unit = await lab.started();
      if (feedThrough === undefined) return;
      setValues(unit, { [feedThrough.input]: feedThrough.value });
      expectNear(getNumber(unit, feedThrough.output), feedThrough.expected, feedThrough.tolerance);
    },
  },
  {
    rule: "UN36",
    says: "binding a port that does not exist is refused",
    async check(lab) {
      const unit = await lab.open();
      const { length } = unit.description.ports;
      expect(() => unit.bind([{ port: length, slot: 0 }])).toThrow();
      expect(() => unit.bind([{ port: -1, slot: 0 }])).toThrow();
    },
  },
  {
    rule: "UN37",
    says: "values of every type pass through unchanged",
    async check(lab) {
      const unit = await lab.started();
      for (const { input, output, value } of lab.subject.echoes ?? []) {
        setValues(unit, { [input]: value });
        advanceTo(unit, lab.start, lab.start + lab.subject.step);
        const expected = typeof value === "boolean" ? Number(value) : value;
        expect(getValues(unit, output)[0], output).toStrictEqual(expected);
        unit.reset();
        startUnit(unit, { start: lab.start }, lab.subject.values);
      }
    },
  },
];
