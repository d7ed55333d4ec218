/**
 * Whether a plan can be executed at all: known ops, arguments that exist. Code after this check may
 * index without asking.
 */
import type { Scenario } from "../model/scenario.ts";
import { type Port, portSize } from "../model/unit-description.ts";
import { type BankName, bankOf } from "../model/value-type.ts";
import {
  MOVES,
  OP_WIDTH,
  Op,
  type Plan,
  type PlanAccess,
  type SlopeGroup,
  type Track,
} from "./plan.ts";

interface Segment {
  readonly name: string;
  readonly ops: Int32Array;
}

/** The op lists of a plan with names for messages. */
function segmentsOf({ segments, loops, coupling, units }: Plan): Segment[] {
  const { initial, start, resolve, inputs, step } = segments;
  const initialOps = initial.flatMap((item) => (item.kind === "ops" ? [item.ops] : []));
  const stages = coupling?.stages ?? [];
  return [
    ...initialOps.map((ops, i) => ({ name: `initialization ${i}`, ops })),
    ...loops.map(({ sweep }, i) => ({ name: `loop ${i}`, ops: sweep })),
    { name: "the start", ops: start },
    { name: "resolving", ops: resolve },
    { name: "the inputs", ops: inputs },
    { name: STEP, ops: step },
    ...stages.flatMap(({ writeHeld, writeCoupled, writeValues, collect }, u) => [
      { name: `what '${units[u].name}' holds`, ops: writeHeld },
      { name: `the inputs of '${units[u].name}'`, ops: writeCoupled },
      { name: `the values of '${units[u].name}'`, ops: writeValues },
      { name: `what '${units[u].name}' gives`, ops: collect },
    ]),
    ...(coupling
      ? [
          { name: "what is watched", ops: coupling.watch },
          { name: "what is recorded", ops: coupling.observe },
        ]
      : []),
  ];
}

/** The only segment that advances units. */
const STEP = "the step";

export function opPlace(segment: string, pc: number): string {
  return `op ${Math.floor(pc / OP_WIDTH)} of ${segment}`;
}

export function checkStructure(
  plan: Plan,
  scenario: Scenario,
  report: (where: string, what: string) => void,
): void {
  const names = scenario.units.map(({ name }) => name);
  if (plan.units.map(({ name }) => name).join("\n") !== names.join("\n")) {
    report("units", "they are not those of the scenario");
    return;
  }
  if (!(plan.step > 0)) report("step", `${plan.step} s is not a step`);
  const whole = (n: number): boolean => Number.isInteger(n) && n >= 1;
  plan.units.forEach(({ name, ticks }) => {
    if (!whole(ticks)) report(`unit '${name}'`, `${ticks} ticks are not a step`);
  });
  if (!whole(plan.record.every))
    report("record", `'every ${plan.record.every} ticks' is not possible`);
  const tables = new Tables(plan, scenario);
  plan.accesses.forEach((access, i) => {
    if (!tables.accessIsSound(access))
      report(`access ${i}`, "its unit, ports or slots do not exist");
  });
  plan.slopes.forEach((group, i) => {
    if (!tables.slopesAreSound(group))
      report(`slopes ${i}`, "their unit, ports or slots do not exist");
  });
  plan.tracks.forEach((track, i) => {
    if (!tables.trackIsSound(track)) report(`track ${i}`, "its input, slots or ticks do not exist");
  });
  plan.loops.forEach((loop, i) => {
    const slots = [...loop.unknowns, ...loop.images];
    if (
      loop.unknowns.length !== loop.images.length ||
      !slots.every((s) => tables.fits("f64", s, 1))
    )
      report(`loop ${i}`, "its unknowns and images do not fit together");
  });
  plan.segments.initial.forEach((item) => {
    if (item.kind === "loop" && !plan.loops[item.loop])
      report("initialization", `there is no loop ${item.loop}`);
  });
  plan.record.columns.forEach(({ unit, port, bank, slot }, i) => {
    if ((unit >= 0 && !tables.port(unit, port)) || !tables.fits(bank, slot, 1))
      report(`column ${i}`, "its port or slot does not exist");
  });
  for (const { name, ops } of segmentsOf(plan)) {
    checkOps(ops, tables, name === STEP, (pc, what) => report(opPlace(name, pc), what));
  }
}

class Tables {
  readonly plan: Plan;
  private readonly scenario: Scenario;

  constructor(plan: Plan, scenario: Scenario) {
    this.plan = plan;
    this.scenario = scenario;
  }

  port(unit: number, port: number): Port | undefined {
    return this.scenario.units[unit]?.description.ports[port];
  }

