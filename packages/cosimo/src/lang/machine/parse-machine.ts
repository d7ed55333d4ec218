/**
 * `.machine.yaml` → the data of a timed state machine. Every mistake is reported with its place;
 * what names, types and transitions mean together is checked by check-machine.ts.
 */
import {
  type Checked,
  type Diagnostic,
  diagnose,
  hasErrors,
  type Place,
} from "../../base/diagnostic.ts";
import type { Expression } from "../../model/adaptation/data.ts";
import { SA_FUNCTIONS } from "../../model/adaptation/functions.ts";
import type {
  Machine,
  MachineAction,
  MachineEvent,
  MachinePort,
  MachineType,
  StateDefinition,
  TransitionDefinition,
} from "../../model/machine.ts";
import { parseQuantity, parseSeconds } from "../../model/physical-unit-conversion.ts";
import { parseActions, parseRule } from "../expression/parse-rule.ts";
import { TextReporter } from "../scenario/diagnostics.ts";
import {
  type NumberRule,
  readChoice,
  readEntries,
  readFields,
  readNumber,
  readText,
  readTexts,
  wrongType,
} from "../scenario/fields.ts";
import { readYaml, type YamlEntry, type YamlNode } from "../scenario/yaml-tree.ts";
import { checkMachine } from "./check-machine.ts";
import { MACHINE_RULES } from "./diagnostics.ts";

const EXAMPLE = "states: { off: [{ after: 2 s, to: on }], on: [] }";
const KEYS = [
  "machine",
  "description",
  "parameters",
  "inputs",
  "outputs",
  "locals",
  "events",
  "initial",
  "states",
] as const;
const STATE_KEYS = ["description", "entry", "exit", "transitions", "initial", "states"] as const;
const TRANSITION_KEYS = ["after", "on", "when", "do", "emit", "to"] as const;
const PORT_KEYS = ["type", "start", "unit", "min", "max", "description"] as const;
const TYPES = ["real", "integer", "boolean"] as const;
const NAME = /^[\p{L}_][\p{L}\p{N}_]*$/u;
const ANY_NUMBER: NumberRule = { expected: "a number", example: "1.5", accepts: () => true };
/** Names with a meaning of their own in rules. */
const RESERVED = new Set(["time", "state", "and", "or", "not", "true", "false", "emit"]);

/** Reads the text of a machine; `file` is the name in places. Never throws, whatever the text. */
export function parseMachine(text: string, file: string): Checked<Machine> {
  const reporter = new TextReporter();
  const root = readYaml(text, file, reporter, EXAMPLE);
  const read = root && new Reader(reporter).machine(root, file);
  const diagnostics: Diagnostic[] = [...reporter.diagnostics];
  if (read === undefined || hasErrors(diagnostics)) return { diagnostics };
  diagnostics.push(...checkMachine(read));
  return hasErrors(diagnostics) ? { diagnostics } : { value: read, diagnostics };
}

class Reader {
  private readonly reporter: TextReporter;
  private readonly names = new Set<string>();

  constructor(reporter: TextReporter) {
    this.reporter = reporter;
  }

  machine(root: YamlNode, file: string): Machine | undefined {
    const shape = { owner: "a state machine", keys: KEYS, example: EXAMPLE };
    const fields = readFields(root, shape, this.reporter);
    if (fields === undefined) return undefined;
    if (fields.states === undefined) return this.missing("states", "a state machine", root.place);
    const name = fields.machine && readText(fields.machine, "traffic light", this.reporter);
    const description = fields.description && this.text(fields.description);
    const ports = (entry: YamlEntry | undefined, mayBeEvent = false): MachinePort[] =>
      this.entries(entry).flatMap((one) => this.port(one, mayBeEvent) ?? []);
    const parameters = ports(fields.parameters);
    const inputs = ports(fields.inputs, true);
    const outputs = ports(fields.outputs);
    const locals = ports(fields.locals);
    const events = fields.events ? this.events(fields.events) : [];
    const states = this.states(fields.states);
    const initial = this.initial(fields.initial, "the machine", states, root.place);
    if (initial === undefined) return undefined;
    return {
      name: name ?? file.replace(/^.*[\\/]/, "").replace(/\.machine\.ya?ml$/i, ""),
      ...(description !== undefined && { description }),
      parameters,
      inputs,
      outputs,
      locals,
      events,
      initial,
      states,
      place: root.place,
    };
  }

