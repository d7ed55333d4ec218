/**
 * The variant diagram (definition 47) and the ranking search over it. Each level of the diagram is
 * a variation point, and every node of a level has the same children; the point with the greatest
 * weight is next to the root. A variant is a path from the root to a leaf (definition 48). The
 * search visits the heaviest child first and goes back to the closest sibling that is left.
 */
import type { SearchSpace, Variant, VariationPoint } from "./space.ts";

/**
 * The points by their greatest weight, and the choices of each by theirs; equals stay in their
 * order.
 */
export function variantDiagram({ points }: SearchSpace): VariationPoint[] {
  return points
    .map(({ name, choices }) => ({ name, choices: byWeight(choices) }))
    .sort((a, b) => heaviest(b) - heaviest(a));
}

function byWeight<Item extends { readonly weight: number }>(items: readonly Item[]): Item[] {
  return items.toSorted((a, b) => b.weight - a.weight);
}

function heaviest({ choices }: VariationPoint): number {
  return choices[0]?.weight ?? 0;
}

/** The variants in the order of the search. */
export function* rankedVariants(space: SearchSpace): Generator<Variant> {
  const levels = variantDiagram(space);
  const path: Variant["choices"][number][] = [];
  let rank = 0;
  yield* below(0);

  function* below(level: number): Generator<Variant> {
    const point = levels[level];
    if (point === undefined) {
      yield { rank: ++rank, choices: [...path] };
      return;
    }
    for (const choice of point.choices) {
      path.push({ point, choice });
      yield* below(level + 1);
      path.pop();
    }
  }
}

/** How many variants there are. */
export function variantCount({ points }: SearchSpace): number {
  return points.reduce((product, { choices }) => product * choices.length, 1);
}

/** The diagram as text, one level a line, with weights. */
export function diagramText(space: SearchSpace): string[] {
  return variantDiagram(space).map(({ name, choices }) => {
    const texts = choices.map(({ label, weight }) => `${label} (${weight})`);
    return `${name}: ${texts.join(" | ")}`;
  });
}
