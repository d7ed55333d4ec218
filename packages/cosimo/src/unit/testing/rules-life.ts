/** Contract rules about the life cycle and time. */
import { expect } from "vitest";
import { CapabilityError, PhaseError, type Unit } from "../unit.ts";
import { expectNear, type Lab, type Rule } from "./contract-subject.ts";
import { advanceTo, getNumber, indexOf, settleEvents, setValues, startUnit } from "./drive.ts";

/** An advance that a unit in phase `step` at the start would take: one step. */
function oneStep(lab: Lab, unit: Unit): () => unknown {
  return () => unit.advance(lab.start, { kind: "time", time: lab.start + lab.subject.step });
}

/**
 * The value of the known port after each of `count` steps, from a unit in phase `step` at the
 * start.
 */
function trajectory(lab: Lab, unit: Unit, count = 12): number[] {
  const { step, behaviour } = lab.subject;
  const values: number[] = [];
  for (let i = 0; i < count; i++) {
    advanceTo(unit, lab.start + i * step, lab.start + (i + 1) * step);
    values.push(getNumber(unit, behaviour.port));
  }
  return values;
}

function expectPhaseErrors(unit: Unit, calls: readonly (() => unknown)[]): void {
  const phase = unit.phase;
  for (const call of calls) {
    expect(call, String(call)).toThrow(PhaseError);
    expect(unit.phase).toBe(phase);
  }
}

