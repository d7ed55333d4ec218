/**
 * A unit: its name, its parameters with units, its step, adaptations of the library, and
 * connections of its ports.
 */
import type { DescribedPort, DescribedUnit } from "@cosimo/serve/protocol.ts";
import { useMemo, useState } from "react";
import { connectedInputs, offersFor } from "../graph/fit.ts";
import type { Graph } from "../graph/model.ts";
import { board } from "../plots/plot-board.ts";
import { attempt, bottomTab, edit, open, say, selected } from "../session.ts";
import { AdaptationField } from "./adaptation-field.tsx";
import { Field } from "./field.tsx";

interface Props {
  readonly unit: DescribedUnit;
  readonly graph: Graph;
  readonly isReadOnly: boolean;
  /** The name of a port in runs; none where it cannot be seen from outside of its scenario. */
  signalOf(port: string): string | undefined;
}

/** Parameters that are listed before a person asks for all. */
const LISTED = 12;

export function UnitFields({ unit, graph, isReadOnly, signalOf }: Props) {
  const { name, ports, sourcePath } = unit;
  const taken = useMemo(() => connectedInputs(graph), [graph]);
  const [filter, setFilter] = useState("");
  const values = ports.filter(
    ({ direction, name: port }) =>
      direction === "parameter" ||
      direction === "structural-parameter" ||
      (direction === "input" && !taken.has(`${name}.${port}`)),
  );
  const matching = values.filter((port) => port.name.toLowerCase().includes(filter.toLowerCase()));
  const set = matching.filter((port) => port.set !== undefined);
  const rest = matching.filter((port) => port.set === undefined);
  const listed = [...set, ...rest.slice(0, Math.max(0, LISTED - set.length))];
  return (
    <div>
      <h2>{name}</h2>
      <p className="muted">
        {unit.backend ?? "not readable"}
        {sourcePath !== undefined && (
          <>
            {" · "}
            <button
              type="button"
              className="link"
              onClick={() => void attempt(() => open(sourcePath))}
            >
              {sourcePath.split("/").at(-1)}
            </button>
          </>
        )}
      </p>
      <div className="fields">
        <Field
          label="name"
          value={name}
          isReadOnly={isReadOnly}
          commit={(to) => {
            if (to !== "" && edit({ kind: "rename-unit", name, to }))
              selected.set({ kind: "unit", unit: to });
          }}
        />
        <Field
          label="step"
          value={unit.step === undefined ? "" : String(unit.step)}
          placeholder="as the scenario"
          unit="s"
          isReadOnly={isReadOnly}
          commit={(value) =>
            edit({
              kind: "set-unit-step",
              unit: name,
              ...(value === "" ? {} : { value: /^[\d.eE+-]+$/.test(value) ? `${value} s` : value }),
            })
          }
        />
      </div>
      <AdaptationField unit={unit} graph={graph} isReadOnly={isReadOnly} />
      {values.length > LISTED && (
        <input
          type="search"
          aria-label="filter parameters"
          placeholder={`filter ${values.length} parameters`}
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
      )}
      <div className="fields wide">
        {listed.map((port) => (
          <ValueField key={port.name} unit={name} port={port} isReadOnly={isReadOnly} />
        ))}
      </div>
      {matching.length > listed.length && (
        <p className="muted">and {matching.length - listed.length} more</p>
      )}
      <Ports unit={unit} graph={graph} isReadOnly={isReadOnly} taken={taken} signalOf={signalOf} />
      <div className="buttons">
        <button
          type="button"
          disabled={isReadOnly}
          onClick={() => {
            if (edit({ kind: "remove-unit", name })) selected.set(undefined);
          }}
        >
          Remove unit
        </button>
      </div>
    </div>
  );
}

function ValueField({
  unit,
  port,
  isReadOnly,
}: {
  unit: string;
  port: DescribedPort;
  isReadOnly: boolean;
}) {
  const limits = [
    port.min === undefined ? "" : `at least ${port.min}`,
    port.max === undefined ? "" : `at most ${port.max}`,
  ];
  return (
    <Field
      label={port.name}
      value={port.set ?? ""}
      {...(port.start === undefined ? {} : { placeholder: port.start })}
      {...(port.unit === undefined ? {} : { unit: port.unit })}
      about={[port.description ?? "", ...limits].filter((text) => text !== "").join("\n")}
      isReadOnly={isReadOnly}
      commit={(value) =>
        edit({ kind: "set-value", unit, port: port.name, ...(value === "" ? {} : { value }) })
      }
    />
  );
}

function Ports({
  unit,
  graph,
  isReadOnly,
  taken,
  signalOf,
}: Props & { taken: ReadonlySet<string> }) {
  const ports = unit.ports.filter(
    ({ direction }) => direction === "input" || direction === "output",
  );
  return (
    <table className="ports">
      <caption>Ports</caption>
      <tbody>
        {ports.map((port) => {
          const name = `${unit.name}.${port.name}`;
          const isOpen = port.direction === "output" || !taken.has(name);
          return (
            <tr key={`${port.direction} ${port.name}`}>
              <th scope="row" title={port.why}>
                {port.direction === "input" ? "→ " : "← "}
                {port.name}
                <small>
                  {" "}
                  {port.unit ?? ""} {port.kind ?? ""}
                </small>
              </th>
              <td>
                {isOpen && !isReadOnly && (
                  <ConnectSelect unit={unit.name} port={port} graph={graph} />
                )}
                {port.direction === "output" && (
                  <button
                    type="button"
                    className="quiet"
                    aria-label={`plot ${name}`}
                    title={`plot ${name}`}
                    onClick={() => plot(signalOf(name) ?? name)}
                  >
                    ∿
                  </button>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function plot(signal: string): void {
  bottomTab.set("plots");
  if (!board.addSignal(signal))
    say(`${signal} was not recorded`, true, "run the scenario, and see 'record' in its file");
}

/** Everything that fits, with what is converted; searched when the list is opened. */
function ConnectSelect({ unit, port, graph }: { unit: string; port: DescribedPort; graph: Graph }) {
  const [isOpen, setOpen] = useState(false);
  const offers = useMemo(
    () => (isOpen ? offersFor(graph, unit, port) : []),
    [isOpen, graph, unit, port],
  );
  const own = `${unit}.${port.name}`;
  return (
    <select
      aria-label={`connect ${own}`}
      value=""
      onFocus={() => setOpen(true)}
      onMouseDown={() => setOpen(true)}
      onChange={({ target }) => {
        const other = target.value;
        const [from, to] = port.direction === "output" ? [own, other] : [other, own];
        if (edit({ kind: "connect", from, to })) say(`connected ${from} with ${to}`);
      }}
    >
      <option value="">connect …</option>
      {offers.map((offer) => (
        <option key={`${offer.unit}.${offer.port}`} value={`${offer.unit}.${offer.port}`}>
          {offer.unit}.{offer.port}
          {offer.converts === undefined ? "" : ` (${offer.converts})`}
        </option>
      ))}
    </select>
  );
}
