/**
 * Messages of the run and of its units, and where the time went.
 */
import { useState } from "react";
import { api } from "../api/client.ts";
import { useStore } from "../base/store.ts";
import { attempt } from "../session.ts";
import { shortNumber } from "./run-values.ts";
import { act, labelOf, logs, runs, show, shownRun } from "./runs.ts";

export function Console() {
  const all = useStore(runs);
  const shown = useStore(shownRun);
  const lines = useStore(logs).get(shown ?? "") ?? [];
  const run = all.find(({ id }) => id === shown);
  if (run === undefined) return <p className="muted">Nothing was run yet.</p>;
  return (
    <div className="console">
      <section aria-label="messages">
        <p>
          <label>
            run{" "}
            <select value={run.id} onChange={({ target }) => show(target.value)}>
              {all.map((one) => (
                <option key={one.id} value={one.id}>
                  {labelOf(one)}: {one.title}
                </option>
              ))}
            </select>
          </label>
          <button
            type="button"
            disabled={run.state !== "ended"}
            title="the run and its rows; what was saved stays"
            onClick={() => void attempt(() => api.forget(run.id))}
          >
            Forget
          </button>
          {run.ending !== undefined && <strong> {run.ending}</strong>}
          {run.wallSeconds !== undefined && ` ${shortNumber(run.wallSeconds)} s`}
          {run.executor !== undefined && `, ${run.executor}`}
        </p>
        {run.state !== "ended" && <Changes tunable={run.tunable} />}
        <ul className="log">
          {run.diagnostics.map(({ severity, code, message, fix }) => (
            <li key={`${code} ${message}`} className={severity}>
              <b>{severity}</b> {message} <em>{fix}</em>
            </li>
          ))}
          {run.changes.map(({ time, text }) => (
            <li key={`${time} ${text}`}>
              <time>{shortNumber(time)} s</time> {text}
            </li>
          ))}
          {lines.map(({ time, unit, status, message }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines are only appended
            <li key={i}>
              {time !== undefined && <time>{shortNumber(time)} s</time>} <b>{unit ?? "run"}</b>{" "}
              {status} {message}
            </li>
          ))}
        </ul>
      </section>
      <section aria-label="time per unit" className="times">
        <h3>Time</h3>
        {run.times === undefined ? (
          <p className="muted">not measured</p>
        ) : (
          <table>
            <tbody>
              {[...run.times.units, { unit: "coupling", share: run.times.couplingShare }].map(
                ({ unit, share }) => (
                  <tr key={unit}>
                    <th scope="row">{unit}</th>
                    <td>{(100 * share).toFixed(1)} %</td>
                    <td>
                      <meter min={0} max={1} value={share} aria-label={`share of ${unit}`} />
                    </td>
                  </tr>
                ),
              )}
            </tbody>
          </table>
        )}
        {run.verdicts !== undefined && run.verdicts.length > 0 && (
          <>
            <h3>Requirements</h3>
            <ul>
              {run.verdicts.map(({ name, state, text }) => (
                <li key={name} className={state}>
                  <b>{name}</b> {state}: {text}
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
    </div>
  );
}

/** What can be changed while it runs. */
function Changes({ tunable }: { tunable: readonly string[] }) {
  const [set, setSet] = useState("");
  const [fault, setFault] = useState("");
  return (
    <div className="changes">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(() => act("set", { set }));
        }}
      >
        <label>
          set{" "}
          <input
            list="tunable"
            placeholder="unit.parameter=value"
            value={set}
            onChange={({ target }) => setSet(target.value)}
          />
        </label>
        <datalist id="tunable">
          {tunable.map((name) => (
            <option key={name} value={`${name}=`} />
          ))}
        </datalist>
        <button type="submit">Set</button>
      </form>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(() => act("fault", { fault }));
        }}
      >
        <label>
          fault{" "}
          <input
            placeholder="unit.port stuck 0 for 2 s"
            value={fault}
            onChange={({ target }) => setFault(target.value)}
          />
        </label>
        <button type="submit">Inject</button>
      </form>
    </div>
  );
}
