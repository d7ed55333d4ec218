/**
 * `faults:` of a scenario.yaml: a list of faults, each a line of text (lang/fault) or a map with
 * the same words as keys, and of files with more of them.
 */
import { type Checked, diagnose } from "../../base/diagnostic.ts";
import { FAULT_KIND_NAMES, type FaultDraft } from "../../model/faults.ts";
import type { FaultFileDraft } from "../../model/scenario.ts";
import { FAULT_TEXT_RULES } from "../fault/diagnostics.ts";
import { parseFaultLine, readFault, type Written } from "../fault/parse-fault.ts";
import { TextReporter } from "./diagnostics.ts";
import { type Fields, type MapShape, readFields, wrongType } from "./fields.ts";
import { FAULT_KEYS } from "./keys.ts";
import { readYaml, type YamlEntry, type YamlNode } from "./yaml-tree.ts";

const EXAMPLE = "- motor.speed stuck 0 at 3 s";

const FAULT: MapShape<(typeof FAULT_KEYS)[number]> = {
  owner: "a fault",
  keys: FAULT_KEYS,
  example: "- { port: motor.speed, stuck: 0, at: 3 s }",
};

export interface ParsedFaults {
  readonly faults: readonly FaultDraft[];
  readonly faultFiles: readonly FaultFileDraft[];
}

export function parseFaults(
  { node, key }: Pick<YamlEntry, "node" | "key">,
  reporter: TextReporter,
): ParsedFaults {
  const faults: FaultDraft[] = [];
  const faultFiles: FaultFileDraft[] = [];
  const add = (read: Checked<FaultDraft>): void => {
    reporter.diagnostics.push(...read.diagnostics);
    if (read.value !== undefined) faults.push(read.value);
  };
  for (const item of node.kind === "list" ? node.items : [node]) {
    if (item.kind === "map") {
      const read = readMap(item, reporter);
      if (read !== undefined) add(read);
    } else if (item.kind === "scalar" && typeof item.value === "string") {
      const text = item.value.trim();
      // A path has no words: what happens is never a single one.
      if (/\s/.test(text)) add(parseFaultLine(text, item.place));
      else if (text !== "") faultFiles.push({ path: text, place: item.place });
    } else if (item.kind !== "scalar" || item.value !== null || node.kind === "list")
      wrongType(item, `'${key}'`, "a list of faults, or a file", EXAMPLE, reporter);
  }
  return { faults, faultFiles };
}

/** A YAML file that holds faults: the list alone, or under the key `faults`. */
export function parseFaultYaml(text: string, file: string): Checked<readonly FaultDraft[]> {
  const reporter = new TextReporter();
  const { diagnostics } = reporter;
  const root = readYaml(text, file, reporter);
  if (root === undefined) return { diagnostics };
  const shape = {
    owner: "a file of faults",
    keys: ["faults"] as const,
    example: `faults:\n  ${EXAMPLE}`,
  };
  const node = root.kind === "map" ? readFields(root, shape, reporter)?.faults?.node : root;
  if (node === undefined) return { value: [], diagnostics };
  const { faults, faultFiles } = parseFaults({ node, key: "faults" }, reporter);
  for (const { path, place } of faultFiles) {
    const params = { what: "a fault", expected: "a line", found: `'${path}'`, example: EXAMPLE };
    reporter.report("scenario-wrong-type", params, place);
  }
  return { value: faults, diagnostics };
}

function readMap(node: YamlNode, reporter: TextReporter): Checked<FaultDraft> | undefined {
  const fields = readFields(node, FAULT, reporter);
  if (fields === undefined) return undefined;
  const written = writtenTexts(fields, reporter);
  const kinds = FAULT_KIND_NAMES.filter((kind) => fields[kind] !== undefined);
  const [kind] = kinds;
  const target = written.get("port") ?? written.get("unit");
  const text = [...written].map(([key, one]) => `${key}: ${one.text}`).join(", ");
  if (target === undefined) {
    const params = { owner: FAULT.owner, key: "port", example: FAULT.example };
    reporter.report("scenario-missing-key", params, node.place);
    return undefined;
  }
  if (kind === undefined) {
    const why = "it does not say what happens";
    const params = { text, why, fix: `add one of ${FAULT_KIND_NAMES.join(", ")}` };
    return { diagnostics: [diagnose(FAULT_TEXT_RULES, "fault-malformed", params, node.place)] };
  }
  if (kinds.length > 1) {
    const params = {
      what: "a fault",
      expected: "of one kind",
      found: kinds.join(" and "),
      example: FAULT.example,
    };
    reporter.report("scenario-wrong-type", params, node.place);
    return undefined;
  }
  const given = written.get(kind)?.text;
  // `frozen: true` and `stuck:` say that it is so, without a value; so does `drop-out: true`.
  const isBare = given === undefined || (kind !== "stuck" && given === "true");
  const options = new Map(
    (["at", "for", "until", "on", "while", "seed", "every"] as const).flatMap((option) => {
      const one = written.get(option);
      return one === undefined ? [] : [[option, one] as const];
    }),
  );
  const name = written.get("name");
  return readFault({
    target: target.text,
    kind,
    ...(isBare ? {} : { argument: given }),
    options: new Map([...options, ...(name ? [["as", name] as const] : [])]),
    text,
    place: node.place,
  });
}

/** The values of the keys as texts; a key without a value is not among them. */
function writtenTexts(
  fields: Fields<(typeof FAULT_KEYS)[number]>,
  reporter: TextReporter,
): Map<string, Written> {
  const found = new Map<string, Written>();
  for (const key of FAULT_KEYS) {
    const node = fields[key]?.node;
    if (node === undefined || (node.kind === "scalar" && node.value === null)) continue;
    if (node.kind === "scalar") found.set(key, { text: String(node.value), place: node.place });
    else wrongType(node, `'${key}'`, "one value", FAULT.example, reporter);
  }
  return found;
}
