/**
 * The files of the folder by what they are. Those that can be units of a scenario are dragged into
 * its graph, or added with a button.
 */
import type { FileEntry, FileKind } from "@cosimo/serve/protocol.ts";
import { Fragment, useMemo, useState } from "react";
import { useStore } from "../base/store.ts";
import { addUnit } from "../graph/add-unit.ts";
import { allFiles, attempt, createScenario, dirty, files, open, opened } from "../session.ts";

const GROUPS: readonly { readonly kinds: readonly FileKind[]; readonly title: string }[] = [
  { kinds: ["scenario"], title: "Scenarios" },
  { kinds: ["fmu"], title: "FMUs" },
  { kinds: ["adaptation", "machine"], title: "Adaptations and machines" },
  { kinds: ["package", "specification"], title: "Packages and specifications" },
  { kinds: ["interface", "hint", "study"], title: "Interfaces, hints, studies" },
  { kinds: ["module"], title: "Modules" },
  { kinds: ["trace"], title: "Traces" },
];

/** What can be a unit. */
const UNITS: ReadonlySet<FileKind> = new Set([
  "fmu",
  "adaptation",
  "machine",
  "module",
  "scenario",
  "trace",
]);

export function FileList() {
  const tree = useStore(files);
  const now = useStore(opened);
  const changed = useStore(dirty);
  const [filter, setFilter] = useState("");
  const all = useMemo(() => allFiles(tree?.files ?? []), [tree]);
  const listed = all.filter(({ path }) => path.toLowerCase().includes(filter.toLowerCase()));
  const current = "path" in now ? now.path : undefined;
  return (
    <nav className="files" aria-label="files">
      <input
        type="search"
        placeholder="filter files"
        aria-label="filter files by name"
        value={filter}
        onChange={({ target }) => setFilter(target.value)}
      />
      <NewScenario />
      {tree === undefined && <p className="muted">reading the folder …</p>}
      {GROUPS.map(({ kinds, title }) => {
        const members = listed.filter(({ kind }) => kinds.includes(kind));
        return members.length === 0 ? null : (
          <details key={title} open={title !== "Modules" || filter !== ""}>
            <summary>
              {title} <small>{members.length}</small>
            </summary>
            {byFolder(members).map(([folder, inside]) => (
              <Fragment key={folder}>
                {folder !== "" && <p className="folder">{folder}</p>}
                <ul>
                  {inside.map((file) => (
                    <FileItem
                      key={file.path}
                      file={file}
                      isCurrent={file.path === current}
                      isDirty={changed.has(file.path)}
                      canAdd={
                        now.kind === "scenario" && UNITS.has(file.kind) && file.path !== current
                      }
                    />
                  ))}
                </ul>
              </Fragment>
            ))}
          </details>
        );
      })}
      {tree?.isCut && <p className="muted">there are more files than are listed</p>}
    </nav>
  );
}

/** A file of the folder; with slashes in its name one of a folder in it. */
function NewScenario() {
  const [name, setName] = useState<string>();
  if (name === undefined)
    return (
      <button type="button" className="new" onClick={() => setName("")}>
        + New scenario
      </button>
    );
  return (
    <form
      className="new"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(async () => {
          await createScenario(name);
          setName(undefined);
        });
      }}
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: the field is there because its button was pressed
        autoFocus
        aria-label="name of the new scenario"
        placeholder="name"
        value={name}
        onChange={({ target }) => setName(target.value)}
        onKeyDown={({ key }) => key === "Escape" && setName(undefined)}
      />
      <button type="submit" disabled={name.trim() === ""}>
        Create
      </button>
    </form>
  );
}

function byFolder(members: readonly FileEntry[]): [string, FileEntry[]][] {
  const folders = new Map<string, FileEntry[]>();
  for (const file of members) {
    const folder = file.path.slice(0, Math.max(0, file.path.lastIndexOf("/")));
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return [...folders];
}

interface ItemProps {
  readonly file: FileEntry;
  readonly isCurrent: boolean;
  readonly isDirty: boolean;
  readonly canAdd: boolean;
}

function FileItem({ file, isCurrent, isDirty, canAdd }: ItemProps) {
  const { path, kind } = file;
  const name = path.slice(path.lastIndexOf("/") + 1);
  return (
    <li>
      <button
        type="button"
        className="file"
        aria-current={isCurrent ? "page" : undefined}
        title={path}
        draggable={UNITS.has(kind)}
        onDragStart={(event) => {
          event.dataTransfer.setData("application/x-cosimo-file", path);
          event.dataTransfer.effectAllowed = "copy";
        }}
        onClick={() => void attempt(() => open(path))}
      >
        {name}
        {isDirty && <b title="not saved"> ●</b>}
      </button>
      {canAdd && (
        <button
          type="button"
          className="add"
          aria-label={`add ${name} to the scenario`}
          title="add to the scenario"
          onClick={() => addUnit(path)}
        >
          +
        </button>
      )}
    </li>
  );
}
