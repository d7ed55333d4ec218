/**
 * `requirements:` of a scenario.yaml: a list of requirements, each a line of text
 * (lang/requirement) or a map with its name and description, and of files (.hint) with more of
 * them.
 */
import type { RequirementDraft, RequirementFileDraft } from "../../model/requirement.ts";
import { parseRequirement } from "../requirement/parse-requirement.ts";
import type { TextReporter } from "./diagnostics.ts";
import { type MapShape, readFields, readText, wrongType } from "./fields.ts";
import { REQUIREMENT_KEYS } from "./keys.ts";
import type { YamlEntry, YamlNode } from "./yaml-tree.ts";

const EXAMPLE = "- always motor.current < 5 A";

const REQUIREMENT: MapShape<(typeof REQUIREMENT_KEYS)[number], "require"> = {
  owner: "a requirement",
  keys: REQUIREMENT_KEYS,
  required: ["require"],
  example: "- { name: limit, require: always motor.current < 5 A }",
};

export interface ParsedRequirements {
  readonly requirements: readonly RequirementDraft[];
  readonly requirementFiles: readonly RequirementFileDraft[];
}

export function parseRequirements(
  { node }: Pick<YamlEntry, "node">,
  reporter: TextReporter,
): ParsedRequirements {
  const requirements: RequirementDraft[] = [];
  const requirementFiles: RequirementFileDraft[] = [];
  for (const item of node.kind === "list" ? node.items : [node]) {
    const text = item.kind === "scalar" && typeof item.value === "string" ? item.value.trim() : "";
    // A path has no words, and a requirement is never a single one.
    if (/^\S+\.hint$/i.test(text)) requirementFiles.push({ path: text, place: item.place });
    else if (text !== "" || item.kind === "map")
      requirements.push(...readOne(item, text, reporter));
    else if (item.kind !== "scalar" || item.value !== null || node.kind === "list")
      wrongType(item, "'requirements'", "a list of requirements, or a file", EXAMPLE, reporter);
  }
  return { requirements, requirementFiles };
}

function readOne(item: YamlNode, text: string, reporter: TextReporter): RequirementDraft[] {
  if (item.kind !== "map") {
    const { value, diagnostics } = parseRequirement(text, item.place);
    reporter.diagnostics.push(...diagnostics);
    return value === undefined ? [] : [value];
  }
  const fields = readFields(item, REQUIREMENT, reporter);
  const line = fields && readText(fields.require, "always motor.current < 5 A", reporter);
  if (fields === undefined || line === undefined) return [];
  const { value, diagnostics } = parseRequirement(line, fields.require.node.place);
  reporter.diagnostics.push(...diagnostics);
  if (value === undefined) return [];
  const name = fields.name && readText(fields.name, "limit", reporter);
  const description = fields.description && readText(fields.description, "…", reporter);
  return [{ ...value, ...(name && { name }), ...(description && { description }) }];
}
