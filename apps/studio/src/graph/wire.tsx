/**
 * A wire: along the route of the layout where both of its boxes are where the layout put them,
 * otherwise around corners.
 */
import { BaseEdge, type Edge, type EdgeProps, getSmoothStepPath } from "@xyflow/react";
import { memo } from "react";
import type { GraphWire, Position, Route } from "./model.ts";

export interface WireData extends Record<string, unknown> {
  readonly wire: GraphWire;
  readonly route?: Route;
}

export type WireEdge = Edge<WireData, "wire">;

const CORNER = 7;

export const Wire = memo(function Wire(props: EdgeProps<WireEdge>) {
  const { id, data, sourceX, sourceY, targetX, targetY, selected } = props;
  const wire = data?.wire;
  const [smooth, middleX, middleY] = getSmoothStepPath({ ...props, borderRadius: CORNER });
  const route = data?.route;
  const ends = { source: { x: sourceX, y: sourceY }, target: { x: targetX, y: targetY } };
  const path = route === undefined ? smooth : roundedPath(route, ends);
  const middle = route === undefined ? { x: middleX, y: middleY } : middleOf(route);
  return (
    <g
      className={`wire ${wire === undefined ? "" : wireClasses(wire)}${selected ? " selected" : ""}`}
    >
      <title>
        {[...(wire?.about ?? []), ...(wire?.problem ? [wire.problem.text] : [])].join("\n")}
      </title>
      <BaseEdge id={id} path={path} interactionWidth={14} markerEnd="url(#arrow)" />
      {wire?.label !== undefined && (
        <text className="conversion" x={middle.x} y={middle.y - 5} textAnchor="middle">
          {wire.label}
        </text>
      )}
      {wire?.problem && (
        <g className={`wire-badge ${wire.problem.severity}`}>
          <circle cx={middle.x} cy={middle.y} r={8} />
          <text x={middle.x} y={middle.y + 4} textAnchor="middle">
            !
          </text>
        </g>
      )}
    </g>
  );
});

function wireClasses(wire: GraphWire): string {
  return [
    wire.inLoop ? "loop" : "",
    wire.late ? "late" : "",
    wire.bond === undefined ? "" : "bond",
    wire.isEvent ? "event" : "",
    wire.varying ? "varying" : "",
    wire.problem?.severity ?? "",
  ]
    .filter((name) => name !== "")
    .join(" ");
}

/** The middle of its longest level piece, where a text has room. */
function middleOf(route: Route): Position {
  let best: readonly [Position, Position] | undefined;
  let longest = -1;
  route.forEach((point, i) => {
    const next = route[i + 1];
    if (!next || next.y !== point.y) return;
    const length = Math.abs(next.x - point.x);
    if (length > longest) [best, longest] = [[point, next], length];
  });
  const [a, b] = best ?? [route[0], route[0]];
  return { x: ((a?.x ?? 0) + (b?.x ?? 0)) / 2, y: a?.y ?? 0 };
}

/** Level and upright pieces with round corners, from port to port. */
function roundedPath(route: Route, ends: { source: Position; target: Position }): string {
  const points = [ends.source, ...route.slice(1, -1), ends.target];
  const [first] = points;
  let path = `M${first?.x} ${first?.y}`;
  for (let i = 1; i < points.length; i++) {
    const last = points[i - 1];
    const corner = points[i];
    const next = points[i + 1];
    if (!last || !corner) break;
    if (!next) {
      path += ` L${corner.x} ${corner.y}`;
      break;
    }
    const r = Math.min(CORNER, distance(last, corner) / 2, distance(corner, next) / 2);
    const before = toward(corner, last, r);
    const after = toward(corner, next, r);
    path += ` L${before.x} ${before.y} Q${corner.x} ${corner.y} ${after.x} ${after.y}`;
  }
  return path;
}

function distance(a: Position, b: Position): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function toward(point: Position, target: Position, by: number): Position {
  const length = distance(point, target) || 1;
  return {
    x: point.x + ((target.x - point.x) * by) / length,
    y: point.y + ((target.y - point.y) * by) / length,
  };
}
