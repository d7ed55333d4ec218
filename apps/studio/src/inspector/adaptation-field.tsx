/**
 * The adaptation around a unit: one of the library, with what it takes. Ports and units are chosen
 * from those that there are; nothing is written before everything that has no default is chosen.
 */
import type { DescribedUnit, LibraryEntry } from "@cosimo/serve/protocol.ts";
import { useEffect, useState } from "react";
import { useStore } from "../base/store.ts";
import type { Graph } from "../graph/model.ts";
import { edit, library } from "../session.ts";
import { Field } from "./field.tsx";

interface Props {
  readonly unit: DescribedUnit;
  readonly graph: Graph;
  readonly isReadOnly: boolean;
}

type Values = Readonly<Record<string, string>>;

export function AdaptationField({ unit, graph, isReadOnly }: Props) {
  const entries = useStore(library);
  const [current] = unit.adaptations;
  const written = current === undefined ? undefined : usedIn(current);
  const [wanted, setWanted] = useState<LibraryEntry>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was asked for is done with once the text has it
  useEffect(() => setWanted(undefined), [current, unit.name]);
  if (unit.adaptations.length > 1)
    return (
      <p className="muted">
        {unit.adaptations.length} adaptations: {unit.adaptations.join(", ")}. Change their list in
        the text.
      </p>
    );
  const known = written?.name ?? "";
  const shown = wanted ?? entries.find(({ name }) => name === known);
  const apply = (entry: LibraryEntry, values: Values): void => {
    const options = entry.options.map(({ name }) => `${name}: ${values[name] ?? ""}`);
    const given = options.length === 0 ? "" : ` { ${options.join(", ")} }`;
    if (edit({ kind: "adapt", unit: unit.name, adaptation: `${entry.name}${given}` }))
      setWanted(undefined);
  };
  const choose = (name: string): void => {
    const entry = entries.find((one) => one.name === name);
    if (name === "") edit({ kind: "adapt", unit: unit.name });
    else if (entry === undefined) return;
    else if (entry.options.every(({ value }) => value !== undefined))
      apply(entry, defaultsOf(entry));
    else setWanted(entry);
  };
  return (
    <>
      <label className="field">
        <span>adaptation</span>
        <select
          value={wanted?.name ?? known}
          disabled={isReadOnly}
          onChange={({ target }) => choose(target.value)}
        >
          <option value="">none</option>
          {known !== "" && !entries.some(({ name }) => name === known) && (
            <option value={known}>{known}</option>
          )}
          {entries.map(({ name, summary }) => (
            <option key={name} value={name} title={summary}>
              {name}
            </option>
          ))}
        </select>
        <small />
      </label>
      {shown !== undefined && shown.options.length > 0 && !isReadOnly && (
        <OptionFields
          key={`${shown.name} ${current ?? ""}`}
          entry={shown}
          first={{ ...defaultsOf(shown), ...(shown.name === known ? written?.options : {}) }}
          unit={unit}
          graph={graph}
          apply={(values) => apply(shown, values)}
        />
      )}
      {current !== undefined && (
        <Field
          label="as written"
          value={current}
          isReadOnly={isReadOnly}
          commit={(adaptation) =>
            edit({ kind: "adapt", unit: unit.name, ...(adaptation === "" ? {} : { adaptation }) })
          }
        />
      )}
    </>
  );
}

function OptionFields({
  entry,
  first,
  unit,
  graph,
  apply,
}: {
  entry: LibraryEntry;
  first: Values;
  unit: DescribedUnit;
  graph: Graph;
  apply(values: Values): void;
}) {
  const [values, setValues] = useState(first);
  const isWhole = entry.options.every(({ name }) => (values[name] ?? "").trim() !== "");
  const set = (name: string, value: string): void => setValues({ ...values, [name]: value });
  const choices: Readonly<Record<string, readonly string[]>> = {
    port: unit.ports
      .filter(({ direction }) => direction === "input" || direction === "output")
      .map(({ name }) => name),
    unit: graph.units.map(({ name }) => name).filter((name) => name !== unit.name),
  };
  return (
    <fieldset className="options">
      <legend>{entry.name}</legend>
      <p className="muted">{entry.summary}</p>
      {entry.options.map(({ name, type }) => (
        // biome-ignore lint/a11y/noLabelWithoutControl: the field is one of two
        <label className="field" key={name}>
          <span>{name}</span>
          {choices[type] === undefined ? (
            <input value={values[name] ?? ""} onChange={({ target }) => set(name, target.value)} />
          ) : (
            <select value={values[name] ?? ""} onChange={({ target }) => set(name, target.value)}>
              <option value="">{type} …</option>
              {choices[type].map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          )}
          <small>{type}</small>
        </label>
      ))}
      <button type="button" disabled={!isWhole} onClick={() => apply(values)}>
        Apply
      </button>
    </fieldset>
  );
}

function defaultsOf({ options }: LibraryEntry): Values {
  return Object.fromEntries(
    options.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
  );
}

/** `multi-rate { rate: 10 }` as a name and what it is given. */
function usedIn(text: string): { readonly name: string; readonly options: Values } {
  const [, name = text, given = ""] = /^([^\s{]+)\s*(?:\{(.*)\})?\s*$/s.exec(text) ?? [];
  const options = given.split(",").flatMap((part) => {
    const colon = part.indexOf(":");
    return colon < 0 ? [] : [[part.slice(0, colon).trim(), part.slice(colon + 1).trim()] as const];
  });
  return { name, options: Object.fromEntries(options) };
}
