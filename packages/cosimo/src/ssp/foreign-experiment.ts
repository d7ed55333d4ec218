/**
 * What other tools write about the simulation of a system into annotations of their own: above all
 * the communication step, for which SSP has no word. The attributes have the names that FMI gives
 * them, whichever tool wrote the annotation.
 */
import { present } from "../base/present.ts";
import type { Experiment } from "../model/unit-description.ts";
import { parseDouble } from "../xml/literals.ts";
import { COSIMO_ANNOTATION } from "./names.ts";
import type { SspReporter } from "./ssp-diagnostics.ts";
import { childNamed, childrenNamed, type SspNode } from "./xml-node.ts";

type Known = { readonly [Key in "start" | "stop" | "step"]: number | undefined };

const ATTRIBUTES = [
  ["start", "startTime", "start time"],
  ["stop", "stopTime", "stop time"],
  ["step", "stepSize", "step"],
] as const;

/**
 * `known`, completed by annotations of the outermost system, its file and its default experiment.
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
  const annotations = holders
    .flatMap(({ children }) => children.filter(({ name }) => name.endsWith(":Annotations")))
    .flatMap((list) => childrenNamed(list, "ssc:Annotation"))
    .filter(({ attributes }) => attributes.get("type") !== COSIMO_ANNOTATION);
  const found = ATTRIBUTES.map(([key, attribute, what]): [string, number | undefined] => {
    if (known[key] !== undefined) return [key, known[key]];
    for (const annotation of annotations) {
      const stated = numberIn(annotation, attribute, key === "step");
      if (stated === undefined) continue;
      const { value, line } = stated;
      const type = annotation.attributes.get("type") ?? "";
      reporter.report("ssp-foreign-experiment", { what, value, type }, line);
      return [key, value];
    }
    return [key, undefined];
  });
  return present(Object.fromEntries(found) as Known);
}

/** The first number that an element inside states, depth first. */
function numberIn(
  node: SspNode,
  attribute: string,
  isPositive: boolean,
): { readonly value: number; readonly line: number } | undefined {
  const value = parseDouble(node.attributes.get(attribute) ?? "");
  if (value !== undefined && Number.isFinite(value) && (!isPositive || value > 0))
    return { value, line: node.line };
  for (const child of node.children) {
    const inside = numberIn(child, attribute, isPositive);
    if (inside !== undefined) return inside;
  }
  return undefined;
}
