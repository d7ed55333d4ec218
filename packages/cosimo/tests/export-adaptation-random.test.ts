/**
 * Adaptations as C against adaptations as closures: whatever the rules say and whatever is done to the unit, both answer the same, bit for
 * bit. The inner units are written twice, in C and in TypeScript, so nothing of FMI is in between.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { adaptedUnit } from "../src/adapt/adapted-unit.ts";
import { hasErrors } from "../src/base/diagnostic.ts";
import { adaptationSource } from "../src/export/adaptation-source.ts";
import { checkSa } from "../src/lang/sa/check-sa.ts";
import { explicitForm } from "../src/lang/sa/explicit-form.ts";
import { parseSa } from "../src/lang/sa/parse-sa.ts";
import type { Adaptation } from "../src/model/adaptation.ts";
import type { UnitDescription } from "../src/model/unit-description.ts";
import { compileUnits } from "./export-adaptation/compiled.ts";
import { Plant, type PlantKind, plantDescription } from "./export-adaptation/plant.ts";
import { type RandomAdaptation, randomAdaptation } from "./export-adaptation/random-sa.ts";
import { answersOfUnit, type Instruments, randomScript } from "./export-adaptation/scripts.ts";

const SEED = 20261116;
const ADAPTATIONS = 20;
const SCRIPTS = 5;

interface Subject extends RandomAdaptation {
  readonly adaptation: Adaptation;
}

/** In explicit form, or undefined where the language refuses it. */
function read({ text, kinds }: RandomAdaptation): Subject | undefined {
  const parsed = parseSa(text, "random.sa");
  if (parsed.value === undefined || hasErrors(parsed.diagnostics)) return undefined;
  const describe = ({ name }: { readonly name: string }): UnitDescription =>
    plantDescription(kinds[name]!);
  if (hasErrors(checkSa(parsed.value, describe))) return undefined;
  const adaptation = explicitForm(parsed.value, describe).value;
  return adaptation && { text, kinds, adaptation };
}

function open({ adaptation, kinds }: Subject): ReturnType<typeof adaptedUnit> {
  const inner = Object.entries(kinds).map(([name, kind]) => [name, new Plant(name, kind)] as const);
  return adaptedUnit("adapted", adaptation, new Map(inner));
}

function sourceOf({ adaptation, kinds, text }: Subject, maker: string) {
  const inner = Object.entries(kinds).map(
    ([name, kind]: [string, PlantKind]) =>
      [name, { maker: `make_${kind}`, description: plantDescription(kind) }] as const,
  );
  return adaptationSource(adaptation, { maker, inner: new Map(inner), text });
}

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
      .flatMap((one) => read(one) ?? [])
      .filter((subject) => opens(subject))
      .slice(0, ADAPTATIONS);
    expect(subjects.length).toBe(ADAPTATIONS);
    const sources = subjects.map((subject, k) => sourceOf(subject, `make_random_${k}`));
    const run = compileUnits(sources);
    let steps = 0;
    subjects.forEach((subject, k) => {
      const scripts = fc.sample(randomScript(instruments(sources[k]!.description)), {
        seed: SEED + k,
        numRuns: SCRIPTS,
      });
      for (const script of scripts) {
        const expected = answersOfUnit(open(subject), script);
        expect(run(k, script), `${subject.text}\n${JSON.stringify(script)}`).toStrictEqual(
          expected,
        );
        steps += expected.filter((answer) => answer === "time" || answer === "discarded").length;
      }
    });
    expect(steps).toBeGreaterThan(500);
  }, 120_000);
});

/** Inner units that depend on each other in a circle need control rules. */
function opens(subject: Subject): boolean {
  try {
    open(subject).dispose();
    return true;
  } catch {
    return false;
  }
}
