/**
 * All wires of a large scenario as a few paths: thousands of elements would be too many for a page,
 * three paths are not.
 */
import { useStore as useFlow, ViewportPortal } from "@xyflow/react";
import { type CSSProperties, memo, useMemo } from "react";
import type { BoxShape, PortRow } from "./box-shape.ts";
import type { Graph, GraphWire, Position } from "./model.ts";

interface Props {
  readonly graph: Graph;
  readonly shapes: ReadonlyMap<string, BoxShape>;
  readonly positions: ReadonlyMap<string, Position>;
  /** Wires of this unit stand out. */
  readonly selected: string | undefined;
}

export const WireSheet = memo(function WireSheet({ graph, shapes, positions, selected }: Props) {
  // The picture is scaled as a whole: lines of an overview would be thinner than anything can be
  // drawn.
  const thin = useFlow(({ transform }) => Number(Math.max(1, 1 / transform[2]).toPrecision(2)));
  const paths = useMemo(() => pathsOf({ graph, shapes, positions }), [graph, shapes, positions]);
  const chosen = useMemo(
    () =>
      selected === undefined
        ? ""
        : pathOf(
            graph.wires.filter(({ from, to }) => from.unit === selected || to.unit === selected),
            shapes,
            positions,
          ),
    [graph, shapes, positions, selected],
  );
  return (
    <ViewportPortal>
      <svg className="sheet" aria-hidden="true" style={{ "--thin": thin } as CSSProperties}>
        <path className="plain" d={paths.plain} />
        <path className="loop" d={paths.loop} />
        <path className="error" d={paths.error} />
        <path className="selected" d={chosen} />
      </svg>
    </ViewportPortal>
  );
});

function pathsOf({ graph, shapes, positions }: Omit<Props, "selected">): {
  plain: string;
  loop: string;
  error: string;
} {
  const of = (keep: (wire: GraphWire) => boolean): string =>
    pathOf(graph.wires.filter(keep), shapes, positions);
  return {
    plain: of(({ inLoop, problem }) => !inLoop && problem?.severity !== "error"),
    loop: of(({ inLoop, problem }) => inLoop && problem?.severity !== "error"),
    error: of(({ problem }) => problem?.severity === "error"),
  };
}

function pathOf(
  wires: readonly GraphWire[],
  shapes: ReadonlyMap<string, BoxShape>,
  positions: ReadonlyMap<string, Position>,
): string {
  let path = "";
  for (const { from, to } of wires) {
    const [a, b] = [positions.get(from.unit), positions.get(to.unit)];
    const [source, target] = [shapes.get(from.unit), shapes.get(to.unit)];
    if (!a || !b || !source || !target) continue;
    const x1 = Math.round(a.x + source.width);
    const y1 = Math.round(a.y + heightOf(source.outputs, from.port));
    const x2 = Math.round(b.x);
    const y2 = Math.round(b.y + heightOf(target.inputs, to.port));
    path += `M${x1} ${y1}L${x2} ${y2}`;
  }
  return path;
}

function heightOf(rows: readonly PortRow[], port: string): number {
  return rows.find((row) => row.port.name === port)?.y ?? 20;
}
