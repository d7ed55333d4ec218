/**
 * Plans over units that exist in an image of memory alone (emulator.ts): what the emitter needs to
 * know of them, at addresses that are the same for every back end. Their functions are C
 * (emulator-harness.c).
 */
import type { PlanState } from "../../../../engine/signals.ts";
import { portSize, type UnitDescription } from "../../../../model/unit-description.ts";
import type { ValueType } from "../../../../model/value-type.ts";
import { compilePlan } from "../../../../plan/compile.ts";
import type { Plan } from "../../../../plan/plan.ts";
import { describeUnit, makePorts } from "../../../../unit/port-spec.ts";
import type { Access, Unit } from "../../../../unit/unit.ts";
import type { FmiVersion } from "../../fmi-version.ts";
import { FMI2 } from "../../fmi2-version.ts";
import { FMI3 } from "../../fmi3-version.ts";
import { InputFollower } from "../../input-follower.ts";
import type { MachineAccess } from "../../machine-access.ts";
import { type Address, float64s, int32s } from "../../native-memory.ts";
import { makeAccess, NativeAccess } from "../../transfer.ts";
import { type CoupledRun, columnsOf, scenarioOf } from "./both-executors.ts";
import { type Image, stubOf } from "./emulator.ts";
import { type RunPick, wiresOf } from "./random-coupling.ts";

/** As in emulator-harness.c, in bytes. */
const SLOTS = 64;
const X = 16;
const N = X + 8 * SLOTS;
const SIZE = N + 8 * SLOTS;
const FIRST = SIZE + 4 * SLOTS;
const SCRIPT = FIRST + 4 * SLOTS;
const SCRIPT_ROWS = 8;
const UPDATE = SCRIPT + 16 * SCRIPT_ROWS;
const UNIT_BYTES = UPDATE + 8 + 4 * 8 * SLOTS;

/**
 * What a call does instead of succeeding: its number, counted from 1, its status, and what else.
 */
export interface Misdeed {
  readonly call: number;
  readonly status: number;
  readonly what: "nothing" | "event" | "terminate" | "early" | "rounds upward";
}
const WHATS = ["nothing", "event", "terminate", "early", "rounds upward"] as const;

export interface EmulatedChoice {
  readonly kind: string;
  readonly isSteady: boolean;
  readonly endsStepOnEvent: boolean;
  readonly constantStep?: number;
  readonly misdeeds: readonly Misdeed[];
}

const FMI2_TYPES: readonly ValueType[] = ["float64", "float64", "int32", "boolean"];
const FMI3_TYPES: readonly ValueType[] = [
  "float64",
  "float32",
  "int8",
  "uint8",
  "int16",
  "uint16",
  "int32",
  "uint32",
  "int64",
  "uint64",
  "boolean",
];

/**
 * Inputs and outputs of every type; those of FMI 3 have two elements each. `followed`: FMI 3 with
 * inputs that follow polynomials.
 */
export const KINDS: Readonly<Record<string, UnitDescription>> = {
  fmi2: describe("fmi2", FMI2_TYPES, [], 2),
  fmi3: describe("fmi3", FMI3_TYPES, [2], 0),
  followed: describe("followed", ["float64", "int64"], [2], 2),
};

function describe(
  name: string,
  types: readonly ValueType[],
  shape: readonly number[],
  inputDerivativeOrder: number,
): UnitDescription {
  const ports = (letter: string) =>
    Object.fromEntries(types.map((type, i) => [`${letter}${i}`, { type, shape, feedThrough: [] }]));
  const all = makePorts(name, [
    { direction: "input", ports: ports("u") },
    { direction: "output", ports: ports("y") },
  ]);
  return describeUnit({ name }, all, { inputDerivativeOrder });
}

export class EmulatedUnit implements Partial<MachineAccess> {
  readonly version: FmiVersion;
  readonly logRing = undefined;
  readonly refusal = undefined;
  readonly handle: Address;
  readonly results: Address;
  readonly lastCall: Int32Array;
  readonly endsStepOnEvent: boolean;
  readonly follower: InputFollower | undefined;
  readonly description: UnitDescription;
  /** Where the code of its intermediate update is to be put. */
  readonly update: BigUint64Array;
  private readonly image: Image;
  private readonly choice: EmulatedChoice;

