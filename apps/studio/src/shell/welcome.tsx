/**
 * What is seen before something is opened.
 */
import { useStore } from "../base/store.ts";
import { allFiles, attempt, files, isBeginning, open } from "../session.ts";

const SHOWN = 12;

export function Welcome() {
  const tree = useStore(files);
  const isEarly = useStore(isBeginning);
  const scenarios = allFiles(tree?.files ?? []).filter(({ kind }) => kind === "scenario");
  if (isEarly) return null;
  return (
    <section className="welcome" aria-label="welcome">
      <h2>{tree?.name ?? ""}</h2>
      <p>
        Open a scenario to see it as a graph, run it and look at its curves. Open an FMU to see what
        it offers, a trace to plot it.
      </p>
      <ul>
        {scenarios.slice(0, SHOWN).map(({ path }) => (
          <li key={path}>
            <button type="button" onClick={() => void attempt(() => open(path))}>
              {path}
            </button>
          </li>
        ))}
      </ul>
      <dl>
        <dt>F5, Ctrl+Enter</dt>
        <dd>run</dd>
        <dt>Ctrl+S</dt>
        <dd>save</dd>
        <dt>Ctrl+Z, Ctrl+Shift+Z</dt>
        <dd>undo, redo</dd>
        <dt>Tab, Enter, arrow keys</dt>
        <dd>go through boxes and wires, select, move</dd>
        <dt>Delete</dt>
        <dd>remove what is selected</dd>
      </dl>
    </section>
  );
}
