/**
 * How large a box is and where its ports are, known before it is drawn: the layout needs it, and
 * nothing moves when it appears.
 */
import { fitText, textWidth } from "@cosimo/plot/text-width.ts";
import type { Graph, GraphPort, GraphUnit } from "./model.ts";

export const HEADER = 40;
const ROW = 20;
const MIN_WIDTH = 120;
const MAX_TEXT = 150;
/** Ports on one side of a box beyond the connected ones. */
const SHOWN_OPEN = 6;

export interface PortRow {
  readonly port: GraphPort;
  /** How far its middle lies below the upper edge of the box. */
  readonly y: number;
  readonly label: string;
  readonly isConnected: boolean;
}

export interface BoxShape {
  readonly width: number;
  readonly height: number;
  readonly inputs: readonly PortRow[];
  readonly outputs: readonly PortRow[];
  /** Ports that are not shown, by side. */
  readonly hidden: { readonly inputs: number; readonly outputs: number };
}

export function boxShapes(
  { units, wires }: Graph,
  open: ReadonlySet<string> = new Set(),
): Map<string, BoxShape> {
  const connected = new Set<string>();
  for (const { from, to } of wires) {
    connected.add(`${from.unit} out ${from.port}`);
    connected.add(`${to.unit} in ${to.port}`);
  }
  return new Map(units.map((unit) => [unit.name, keptShape(unit, connected, open.has(unit.name))]));
}

interface KeptShape {
  /** What a shape depends on besides its unit. */
  readonly key: string;
  readonly shape: BoxShape;
}

/** Measuring texts takes most of the time, and most units are as they were. */
const before = new WeakMap<GraphUnit, KeptShape>();

function keptShape(unit: GraphUnit, connected: ReadonlySet<string>, isOpen: boolean): BoxShape {
  const { name, inputs, outputs } = unit;
  let key = isOpen ? "open " : "";
  for (const port of inputs) key += connected.has(`${name} in ${port.name}`) ? "1" : "0";
  for (const port of outputs) key += connected.has(`${name} out ${port.name}`) ? "1" : "0";
  const known = before.get(unit);
  if (known?.key === key) return known.shape;
  const shape = shapeOf(unit, connected, isOpen);
  before.set(unit, { key, shape });
  return shape;
}

function shapeOf(unit: GraphUnit, connected: ReadonlySet<string>, isOpen: boolean): BoxShape {
  const rows = (ports: readonly GraphPort[], side: "in" | "out"): PortRow[] => {
    const made: PortRow[] = [];
    let free = 0;
    for (const port of ports) {
      const isConnected = connected.has(`${unit.name} ${side} ${port.name}`);
      if (!isConnected && !isOpen && ++free > SHOWN_OPEN) continue;
      const label = port.unit === undefined ? port.name : `${port.name} [${port.unit}]`;
      made.push({
        port,
        isConnected,
        label: fitText(label, 11, MAX_TEXT),
        y: HEADER + (made.length + 0.5) * ROW,
      });
    }
    return made;
  };
  const inputs = rows(unit.inputs, "in");
  const outputs = rows(unit.outputs, "out");
  const widest = (list: readonly PortRow[]): number =>
    Math.max(0, ...list.map(({ label }) => textWidth(label, 11)));
  const hidden = {
    inputs: unit.inputs.length - inputs.length,
    outputs: unit.outputs.length - outputs.length,
  };
  const marks = unit.marks.length * 16 + (unit.isNested ? 26 : 0);
  const width = Math.max(
    MIN_WIDTH,
    Math.min(textWidth(unit.name, 13), 220) + 34 + marks,
    Math.min(textWidth(unit.caption, 10.5), 220) + 24,
    widest(inputs) + widest(outputs) + 40,
  );
  const more = hidden.inputs + hidden.outputs > 0 ? 1 : 0;
  const count = Math.max(inputs.length, outputs.length) + more;
  return {
    width: Math.ceil(width / 10) * 10,
    height: HEADER + count * ROW + 8,
    inputs,
    outputs,
    hidden,
  };
}
