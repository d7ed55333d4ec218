/**
 * One line at the bottom: what was done or refused, the state of the run, whether the server is
 * there.
 */
import { live } from "../api/live.ts";
import { useStore } from "../base/store.ts";
import { shortNumber } from "../run/run-values.ts";
import { runs, shownRun } from "../run/runs.ts";
import { message } from "../session.ts";

export function StatusLine() {
  const said = useStore(message);
  const isConnected = useStore(live.isConnected);
  const all = useStore(runs);
  const shown = useStore(shownRun);
  const run = all.find(({ id }) => id === shown);
  const { experiment, time } = run ?? {};
  return (
    <footer className="status">
      <span role="status" className={said?.isProblem ? "problem" : ""}>
        {said === undefined ? "" : said.text}
        {said?.fix !== undefined && <em> {said.fix}</em>}
      </span>
      {run !== undefined && (
        <span className="run-state" data-state={run.state} data-run={run.id}>
          {run.state === "ended" ? (run.ending ?? "ended") : run.state}
          {run.state !== "ended" && time !== undefined && ` · t = ${shortNumber(time)} s`}
          {run.state !== "ended" && experiment !== undefined && (
            <progress
              aria-label="progress of the run"
              max={experiment.stop - experiment.start}
              value={(time ?? experiment.start) - experiment.start}
            />
          )}
          {` · ${run.rows} rows`}
        </span>
      )}
      {!isConnected && <span className="problem">no connection to the server</span>}
    </footer>
  );
}
