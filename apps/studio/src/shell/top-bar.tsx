/**
 * What is open, and what can be done with it: save, undo, run, stop.
 */
import { Store, useStore } from "../base/store.ts";
import type { DocumentState, TextDocument } from "../document/text-document.ts";
import { act, runs, shownRun } from "../run/runs.ts";
import { attempt, openDocument, opened, save, setTheme, theme } from "../session.ts";
import { runOpened } from "./run-opened.ts";

export function TopBar() {
  const now = useStore(opened);
  const name = useStore(theme);
  const document = "document" in now ? now.document : undefined;
  return (
    <header className="top">
      <h1>
        <img src="./icon.svg" alt="" width="24" height="24" /> Cosimo Studio
      </h1>
      <span className="path">{"path" in now ? now.path : ""}</span>
      <DocumentButtons key={"path" in now ? now.path : ""} document={document} />
      <RunButtons path={now.kind === "scenario" || now.kind === "fmu" ? now.path : undefined} />
      <button
        type="button"
        className="quiet"
        aria-label={`use the ${name === "dark" ? "light" : "dark"} theme`}
        title="light or dark"
        onClick={() => setTheme(name === "dark" ? "light" : "dark")}
      >
        ◐
      </button>
    </header>
  );
}

const NOTHING = new Store<DocumentState>({
  isDirty: false,
  canUndo: false,
  canRedo: false,
  isBehind: false,
});

function DocumentButtons({ document }: { document: TextDocument | undefined }) {
  const { isDirty, canUndo, canRedo, isBehind } = useStore(document?.state ?? NOTHING);
  return (
    // biome-ignore lint/a11y/useSemanticElements: buttons that belong together, not fields of a form
    <div className="buttons" role="group" aria-label="file">
      {isBehind && (
        <>
          <button
            type="button"
            onClick={() => void attempt(async () => openDocument()?.keepMine())}
          >
            Keep mine
          </button>
          <button
            type="button"
            onClick={() => void attempt(async () => openDocument()?.takeTheirs())}
          >
            Take theirs
          </button>
        </>
      )}
      <button
        type="button"
        title="undo (Ctrl+Z)"
        disabled={!canUndo}
        onClick={() => openDocument()?.undo()}
      >
        Undo
      </button>
      <button
        type="button"
        title="redo (Ctrl+Shift+Z)"
        disabled={!canRedo}
        onClick={() => openDocument()?.redo()}
      >
        Redo
      </button>
      <button
        type="button"
        title="save (Ctrl+S)"
        disabled={!isDirty}
        onClick={() => void attempt(save)}
      >
        Save
      </button>
    </div>
  );
}

function RunButtons({ path }: { path: string | undefined }) {
  const all = useStore(runs);
  const shown = useStore(shownRun);
  const run = all.find(({ id }) => id === shown);
  const isGoing = run !== undefined && run.state !== "ended";
  const isOther = isGoing && run.path !== path;
  return (
    // biome-ignore lint/a11y/useSemanticElements: buttons that belong together, not fields of a form
    <div className="buttons" role="group" aria-label="run">
      <button
        type="button"
        className="primary"
        title="run (F5)"
        disabled={path === undefined || (isGoing && !isOther)}
        onClick={() => void attempt(runOpened)}
      >
        ▶ Run
      </button>
      <button
        type="button"
        disabled={!isGoing}
        onClick={() => void attempt(() => act(run?.state === "paused" ? "resume" : "pause"))}
      >
        {run?.state === "paused" ? "Resume" : "Pause"}
      </button>
      <button
        type="button"
        title="one communication step"
        disabled={!isGoing}
        onClick={() => void attempt(() => act("step", { steps: 1 }))}
      >
        Step
      </button>
      <button type="button" disabled={!isGoing} onClick={() => void attempt(() => act("stop"))}>
        ■ Stop
      </button>
    </div>
  );
}
