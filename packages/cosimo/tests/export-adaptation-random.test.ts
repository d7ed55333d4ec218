/**
 * Adaptations as C against adaptations as closures: whatever the rules say and whatever is done to
 * the unit, both answer the same, bit for bit. The inner units are written twice, in C and in
 * TypeScript, so nothing of FMI is in between.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UnitDescription } from "../src/model/unit-description.ts";
import { compileUnits } from "./export-adaptation/compiled.ts";
import { randomAdaptation } from "./export-adaptation/random-sa.ts";
import { answersOfUnit, type Instruments, randomScript } from "./export-adaptation/scripts.ts";
import { openSubject, readSubject, type Subject, sourceOf } from "./export-adaptation/subject.ts";

const SEED = 20261116;
const ADAPTATIONS = 20;
const SCRIPTS = 5;

function instruments({ ports, capabilities }: UnitDescription): Instruments {
  const of = (direction: string, type: string): number[] =>
    ports
      .filter((port) => port.direction === direction && port.type === type)
      .map(({ index }) => index);
  const tunable = ports.filter(
    ({ direction, variability, type }) =>
      direction === "parameter" && variability === "tunable" && type === "float64",
  );
  return {
    numbers: of("input", "float64"),
    truths: of("input", "boolean"),
    integers: of("input", "int32"),
    texts: of("input", "string"),
    parameters: tunable.map(({ index }) => index),
    slopes: capabilities.inputDerivativeOrder > 0 ? of("input", "float64") : [],
    outputs: ports
      .filter(({ direction }) => direction === "output")
      .map(({ index, type }) => ({ port: index, isText: type === "string" })),
    // The plants refuse more than 0.75.
    steps: [...[0.25, 0.5, 0.125, 0.0625].flatMap((size) => Array(6).fill(size)), 1],
    hasStates: true,
  };
}

describe("random adaptations as C", () => {
  it(`[EXA1] answer whatever is done to them as the adaptations do, bit for bit (seed ${SEED})`, () => {
    const subjects = fc
      .sample(randomAdaptation, { seed: SEED, numRuns: 2 * ADAPTATIONS })
      .flatMap(({ text, kinds }) => readSubject(text, kinds).value ?? [])
      .filter((subject) => opens(subject))
      .slice(0, ADAPTATIONS);
    expect(subjects.length).toBe(ADAPTATIONS);
    const sources = subjects.map((subject, k) => sourceOf(subject, `make_random_${k}`));
    const compiled = compileUnits(sources);
    let steps = 0;
    subjects.forEach((subject, k) => {
      const scripts = fc.sample(randomScript(instruments(sources[k]!.description)), {
        seed: SEED + k,
        numRuns: SCRIPTS,
      });
      for (const script of scripts) {
        const expected = answersOfUnit(openSubject(subject), script);
        expect(
          compiled.answers(k, script),
          `${subject.text}\n${JSON.stringify(script)}`,
        ).toStrictEqual(expected);
        steps += expected.filter((answer) => answer === "time" || answer === "discarded").length;
      }
    });
    expect(steps).toBeGreaterThan(500);
  }, 120_000);
});

/** Inner units that depend on each other in a loop need control rules. */
function opens(subject: Subject): boolean {
  try {
    openSubject(subject).dispose();
    return true;
  } catch {
    return false;
  }
}
