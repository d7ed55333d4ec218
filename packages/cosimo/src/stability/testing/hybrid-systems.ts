/**
 * The two systems of the literature, from the files that people get as examples, with any parameter
 * replaced.
 */
import { readFileSync } from "node:fs";
import { unwrap } from "../../base/diagnostic.ts";
import { parseHybridYaml } from "../../lang/hybrid/parse-hybrid.ts";
import type { HybridDescription } from "../../model/hybrid-description.ts";
import { constantOf } from "../hybrid-from-description.ts";

export function exampleSystem(
  name: "ball" | "cart",
  edit: (text: string) => string = (text) => text,
): HybridDescription {
  const file = new URL(`../../../../../examples/hybrid-${name}/hybrid.yaml`, import.meta.url);
  return unwrap(parseHybridYaml(edit(readFileSync(file, "utf8")), name, constantOf));
}
