/**
 * Whether the step is stable, and how large it may be: an analysis that runs the units, as a job
 * with progress.
 */
import type { StabilityJob } from "@cosimo/serve/protocol.ts";
import { useEffect, useState } from "react";
import { api } from "../api/client.ts";
import { live } from "../api/live.ts";
import { attempt, openScenario } from "../session.ts";

export function StabilityPane() {
  const [job, setJob] = useState<StabilityJob>();
  useEffect(
    () =>
      live.listen((heard) => {
        if (heard.kind === "stability")
          setJob((before) =>
            before === undefined || before.id === heard.job.id ? heard.job : before,
          );
      }),
    [],
  );
  const begin = async (): Promise<void> => {
    const document = openScenario();
    if (!document) return;
    const text = document.isReadOnly ? {} : { text: document.text };
    setJob(await api.stability({ path: document.path, ...text }));
  };
  const isWorking = job?.state === "working";
  return (
    <div className="stability">
      <div className="buttons">
        <button
          type="button"
          disabled={isWorking || !openScenario()}
          onClick={() => void attempt(begin)}
        >
          Analyse stability
        </button>
        {isWorking && (
          <>
            <progress value={job.fraction} max={1} aria-label="progress of the analysis" />
            <span>{job.doing}</span>
            <button type="button" onClick={() => void attempt(() => api.stopStability(job.id))}>
              Stop
            </button>
          </>
        )}
      </div>
      {job?.failure !== undefined && <p className="problem">{job.failure}</p>}
      {job?.advice?.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {job?.picture !== undefined && (
        <img
          alt="spectral radius over the step size"
          src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(job.picture)}`}
        />
      )}
      {job === undefined && (
        <p className="muted">
          Finds whether the coupling amplifies small deviations, and the largest step that does not.
          The units are loaded and tried in a process of their own.
        </p>
      )}
    </div>
  );
}
