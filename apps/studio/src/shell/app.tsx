/**
 * The frame of the page: files at the left, what is open in the middle, plots and findings below.
 * Keys that work everywhere are here.
 */
import { useEffect } from "react";
import { useStore } from "../base/store.ts";
import { attempt, openDocument, opened, save } from "../session.ts";
import { BottomPane } from "./bottom-pane.tsx";
import { FileList } from "./file-list.tsx";
import { FmuView } from "./fmu-view.tsx";
import { Guarded } from "./guarded.tsx";
import { runOpened } from "./run-opened.ts";
import { ScenarioView } from "./scenario-view.tsx";
import { Splitter, useSplit } from "./splitter.tsx";
import { StatusLine } from "./status-line.tsx";
import { TextPane } from "./text-pane.tsx";
import { TopBar } from "./top-bar.tsx";
import { TraceView } from "./trace-view.tsx";
import { Welcome } from "./welcome.tsx";

export function App() {
  const left = useSplit("files", 240, { least: 150, most: 480 });
  const below = useSplit("below", 290, { least: 90, most: 640 });
  useEffect(() => {
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  return (
    <div
      className="app"
      style={{
        gridTemplateColumns: `${left.size}px 5px minmax(0, 1fr)`,
        gridTemplateRows: `44px minmax(0, 1fr) 5px ${below.size}px 26px`,
      }}
    >
      <TopBar />
      <FileList />
      <Splitter split={left} along="x" label="width of the file list" />
      <main className="opened">
        <Guarded name="view">
          <OpenedView />
        </Guarded>
      </main>
      <Splitter split={below} along="y" label="height of the plots" />
      <Guarded name="results">
        <BottomPane />
      </Guarded>
      <StatusLine />
    </div>
  );
}

function OpenedView() {
  const now = useStore(opened);
  switch (now.kind) {
    case "nothing":
      return <Welcome />;
    case "scenario":
      return <ScenarioView key={now.path} document={now.document} />;
    case "text":
      return <TextPane key={now.path} document={now.document} />;
    case "fmu":
      return <FmuView key={now.path} page={now.page} />;
    case "trace":
      return <TraceView key={now.path} trace={now.trace} />;
  }
}

/** Keys of the whole page; those of fields and of the editor belong to them. */
function pressed(event: KeyboardEvent): void {
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && event.key === "s") {
    event.preventDefault();
    void attempt(save);
  } else if (event.key === "F5" || (isCommand && event.key === "Enter")) {
    event.preventDefault();
    void attempt(runOpened);
  } else if (isCommand && /^[zy]$/i.test(event.key) && !isTyping(event.target)) {
    event.preventDefault();
    if (event.key.toLowerCase() === "y" || event.shiftKey) openDocument()?.redo();
    else openDocument()?.undo();
  }
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName))
  );
}