  private states(entry: YamlEntry): StateDefinition[] {
    const seen = new Set<string>();
    return this.entries(entry).flatMap((one) => {
      if (!this.isWord(one) || seen.has(one.key)) return [];
      seen.add(one.key);
      return this.state(one) ?? [];
    });
  }

  /** A state is a map, or the list of its transitions alone. */
  private state({ key: name, node, place }: YamlEntry): StateDefinition | undefined {
    const reporter = this.reporter;
    const bare = { name, entry: [], exit: [], states: [], place };
    if (node.kind === "list") return { ...bare, transitions: this.transitions(node) };
    if (node.kind === "scalar" && node.value === null) return { ...bare, transitions: [] };
    const owner = `state '${name}'`;
    const example = `${name}: [{ after: 2 s, to: ${name} }]`;
    const fields = readFields(node, { owner, keys: STATE_KEYS, example }, reporter);
    if (fields === undefined) return undefined;
    const states = fields.states ? this.states(fields.states) : [];
    const initial =
      states.length > 0 ? this.initial(fields.initial, owner, states, place) : undefined;
    const description = fields.description && this.text(fields.description);
    return {
      name,
      ...(description !== undefined && { description }),
      entry: this.actions(fields.entry),
      exit: this.actions(fields.exit),
      transitions: fields.transitions ? this.transitions(fields.transitions.node) : [],
      states,
      ...(initial !== undefined && { initial }),
      place,
    };
  }

  private initial(
    entry: YamlEntry | undefined,
    owner: string,
    states: readonly StateDefinition[],
    place: Place,
  ): string | undefined {
    const names = states.map(({ name }) => name);
    if (entry === undefined) {
      const [only, ...more] = names;
      if (only !== undefined && more.length === 0) return only;
      return this.report("machine-initial", { owner, states: names }, place);
    }
    return readChoice(entry.node, `'initial' of ${owner}`, names, this.reporter);
  }

  private transitions(node: YamlNode): TransitionDefinition[] {
    const items = node.kind === "list" ? node.items : [node];
    return items.flatMap((item) => this.transition(item) ?? []);
  }

  private transition(node: YamlNode): TransitionDefinition | undefined {
    const reporter = this.reporter;
    const shape = {
      owner: "a transition",
      keys: TRANSITION_KEYS,
      example: "{ after: 2 s, to: on }",
    };
    const fields = readFields(node, shape, reporter);
    if (fields === undefined) return undefined;
    const to = fields.to && readText(fields.to, "on", reporter);
    if (to === undefined) {
      return fields.to ? undefined : this.missing("to", "a transition", node.place);
    }
    const after = fields.after && this.after(fields.after);
    const on = fields.on && readText(fields.on, "go", reporter);
    const when = fields.when && this.rule(fields.when);
    const emits = fields.emit ? readTexts(fields.emit, "done", reporter) : [];
    return {
      to,
      ...(after !== undefined && { after }),
      ...(on !== undefined && { on }),
      ...(when !== undefined && { when }),
      actions: [
        ...this.actions(fields.do),
        ...emits.map(({ text, place }) => ({ kind: "emit" as const, event: text, place })),
      ],
      place: node.place,
    };
  }

  /** A time, or the name of a parameter. */
  private after({ node }: YamlEntry): number | string | undefined {
    const value = node.kind === "scalar" ? node.value : undefined;
    const seconds = typeof value === "string" ? parseSeconds(value) : value;
    if (typeof seconds === "number" && seconds >= 0 && seconds < Number.POSITIVE_INFINITY)
      return seconds;
    if (typeof value === "string" && NAME.test(value)) return value;
    return this.report("machine-after", { found: String(value ?? "…") }, node.place);
  }

  private rule(entry: YamlEntry): Expression | undefined {
    const { node } = entry;
    const value = node.kind === "scalar" ? node.value : undefined;
    if (typeof value === "boolean") return { kind: "boolean", value, place: node.place };
    if (typeof value !== "string") {
      wrongType(node, `'${entry.key}'`, "a condition", `${entry.key}: x > 0`, this.reporter);
      return undefined;
    }
    const parsed = parseRule(value, node.place);
    if ("expression" in parsed) return parsed.expression;
    return this.mistake(`'${entry.key}'`, value, parsed.mistake, node.place);
  }

