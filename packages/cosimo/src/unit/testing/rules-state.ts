/**
 * Contract rules about snapshots and derivatives: each applies to units that claim the capability.
 */
import { expect } from "vitest";
import type { Unit } from "../unit.ts";
import { expectNear, factFor, type Lab, type Rule } from "./contract-subject.ts";
import { advanceTo, getNumber, indexOf, setValues, startUnit } from "./drive.ts";

/**
 * The known port's values after steps `first + 1` … `last` of a unit that stands after step
 * `first`.
 */
function continued(lab: Lab, unit: Unit, first: number, last: number): number[] {
  const { step, behaviour } = lab.subject;
  const values: number[] = [];
  for (let i = first; i < last; i++) {
    advanceTo(unit, lab.start + i * step, lab.start + (i + 1) * step);
    values.push(getNumber(unit, behaviour.port));
  }
  return values;
}

export const STATE_RULES: readonly Rule[] = [
  {
    rule: "UN40",
    says: "what follows a restore is what would have followed the save",
    async check(lab) {
      const unit = await lab.started();
      if (!unit.description.capabilities.rollback) return;
      const { feedThrough, behaviour } = lab.subject;
      continued(lab, unit, 0, 3);
      const present = getNumber(unit, behaviour.port);
      const snapshot = unit.save();
      const expected = continued(lab, unit, 3, 9);
      if (feedThrough) setValues(unit, { [feedThrough.input]: feedThrough.value });
      unit.restore(snapshot);
      expect(unit.phase).toBe("step");
      expect(getNumber(unit, behaviour.port)).toBe(present);
      expect(continued(lab, unit, 3, 9)).toEqual(expected);
      unit.release(snapshot);
    },
  },
  {
    rule: "UN41",
    says: "a snapshot can be restored again, and several live beside each other",
    async check(lab) {
      const unit = await lab.started();
      if (!unit.description.capabilities.rollback) return;
      const first = unit.save();
      const whole = continued(lab, unit, 0, 4);
      unit.restore(first);
      continued(lab, unit, 0, 2);
      const second = unit.save();
      unit.restore(first);
      expect(continued(lab, unit, 0, 4)).toEqual(whole);
      unit.restore(second);
      expect(continued(lab, unit, 2, 4)).toEqual(whole.slice(2));
      unit.release(first);
      unit.restore(second);
      expect(continued(lab, unit, 2, 4)).toEqual(whole.slice(2));
      unit.release(second);
    },
  },
  {
    rule: "UN42",
    says: "a released snapshot cannot be restored",
    async check(lab) {
      const unit = await lab.started();
      if (!unit.description.capabilities.rollback) return;
      const snapshot = unit.save();
      unit.release(snapshot);
      expect(() => unit.restore(snapshot)).toThrow();
      continued(lab, unit, 0, 1);
    },
  },
  {
    rule: "UN43",
    says: "a snapshot survives being written to bytes, also in another instance",
    async check(lab) {
      const unit = await lab.started();
      const { serialize, oncePerProcess } = unit.description.capabilities;
      if (!serialize) return;
      continued(lab, unit, 0, 3);
      const saved = unit.save();
      const bytes = unit.serialize(saved);
      unit.release(saved);
      const expected = continued(lab, unit, 3, 8);
      const snapshot = unit.deserialize(bytes);
      unit.restore(snapshot);
      unit.release(snapshot);
      expect(continued(lab, unit, 3, 8)).toEqual(expected);
      if (oncePerProcess) return;
      const other = await lab.started();
      const moved = other.deserialize(bytes);
      other.restore(moved);
      other.release(moved);
      expect(continued(lab, other, 3, 8)).toEqual(expected);
    },
  },
  {
    rule: "UN50",
    says: "directional derivatives are those of the model, and linear in the seed",
    async check(lab) {
      const unit = await lab.started();
      if (!unit.description.capabilities.directionalDerivatives) return;
      const fact = factFor(lab.subject.directional, "directional");
      const unknowns = [indexOf(unit, fact.unknown)];
      const knowns = [indexOf(unit, fact.known)];
      const out = new Float64Array(1);
      for (const seed of [1, -2.5, 0]) {
        unit.directionalDerivative(unknowns, knowns, Float64Array.of(seed), out);
        expectNear(out[0], seed * fact.value, Math.abs(seed) * fact.tolerance);
      }
    },
  },
  {
    rule: "UN51",
    says: "the adjoint derivative is the transpose of the directional one",
    async check(lab) {
      const unit = await lab.started();
      if (!unit.description.capabilities.adjointDerivatives) return;
      const fact = factFor(lab.subject.directional, "directional");
      const out = new Float64Array(1);
      const unknowns = [indexOf(unit, fact.unknown)];
      const knowns = [indexOf(unit, fact.known)];
      unit.adjointDerivative(unknowns, knowns, Float64Array.of(3), out);
      expectNear(out[0], 3 * fact.value, 3 * fact.tolerance);
    },
  },
  {
    rule: "UN52",
    says: "output derivatives are those of the known solution",
    async check(lab) {
      const unit = await lab.started();
      if (unit.description.capabilities.outputDerivativeOrder === 0) return;
      const fact = factFor(lab.subject.outputDerivative, "outputDerivative");
      continued(lab, unit, 0, 2);
      const out = new Float64Array(1);
      unit.getOutputDerivatives([indexOf(unit, fact.port)], [1], out);
      expectNear(out[0], fact.at(lab.start + 2 * lab.subject.step), fact.tolerance);
    },
  },
  {
    rule: "UN53",
    says: "an input with a derivative varies over the step",
    async check(lab) {
      const unit = await lab.open();
      if (unit.description.capabilities.inputDerivativeOrder === 0) return;
      const fact = factFor(lab.subject.inputDerivative, "inputDerivative");
      startUnit(unit, { start: lab.start }, lab.subject.values);
      setValues(unit, { [fact.input]: fact.value });
      unit.setInputDerivatives([indexOf(unit, fact.input)], [1], Float64Array.of(fact.slope));
      advanceTo(unit, lab.start, lab.start + lab.subject.step);
      expectNear(getNumber(unit, fact.output), fact.expected, fact.tolerance);
    },
  },
];
