/**
 * Where everything of a drawing lies, in pixels: boxes, ports, wires, labels.
 */
import type { GraphModel, GraphPort, GraphUnit } from "./graph.ts";
import { type Bundle, type LayerNode, type Layers, layerGraph } from "./graph-layers.ts";
import { fitText, textWidth } from "./text-width.ts";

export interface GraphBox {
  readonly unit: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly caption: string;
  readonly ports: readonly PlacedPort[];
}

export interface PlacedPort {
  readonly side: "left" | "right";
  /** Index into the unit's inputs or outputs; -1 for a line about ports that are not shown. */
  readonly port: number;
  readonly label: string;
  readonly connected: boolean;
  readonly x: number;
  readonly y: number;
}

export interface PlacedWire {
  readonly wire: number;
  /** SVG path data. */
  readonly path: string;
  readonly label?: { readonly text: string; readonly x: number; readonly y: number };
}

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly GraphBox[];
  readonly wires: readonly PlacedWire[];
}

export const PORT_SIZE = 11;
export const TITLE_SIZE = 13;
export const CAPTION_SIZE = 10.5;
export const LABEL_SIZE = 10;
const HEADER = 40;
const ROW = 18;
const MIN_WIDTH = 110;
const MAX_PORT_TEXT = 130;
const NODE_GAP = 26;
const LANE_PITCH = 9;
const MIN_GAP = 74;
const CHANNEL = 8;
const MARGIN = 24;
/** Ports on one side of a box beyond the connected ones. */
const SHOWN_OPEN = 4;
const RELAXATIONS = 16;

export function layoutGraph(model: GraphModel, top: number): GraphLayout {
  return new Layout(model, top).place();
}

interface Row {
  readonly port: number;
  readonly label: string;
  readonly connected: boolean;
}

interface Shape {
  readonly left: readonly Row[];
  readonly right: readonly Row[];
  readonly width: number;
  readonly height: number;
}

class Layout {
  private readonly model: GraphModel;
  private readonly top: number;
  private readonly shapes: readonly Shape[];
  private readonly graph: Layers;
  private readonly y = new Map<LayerNode, number>();
  /** Left edge and width of every column. */
  private readonly columns: { x: number; width: number }[] = [];
  private readonly unitNode: readonly LayerNode[];
  private readonly laneNode = new Map<string, LayerNode>();
  /** Bundles that run backwards, each with the height at which it does. */
  private readonly tracks = new Map<number, number>();
  /** Channels that were handed out in the gap after every column; gap 0 is before the first. */
  private readonly channels: number[];

  constructor(model: GraphModel, top: number) {
    this.model = model;
    this.top = top;
    const ends = connectedPorts(model);
    this.shapes = model.units.map((unit, u) => shapeOf(unit, ends[u]!.inputs, ends[u]!.outputs));
    this.graph = layerGraph(model);
    const nodes: LayerNode[] = [];
    this.graph.layers.forEach((layer, l) => {
      for (const node of layer) {
        if (node.unit >= 0) nodes[node.unit] = node;
        else this.laneNode.set(`${node.bundle} ${l}`, node);
      }
    });
    this.unitNode = nodes;
    this.channels = new Array<number>(this.graph.layers.length + 1).fill(0);
  }

  place(): GraphLayout {
    this.placeColumns();
    this.placeRows();
    const boxes = this.model.units.map((_, unit) => this.box(unit));
    const bottom = this.placeTracks();
    const wires = this.graph.bundles.flatMap((bundle, b) => this.routeBundle(bundle, b, boxes));
    const last = this.columns[this.columns.length - 1];
    return {
      width: (last ? last.x + last.width : 0) + this.gapWidth(this.columns.length) + MARGIN,
      height: bottom + NODE_GAP,
      boxes,
      wires,
    };
  }

  // ---- columns and rows ---------------------------------------------------------------------------------------

  private isBackward({ from, to }: Bundle): boolean {
    return this.graph.layerOf[from]! >= this.graph.layerOf[to]!;
  }

