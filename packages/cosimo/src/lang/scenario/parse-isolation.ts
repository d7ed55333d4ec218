/**
 * A process of its own for a unit: `isolate: process`, `isolate: { process: group }`, `onFailure:
 * restart`, and what the process may use (`limits: { memory: 512 MB, call: 10 s }`).
 */
import { present } from "../../base/present.ts";
import {
  FAILURE_RESPONSES,
  ISOLATIONS,
  type Isolation,
  type ProcessLimits,
} from "../../model/isolation.ts";
import type { TextReporter } from "./diagnostics.ts";
import {
  type Fields,
  POSITIVE,
  readChoice,
  readFields,
  readNumber,
  readText,
  readTime,
  wrongType,
} from "./fields.ts";
import { PROCESS_LIMIT_KEYS, type UNIT_KEYS } from "./keys.ts";
import type { YamlEntry } from "./yaml-tree.ts";

export function parseIsolation(
  unit: string,
  { isolate, onFailure, limits }: Fields<(typeof UNIT_KEYS)[number]>,
  reporter: TextReporter,
): Isolation | undefined {
  const response =
    onFailure && readChoice(onFailure.node, "'onFailure'", FAILURE_RESPONSES, reporter);
  const bounds = limits && parseLimits(limits, reporter);
  if (isolate !== undefined) {
    const place = parsePlace(isolate, reporter);
    return place && { ...place, ...present({ onFailure: response, limits: bounds }) };
  }
  for (const entry of [onFailure, limits])
    if (entry !== undefined)
      reporter.report("scenario-not-isolated", { unit, key: entry.key }, entry.place);
  return undefined;
}

function parsePlace(
  { key, node }: YamlEntry,
  reporter: TextReporter,
): Pick<Isolation, "kind" | "group"> | undefined {
  if (node.kind === "scalar") {
    const kind = readChoice(node, `'${key}'`, ISOLATIONS, reporter);
    return kind && { kind };
  }
  if (node.kind !== "map") {
    wrongType(node, `'${key}'`, "'process' or 'sandbox'", `${key}: process`, reporter);
    return undefined;
  }
  const shape = {
    owner: `'${key}'`,
    keys: ["process"],
    required: ["process"],
    example: `${key}: { process: suppliers }`,
  } as const;
  const fields = readFields(node, shape, reporter);
  const group = fields && readText(fields.process, "suppliers", reporter);
  return group === undefined ? undefined : { kind: "process", group };
}

const SECONDS = { expected: "a time above 0", example: "10 s", accepts: POSITIVE };
const COUNT = {
  expected: "a whole number above 0",
  example: "32",
  accepts: (value: number): boolean => Number.isInteger(value) && value > 0,
};

function parseLimits(entry: YamlEntry, reporter: TextReporter): ProcessLimits | undefined {
  const shape = {
    owner: "'limits'",
    keys: PROCESS_LIMIT_KEYS,
    example: "limits: { memory: 512 MB, call: 10 s }",
  };
  const fields = readFields(entry.node, shape, reporter);
  if (fields === undefined) return undefined;
  const { memory, processor, files, call } = fields;
  return present({
    memoryBytes: memory && parseBytes(memory, reporter),
    processorSeconds: processor && readTime(processor, SECONDS, reporter),
    openFiles: files && readNumber(files, COUNT, reporter),
    callSeconds: call && readTime(call, SECONDS, reporter),
  });
}

const BYTES: Readonly<Record<string, number>> = {
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

/** A number of bytes, or a text with a unit: "512 MB". */
export function parseBytes(entry: YamlEntry, reporter: TextReporter): number | undefined {
  const { node } = entry;
  const value = node.kind === "scalar" ? node.value : undefined;
  const [, number, unit = ""] = /^\s*(\d+(?:\.\d+)?)\s*([kKMG]i?B)\s*$/.exec(String(value)) ?? [];
  const bytes = typeof value === "number" ? value : Number(number) * (BYTES[unit] ?? Number.NaN);
  if (bytes > 0 && Number.isFinite(bytes)) return Math.round(bytes);
  const expected = "an amount of memory";
  const example = `${entry.key}: 512 MB`;
  const found = String(value ?? "nothing");
  reporter.report(
    "scenario-number",
    { what: `'${entry.key}'`, found, expected, example },
    node.place,
  );
  return undefined;
}
