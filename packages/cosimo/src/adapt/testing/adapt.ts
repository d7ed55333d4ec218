/** Adaptations for tests, from text in explicit form and a few units. */
import { unwrap } from "../../base/diagnostic.ts";
import { explicitForm } from "../../lang/sa/explicit-form.ts";
import { parseSa } from "../../lang/sa/parse-sa.ts";
import type { Adaptation } from "../../model/adaptation/data.ts";
import type { Stop } from "../../unit/predicate.ts";
import { startUnit } from "../../unit/testing/drive.ts";
import type { Unit } from "../../unit/unit.ts";
import { adaptedUnit } from "../adapted-unit.ts";

export function adaptation(text: string): Adaptation {
  return unwrap(parseSa(text, "test.sa"));
}

export function adapt(text: string, ...units: readonly Unit[]): Unit {
  return adaptedUnit("adapted", adaptation(text), new Map(units.map((unit) => [unit.name, unit])));
}

/** The same from text as authors write it, through its reduction to explicit form. */
export function adaptShort(text: string, ...units: readonly Unit[]): Unit {
  const inner = new Map(units.map((unit) => [unit.name, unit]));
  const explicit = unwrap(
    explicitForm(adaptation(text), ({ name }) => inner.get(name)?.description),
  );
  return adaptedUnit("adapted", explicit, inner);
}

/** One step; the answer as a value of its own. */
export function step(unit: Unit, from: number, to: number): Stop {
  return { ...unit.advance(from, { kind: "time", time: to }) };
}

/** The unit with a record of the steps that it took and that were not rolled back. */
export function watched(unit: Unit): { unit: Unit; steps: [from: number, to: number][] } {
  const steps: [number, number][] = [];
  const proxy = new Proxy(unit, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== "function") return member;
      if (key === "advance")
        return (...given: Parameters<Unit["advance"]>) => {
          const stop = target.advance(...given);
          steps.push([given[0], stop.time]);
          return stop;
        };
      if (key === "restore")
        return (...given: Parameters<Unit["restore"]>) => {
          target.restore(...given);
          const { time } = given[0];
          while (steps.length > 0 && steps.at(-1)![0] >= time) steps.pop();
        };
      return member.bind(target);
    },
  });
  return { unit: proxy, steps };
}

/** A header around rules, for one inner unit `f`. */
export const around = (kind: string, rules: string): string =>
  `semantic adaptation ${kind} A a for inner fmu F f at "f.fmu" ${rules}`;

/** One input and one output, passed on. */
export const PASS: string = `
  input ports u
  output ports y
  in var su := 0.0;
  in rules { true -> { su := a.u; } --> { f.u := su; }; }
  out var sy := 0.0;
  out rules { true -> { sy := f.y; } --> { a.y := sy; }; }`;

export const started = (unit: Unit): Unit => {
  startUnit(unit);
  return unit;
};

/** An adaptation around `f`, started. */
export const running = (kind: string, rules: string, ...units: readonly Unit[]): Unit =>
  started(adapt(around(kind, rules), ...units));
