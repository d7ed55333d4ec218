/**
 * Edits of a scenario as changes of its text: every comment, every blank line and every order that
 * an edit does not concern stays. Portable, so that the studio's page edits, undoes and redoes
 * without its server.
 */
import { isMap, isScalar, isSeq, type YAMLMap, type YAMLSeq } from "yaml";
import { fileKind } from "../../../model/source-kind.ts";
import { UNIT_NAME } from "../parse-units.ts";
import { mentions, renameUnit } from "./references.ts";
import type { EditedText, ScenarioEdit, TextChange } from "./scenario-edit.ts";
import { CannotEdit, keyText, pairOf, textScalar, valueText, YamlText } from "./yaml-text.ts";

/** @returns the new text, or the same text and why the edit cannot be made. */
export function editScenarioText(text: string, edit: ScenarioEdit): EditedText {
  return new ScenarioText(text).edited(edit);
}

/**
 * A text that is read before it is known what will be changed: reading a long one takes longer
 * than changing it.
 */
export class ScenarioText {
  readonly text: string;
  private unused: YamlText | CannotEdit | undefined;

  constructor(text: string) {
    this.text = text;
    this.unused = readYaml(text);
  }

  /** Each edit is one of the text as it was given. */
  edited(edit: ScenarioEdit): EditedText {
    const yaml = this.unused ?? readYaml(this.text);
    // It remembers what was changed.
    this.unused = undefined;
    return yaml instanceof CannotEdit
      ? { text: this.text, changes: [], problem: yaml.message }
      : editYaml(yaml, edit);
  }
}

function readYaml(text: string): YamlText | CannotEdit {
  try {
    return new YamlText(text);
  } catch (error) {
    if (error instanceof CannotEdit) return error;
    throw error;
  }
}

function editYaml(yaml: YamlText, edit: ScenarioEdit): EditedText {
  const { text } = yaml;
  try {
    (EDITS[edit.kind] as (yaml: YamlText, edit: ScenarioEdit) => void)(yaml, edit);
    const changes = yaml.changes();
    return { text: applyChanges(text, changes), changes };
  } catch (error) {
    if (error instanceof CannotEdit) return { text, changes: [], problem: error.message };
    throw error;
  }
}

/** @param changes in order, not overlapping. */
export function applyChanges(text: string, changes: readonly TextChange[]): string {
  let made = "";
  let at = 0;
  for (const { from, to, insert } of changes) {
    made += text.slice(at, from) + insert;
    at = to;
  }
  return made + text.slice(at);
}

type Edits = {
  readonly [Kind in ScenarioEdit["kind"]]: (
    yaml: YamlText,
    edit: Extract<ScenarioEdit, { kind: Kind }>,
  ) => void;
};

const EDITS: Edits = {
  "add-unit": (yaml, { name, source }) => addUnit(yaml, name, source),
  "remove-unit": (yaml, { name }) => removeUnit(yaml, name),
  "rename-unit": (yaml, { name, to }) => {
    unitPair(yaml, name);
    checkNewName(yaml, to);
    renameUnit(yaml, name, to);
  },
  connect: (yaml, { from, to }) => connect(yaml, from, to),
  disconnect: (yaml, { from, to }) => disconnect(yaml, from, to),
  "set-value": (yaml, { unit, port, value }) =>
    setInUnit(yaml, unit, ["set", port], value && valueText(value)),
  "set-unit-step": (yaml, { unit, value }) =>
    setInUnit(yaml, unit, ["step"], value && valueText(value)),
  adapt: (yaml, { unit, adaptation }) => {
    const list = pairOf(unitPair(yaml, unit).pair.value, "adapt")?.value;
    if (isSeq(list) && list.items.length > 1)
      throw new CannotEdit(`'${unit}' has several adaptations: change their list in the text`);
    setInUnit(yaml, unit, ["adapt"], adaptation && adaptText(adaptation));
  },
  "set-master": (yaml, { name }) => setMaster(yaml, name),
  "set-experiment": (yaml, { key, value }) => setExperiment(yaml, key, value && valueText(value)),
};

// ---- units ----------------------------------------------------------------------------------

function checkNewName(yaml: YamlText, name: string): void {
  if (!UNIT_NAME.test(name))
    throw new CannotEdit(`'${name}' is not a name for a unit: letters, digits, _ and -`);
  if (pairOf(pairOf(yaml.root, "units")?.value, name) !== undefined)
    throw new CannotEdit(`there is a unit '${name}' already`);
}