  fits(bank: BankName, slot: number, count: number): boolean {
    return (
      Number.isInteger(slot) && slot >= 0 && count >= 1 && slot + count <= this.plan.sizes[bank]
    );
  }

  accessIsSound({ unit, slots }: PlanAccess): boolean {
    return slots.every(({ port: index, slot }) => {
      const port = this.port(unit, index);
      return port !== undefined && this.fits(bankOf(port.type), slot, portSize(port));
    });
  }

  slopesAreSound({ unit, ports, orders, slots }: SlopeGroup): boolean {
    let wanted = 0;
    for (const index of ports) {
      const port = this.port(unit, index);
      if (port?.direction !== "input") return false;
      wanted += portSize(port);
    }
    return (
      orders.length === ports.length &&
      orders.every((order) => order === 1 || order === 2) &&
      slots.length === wanted &&
      slots.every((slot) => this.fits("f64", slot, 1))
    );
  }

  trackIsSound(track: Track): boolean {
    const port = this.port(track.unit, track.port);
    return (
      port?.direction === "input" &&
      bankOf(port.type) === "f64" &&
      track.element < portSize(port) &&
      this.fits("f64", track.signal, 1) &&
      this.fits("f64", track.value, 1) &&
      this.fits("f64", track.history, 3) &&
      this.fits("f64", track.slope, 2) &&
      track.sampleTicks >= 1 &&
      track.stepTicks === this.plan.units[track.unit].ticks
    );
  }

  writesInputs(access: number): boolean {
    const { unit, slots } = this.plan.accesses[access];
    return slots.every(({ port }) => this.port(unit, port)?.direction === "input");
  }
}

function checkOps(
  ops: Int32Array,
  tables: Tables,
  mayAdvance: boolean,
  report: (pc: number, what: string) => void,
): void {
  const { plan } = tables;
  if (ops.length % OP_WIDTH !== 0) report(ops.length, "the last op is incomplete");
  /** Where the bodies around the present op end, innermost last. */
  const ends: number[] = [];
  for (let pc = 0; pc + OP_WIDTH <= ops.length; pc += OP_WIDTH) {
    while (ends.length > 0 && pc >= ends[ends.length - 1]) ends.pop();
    const opcode = ops[pc];
    const a = ops[pc + 1];
    const b = ops[pc + 2];
    const c = ops[pc + 3];
    const move = MOVES.get(opcode);
    if (move) {
      if (!tables.fits(move[0], a, c) || !tables.fits(move[1], b, c))
        report(pc, `slots ${a} and ${b} do not hold ${c} values each`);
      continue;
    }
    switch (opcode) {
      case Op.Read:
        if (!plan.accesses[a]) report(pc, `there is no access ${a}`);
        break;
      case Op.Write:
        if (!plan.accesses[a]) report(pc, `there is no access ${a}`);
        else if (!tables.writesInputs(a)) report(pc, "it writes something other than an input");
        break;
      case Op.Slopes:
        if (!plan.slopes[a]) report(pc, `there are no slopes ${a}`);
        break;
      case Op.Advance:
        if (!mayAdvance) report(pc, "only the step advances units");
        else if (!plan.units[a]) report(pc, `there is no unit ${a}`);
        else if (c < 1 || b < 0 || b >= c) report(pc, `there is no part ${b} of ${c}`);
        break;
      case Op.Affine:
        if (
          !tables.fits("f64", a, 1) ||
          !tables.fits("f64", b, 1) ||
          c < 0 ||
          c + 1 >= plan.constants.length
        )
          report(pc, "its slots or constants do not exist");
        break;
      case Op.Map:
        if (!tables.fits("f64", a, 1) || !tables.fits("f64", b, 1) || !plan.maps[c])
          report(pc, "its slots or value table do not exist");
        break;
      case Op.Sample:
        if (!plan.tracks[a]) report(pc, `there is no track ${a}`);
        break;
      case Op.Predict:
      case Op.Interpolate:
        if (!plan.tracks[a]) report(pc, `there is no track ${a}`);
        else if (c < 0 || b < 0 || (c > 0 && b >= c)) report(pc, `there is no part ${b} of ${c}`);
        break;
      case Op.Every: {
        const end = pc + (b + 1) * OP_WIDTH;
        const limit = ends[ends.length - 1] ?? ops.length;
        if (a < 1 || b < 1) report(pc, `'every ${a} ticks' for ${b} ops is not possible`);
        else if (end > limit) report(pc, "it skips beyond the ops around it");
        else ends.push(end);
        break;
      }
      default:
        report(pc, `there is no op ${opcode}`);
    }
  }
}
