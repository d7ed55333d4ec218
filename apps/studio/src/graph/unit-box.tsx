/**
 * The box of a unit: its name, what it is, its ports with their physical units, and marks of what
 * is special about it.
 */
import { Handle, type Node, type NodeProps, Position, useStore as useFlow } from "@xyflow/react";
import { memo } from "react";
import { type BoxShape, HEADER, type PortRow } from "./box-shape.ts";
import { useGraphActions } from "./graph-actions.ts";
import type { GraphUnit } from "./model.ts";
import { PortValue } from "./port-value.tsx";

export interface UnitData extends Record<string, unknown> {
  readonly unit: GraphUnit;
  readonly shape: BoxShape;
  /** The run failed here. */
  readonly hasFailed: boolean;
  /** Whether its boxes are many: those that are small on the screen show their name alone. */
  readonly isOneOfMany: boolean;
}

export type UnitNode = Node<UnitData, "unit">;

const MARKS: Readonly<Record<string, { readonly sign: string; readonly text: string }>> = {
  process: { sign: "▣", text: "runs in a process of its own" },
  remote: { sign: "⇄", text: "runs on another computer" },
  fault: { sign: "⚡", text: "faults act on it" },
  adapted: { sign: "◈", text: "has an adaptation around it" },
  rate: { sign: "◷", text: "has a step of its own" },
};

/** Below this zoom, boxes of large scenarios have no ports. */
const FAR = 0.45;
/** And below this one no name that could be read. */
const VERY_FAR = 0.1;

export const UnitBox = memo(function UnitBox({ data, selected }: NodeProps<UnitNode>) {
  const isFar = useFlow(({ transform }) => data.isOneOfMany && transform[2] < FAR);
  const isDot = useFlow(({ transform }) => data.isOneOfMany && transform[2] < VERY_FAR);
  const { unit, shape, hasFailed } = data;
  const { name, problem } = unit;
  const state = hasFailed ? "failed" : (problem?.severity ?? "fine");
  return (
    <div
      className={`unit ${state}${selected ? " selected" : ""}${unit.isUnknown ? " unknown" : ""}${data.isOneOfMany ? " one-of-many" : ""}${isDot ? " dot" : ""}`}
      style={{ width: shape.width, height: shape.height }}
      data-unit={name}
      title={isFar ? name : [name, unit.caption, ...unit.about].join("\n")}
    >
      {isDot ? null : isFar ? <strong className="far">{name}</strong> : <Near {...data} />}
    </div>
  );
});

function Near({ unit, shape, hasFailed }: UnitData) {
  const { name, caption, marks, isNested, problem } = unit;
  const { enter, showPorts } = useGraphActions();
  const hidden = shape.hidden.inputs + shape.hidden.outputs;
  return (
    <>
      <header style={{ height: HEADER - 4 }}>
        <strong>{name}</strong>
        <span className="marks">
          {marks.map((mark) => (
            <span key={mark} role="img" title={MARKS[mark]?.text} aria-label={MARKS[mark]?.text}>
              {MARKS[mark]?.sign}
            </span>
          ))}
          {isNested && (
            <button
              type="button"
              className="enter nodrag"
              aria-label={`look into ${name}`}
              title={`look into ${name}`}
              onClick={() => enter(name)}
            >
              ⤢
            </button>
          )}
        </span>
        <small>{caption}</small>
      </header>
      {shape.inputs.map((row) => (
        <PortLine key={`in ${row.port.name}`} unit={name} row={row} side="in" />
      ))}
      {shape.outputs.map((row) => (
        <PortLine key={`out ${row.port.name}`} unit={name} row={row} side="out" />
      ))}
      {hidden > 0 && (
        <button
          type="button"
          className="more nodrag"
          onClick={() => showPorts(name)}
          aria-label={`show ${hidden} more ports of ${name}`}
        >
          … {hidden} more
        </button>
      )}
      {(problem !== undefined || hasFailed) && (
        <span
          className={`badge ${hasFailed ? "error" : problem?.severity}`}
          role="img"
          title={hasFailed ? "the run failed here" : problem?.text}
          aria-label={hasFailed ? "the run failed here" : problem?.text}
        >
          !
        </span>
      )}
    </>
  );
}

function PortLine({ unit, row, side }: { unit: string; row: PortRow; side: "in" | "out" }) {
  const { port, y, label, isConnected } = row;
  const { offered, dragSignal, signalOf } = useGraphActions();
  const offer = offered(unit, port.name, side);
  const name = `${unit}.${port.name}`;
  const signal = signalOf(name);
  return (
    <div className={`port ${side} ${offer}`} style={{ top: y }} title={port.about.join("\n")}>
      <Handle
        id={port.name}
        type={side === "in" ? "target" : "source"}
        position={side === "in" ? Position.Left : Position.Right}
        className={`${port.solid ? "solid" : "hollow"}${port.isEvent ? " event" : ""}${isConnected ? " connected" : ""}`}
        data-port={name}
        role="img"
        aria-label={`${side === "in" ? "input" : "output"} ${name}`}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: what dragging does, the inspector does by keyboard */}
      <span
        className="nodrag name"
        draggable={side === "out" && signal !== undefined}
        onDragStart={(event) => dragSignal(event, signal ?? name)}
      >
        {label}
      </span>
      {side === "out" && signal !== undefined && <PortValue signal={signal} />}
    </div>
  );
}
