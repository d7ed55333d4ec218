/**
 * What is open in the page, and what can be done with it: one place that the buttons, the keys and
 * the graph all call.
 */
import type { ScenarioEdit } from "@cosimo/lang/scenario/edit/scenario-edit.ts";
import type { ThemeName } from "@cosimo/plot/palette.ts";
import type {
  FileEntry,
  FileKind,
  FileTree,
  FmuPage,
  LibraryEntry,
  TraceInfo,
} from "@cosimo/serve/protocol.ts";
import { api, Refused } from "./api/client.ts";
import { live } from "./api/live.ts";
import { Store } from "./base/store.ts";
import { ScenarioDocument } from "./document/scenario-document.ts";
import { TextDocument } from "./document/text-document.ts";
import type { Selected } from "./graph/graph-view.tsx";
import { board } from "./plots/plot-board.ts";
import { sourceOfTrace } from "./plots/source.ts";
import { hearRuns, showRunOf, showTrace } from "./run/runs.ts";

export type Opened =
  | { readonly kind: "nothing" }
  | { readonly kind: "scenario"; readonly path: string; readonly document: ScenarioDocument }
  | { readonly kind: "text"; readonly path: string; readonly document: TextDocument }
  | { readonly kind: "fmu"; readonly path: string; readonly page: FmuPage }
  | { readonly kind: "trace"; readonly path: string; readonly trace: TraceInfo };

export type BottomTab = "plots" | "problems" | "console" | "explanation" | "stability";

export interface Message {
  readonly text: string;
  readonly fix?: string;
  readonly isProblem: boolean;
}

export const files = new Store<FileTree | undefined>(undefined);
export const library = new Store<readonly LibraryEntry[]>([]);
export const opened = new Store<Opened>({ kind: "nothing" });
/** Until the folder and what the link asks for are there: nothing is shown that goes again. */
export const isBeginning = new Store(true);
/** Names of the nested units that lead to what the graph shows. */
export const way = new Store<readonly string[]>([]);
export const selected = new Store<Selected>(undefined);
export const message = new Store<Message | undefined>(undefined);
export const bottomTab = new Store<BottomTab>("plots");
/** Paths with changes that are not saved. */
export const dirty = new Store<ReadonlySet<string>>(new Set());
export const theme = new Store<ThemeName>("light");

const documents = new Map<string, TextDocument>();

export function say(text: string, isProblem = false, fix?: string): void {
  message.set({ text, isProblem, ...(fix === undefined ? {} : { fix }) });
}

/** Says what went wrong, whatever it was. */
export function report(error: unknown): void {
  if (error instanceof Refused) say(error.problem.message, true, error.problem.fix);
  else say(error instanceof Error ? error.message : String(error), true);
}

/** Does something that may fail, and says so where it does. */
export async function attempt(action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    report(error);
  }
}

export async function refreshFiles(): Promise<void> {
  files.set(await api.files());
}

export function allFiles(entries: readonly FileEntry[]): FileEntry[] {
  return entries.flatMap((entry) => [entry, ...allFiles(entry.files ?? [])]);
}

/** A path that nothing has yet, with a number where it needs one. */
export function freePath(base: string, ending: string): string {
  const taken = new Set(allFiles(files.get()?.files ?? []).map(({ path }) => path));
  let path = `${base}${ending}`;
  for (let n = 2; taken.has(path); n++) path = `${base}-${n}${ending}`;
  return path;
}

function kindOf(path: string): FileKind {
  const tree = files.get();
  return allFiles(tree?.files ?? []).find((entry) => entry.path === path)?.kind ?? "other";
}

export async function open(path: string): Promise<void> {
  const kind = kindOf(path);
  if (kind === "folder") return;
  selected.set(undefined);
  way.set([]);
  if (kind === "fmu") opened.set({ kind, path, page: await api.info(path) });
  else if (kind === "trace") {
    const trace = await api.trace(path);
    opened.set({ kind, path, trace });
    showTrace(sourceOfTrace(trace));
    bottomTab.set("plots");
  } else if (kind === "scenario" || kind === "package" || kind === "specification") {
    const document = await scenarioAt(path, kind === "package");
    opened.set({ kind: "scenario", path, document });
    showRunOf(path);
  } else opened.set({ kind: "text", path, document: await textAt(path) });
  const url = new URL(location.href);
  url.searchParams.set("open", path);
  window.history.replaceState(undefined, "", url);
  document.title = `${path.split("/").at(-1)} – Cosimo Studio`;
}

