/**
 * A file becomes a unit of the open scenario: with a name of its own, and a path as its author
 * would write it.
 */
import { edit, openScenario, selected } from "../session.ts";

/** @returns the name of the new unit, or undefined where it could not be added. */
export function addUnit(path: string): string | undefined {
  const document = openScenario();
  if (!document) return undefined;
  const names = new Set(document.described.get()?.scenario?.units.map(({ name }) => name));
  const name = freeName(path, names);
  const source = relativePath(document.path, path);
  const isTable = /\.csv$/i.test(path);
  if (!edit({ kind: "add-unit", name, source: isTable ? `{ table: ${source} }` : source }))
    return undefined;
  selected.set({ kind: "unit", unit: name });
  return name;
}

/** `models/PowerWindow.fmu` → `powerWindow`, with a number where that is taken. */
function freeName(path: string, taken: ReadonlySet<string>): string {
  const file = path.split("/").at(-1) ?? path;
  const base = file.replace(/\.(machine\.ya?ml|scenario\.ya?ml|\w+)$/i, "");
  const word = base.replace(/[^\p{L}\p{N}_]+/gu, "_").replace(/^(?=\d)/, "u") || "unit";
  const name = word.slice(0, 1).toLowerCase() + word.slice(1);
  let free = name;
  for (let n = 2; taken.has(free); n++) free = `${name}${n}`;
  return free;
}

/** The path of `to` as it is written in the file `from`. */
function relativePath(from: string, to: string): string {
  const folder = from.split("/").slice(0, -1);
  const parts = to.split("/");
  let same = 0;
  while (same < folder.length && same < parts.length - 1 && folder[same] === parts[same]) same++;
  return [...folder.slice(same).map(() => ".."), ...parts.slice(same)].join("/");
}