  constructor(image: Image, choice: EmulatedChoice) {
    const description = KINDS[choice.kind];
    if (description === undefined) throw new Error(`test: no kind ${choice.kind}`);
    this.image = image;
    this.choice = choice;
    this.description = description;
    this.version = choice.kind === "fmi2" ? FMI2 : FMI3;
    this.endsStepOnEvent = choice.endsStepOnEvent;
    const block = image.allocate(UNIT_BYTES);
    const at = (offset: number) => ({ ...block, offset: block.offset + offset });
    this.handle = block.address;
    this.results = image.allocate(64).address;
    this.lastCall = int32s(image.allocate(16), 1);
    this.update = new BigUint64Array(block.buffer, block.offset + UPDATE, 1);
    const x = float64s(at(X), SLOTS);
    const n = new BigInt64Array(block.buffer, block.offset + N, SLOTS);
    for (let k = 0; k < SLOTS; k++) {
      x[k] = Math.fround(1 / (k + 1) - 0.1);
      n[k] = BigInt(k);
    }
    const [size, first] = [int32s(at(SIZE), SLOTS), int32s(at(FIRST), SLOTS)];
    let next = 0;
    for (const [vr, port] of description.ports.entries()) {
      size[vr] = portSize(port);
      first[vr] = next;
      next += portSize(port);
    }
    const script = int32s(at(SCRIPT), 4 * SCRIPT_ROWS);
    for (const [i, { call, status, what }] of choice.misdeeds.entries())
      script.set([call, status, WHATS.indexOf(what)], 4 * i);
    const followed = description.ports.flatMap(({ type, direction, index }) =>
      type === "float64" && direction === "input" ? [index] : [],
    );
    this.follower =
      choice.kind === "followed" ? new InputFollower(image, description, followed) : undefined;
  }

  bind(slots: Access["slots"]): NativeAccess {
    const { image, description, version } = this;
    return makeAccess(
      {
        description,
        arena: image,
        version,
        referenceOf: (port) => port,
        handle: () => 0,
        prepare: () => ({}) as never,
      },
      slots,
    );
  }

  addressOf(call: string): Address {
    return stubOf(call);
  }

  referenceOf(port: number): number {
    return port;
  }

  groupsToRead(access: Access): NativeAccess["groups"] {
    if (!(access instanceof NativeAccess)) throw new Error("test: an access of another unit");
    return access.groups;
  }

  groupsToWrite(access: Access): NativeAccess["groups"] {
    return this.groupsToRead(access);
  }

  constantStep(): number | undefined {
    return this.choice.constantStep;
  }

  isSteady(): boolean {
    return this.choice.isSteady;
  }
}

export interface EmulatedPlan {
  readonly plan: Plan;
  readonly state: PlanState;
  readonly units: readonly EmulatedUnit[];
  readonly machines: readonly MachineAccess[];
  readonly callMarkers: ReadonlyMap<Int32Array, Address>;
}

/** A plan whose units and signals lie in the image; undefined: these wires have no plan. */
export function emulatedPlan(
  image: Image,
  choices: readonly EmulatedChoice[],
  { picks, units: rates, ...rest }: RunPick,
): EmulatedPlan | undefined {
  const units = choices.map((choice) => new EmulatedUnit(image, choice));
  const descriptions = units.map(({ description }) => description);
  const coupling: CoupledRun = {
    ...rest,
    step: 0.05,
    units: units.map((_, u) => ({ step: 0.05 * (rates[u]?.rate ?? 1) })),
    wires: wiresOf(descriptions, picks, false),
  };
  const scenario = scenarioOf(coupling, descriptions);
  const { recordEvery } = coupling;
  const { value } = compilePlan(scenario, {
    record: columnsOf(coupling, scenario),
    recordEvery: recordEvery ?? 1,
  });
  if (value === undefined) return undefined;
  const { plan } = value;
  const f64 = float64s(image.allocate(8 * plan.sizes.f64), plan.sizes.f64);
  const words = image.allocate(8 * plan.sizes.i64);
  const i64 = new BigInt64Array(words.buffer, words.offset, plan.sizes.i64);
  for (let i = 0; i < f64.length; i++) f64[i] = 0.25 * ((i * 7) % 11) - 1;
  for (let i = 0; i < i64.length; i++) i64[i] = BigInt(3 * i);
  const state: PlanState = {
    plan,
    units: units as unknown as readonly Unit[],
    accesses: plan.accesses.map(({ unit, slots }) => (units[unit] as EmulatedUnit).bind(slots)),
    banks: { f64, i64, obj: [] },
  };
  const markers = units.map(({ lastCall }) => [lastCall, image.addressOf(lastCall)] as const);
  const machines = units as unknown as readonly MachineAccess[];
  return { plan, state, units, machines, callMarkers: new Map(markers) };
}
