/**
 * Random couplings of fixture FMUs, FMI 2 and 3 mixed, and of units that are not FMUs: what
 * property tests run on several executors.
 */
import fc from "fast-check";
import { toUnitDescription } from "../../../../fmi/to-unit-description.ts";
import { portSize, type UnitDescription } from "../../../../model/unit-description.ts";
import { bankOf } from "../../../../model/value-type.ts";
import { openFollowingUnit } from "../../following-unit.ts";
import type { NativeFmu } from "../../native-options.ts";
import { Behaviour } from "../../testing/behaviour.ts";
import type { CoupledRun, UnitChoice, Wire } from "./both-executors.ts";
import { PLAIN_UNITS } from "./plain-units.ts";

const STEP = 0.05;

const MODELS = [
  "Dahlquist",
  "MassSpringDamperLeft",
  "MassSpringDamperRight",
  "MassSpringDamperLeftPlain",
  "MassSpringDamperRightPlain",
  "VanDerPol",
  "StateSpace",
  "Stair",
  "Feedthrough",
  "Misbehaving",
];
/** Paths of fixtures. */
export const FMUS: readonly string[] = MODELS.flatMap((name) => [`fmi2/${name}`, `fmi3/${name}`]);
/** FMI 3 FMUs that are followed inside their steps. */
export const FOLLOWED: readonly string[] = [
  "followed/MassSpringDamperLeft",
  "followed/MassSpringDamperRight",
];
/** Units in TypeScript. */
export const PLAIN: readonly string[] = Object.keys(PLAIN_UNITS).map((kind) => `plain/${kind}`);

const APPROXIMATIONS = [
  undefined,
  "hold",
  "linear",
  "quadratic",
  "extrapolated-interpolation",
  "interpolation",
] as const;

const TABLE = [
  { from: 0, to: 0.5 },
  { from: 1, to: -0.25 },
  { from: 2, to: 0 },
];

export interface UnitPick {
  readonly name: string;
  readonly rate: number;
  readonly behaviour: number;
  readonly at: number;
  readonly events: boolean;
}

export function unitPick(names: readonly string[]): fc.Arbitrary<UnitPick> {
  return fc.record({
    name: fc.constantFrom(...names),
    rate: fc.constantFrom(1, 1, 1, 2, 3, 4),
    behaviour: fc.constantFrom(...Object.values(Behaviour).filter((b) => b < 5 || b > 9)),
    at: fc.double({ min: 0.01, max: 5, noNaN: true }),
    events: fc.boolean(),
  });
}

interface WirePick {
  readonly source: number;
  readonly target: number;
  readonly factor: number;
  readonly offset: number;
  readonly approximation: (typeof APPROXIMATIONS)[number];
  readonly table: boolean;
}

export interface RunPick
  extends Required<
    Pick<CoupledRun, "master" | "microSteps" | "start" | "ticks" | "chunk" | "recordEvery">
  > {
  readonly units: readonly UnitPick[];
  readonly picks: readonly WirePick[];
  readonly rowsTogether: boolean;
}

export function couplingPick(
  names: readonly string[],
  most: { readonly units: number; readonly wires: number },
): fc.Arbitrary<RunPick> {
  return fc.record({
    units: fc.array(unitPick(names), { minLength: 1, maxLength: most.units, size: "max" }),
    picks: fc.array(
      fc.record({
        source: fc.nat(),
        target: fc.nat(),
        factor: fc.constantFrom(1, 1, 0.3, -0.5),
        offset: fc.constantFrom(0, 0, 0.125),
        approximation: fc.constantFrom(...APPROXIMATIONS),
        table: fc.boolean(),
      }),
      { maxLength: most.wires, size: "max" },
    ),
    master: fc.constantFrom("jacobi" as const, "gauss-seidel" as const),
    microSteps: fc.integer({ min: 1, max: 4 }),
    start: fc.constantFrom(0, -0, 1.7),
    ticks: fc.integer({ min: 1, max: 60 }),
    chunk: fc.integer({ min: 1, max: 70 }),
    recordEvery: fc.integer({ min: 1, max: 4 }),
    rowsTogether: fc.boolean(),
  });
}

