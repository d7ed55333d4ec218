/**
 * Instants that a person fixes, and what all signals were there; signals made of others. Everything
 * is done by keyboard too: the arrow keys in a cursor's field go from row to row.
 */
import { type KeyboardEvent, useEffect, useState } from "react";
import { useStore } from "../base/store.ts";
import { shortNumber } from "../run/run-values.ts";
import { attempt } from "../session.ts";
import { type CursorName, numberIn } from "./cursors.ts";
import { board } from "./plot-board.ts";

/** Rows at once with Shift. */
const FAR = 10;
/** Signals in the table before it is cut. */
const LISTED = 400;

export function CursorTools() {
  const { A, B } = useStore(board.cursors.state);
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="plot-tools second">
      <Formula />
      <CursorField name="A" time={A} />
      <CursorField name="B" time={B} />
      {A !== undefined && B !== undefined && (
        <output className="interval" aria-label="interval">
          B − A = {exactText(B - A)} s
        </output>
      )}
      {A !== undefined && (
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          values
        </button>
      )}
      {isOpen && A !== undefined && <ValueTable hasInterval={B !== undefined} />}
      <ViewTools />
    </div>
  );
}

function ViewTools() {
  const time = useStore(board.pointed);
  return (
    <>
      <output className="readout" aria-live="off">
        {time === undefined ? "" : `t = ${Number(time.toPrecision(6))} s`}
      </output>
      {/* biome-ignore lint/a11y/useSemanticElements: buttons that belong together, not fields of a form */}
      <span className="buttons" role="group" aria-label="view">
        <button type="button" aria-label="zoom in (+)" onClick={() => board.view.zoom(0.5)}>
          +
        </button>
        <button type="button" aria-label="zoom out (-)" onClick={() => board.view.zoom(2)}>
          −
        </button>
        <button
          type="button"
          aria-label="show all of the time (0)"
          onClick={() => board.view.showAll()}
        >
          all
        </button>
      </span>
    </>
  );
}

function Formula() {
  const [text, setText] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === "") return;
        void attempt(async () => {
          await board.derive(text.trim());
          setText("");
        });
      }}
    >
      <label>
        formula{" "}
        <input
          className="formula"
          value={text}
          placeholder="motor.speed * 60 / 6.28"
          title="a signal made of others, in the language of requirements; Enter draws it"
          onChange={({ target }) => setText(target.value)}
        />
      </label>
    </form>
  );
}

function CursorField({ name, time }: { name: CursorName; time: number | undefined }) {
  const [text, setText] = useState("");
  useEffect(() => setText(time === undefined ? "" : exactText(time)), [time]);
  const done = (): void => {
    const value = Number(text.replace("−", "-"));
    if (text.trim() === "") board.cursors.set(name, undefined);
    else if (!Number.isFinite(value)) setText(time === undefined ? "" : exactText(time));
    else if (time === undefined || text !== exactText(time)) board.cursors.set(name, value);
  };
  const press = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (event.key === "Enter") done();
    else if (by !== undefined && time !== undefined) {
      event.preventDefault();
      void attempt(() => board.cursors.step(name, event.shiftKey ? FAR * by : by));
    }
  };
  return (
    <label title={`cursor ${name}: a time, or a click in a plot; arrow keys go from row to row`}>
      cursor {name}{" "}
      <input
        className="cursor"
        inputMode="decimal"
        placeholder="s"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onFocus={() => {
          // What is clicked next in a plot is this one.
          board.cursors.state.update({ active: name });
        }}
        onBlur={done}
        onKeyDown={press}
      />
    </label>
  );
}

/** All signals, in all that is drawn, as they were recorded. */
function ValueTable({ hasInterval }: { hasInterval: boolean }) {
  const { sources } = useStore(board.state);
  const { A = [], B = [] } = useStore(board.cursors.values);
  const [filter, setFilter] = useState("");
  const names = new Set(A.flatMap((one) => Object.keys(one?.values ?? {})));
  const listed = [...names].filter((name) => name.toLowerCase().includes(filter.toLowerCase()));
  const columns = sources.flatMap((source, s) => [
    { key: `${source.id} A`, head: `A ${source.label}`, of: A[s], minus: undefined },
    ...(hasInterval
      ? [
          { key: `${source.id} B`, head: `B ${source.label}`, of: B[s], minus: undefined },
          { key: `${source.id} -`, head: "B − A", of: B[s], minus: A[s] },
        ]
      : []),
    ...(s === 0 ? [] : [{ key: `${source.id} Δ`, head: "Δ at A", of: A[0], minus: A[s] }]),
  ]);
  return (
    <section className="instants" aria-label="values at the cursors">
      <input
        type="search"
        aria-label="filter signals"
        placeholder={`filter ${names.size} signals`}
        value={filter}
        onChange={({ target }) => setFilter(target.value)}
      />
      <table>
        <thead>
          <tr>
            <th scope="col">signal</th>
            {columns.map(({ key, head }) => (
              <th key={key} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {listed.slice(0, LISTED).map((name) => (
            <tr key={name} data-signal={name}>
              <th scope="row">{name}</th>
              {columns.map(({ key, of, minus }) => (
                <td key={key}>{cellOf(name, of, minus)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type Found = Parameters<typeof numberIn>[0];

function cellOf(name: string, of: Found, minus: Found): string {
  if (minus === undefined) {
    const value = of?.values[name];
    return value === null || value === undefined
      ? ""
      : typeof value === "number"
        ? exactText(value)
        : value;
  }
  const [a, b] = [numberIn(of, name), numberIn(minus, name)];
  return a === null || b === null ? "" : exactText(a - b);
}

/** Nine digits: enough to find a row again, and what is read off. */
function exactText(value: number): string {
  const rounded = Number(value.toPrecision(9));
  return Math.abs(rounded) >= 1e-3 || rounded === 0
    ? String(rounded).replace("-", "−")
    : shortNumber(value);
}