  /** Width of the gap before column `g`: labels that end there, and channels of wires that run backwards. */
  private gapWidth(g: number): number {
    let width = g === 0 || g === this.columns.length ? 0 : MIN_GAP;
    let vertical = 0;
    this.graph.bundles.forEach((bundle) => {
      const { from, to, wires } = bundle;
      if (this.isBackward(bundle)) {
        if (this.graph.layerOf[to] === g) vertical += wires.length;
        if (this.graph.layerOf[from] === g - 1) vertical += wires.length;
        return;
      }
      if (this.graph.layerOf[to] !== g) return;
      for (const w of wires) {
        const label = this.model.wires[w]!.label;
        if (label !== undefined) width = Math.max(width, textWidth(label, LABEL_SIZE) + 44);
      }
    });
    return width + vertical * CHANNEL + (vertical > 0 ? CHANNEL : 0);
  }

  private placeColumns(): void {
    // Gap widths depend on how many columns there are.
    for (const _ of this.graph.layers) this.columns.push({ x: 0, width: 0 });
    let x = MARGIN;
    this.graph.layers.forEach((nodes, l) => {
      x += this.gapWidth(l);
      const width = Math.max(
        0,
        ...nodes.map(({ unit }) => (unit < 0 ? 0 : this.shapes[unit]!.width)),
      );
      this.columns[l] = { x, width };
      x += width;
    });
  }

  private heightOf({ unit, bundle }: LayerNode): number {
    if (unit >= 0) return this.shapes[unit]!.height;
    return this.graph.bundles[bundle]!.wires.length * LANE_PITCH;
  }

  private placeRows(): void {
    const { layers } = this.graph;
    for (const nodes of layers) {
      let y = 0;
      for (const node of nodes) {
        this.y.set(node, y);
        y += this.heightOf(node) + NODE_GAP;
      }
    }
    for (let round = 0; round < RELAXATIONS; round++) {
      const forward = round % 2 === 0;
      layers.forEach((_, i) => {
        const l = forward ? i : layers.length - 1 - i;
        this.relax(layers[l]!, l);
      });
    }
    const highest = Math.min(...layers.flat().map((node) => this.y.get(node)!));
    for (const node of layers.flat()) this.y.set(node, this.y.get(node)! - highest + this.top);
  }

  /** Every node of a column as near as possible to where its wires are straight, order and gaps kept. */
  private relax(nodes: readonly LayerNode[], layer: number): void {
    const wishes = nodes.map((node) => this.wish(node, layer));
    const offsets: number[] = [];
    nodes.reduce((sum, node) => {
      offsets.push(sum);
      return sum + this.heightOf(node) + NODE_GAP;
    }, 0);
    // Isotonic regression: neighbours that would overlap move together.
    const blocks: { sum: number; count: number; size: number }[] = [];
    wishes.forEach(({ y, weight }, i) => {
      blocks.push({ sum: (y - offsets[i]!) * weight, count: weight, size: 1 });
      while (blocks.length > 1) {
        const b = blocks[blocks.length - 1]!;
        const a = blocks[blocks.length - 2]!;
        if (a.sum / a.count <= b.sum / b.count) break;
        a.sum += b.sum;
        a.count += b.count;
        a.size += b.size;
        blocks.pop();
      }
    });
    let i = 0;
    for (const { sum, count, size } of blocks)
      for (let k = 0; k < size; k++, i++) this.y.set(nodes[i]!, sum / count + offsets[i]!);
  }

  private wish(node: LayerNode, layer: number): { y: number; weight: number } {
    let sum = 0;
    let count = 0;
    this.graph.bundles.forEach((bundle, b) => {
      if (this.isBackward(bundle)) return;
      const here = node.bundle === b || bundle.from === node.unit || bundle.to === node.unit;
      if (!here) return;
      bundle.wires.forEach((w, k) => {
        for (const step of [-1, 1]) {
          const own = this.levelOf(b, w, k, layer);
          const other = this.levelOf(b, w, k, layer + step);
          if (own === undefined || other === undefined) continue;
          sum += this.y.get(node)! + other - own;
          count++;
        }
      });
    });
    return count === 0 ? { y: this.y.get(node)!, weight: 0.01 } : { y: sum / count, weight: count };
  }

