/**
 * Ops as lines of text: number, indentation for what `Every` holds, words.
 */
import { MOVES, OP_WIDTH, Op, type Plan, type PlanAccess, type SlopeGroup } from "./plan.ts";
import { type SlotNames, slotRange } from "./print-plan-slots.ts";

export function printOps(ops: Int32Array, plan: Plan, names: SlotNames, indent = 0): string[] {
  const lines: string[] = [];
  const ends: number[] = [];
  for (let pc = 0; pc < ops.length; pc += OP_WIDTH) {
    while (ends.length > 0 && pc >= ends[ends.length - 1]) ends.pop();
    const number = String(pc / OP_WIDTH).padStart(4);
    const shift = "  ".repeat(ends.length + indent);
    lines.push(`${number}  ${shift}${opText(ops.subarray(pc, pc + OP_WIDTH), plan, names)}`);
    if (ops[pc] === Op.Every) ends.push(pc + (ops[pc + 2] + 1) * OP_WIDTH);
  }
  return lines;
}

/** One op in words. */
function opText(op: Int32Array, plan: Plan, names: SlotNames): string {
  const [opcode = 0, a = 0, b = 0, c = 0] = op;
  const f64 = (slot: number, count = 1): string => names.at("f64", slot, count);
  const moved = MOVES.get(opcode);
  if (moved) {
    const [from, to] = moved;
    const converted = from === to ? "" : to === "i64" ? " as integer" : " as real";
    return `${names.at(to, b, c)} ← ${names.at(from, a, c)}${converted}`;
  }
  switch (opcode) {
    case Op.Read:
      return `read ${accessText(plan.accesses[a], names, "→")}`;
    case Op.Write:
      return `write ${accessText(plan.accesses[a], names, "←")}`;
    case Op.Slopes:
      return `slopes ${slopesText(plan.slopes[a], names)}`;
    case Op.Advance:
      return `advance ${plan.units[a].name}${c > 1 ? ` (part ${b + 1} of ${c})` : ""}`;
    case Op.Affine:
      return `${f64(b)} ← ${affineText(f64(a), plan.constants[c], plan.constants[c + 1])}`;
    case Op.Map:
      return `${f64(b)} ← table ${c} of ${f64(a)}: ${tableText(plan, c)}`;
    case Op.Sample:
      return `sample ${trackText(plan, names, a)}`;
    case Op.Predict:
      return `predict ${trackText(plan, names, a)} ${c === 0 ? "over the coming step" : partText(b, c)}`;
    case Op.Interpolate:
      return `interpolate ${trackText(plan, names, a)} ${c === 0 ? "over this step" : partText(b, c)}`;
    case Op.Every:
      return `every ${a} ticks:`;
    default:
      return `unknown op ${[...op].join(" ")}`;
  }
}

function accessText({ unit, slots }: PlanAccess, names: SlotNames, arrow: string): string {
  return slots
    .map(({ port, slot }) => `${names.port(unit, port)} ${arrow} ${names.slots(unit, port, slot)}`)
    .join(", ");
}

function slopesText({ unit, ports, orders, slots }: SlopeGroup, names: SlotNames): string {
  let at = 0;
  return ports
    .map((port, i) => {
      const count = names.size(unit, port);
      const list = slots.slice(at, at + count).map((slot) => slotRange("f64", slot, 1));
      at += count;
      return `${names.port(unit, port)}${orders[i] === 1 ? "′" : "″"} ← ${list.join(" ")}`;
    })
    .join(", ");
}

function affineText(source: string, factor: number, offset: number): string {
  const scaled = factor === 1 ? source : `${factor} · ${source}`;
  if (offset === 0) return scaled;
  return offset < 0 ? `${scaled} - ${-offset}` : `${scaled} + ${offset}`;
}

function tableText({ maps }: Plan, map: number): string {
  const { from, to } = maps[map];
  return from.map((value, i) => `${value} → ${to[i]}`).join(", ");
}

function trackText({ tracks }: Plan, names: SlotNames, track: number): string {
  const { unit, port, element } = tracks[track];
  return `${names.element(unit, port, element)} (t${track})`;
}

function partText(part: number, parts: number): string {
  return `for part ${part + 1} of ${parts}`;
}
