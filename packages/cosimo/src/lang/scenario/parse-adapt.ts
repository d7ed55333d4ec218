/**
 * `adapt:` of a unit: which adaptations are around it, the innermost first, and what is given to
 * each.
 *
 *     adapt: multi-rate                          a name of the library, or the path of a .sa file
 *     adapt: multi-rate { rate: 10 }             in short (yaml-short-form.ts makes YAML of it)
 *     adapt: { multi-rate: { rate: 10 } }        the same as YAML
 *     adapt: [hold, { quantize: { signal: x } }]
 */
import type { AdaptationArgument } from "../../model/adaptation/data.ts";
import type { AdaptedSource, UnitSource } from "../../model/scenario.ts";
import { TextReporter } from "./diagnostics.ts";
import { wrongType } from "./fields.ts";
import { longForm } from "./yaml-short-form.ts";
import { readYaml, type YamlEntry, type YamlNode } from "./yaml-tree.ts";

const EXAMPLE = "adapt: multi-rate { rate: 10 }";
const EXPECTED = "the name of an adaptation, with what it is given, or a list of them";

/** `source` inside of all that is written; itself where that cannot be read. */
export function parseAdapt(
  entry: YamlEntry,
  source: UnitSource,
  reporter: TextReporter,
): UnitSource {
  const { node } = entry;
  let around = source;
  for (const item of node.kind === "list" ? node.items : [node])
    for (const one of parseUses(item, reporter))
      around = { kind: "adapted", ...one, inner: around };
  return around;
}

type Use = Pick<AdaptedSource, "adaptation" | "arguments" | "place">;

function parseUses(node: YamlNode, reporter: TextReporter): Use[] {
  if (node.kind === "scalar" && typeof node.value === "string" && node.value.trim() !== "") {
    const text = node.value.trim();
    return text.endsWith("}")
      ? parseText(text, node, reporter)
      : [{ adaptation: text, arguments: [], place: node.place }];
  }
  if (node.kind !== "map" || node.entries.length === 0) {
    wrongType(node, "'adapt'", EXPECTED, EXAMPLE, reporter);
    return [];
  }
  return node.entries.flatMap(({ key, node: given, place }): Use[] => {
    // `- hold { period: 1 }` is YAML by chance: a map from 'hold { period' to '1 }'.
    if (key.includes("{") && given.kind === "scalar")
      return parseText(`${key}: ${String(given.value)}`, { ...given, place }, reporter);
    return [{ adaptation: key, arguments: parseArguments(key, given, reporter), place }];
  });
}

/**
 * The short form as a text in quotes, or without a colon: `hold {}`. All of it stands where the
 * text does.
 */
function parseText(text: string, node: YamlNode, reporter: TextReporter): Use[] {
  const { place } = node;
  const quiet = new TextReporter();
  const long = longForm(`adapt: ${text}`);
  const tree = long && readYaml(long.text, place.file, quiet);
  const entry = tree?.kind === "map" ? tree.entries[0] : undefined;
  const uses = entry === undefined ? [] : parseUses(entry.node, quiet);
  if (uses.length === 0 || quiet.diagnostics.length > 0)
    wrongType(node, "'adapt'", EXPECTED, EXAMPLE, reporter);
  return uses.map((use) => ({
    ...use,
    arguments: use.arguments.map((one) => ({ ...one, place })),
    place,
  }));
}

function parseArguments(
  adaptation: string,
  node: YamlNode,
  reporter: TextReporter,
): AdaptationArgument[] {
  if (node.kind === "scalar" && node.value === null) return [];
  if (node.kind !== "map") {
    const example = `${adaptation}: { rate: 10 }`;
    wrongType(node, `what '${adaptation}' is given`, "a map", example, reporter);
    return [];
  }
  return node.entries.flatMap(({ key: name, node: value, place }): AdaptationArgument[] => {
    if (value.kind === "scalar" && value.value !== null)
      return [{ name, value: value.value, place }];
    const expected = "a number, a text, true or false";
    wrongType(value, `'${name}'`, expected, `${name}: 10`, reporter);
    return [];
  });
}