export const LIFE_RULES: readonly Rule[] = [
  {
    rule: "UN1",
    says: "the phases follow each other as the life cycle shows",
    async check(lab) {
      const unit = await lab.open();
      expect(unit.phase).toBe("instantiated");
      unit.enterInitialization({ start: lab.start });
      expect(unit.phase).toBe("initialization");
      unit.exitInitialization();
      if (unit.phase === "event") settleEvents(unit);
      expect(unit.phase).toBe("step");
      unit.terminate();
      expect(unit.phase).toBe("terminated");
      unit.reset();
      expect(unit.phase).toBe("instantiated");
      unit.dispose();
      expect(unit.phase).toBe("disposed");
    },
  },
  {
    rule: "UN2",
    says: "a call that the phase does not allow throws and changes nothing",
    async check(lab) {
      const unit = await lab.open();
      const { port } = lab.subject.behaviour;
      expectPhaseErrors(unit, [
        () => unit.exitInitialization(),
        oneStep(lab, unit),
        () => unit.terminate(),
        () => getNumber(unit, port),
      ]);
      unit.enterInitialization({ start: lab.start });
      expectPhaseErrors(unit, [
        () => unit.enterInitialization({ start: lab.start }),
        oneStep(lab, unit),
        () => unit.terminate(),
      ]);
      unit.exitInitialization();
      if (unit.phase === "event") {
        expectPhaseErrors(unit, [oneStep(lab, unit)]);
        settleEvents(unit);
      }
      expectPhaseErrors(unit, [
        () => unit.enterInitialization({ start: lab.start }),
        () => unit.exitInitialization(),
      ]);
      unit.terminate();
      expectPhaseErrors(unit, [
        oneStep(lab, unit),
        () => unit.terminate(),
        () => unit.enterInitialization({ start: lab.start }),
      ]);
    },
  },
  {
    rule: "UN3",
    says: "a unit after reset behaves as a new one",
    async check(lab) {
      const expected = trajectory(lab, await lab.started());
      const unit = await lab.open();
      const { settable, values } = lab.subject;
      startUnit(
        unit,
        { start: lab.start },
        { ...values, ...(settable && { [settable.port]: settable.value }) },
      );
      trajectory(lab, unit, 3);
      unit.reset();
      startUnit(unit, { start: lab.start }, values);
      expect(trajectory(lab, unit)).toEqual(expected);
      unit.terminate();
      unit.reset();
      startUnit(unit, { start: lab.start }, values);
      expect(trajectory(lab, unit)).toEqual(expected);
    },
  },
  {
    rule: "UN4",
    says: "dispose may be repeated, and nothing else is allowed after it",
    async check(lab) {
      const unit = await lab.started();
      const access = unit.bind([]);
      const banks = {
        f64: new Float64Array(0),
        i64: new BigInt64Array(0),
        obj: [],
      };
      unit.dispose();
      unit.dispose();
      expectPhaseErrors(unit, [
        () => unit.enterInitialization({ start: lab.start }),
        oneStep(lab, unit),
        () => unit.read(access, banks),
        () => unit.write(access, banks),
        () => unit.bind([]),
        () => unit.terminate(),
        () => unit.reset(),
      ]);
    },
  },
  {
    rule: "UN5",
    says: "event mode exists for units that claim it, and only for them",
    async check(lab) {
      const unit = await lab.open();
      const { eventMode } = unit.description.capabilities;
      setValues(unit, lab.subject.values ?? {});
      unit.enterInitialization({ start: lab.start });
      unit.exitInitialization();
      expect(unit.phase).toBe(eventMode ? "event" : "step");
      if (!eventMode) {
        expect(() => unit.enterEventMode()).toThrow(CapabilityError);
        return;
      }
      settleEvents(unit);
      expect(unit.phase).toBe("step");
      unit.enterEventMode();
      expect(unit.phase).toBe("event");
      settleEvents(unit);
      expect(unit.phase).toBe("step");
    },
  },
  {
    rule: "UN6",
    says: "what is not claimed throws CapabilityError",
    async check(lab) {
      const unit = await lab.started();
      const claims = unit.description.capabilities;
      const port = indexOf(unit, lab.subject.behaviour.port);
      const one = new Float64Array(1);
      const refused: [boolean, () => unknown][] = [
        [claims.rollback, () => unit.save()],
        [claims.serialize, () => unit.deserialize(new Uint8Array(8))],
        [claims.directionalDerivatives, () => unit.directionalDerivative([port], [], one, one)],
        [claims.adjointDerivatives, () => unit.adjointDerivative([port], [], one, one)],
        [claims.outputDerivativeOrder > 0, () => unit.getOutputDerivatives([port], [1], one)],
        [claims.inputDerivativeOrder > 0, () => unit.setInputDerivatives([], [], one)],
      ];
      for (const [claimed, call] of refused) {
        if (!claimed) expect(call, String(call)).toThrow(CapabilityError);
      }
      expect(unit.phase).toBe("step");
    },
  },
  {
    rule: "UN10",
    says: "time begins at the start, wherever that is",
    async check(lab) {
      const unit = await lab.started();
      expect(advanceTo(unit, lab.start, lab.start + lab.subject.step).time).toBe(
        lab.start + lab.subject.step,
      );
    },
  },
  {
    rule: "UN11",
    says: "a step from another time than the unit's is refused, and the unit stays where it is",
    async check(lab) {
      const { step } = lab.subject;
      const unit = await lab.started();
      advanceTo(unit, lab.start, lab.start + step);
      const wrong = lab.start + step + step / 8;
      expect(() => unit.advance(wrong, { kind: "time", time: lab.start + 3 * step })).toThrow();
      expect(() => unit.advance(lab.start, { kind: "time", time: lab.start + 3 * step })).toThrow();
      expect(advanceTo(unit, lab.start + step, lab.start + 2 * step).time).toBe(
        lab.start + 2 * step,
      );
    },
  },
  {
    rule: "UN12",
    says: "a predicate that does not bound time beyond the present is refused",
    async check(lab) {
      const unit = await lab.started();
      const { start } = lab;
      if (unit.description.capabilities.zeroStep !== true)
        expect(() => unit.advance(start, { kind: "time", time: start })).toThrow();
      expect(() => unit.advance(start, { kind: "time", time: start - 1 })).toThrow();
      expect(() => unit.advance(start, { kind: "time", time: Number.NaN })).toThrow();
      expect(() => unit.advance(start, { kind: "time", time: Number.POSITIVE_INFINITY })).toThrow();
      expect(() => unit.advance(start, { kind: "or", any: [] })).toThrow();
      advanceTo(unit, start, start + lab.subject.step);
    },
  },
  {
    rule: "UN13",
    says: "an advance ends at exactly the requested time, also after many steps",
    async check(lab) {
      const unit = await lab.started();
      const { step } = lab.subject;
      for (let i = 0; i < 12; i++) {
        const from = lab.start + i * step;
        const to = lab.start + (i + 1) * step;
        const stop = advanceTo(unit, from, to);
        expect(stop.time).toBe(to);
        if (stop.reason === "time") expect(stop.port).toBe(-1);
      }
    },
  },
  {
    rule: "UN15",
    says: "two instances that get the same calls give the same values",
    async check(lab) {
      const first = trajectory(lab, await lab.started());
      expect(trajectory(lab, await lab.started())).toEqual(first);
    },
  },
  {
    rule: "UN16",
    says: "the unit follows the known solution",
    async check(lab) {
      const { behaviour, step } = lab.subject;
      const unit = await lab.started();
      expectNear(getNumber(unit, behaviour.port), behaviour.at(lab.start), behaviour.tolerance);
      trajectory(lab, unit).forEach((value, i) => {
        expectNear(value, behaviour.at(lab.start + (i + 1) * step), behaviour.tolerance);
      });
    },
  },
  {
    rule: "UN17",
    says: "a unit that claims variable steps follows the solution with steps of any size",
    async check(lab) {
      const { behaviour, step } = lab.subject;
      const unit = await lab.started();
      if (!unit.description.capabilities.variableStep) return;
      let from = lab.start;
      for (const offset of [0.5, 2, 2.5, 3, 5, 5.5, 8]) {
        const to = lab.start + offset * step;
        advanceTo(unit, from, to);
        expectNear(getNumber(unit, behaviour.port), behaviour.at(to), behaviour.tolerance);
        from = to;
      }
    },
  },
  {
    rule: "UN18",
    says: "a unit that claims steps of length zero takes them, any number, and time stays",
    async check(lab) {
      const { step, behaviour } = lab.subject;
      const unit = await lab.started();
      if (unit.description.capabilities.zeroStep !== true) return;
      const expected = trajectory(lab, await lab.started());
      const values: number[] = [];
      for (let i = 0; i < expected.length; i++) {
        const from = lab.start + i * step;
        for (let k = 0; k < 3; k++) expect(advanceTo(unit, from, from).time).toBe(from);
        advanceTo(unit, from, lab.start + (i + 1) * step);
        values.push(getNumber(unit, behaviour.port));
      }
      expect(values).toEqual(expected);
    },
  },
  {
    rule: "UN19",
    says: "an advance in two halves is an advance, also beside another unit's",
    async check(lab) {
      const { step, behaviour } = lab.subject;
      const [unit, other] = [await lab.started(), await lab.started()];
      if (unit.beginAdvance === undefined || unit.finishAdvance === undefined) {
        expect([unit.beginAdvance, unit.finishAdvance]).toEqual([undefined, undefined]);
        return;
      }
      const expected = trajectory(lab, await lab.started());
      const values = expected.map((_, i) => {
        const [from, to] = [lab.start + i * step, lab.start + (i + 1) * step];
        for (const one of [unit, other]) one.beginAdvance?.(from, { kind: "time", time: to });
        const both = [other, unit].map((one) => {
          const { reason, time } = one.finishAdvance!();
          if (reason === "event" && one.description.capabilities.eventMode) settleEvents(one);
          if (time < to) advanceTo(one, time, to);
          return getNumber(one, behaviour.port);
        });
        expect(both[0]).toBe(both[1]);
        return both[0];
      });
      expect(values).toEqual(expected);
    },
  },
];