function unitPair(yaml: YamlText, name: string): { map: YAMLMap; pair: { value: unknown } } {
  const map = pairOf(yaml.root, "units")?.value;
  const pair = pairOf(map, name);
  if (!isMap(map) || pair === undefined) throw new CannotEdit(`there is no unit '${name}'`);
  return { map, pair };
}

function addUnit(yaml: YamlText, name: string, source: string): void {
  checkNewName(yaml, name);
  const isLong = /^\s*\{.*\}\s*$/.test(source);
  const units = pairOf(yaml.root, "units");
  const map = units?.value;
  const inFlow = isMap(map) && map.flow === true && map.items.length > 0;
  const value = isLong ? valueText(source) : textScalar(source.trim(), inFlow);
  if (isMap(map) && map.items.length > 0) yaml.addPair(map, name, value);
  else putSection(yaml, "units", [`${keyText(name)}: ${value}`], "description");
}

/**
 * Lists whose entries are about single units or ports: what names a unit that is gone goes with it.
 */
const DEPENDENT = ["bonds", "constraints", "events", "limits", "faults"] as const;

function removeUnit(yaml: YamlText, name: string): void {
  const { map } = unitPair(yaml, name);
  const pair = pairOf(map, name);
  if (map.items.length === 1) emptyOut(yaml, map, "{}");
  else yaml.remove(map, pair);
  for (const key of ["connections", ...DEPENDENT, "ports", "record"] as const)
    removeMentions(yaml, key, name);
}

function removeMentions(yaml: YamlText, key: string, unit: string): void {
  const value = pairOf(yaml.root, key)?.value;
  const patterns = isMap(value) && key === "record" ? pairOf(value, "patterns")?.value : value;
  const collection = key === "record" ? patterns : value;
  if (!isSeq(collection) && !isMap(collection)) return;
  const items = collection.items as unknown[];
  const gone = items.filter((item) => mentions(item, unit));
  if (gone.length === 0) return;
  const owner = pairOf(yaml.root, key);
  if (gone.length === items.length && yaml.root !== undefined) {
    if (collection === value && collection.flow) yaml.remove(yaml.root, owner);
    else emptyOut(yaml, collection, isMap(collection) ? "{}" : "[]");
    return;
  }
  if (collection.flow) removeFromFlow(yaml, collection, gone);
  else for (const item of gone) yaml.remove(collection, item);
}

/** Neighbours in one line share commas: the whole list is written again, item by item. */
function removeFromFlow(
  yaml: YamlText,
  collection: YAMLMap | YAMLSeq,
  gone: readonly unknown[],
): void {
  const items = collection.items as unknown[];
  const start = (item: unknown): number =>
    yaml.range(isMap(collection) ? (item as { key: unknown }).key : item)[0];
  const kept = items.filter((item) => !gone.includes(item));
  const lastKept = kept.at(-1);
  for (const [i, item] of items.entries()) {
    const next = items[i + 1];
    if (!gone.includes(item)) continue;
    if (next !== undefined && items.indexOf(lastKept) > i)
      yaml.replace(start(item), start(next), "");
  }
  // Those behind the last that stays go together, with the comma before them.
  const tail = items.slice(items.indexOf(lastKept) + 1);
  if (tail.length > 0 && lastKept !== undefined) {
    const pair = tail.at(-1) as { key: unknown; value?: unknown };
    const last = isMap(collection) ? (pair.value ?? pair.key) : tail.at(-1);
    const before = isMap(collection)
      ? ((lastKept as { value?: unknown }).value ?? (lastKept as { key: unknown }).key)
      : lastKept;
    yaml.replace(yaml.range(before)[1], yaml.range(last)[1], "");
  }
}

/** A collection without its items; comments between them stay. */
function emptyOut(yaml: YamlText, collection: YAMLMap | YAMLSeq, empty: "{}" | "[]"): void {
  const [start, end] = yaml.range(collection);
  if (collection.flow) {
    yaml.replace(start, end, empty);
    return;
  }
  const owner = yaml.root?.items.find(({ value }) => value === collection);
  if (owner === undefined) throw new CannotEdit("the last entry of a list cannot be removed here");
  const colon = yaml.text.indexOf(":", yaml.range(owner.key)[1]) + 1;
  yaml.replace(colon, colon, ` ${empty}`);
  for (const item of collection.items) yaml.remove(collection, item);
}