type Fixture = (name: string) => Promise<NativeFmu>;

/** Unpacks every fixture once. */
export function couplings(
  fixture: Fixture,
): (pick: RunPick, more?: Partial<CoupledRun>) => Promise<CoupledRun> {
  const unpacked = new Map<string, Promise<NativeFmu>>();
  const fmuOf: Fixture = (name) => {
    const known = unpacked.get(name) ?? fixture(name);
    unpacked.set(name, known);
    return known;
  };
  return async ({ units, picks, ...rest }, more = {}) => {
    const choices = await Promise.all(units.map((unit) => choiceOf(unit, rest.start, fmuOf)));
    const descriptions = choices.map(({ fmu, make }) =>
      make === undefined ? toUnitDescription(fmu!.description) : describe(make),
    );
    const withTexts = more.recordTexts === true;
    const wires = wiresOf(descriptions, picks, withTexts);
    return { ...rest, step: STEP, wires, units: choices, ...more };
  };
}

async function choiceOf(pick: UnitPick, start: number, fmuOf: Fixture): Promise<UnitChoice> {
  const [kind, model] = pick.name.split("/") as [string, string];
  const step = pick.rate * STEP;
  if (kind === "plain")
    return {
      step,
      make: (name) => PLAIN_UNITS[model]!(name, { at: start + pick.at, start, step }),
    };
  if (kind === "followed") {
    const fmu = await fmuOf(`fmi3/${model}`);
    return { step, make: (name) => openFollowingUnit(fmu, { name, eventMode: false }) };
  }
  const { behaviour, at, events, name } = pick;
  return {
    fmu: await fmuOf(name),
    step,
    options: { eventMode: events && name === "fmi3/Stair", earlyReturn: events },
    ...(model === "Misbehaving" ? { values: { behaviour, at } } : {}),
  };
}

function describe(make: NonNullable<UnitChoice["make"]>): UnitDescription {
  const unit = make("described");
  unit.dispose();
  return unit.description;
}

interface Place {
  readonly unit: number;
  readonly port: string;
  readonly element: number;
  readonly bank: string;
}

/** Elements that can be connected: outputs, or inputs and tunable parameters. */
function placesOf(
  descriptions: readonly UnitDescription[],
  isSource: boolean,
  withTexts: boolean,
): Place[] {
  return descriptions.flatMap(({ ports }, unit) =>
    ports
      .filter(({ direction, variability, name }) =>
        isSource
          ? direction === "output"
          : direction === "input" || ((name === "k" || name === "mu") && variability === "tunable"),
      )
      .filter(({ type }) => (withTexts && type === "string") || bankOf(type) !== "obj")
      .filter(({ type }) => type !== "enumeration")
      .flatMap((port) =>
        Array.from({ length: portSize(port) }, (_, element) => ({
          unit,
          port: port.name,
          element,
          bank: bankOf(port.type),
        })),
      ),
  );
}

export function wiresOf(
  descriptions: readonly UnitDescription[],
  picks: readonly WirePick[],
  withTexts: boolean,
): Wire[] {
  const sources = placesOf(descriptions, true, withTexts);
  const targets = placesOf(descriptions, false, withTexts);
  const taken = new Set<Place>();
  return picks.flatMap(({ source, target, table, approximation, ...affine }): Wire[] => {
    const to = targets[target % Math.max(1, targets.length)];
    if (to === undefined || taken.has(to)) return [];
    // Texts and integers of 64 bits come from their like, and from units before: loops of them
    // cannot be solved.
    const fitting = sources.filter(({ bank, unit }) =>
      to.bank === "f64" ? bank !== "obj" : bank === to.bank && unit < to.unit,
    );
    const from = fitting[source % Math.max(1, fitting.length)];
    if (from === undefined) return [];
    taken.add(to);
    const reals = from.bank === "f64" && to.bank === "f64";
    return [
      {
        from: [from.unit, from.port, from.element],
        to: [to.unit, to.port, to.element],
        ...(reals && !table ? affine : {}),
        ...(reals && table ? { mapping: TABLE } : {}),
        ...(approximation === undefined || to.bank !== "f64" ? {} : { approximation }),
      },
    ];
  });
}
