/**
 * A trace: what it is of and which signals it has; its curves are in the plots below.
 */
import type { TraceInfo } from "@cosimo/serve/protocol.ts";
import { board } from "../plots/plot-board.ts";

export function TraceView({ trace }: { trace: TraceInfo }) {
  const { path, title, columns, rows, entries } = trace;
  return (
    <article className="trace" aria-label={`trace ${path}`}>
      <h2>{title || path}</h2>
      <p>
        {rows} rows, {columns.length} signals
      </p>
      <dl>
        {Object.entries(entries).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <ul className="signals">
        {columns.map(({ name, unit, type }) => (
          <li key={name}>
            <button
              type="button"
              draggable
              onDragStart={(event) =>
                event.dataTransfer.setData("application/x-cosimo-signal", name)
              }
              onClick={() => board.addSignal(name)}
              title={`add ${name} to the plots`}
            >
              {name}
            </button>
            <small>
              {unit ?? ""} {type}
            </small>
          </li>
        ))}
      </ul>
    </article>
  );
}