/** A scenario without units, which is saved and opened. */
export async function createScenario(wanted: string): Promise<void> {
  const path = /\.ya?ml$/i.test(wanted.trim()) ? wanted.trim() : `${wanted.trim()}.yaml`;
  const name = path.replace(/^.*\//, "").replace(/\.ya?ml$/i, "");
  const text = `name: ${/^[a-z][\w -]*$/i.test(name) ? name : JSON.stringify(name)}\n\nunits: {}\n\nexperiment: { stop: 1 s, step: 10 ms }\n`;
  await refreshFiles();
  if (allFiles(files.get()?.files ?? []).some((file) => file.path === path)) {
    say(`there is a file '${path}' already`, true, "choose another name");
    return;
  }
  await api.write(path, text, undefined);
  await refreshFiles();
  await open(path);
}

async function scenarioAt(path: string, isReadOnly: boolean): Promise<ScenarioDocument> {
  const known = documents.get(path);
  if (known instanceof ScenarioDocument) return known;
  const { text, etag } = isReadOnly ? { text: "", etag: "" } : await api.read(path);
  const made = new ScenarioDocument(path, text, etag, isReadOnly);
  keep(path, made);
  await made.describe();
  return made;
}

async function textAt(path: string): Promise<TextDocument> {
  const known = documents.get(path);
  if (known) return known;
  const { text, etag } = await api.read(path);
  const made = new TextDocument(path, text, etag);
  keep(path, made);
  return made;
}

function keep(path: string, made: TextDocument): void {
  documents.set(path, made);
  made.state.subscribe(() => {
    const changed = [...documents].filter(([, one]) => one.state.get().isDirty);
    const names = changed.map(([name]) => name);
    if (names.join("\n") !== [...dirty.get()].join("\n")) dirty.set(new Set(names));
  });
}

export function openDocument(): TextDocument | undefined {
  const now = opened.get();
  return "document" in now ? now.document : undefined;
}

export function openScenario(): ScenarioDocument | undefined {
  const now = opened.get();
  return now.kind === "scenario" ? now.document : undefined;
}

export async function save(): Promise<void> {
  const document = openDocument();
  if (!document?.state.get().isDirty) return;
  if (await document.save()) say(`saved ${document.path}`);
  else say(`${document.path} was changed by another program`, true, "keep yours or take theirs");
}

/** Makes edits of the open scenario, as one step for undo. @returns whether they could be made. */
export function edit(...edits: readonly ScenarioEdit[]): boolean {
  const document = openScenario();
  if (!document) return false;
  if (document.isReadOnly) {
    say("packages are shown, not edited", true, "make a scenario.yaml of it with 'cosimo init'");
    return false;
  }
  if (!document.isDrawn) {
    say("the graph of this file follows from its text", true, "edit the text beside it");
    return false;
  }
  if (way.get().length > 0) {
    say("this is inside of a unit", true, "open the file of the inner scenario to edit it");
    return false;
  }
  const problem = document.apply(...edits);
  if (problem !== undefined) say(problem, true);
  return problem === undefined;
}

export function setTheme(name: ThemeName): void {
  theme.set(name);
  document.documentElement.dataset["theme"] = name;
  board.setTheme(name);
  try {
    localStorage.setItem("cosimo-theme", name);
  } catch {
    // A browser that keeps nothing: the theme is that of the screen next time.
  }
}

function firstTheme(): ThemeName {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem("cosimo-theme");
  } catch {
    kept = null;
  }
  if (kept === "light" || kept === "dark") return kept;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export async function begin(): Promise<void> {
  setTheme(firstTheme());
  live.listen((heard) => {
    if (heard.kind === "files") void attempt(() => filesChanged(heard.paths));
    else if (heard.kind === "problem") say(heard.problem.message, true, heard.problem.fix);
  });
  hearRuns();
  live.connect();
  addEventListener("beforeunload", (event) => {
    if (dirty.get().size > 0) event.preventDefault();
  });
  try {
    await refreshFiles();
    const wanted = new URLSearchParams(location.search).get("open");
    if (wanted !== null) await attempt(() => open(wanted));
  } finally {
    isBeginning.set(false);
  }
  library.set(await api.library());
}

async function filesChanged(paths: readonly string[]): Promise<void> {
  await refreshFiles();
  for (const path of paths) {
    const document = documents.get(path);
    if (document && !(document instanceof ScenarioDocument && document.isReadOnly))
      await document.diskChanged();
  }
  // A unit's source may be what changed.
  await openScenario()?.describe();
}