/** A value in a unit's map; a unit that is a path alone becomes a map. */
function setInUnit(
  yaml: YamlText,
  unit: string,
  path: readonly [string] | readonly [string, string],
  value: string | undefined,
): void {
  const { pair } = unitPair(yaml, unit);
  const { value: given } = pair;
  const [key, inner] = path;
  const inside = inner === undefined ? undefined : pairOf(given, key)?.value;
  if (yaml.isShared(given) || yaml.isShared(inside))
    throw new CannotEdit(
      `what is written for '${unit}' stands for others too (&, *): write it out in the text first`,
    );
  if (isMap(given)) {
    setIn(yaml, given, key, inner, value);
    return;
  }
  if (value === undefined || value === "") return;
  if (!isScalar(given)) throw new CannotEdit(`the unit '${unit}' is not written as a map`);
  const [start, end] = yaml.range(given);
  const written = yaml.text.slice(start, end);
  const source = textScalar(String(given.value), true);
  const kept = /^["']/.test(written) ? written : source;
  const set = inner === undefined ? value : `{ ${keyText(inner)}: ${value} }`;
  yaml.replace(start, end, `{ ${sourceKey(String(given.value))}: ${kept}, ${key}: ${set} }`);
}

function setIn(
  yaml: YamlText,
  map: YAMLMap,
  key: string,
  inner: string | undefined,
  value: string | undefined,
): void {
  const pair = pairOf(map, key);
  if (inner === undefined) {
    setPair(yaml, map, key, value);
    return;
  }
  const values = pair?.value;
  if (isMap(values) && values.items.length > 0) {
    const isLast = values.items.length === 1 && pairOf(values, inner) !== undefined;
    if (isLast && !value) removeFrom(yaml, map, key);
    else setPair(yaml, values, inner, value);
  } else if (value) setPair(yaml, map, key, `{ ${keyText(inner)}: ${value} }`);
}

/** Sets, adds or removes one key of a map. */
function setPair(yaml: YamlText, map: YAMLMap, key: string, value: string | undefined): void {
  const pair = pairOf(map, key);
  if (!value) {
    if (pair !== undefined) removeFrom(yaml, map, key);
    return;
  }
  if (pair === undefined) {
    yaml.addPair(map, key, value);
    return;
  }
  replaceValue(yaml, pair, value);
}

function replaceValue(
  yaml: YamlText,
  pair: { readonly key: unknown; readonly value: unknown },
  value: string,
): void {
  const { value: given } = pair;
  const keyEnd = yaml.range(pair.key)[1];
  const isNothing = given === null || (isScalar(given) && given.source === "");
  if (isNothing) {
    const colon = yaml.text.indexOf(":", keyEnd) + 1;
    yaml.replace(colon, colon, ` ${value}`);
    return;
  }
  const [start, end] = yaml.range(given);
  if ((isMap(given) || isSeq(given)) && !given.flow) {
    const colon = yaml.text.indexOf(":", keyEnd) + 1;
    yaml.replace(colon, yaml.endOfNode(given, end), ` ${value}`);
    return;
  }
  const isBlockText = isScalar(given) && /^BLOCK/.test(given.type ?? "");
  const stop = isBlockText ? yaml.endOfNode(given, start) : end;
  yaml.replace(start, stop, value);
}

function removeFrom(yaml: YamlText, map: YAMLMap, key: string): void {
  yaml.remove(map, pairOf(map, key));
}

/** The key of a unit's source in its long form; a folder is an unpacked FMU. */
function sourceKey(path: string): string {
  const kind = fileKind(path) ?? "fmu";
  return kind === "scenario-file" ? "scenario" : kind;
}

/** `multi-rate { rate: 10 }` is written as YAML, which reads the same everywhere. */
function adaptText(text: string): string {
  const use = /^\s*([^\s{}]+)\s*(\{[^{}\n]*\})\s*$/.exec(text);
  if (use) return `{ ${keyText(use[1] as string)}: ${use[2]} }`;
  return valueText(text);
}

// ---- connections ----------------------------------------------------------------------------

function connect(yaml: YamlText, from: string, to: string): void {
  const list = pairOf(yaml.root, "connections")?.value;
  const text = `${from} -> ${to}`;
  if (isSeq(list)) {
    if (list.items.some((item) => isConnection(item, from, to)))
      throw new CannotEdit(`'${text}' is there already`);
    yaml.addItem(list, textScalar(text, list.flow === true));
  } else putSection(yaml, "connections", [`- ${textScalar(text, false)}`], "units");
}

function disconnect(yaml: YamlText, from: string, to: string): void {
  const list = pairOf(yaml.root, "connections")?.value;
  const item = isSeq(list) ? list.items.find((one) => isConnection(one, from, to)) : undefined;
  if (!isSeq(list) || item === undefined || yaml.root === undefined)
    throw new CannotEdit(`'${from} -> ${to}' is not written as a connection of its own`);
  if (list.items.length > 1) yaml.remove(list, item);
  else if (list.flow) yaml.remove(yaml.root, pairOf(yaml.root, "connections"));
  else emptyOut(yaml, list, "[]");
}

function isConnection(item: unknown, from: string, to: string): boolean {
  if (isMap(item)) return item.get("from") === from && item.get("to") === to;
  const [left, right] = isScalar(item) ? String(item.value).split(/\s*(?:->|→)\s*/) : [];
  return left?.trim() === from && right?.trim() === to;
}

// ---- master and experiment ------------------------------------------------------------------

function setMaster(yaml: YamlText, name: string | undefined): void {
  const { root } = yaml;
  const pair = pairOf(root, "master");
  if (!name) {
    if (root !== undefined && pair !== undefined) yaml.remove(root, pair);
    return;
  }
  if (pair === undefined) {
    putLine(yaml, "master", textScalar(name, false), "experiment");
    return;
  }
  const { value } = pair;
  const named = pairOf(value, "name");
  if (isScalar(named?.value) && String(named.value.value) === name) return;
  // Options belong to the master that they are of.
  replaceValue(yaml, pair, textScalar(name, false));
}

function setExperiment(yaml: YamlText, key: string, value: string | undefined): void {
  const { root } = yaml;
  const pair = pairOf(root, "experiment");
  const map = pair?.value;
  if (isMap(map) && map.items.length > 0) {
    const isLast = map.items.length === 1 && pairOf(map, key) !== undefined;
    if (isLast && !value && root !== undefined) yaml.remove(root, pair);
    else setPair(yaml, map, key, value);
  } else if (value) {
    if (pair === undefined) putLine(yaml, "experiment", `{ ${key}: ${value} }`, "connections");
    else replaceValue(yaml, pair, `{ ${key}: ${value} }`);
  }
}

// ---- new keys of the scenario ----------------------------------------------------------------

/** Lines under a key of their own; the key may be there with nothing in it. */
function putSection(yaml: YamlText, key: string, lines: readonly string[], behind: string): void {
  const pair = pairOf(yaml.root, key);
  const block = lines.map((line) => `${yaml.newline}  ${line}`).join("");
  if (pair !== undefined) {
    const keyEnd = yaml.range(pair.key)[1];
    const { value } = pair;
    const isEmptyFlow = (isMap(value) || isSeq(value)) && value.flow && value.items.length === 0;
    if (isEmptyFlow) {
      const colon = yaml.text.indexOf(":", keyEnd) + 1;
      const [, end] = yaml.range(value);
      yaml.replace(colon, end, block);
    } else {
      const end = yaml.endOfLine(keyEnd);
      yaml.replace(end, end, block);
    }
    return;
  }
  insertBehind(yaml, `${key}:${block}`, behind, true);
}

function putLine(yaml: YamlText, key: string, value: string, behind: string): void {
  insertBehind(yaml, `${key}: ${value}`, behind, false);
}

/** Behind another key of the scenario, or at its end. */
function insertBehind(yaml: YamlText, lines: string, behind: string, isApart: boolean): void {
  const { root, newline, text } = yaml;
  if (root === undefined) {
    const isOpen = text.length > 0 && !text.endsWith("\n");
    yaml.replace(text.length, text.length, `${isOpen ? newline : ""}${lines}${newline}`);
    return;
  }
  if (root.flow) throw new CannotEdit("the scenario is written in one pair of braces");
  const pair = pairOf(root, behind) ?? root.items.at(-1);
  if (pair === undefined) throw new CannotEdit("the scenario has no keys");
  const end = yaml.endOfNode(pair.value, yaml.range(pair.key)[1]);
  // Sections of a text with blank lines between its sections are set apart as well.
  const space = isApart && /\n[ \t]*\r?\n/.test(text) ? newline : "";
  yaml.replace(end, end, `${newline}${space}${lines}`);
}