  private actions(entry: YamlEntry | undefined): MachineAction[] {
    if (entry === undefined) return [];
    return readTexts(entry, "x := 1; emit done", this.reporter).flatMap(({ text, place }) => {
      const parsed = parseActions(text, place);
      if ("actions" in parsed) return parsed.actions;
      return this.mistake(`'${entry.key}'`, text, parsed.mistake, place) ?? [];
    });
  }

  private mistake(
    what: string,
    text: string,
    { at, message, fix }: { readonly at: number; readonly message: string; readonly fix: string },
    place: Place,
  ): undefined {
    const there = place.column === undefined ? place : { ...place, column: place.column + at };
    return this.report("machine-rule", { what, text, message, fix }, there);
  }

  private events(entry: YamlEntry): MachineEvent[] {
    const { node } = entry;
    if (node.kind !== "map") {
      return readTexts(entry, "[done]", this.reporter).flatMap(({ text, place }) =>
        this.isNewName(text, place) ? [{ name: text, place }] : [],
      );
    }
    return node.entries.flatMap((one) => {
      if (!this.isNewName(one.key, one.place)) return [];
      const isBare = one.node.kind === "scalar" && one.node.value === null;
      const description = isBare ? undefined : this.text(one);
      return [
        { name: one.key, ...(description !== undefined && { description }), place: one.place },
      ];
    });
  }

  /** `x: 1.5`, `x: 85 degC`, `x: true`, `x: integer`, `x: event`, or a map. */
  private port(entry: YamlEntry, mayBeEvent: boolean): MachinePort | undefined {
    const { key: name, node, place } = entry;
    if (!this.isNewName(name, place)) return undefined;
    if (node.kind === "map") return this.longPort(entry, mayBeEvent);
    const value = node.kind === "scalar" ? node.value : undefined;
    if (typeof value === "number")
      return this.isFinite(name, value, node.place)
        ? { name, type: "real", start: value, place }
        : undefined;
    if (typeof value === "boolean") {
      return { name, type: "boolean", start: value ? 1 : 0, place };
    }
    const type = TYPES.find((one) => one === value);
    if (type !== undefined) return { name, type, start: 0, place };
    if (value === "event" && mayBeEvent) {
      return { name, type: "boolean", isEvent: true, start: 0, place };
    }
    const quantity = typeof value === "string" ? parseQuantity(value) : undefined;
    if (quantity !== undefined && quantity.unit !== "") {
      if (!this.isFinite(name, quantity.value, node.place)) return undefined;
      return { name, type: "real", start: quantity.value, unit: quantity.unit, place };
    }
    const expected = `a value, a type (${TYPES.join(", ")}${mayBeEvent ? ", event" : ""}) or a map`;
    wrongType(node, `'${name}'`, expected, `${name}: { type: integer, start: 0 }`, this.reporter);
    return undefined;
  }

  private isFinite(name: string, value: number, place: Place): boolean {
    if (!Number.isFinite(value))
      this.report("machine-number", { what: `the value of '${name}'` }, place);
    return Number.isFinite(value);
  }

  private longPort(
    { key: name, node, place }: YamlEntry,
    mayBeEvent: boolean,
  ): MachinePort | undefined {
    const reporter = this.reporter;
    const shape = { owner: `port '${name}'`, keys: PORT_KEYS, example: "{ type: real, start: 1 }" };
    const fields = readFields(node, shape, reporter);
    if (fields === undefined) return undefined;
    const choices = mayBeEvent ? [...TYPES, "event" as const] : TYPES;
    const declared = fields.type && readChoice(fields.type.node, "'type'", choices, reporter);
    const start = fields.start && this.start(fields.start);
    const type: MachineType =
      declared === "event" ? "boolean" : (declared ?? start?.type ?? "real");
    const number = (field: YamlEntry | undefined): number | undefined =>
      field && readNumber(field, ANY_NUMBER, reporter);
    const [min, max] = [number(fields.min), number(fields.max)];
    const unit = fields.unit && readText(fields.unit, "degC", reporter);
    const description = fields.description && this.text(fields.description);
    const what = { name, type, start: start?.value ?? 0, isNumber: start && start.type === "real" };
    this.checkRange(what, min, max, fields.start?.node.place ?? node.place);
    return {
      name,
      type,
      ...(declared === "event" && { isEvent: true }),
      start: start?.value ?? 0,
      ...(unit !== undefined && { unit }),
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
      ...(description !== undefined && { description }),
      place,
    };
  }

