/**
 * Which column every unit of a drawing stands in, and in which order: as few wires as possible run backwards, as few as possible
 * cross. Wires over several columns get lanes of their own between the boxes.
 */
import type { GraphModel } from "./graph.ts";

/** Wires from one unit to another. */
export interface Bundle {
  readonly from: number;
  readonly to: number;
  readonly wires: readonly number[];
}

export interface LayerNode {
  /** A unit, or -1 for a lane. */
  readonly unit: number;
  /** The bundle that uses the lane, or -1. */
  readonly bundle: number;
}

export interface Layers {
  readonly bundles: readonly Bundle[];
  /** Column of every unit. */
  readonly layerOf: readonly number[];
  /** Nodes from top to bottom, column by column. */
  readonly layers: readonly (readonly LayerNode[])[];
}

const SWEEPS = 12;

export function layerGraph(model: GraphModel): Layers {
  const bundles = bundleWires(model);
  const layerOf = columns(model.units.length, bundles);
  const layers: LayerNode[][] = Array.from({ length: Math.max(0, ...layerOf) + 1 }, () => []);
  layerOf.forEach((layer, unit) => {
    layers[layer]!.push({ unit, bundle: -1 });
  });
  bundles.forEach(({ from, to }, bundle) => {
    for (let layer = layerOf[from]! + 1; layer < layerOf[to]!; layer++)
      layers[layer]!.push({ unit: -1, bundle });
  });
  sortLayers(layers, bundles, layerOf);
  return { bundles, layerOf, layers };
}

function bundleWires({ wires }: GraphModel): Bundle[] {
  const bundles = new Map<string, { from: number; to: number; wires: number[] }>();
  wires.forEach(({ from, to }, w) => {
    const key = `${from.unit} ${to.unit}`;
    const known = bundles.get(key);
    if (known) known.wires.push(w);
    else bundles.set(key, { from: from.unit, to: to.unit, wires: [w] });
  });
  return [...bundles.values()];
}

/** Longest way from a source, over the wires that do not lead back. */
function columns(units: number, bundles: readonly Bundle[]): number[] {
  const place = sequence(units, bundles);
  const forward = bundles.filter(({ from, to }) => place[from]! < place[to]!);
  const byPlace = place.map((_, unit) => unit).sort((a, b) => place[a]! - place[b]!);
  const after: number[][] = Array.from({ length: units }, () => []);
  for (const { from, to } of forward) after[from]!.push(to);
  const layerOf = new Array<number>(units).fill(0);
  for (const unit of byPlace)
    for (const target of after[unit]!)
      layerOf[target] = Math.max(layerOf[target]!, layerOf[unit]! + 1);
  // Sources stand right before the first unit they feed.
  const fed = new Set(forward.map(({ to }) => to));
  for (let unit = 0; unit < units; unit++) {
    if (fed.has(unit) || after[unit]!.length === 0) continue;
    layerOf[unit] = Math.min(...after[unit]!.map((target) => layerOf[target]!)) - 1;
  }
  return layerOf;
}

/** A sequence of units in which few wires lead back: sinks to the end, sources to the front, else who gives most. */
function sequence(units: number, bundles: readonly Bundle[]): number[] {
  const out = new Array<number>(units).fill(0);
  const into = new Array<number>(units).fill(0);
  const outgoing: Bundle[][] = Array.from({ length: units }, () => []);
  const incoming: Bundle[][] = Array.from({ length: units }, () => []);
  for (const bundle of bundles) {
    if (bundle.from === bundle.to) continue;
    out[bundle.from]! += bundle.wires.length;
    into[bundle.to]! += bundle.wires.length;
    outgoing[bundle.from]!.push(bundle);
    incoming[bundle.to]!.push(bundle);
  }
  const left = new Set(out.keys());
  const front: number[] = [];
  const back: number[] = [];
  const take = (unit: number, list: number[]): void => {
    left.delete(unit);
    list.push(unit);
    for (const { to, wires } of outgoing[unit]!) into[to]! -= wires.length;
    for (const { from, wires } of incoming[unit]!) out[from]! -= wires.length;
  };
  while (left.size > 0) {
    const remaining = [...left];
    const source = remaining.find((unit) => into[unit] === 0);
    const sink = remaining.findLast((unit) => out[unit] === 0);
    if (source !== undefined) take(source, front);
    else if (sink !== undefined) take(sink, back);
    else
      take(
        remaining.reduce((best, unit) =>
          out[unit]! - into[unit]! > out[best]! - into[best]! ? unit : best,
        ),
        front,
      );
  }
  const place = new Array<number>(units).fill(0);
  [...front, ...back.reverse()].forEach((unit, i) => {
    place[unit] = i;
  });
  return place;
}

/** Every node to the middle of its neighbours, column by column, there and back. */
function sortLayers(
  layers: LayerNode[][],
  bundles: readonly Bundle[],
  layerOf: readonly number[],
): void {
  const position = new Map<LayerNode, number>();
  const unitNodes = new Map(
    layers.flat().flatMap((node) => (node.unit < 0 ? [] : [[node.unit, node]])),
  );
  const lanes = new Map(
    layers.flatMap((nodes, layer) =>
      nodes.flatMap((node): [string, LayerNode][] =>
        node.bundle < 0 ? [] : [[`${node.bundle} ${layer}`, node]],
      ),
    ),
  );
  const before = new Map<LayerNode, LayerNode[]>();
  const after = new Map<LayerNode, LayerNode[]>();
  const link = (a: LayerNode, b: LayerNode): void => {
    after.set(a, [...(after.get(a) ?? []), b]);
    before.set(b, [...(before.get(b) ?? []), a]);
  };
  bundles.forEach(({ from, to }, bundle) => {
    let last = unitNodes.get(from)!;
    for (let layer = layerOf[from]! + 1; layer <= layerOf[to]!; layer++) {
      const next = lanes.get(`${bundle} ${layer}`) ?? unitNodes.get(to)!;
      link(last, next);
      last = next;
    }
  });
  const number = (nodes: readonly LayerNode[]): void => {
    nodes.forEach((node, i) => {
      position.set(node, (i + 0.5) / nodes.length);
    });
  };
  for (const nodes of layers) number(nodes);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0;
    const neighbours = down ? before : after;
    for (const nodes of down ? layers : layers.toReversed()) {
      const wish = new Map(
        nodes.map((node) => {
          const list = neighbours.get(node);
          if (!list) return [node, position.get(node)!];
          return [node, list.reduce((sum, other) => sum + position.get(other)!, 0) / list.length];
        }),
      );
      nodes.sort((a, b) => wish.get(a)! - wish.get(b)!);
      number(nodes);
    }
  }
}
