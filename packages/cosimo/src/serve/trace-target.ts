/**
 * Where a run may write its rows: a file with the ending of a trace, in the folder, that is not
 * there yet or is the one that the request says it replaces. Whatever a page asks for, scenarios
 * and models are not written over.
 */
import { statSync } from "node:fs";
import { TRACE_ENDINGS, traceFormatOf } from "../record/formats.ts";
import type { StudioFolder } from "./folder.ts";
import { RequestRefused } from "./problem.ts";

/**
 * @param expected the ETag that it replaces; "*": there must be no such file. @returns its absolute
 * path.
 */
export function traceTarget(folder: StudioFolder, path: unknown, expected: string): string {
  if (typeof path !== "string")
    throw new RequestRefused("request-wrong", "the request names no file ('path')");
  const absolute = folder.resolve(path);
  if (!TRACE_ENDINGS.some((ending) => path.toLowerCase().endsWith(ending)))
    throw new RequestRefused("trace-ending", path);
  const stats = statSync(absolute, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile())
    throw new RequestRefused("request-wrong", `'${path}' is not a file`);
  const now = stats === undefined ? "*" : folder.read(path).etag;
  if (now !== expected) throw new RequestRefused("file-changed", path);
  // What is said of a trace in a file beside it belongs to that trace.
  const notes = traceFormatOf(path).notes?.nameFor(path);
  if (notes !== undefined && expected === "*" && isThere(folder, notes))
    throw new RequestRefused("file-changed", notes);
  return absolute;
}

function isThere(folder: StudioFolder, path: string): boolean {
  return statSync(folder.resolve(path), { throwIfNoEntry: false }) !== undefined;
}