  /** Height of a wire in a column: at its port, or in its lane. */
  private levelOf(b: number, w: number, k: number, layer: number): number | undefined {
    const { from, to } = this.graph.bundles[b]!;
    const wire = this.model.wires[w]!;
    if (layer === this.graph.layerOf[from])
      return this.y.get(this.unitNode[from]!)! + this.rowY(from, "right", wire.from.port);
    if (layer === this.graph.layerOf[to])
      return this.y.get(this.unitNode[to]!)! + this.rowY(to, "left", wire.to.port);
    const lane = this.laneNode.get(`${b} ${layer}`);
    return lane && this.y.get(lane)! + (k + 0.5) * LANE_PITCH;
  }

  private rowY(unit: number, side: "left" | "right", port: number): number {
    const row = this.shapes[unit]![side].findIndex((r) => r.port === port);
    return HEADER + (row + 0.5) * ROW;
  }

  private box(unit: number): GraphBox {
    const shape = this.shapes[unit]!;
    const column = this.columns[this.graph.layerOf[unit]!]!;
    const x = column.x + (column.width - shape.width) / 2;
    const y = this.y.get(this.unitNode[unit]!)!;
    const { name, caption } = this.model.units[unit]!;
    const placed = (side: "left" | "right", edge: number): PlacedPort[] =>
      shape[side].map((row, i) => ({ ...row, side, x: edge, y: y + HEADER + (i + 0.5) * ROW }));
    return {
      unit,
      x,
      y,
      width: shape.width,
      height: shape.height,
      title: fitText(name, TITLE_SIZE, shape.width - 16),
      caption: fitText(caption, CAPTION_SIZE, shape.width - 16),
      ports: [...placed("left", x), ...placed("right", x + shape.width)],
    };
  }

  // ---- wires --------------------------------------------------------------------------------------------------

  /** Bundles that run backwards pass below everything in the columns they cross: short ones inside, long ones around them. */
  private placeTracks(): number {
    const bottoms = this.graph.layers.map((nodes) =>
      Math.max(this.top, ...nodes.map((node) => this.y.get(node)! + this.heightOf(node))),
    );
    const back = this.graph.bundles
      .map((bundle, b) => ({
        b,
        isBack: this.isBackward(bundle),
        first: this.graph.layerOf[bundle.to]!,
        last: this.graph.layerOf[bundle.from]!,
        height: bundle.wires.length * LANE_PITCH,
      }))
      .filter(({ isBack }) => isBack)
      .sort((one, two) => one.last - one.first - (two.last - two.first) || one.first - two.first);
    const busy: { first: number; last: number; end: number }[] = [];
    for (const { b, first, last, height } of back) {
      const below = bottoms.slice(first, last + 1).map((y) => y + NODE_GAP);
      const met = busy.filter((other) => other.first <= last + 1 && first <= other.last + 1);
      const y = Math.max(...below, ...met.map((other) => other.end));
      this.tracks.set(b, y);
      busy.push({ first, last, end: y + height });
    }
    return Math.max(...bottoms, ...busy.map(({ end }) => end));
  }

  private routeBundle(bundle: Bundle, b: number, boxes: readonly GraphBox[]): PlacedWire[] {
    return bundle.wires.map((w, k) => {
      const { from, to, label } = this.model.wires[w]!;
      const start = portAt(boxes[from.unit]!, "right", from.port);
      const end = portAt(boxes[to.unit]!, "left", to.port);
      const routed = this.isBackward(bundle)
        ? this.backward(bundle, start, end, this.tracks.get(b)! + k * LANE_PITCH)
        : this.forward(bundle, b, w, k, start, end);
      return {
        wire: w,
        path: routed.path,
        ...(label === undefined ? {} : { label: { text: label, ...routed.middle } }),
      };
    });
  }

  private forward(
    bundle: Bundle,
    b: number,
    w: number,
    k: number,
    start: Point,
    end: Point,
  ): Route {
    let path = `M${start.x} ${start.y}`;
    let last = start;
    for (
      let layer = this.graph.layerOf[bundle.from]! + 1;
      layer < this.graph.layerOf[bundle.to]!;
      layer++
    ) {
      const { x, width } = this.columns[layer]!;
      const y = this.levelOf(b, w, k, layer)!;
      path += `${curve(last, { x, y })} H${x + width}`;
      last = { x: x + width, y };
    }
    path += curve(last, end);
    return {
      path: rounded(path),
      middle: { x: (last.x + end.x) / 2, y: (last.y + end.y) / 2 - 4 },
    };
  }