  /** @param isNumber the start value was given as one; otherwise it is true, false or 0. */
  private checkRange(
    port: { name: string; type: MachineType; start: number; isNumber: boolean | undefined },
    min: number | undefined,
    max: number | undefined,
    place: Place,
  ): void {
    const { name, type, start, isNumber } = port;
    if (min !== undefined && max !== undefined && min > max)
      this.report("machine-range", { name, min, max }, place);
    else {
      const wrong = startProblem(type, start, isNumber, min, max);
      const isBoolean = isNumber === false;
      const params = { name, start: isBoolean ? String(start === 1) : String(start) };
      const isGiven = isNumber !== undefined;
      if (wrong !== undefined)
        this.report("machine-start", { ...params, isGiven, ...wrong }, place);
    }
  }

  private start(
    entry: YamlEntry,
  ): { readonly type: MachineType; readonly value: number } | undefined {
    const value = entry.node.kind === "scalar" ? entry.node.value : undefined;
    if (typeof value === "boolean") return { type: "boolean", value: value ? 1 : 0 };
    const number = readNumber(entry, ANY_NUMBER, this.reporter);
    return number === undefined ? undefined : { type: "real", value: number };
  }

  private entries(entry: YamlEntry | undefined): readonly YamlEntry[] {
    if (entry === undefined) return [];
    const shape = { owner: `'${entry.key}'`, example: `${entry.key}: { x: … }` };
    return readEntries(entry.node, shape, this.reporter) ?? [];
  }

  private text(entry: YamlEntry): string | undefined {
    return readText(entry, "a text", this.reporter);
  }

  private isWord({ key, place }: YamlEntry): boolean {
    if (NAME.test(key)) return true;
    this.report("machine-name", { name: key, why: "it is not a word" }, place);
    return false;
  }

  private isNewName(name: string, place: Place): boolean {
    const why = !NAME.test(name)
      ? "it is not a word"
      : RESERVED.has(name)
        ? "it has a meaning of its own"
        : SA_FUNCTIONS.has(name)
          ? "it is a function"
          : this.names.has(name)
            ? "there is one already"
            : undefined;
    if (why === undefined) this.names.add(name);
    else this.report("machine-name", { name, why }, place);
    return why === undefined;
  }

  private missing(key: string, owner: string, place: Place): undefined {
    const example = key === "to" ? "to: on" : EXAMPLE;
    this.reporter.report("scenario-missing-key", { key, owner, example }, place);
    return undefined;
  }

  private report<Code extends keyof typeof MACHINE_RULES>(
    code: Code,
    params: Parameters<(typeof MACHINE_RULES)[Code]["text"]>[0],
    place: Place,
  ): undefined {
    this.reporter.diagnostics.push(diagnose(MACHINE_RULES, code, params as never, place));
    return undefined;
  }
}

const INT32 = { min: -(2 ** 31), max: 2 ** 31 - 1 };

function startProblem(
  type: MachineType,
  start: number,
  isNumber: boolean | undefined,
  min = Number.NEGATIVE_INFINITY,
  max = Number.POSITIVE_INFINITY,
): { readonly why: string; readonly fix: string } | undefined {
  if (type === "boolean") {
    if (isNumber !== true || start === 0 || start === 1) return undefined;
    return { why: "and is boolean", fix: "write start: true or start: false" };
  }
  if (isNumber === false)
    return { why: `and its type is ${type}`, fix: "write a number, or type: boolean" };
  if (type === "integer" && !Number.isInteger(start))
    return { why: "which is not a whole number", fix: "write a whole number, or type: real" };
  if (type === "integer" && (start < INT32.min || start > INT32.max))
    return { why: "which is more than 32 bits hold", fix: "write a smaller one, or type: real" };
  if (start < min)
    return { why: `which is below its 'min', ${min}`, fix: `write start: ${min}, or more` };
  if (start > max)
    return { why: `which is above its 'max', ${max}`, fix: `write start: ${max}, or less` };
  return undefined;
}
