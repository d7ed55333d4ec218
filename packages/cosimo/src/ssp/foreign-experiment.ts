/**
 * What other tools write about the simulation of a system into annotations and elements of their
 * own: above all the communication step, for which SSP has no word. The attributes have the names
 * that FMI gives them, or what says the same, whichever tool writes them.
 */
import { present } from "../base/present.ts";
import type { Experiment } from "../model/unit-description.ts";
import { parseDouble } from "../xml/literals.ts";
import { COSIMO_ANNOTATION } from "./names.ts";
import { SHAPES } from "./shapes.ts";
import type { SspReporter } from "./ssp-diagnostics.ts";
import { childNamed, type SspNode } from "./xml-node.ts";

type Known = { readonly [Key in "start" | "stop" | "step"]: number | undefined };

const ATTRIBUTES = [
  ["start", ["startTime"], "start time"],
  ["stop", ["stopTime"], "stop time"],
  ["step", ["stepSize", "baseStepSize"], "step"],
] as const;

/**
 * `known`, completed by what other tools say in the outermost system, its file and its default
 * experiment.
 */
export function readForeignExperiment(
  root: SspNode,
  reporter: SspReporter,
  known: Known,
): Experiment {
  const holders = [
    childNamed(root, "ssd:DefaultExperiment"),
    childNamed(root, "ssd:System"),
    root,
  ].filter((holder) => holder !== undefined);
  const notes = holders.flatMap(({ children }) => children.flatMap(foreignNotes));
  const found = ATTRIBUTES.map(([key, attributes, what]): [string, number | undefined] => {
    if (known[key] !== undefined) return [key, known[key]];
    for (const note of notes) {
      const stated = numberIn(note, attributes, key === "step");
      if (stated === undefined) continue;
      const { value, line } = stated;
      const type = note.attributes.get("type");
      const where = type === undefined ? `<${note.name}>` : `an annotation of type '${type}'`;
      reporter.report("ssp-foreign-experiment", { what, value, where }, line);
      return [key, value];
    }
    return [key, undefined];
  });
  return present(Object.fromEntries(found) as Known);
}

/**
 * `node`, where SSP does not know it, and its annotations where it is a list of them; drafts of the
 * standard had annotations of another namespace.
 */
function foreignNotes(node: SspNode): readonly SspNode[] {
  if (!node.name.endsWith(":Annotations")) return Object.hasOwn(SHAPES, node.name) ? [] : [node];
  return node.children.filter(({ attributes }) => attributes.get("type") !== COSIMO_ANNOTATION);
}

/** The first number that an element inside states, depth first. */
function numberIn(
  node: SspNode,
  names: readonly string[],
  isPositive: boolean,
): { readonly value: number; readonly line: number } | undefined {
  for (const name of names) {
    const value = parseDouble(node.attributes.get(name) ?? "");
    if (value !== undefined && Number.isFinite(value) && (!isPositive || value > 0))
      return { value, line: node.line };
  }
  for (const child of node.children) {
    const inside = numberIn(child, names, isPositive);
    if (inside !== undefined) return inside;
  }
  return undefined;
}