  /** Out to the right, down to its track, back below the boxes, up again. */
  private backward({ from, to }: Bundle, start: Point, end: Point, track: number): Route {
    const after = this.graph.layerOf[from]! + 1;
    const before = this.graph.layerOf[to]!;
    const out = this.columns[after - 1]!.x + this.columns[after - 1]!.width + this.channel(after);
    const into = this.columns[before]!.x - this.channel(before);
    const r = 7;
    const path =
      `M${start.x} ${start.y} H${out - r} Q${out} ${start.y} ${out} ${start.y + r}` +
      ` V${track - r} Q${out} ${track} ${out - r} ${track} H${into + r}` +
      ` Q${into} ${track} ${into} ${track - r} V${end.y + r} Q${into} ${end.y} ${into + r} ${end.y} H${end.x}`;
    return { path: rounded(path), middle: { x: (out + into) / 2, y: track - 4 } };
  }

  /** The next free channel in the gap before column `g`, as a distance from the column at its side. */
  private channel(g: number): number {
    const number = this.channels[g]!++;
    return 14 + number * CHANNEL;
  }
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Route {
  readonly path: string;
  readonly middle: Point;
}

function curve(a: Point, b: Point): string {
  const reach = Math.max(24, (b.x - a.x) / 2);
  return ` C${a.x + reach} ${a.y} ${b.x - reach} ${b.y} ${b.x} ${b.y}`;
}

/** Tenths of a pixel are enough, and files stay small. */
function rounded(path: string): string {
  return path.replace(/-?\d+\.\d+/g, (text) => String(Math.round(Number(text) * 10) / 10));
}

function portAt(box: GraphBox, side: "left" | "right", port: number): Point {
  const found = box.ports.find((p) => p.side === side && p.port === port);
  return found ?? { x: side === "left" ? box.x : box.x + box.width, y: box.y + HEADER / 2 };
}

function connectedPorts({
  units,
  wires,
}: GraphModel): { inputs: Set<number>; outputs: Set<number> }[] {
  const ends = units.map(() => ({ inputs: new Set<number>(), outputs: new Set<number>() }));
  for (const { from, to } of wires) {
    ends[from.unit]!.outputs.add(from.port);
    ends[to.unit]!.inputs.add(to.port);
  }
  return ends;
}

function shapeOf(
  unit: GraphUnit,
  inputs: ReadonlySet<number>,
  outputs: ReadonlySet<number>,
): Shape {
  const left = rowsOf(unit.inputs, inputs);
  const right = rowsOf(unit.outputs, outputs);
  const widest = (rows: readonly Row[]): number =>
    Math.max(0, ...rows.map(({ label }) => textWidth(label, PORT_SIZE)));
  const width = Math.max(
    MIN_WIDTH,
    Math.min(textWidth(unit.name, TITLE_SIZE), 240) + 20,
    Math.min(textWidth(unit.caption, CAPTION_SIZE), 240) + 20,
    widest(left) + widest(right) + 44,
  );
  const rows = Math.max(left.length, right.length);
  return { left, right, width: Math.ceil(width), height: HEADER + rows * ROW + 8 };
}

/** All that are connected, a few that are not, and how many were left out. */
function rowsOf(ports: readonly GraphPort[], connected: ReadonlySet<number>): Row[] {
  const rows: Row[] = [];
  let open = 0;
  ports.forEach(({ name, unit }, port) => {
    if (!connected.has(port) && ++open > SHOWN_OPEN) return;
    const label = unit === undefined ? name : `${name} [${unit}]`;
    rows.push({
      port,
      label: fitText(label, PORT_SIZE, MAX_PORT_TEXT),
      connected: connected.has(port),
    });
  });
  if (open > SHOWN_OPEN)
    rows.push({ port: -1, label: `… ${open - SHOWN_OPEN} more`, connected: false });
  return rows;
}
