/**
 * Decisions put into the text of a scenario.yaml: what its author wrote stays, with its comments,
 * and only what is decided changes. The text of a variant is what is run, so what is written at the
 * end is what was found.
 */
import {
  type Document,
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { longForm } from "../../lang/scenario/yaml-short-form.ts";
import { SCHEMES } from "../../model/masters.ts";
import { parseSeconds } from "../../model/physical-unit-conversion.ts";
import { fileKind } from "../../model/source-kind.ts";
import type { Decision, Reasoned, Wire } from "./space.ts";

export interface EditedScenario {
  readonly text: string;
  /** Decisions that the text has no place for, and why. */
  readonly problems: readonly string[];
}

export interface EditOptions {
  /** Lines before everything else, as a comment. */
  readonly heading?: readonly string[];
  /** Whether each change says why, behind it. */
  readonly withReasons: boolean;
  /** A path as it is written in another folder, where the text goes to one. */
  readonly moved?: (path: string) => string;
}

/** @param text of a scenario.yaml that can be read. */
export function editScenario(
  text: string,
  decided: readonly Reasoned[],
  { heading = [], withReasons, moved }: EditOptions,
): EditedScenario {
  let document = parseDocument(text);
  if (document.errors.length > 0) document = parseDocument(longForm(text)?.text ?? text);
  const editor = new Editor(document, withReasons);
  const step = decided.findLast(({ decision }) => decision.kind === "step")?.decision;
  const seconds = step?.kind === "step" ? step.seconds : editor.step();
  const isDriven = decided.some(
    ({ decision }) =>
      decision.kind === "bond" || (decision.kind === "master" && SCHEMES[decision.name].iterates),
  );
  const around = { seconds, isDriven, multiRate: multiRates(decided) };
  for (const { decision, why } of decided) editor.put(decision, why, around);
  if (moved !== undefined) editor.movePaths(moved);
  if (heading.length > 0) {
    const above = heading.map((line) => ` ${line}`).join("\n");
    const before = document.commentBefore;
    document.commentBefore = before ? `${above}\n${before}` : above;
  }
  const made = document.toString({ lineWidth: 0, flowCollectionPadding: true });
  // Braces have room inside, brackets have none, unless their author gives it to them.
  const isSpacious = /\[ \S/.test(text);
  const compact = isSpacious ? made : made.replace(/\[ ([^[\]\n#]*) \]/g, "[$1]");
  return { text: compact, problems: editor.problems };
}

/**
 * Units that take several steps in one as an adaptation: interpolated inputs reach over the whole
 * communication step, which units with a step of their own do not see.
 */
export function multiRates(decided: readonly Reasoned[]): ReadonlyMap<string, number> {
  const interpolated = new Set(
    decided.flatMap(({ decision }) =>
      decision.kind === "input" && decision.inputKind === "reactive"
        ? [decision.to.slice(0, decision.to.indexOf("."))]
        : [],
    ),
  );
  return new Map(
    decided.flatMap(({ decision }) =>
      decision.kind === "rate" && decision.rate !== 1 && interpolated.has(decision.unit)
        ? [[decision.unit, decision.rate] as const]
        : [],
    ),
  );
}

interface Around {
  /** The communication step, where it is known. */
  readonly seconds: number | undefined;
  /** A bond or a master that iterates: units are driven step by step. */
  readonly isDriven: boolean;
  /** See `multiRates`. */
  readonly multiRate: ReadonlyMap<string, number>;
}

class Editor {
  readonly problems: string[] = [];
  private readonly document: Document;
  private readonly withReasons: boolean;

  constructor(document: Document, withReasons: boolean) {
    this.document = document;
    this.withReasons = withReasons;
  }

  step(): number | undefined {
    const given = this.document.getIn(["experiment", "step"]);
    return given === undefined ? undefined : parseSeconds(String(given));
  }

  /** Where a comment about the step stands: behind a map in one line, or behind its own line. */
  private lineOf(key: string): readonly string[] {
    const node = this.document.get(key, true);
    return isMap(node) && node.flow === true ? [key] : [key, "step"];
  }

  put(decision: Decision, why: string, around: Around): void {
    switch (decision.kind) {
      case "step":
        this.set(["experiment", "step"], seconds(decision.seconds), why, this.lineOf("experiment"));
        break;
      case "rate":
        if (around.multiRate.has(decision.unit)) this.multiply(decision.unit, decision.rate, why);
        else if (decision.rate !== 1 && around.seconds !== undefined)
          this.unitStep(decision.unit, around.seconds / decision.rate, why);
        break;
      case "period":
        this.period(decision.unit, decision.seconds, why, around);
        break;
      case "input":
        this.input(decision, why);
        break;
      case "bond":
        this.bond(decision, why);
        break;
      case "master": {
        const { name, order } = decision;
        if (order === undefined) this.set(["master"], name, why);
        else this.set(["master"], flow(this.document, { name, order }), why);
        break;
      }
      case "unit-step":
        this.unitStep(decision.unit, decision.seconds, why);
        break;
      case "written-master":
        this.set(["master"], this.document.createNode(decision.written, { flow: true }), why);
        break;
      case "approximation": {
        const found = this.connection(decision);
        if (found === undefined) break;
        const map = this.asMap(found.list, found.index, decision);
        map.set("approximation", decision.approximation);
        this.say(map, why);
        break;
      }
      case "adaptation":
        this.adapt(decision, why);
        break;
      case "fault": {
        const faults = this.document.get("faults");
        if (isSeq(faults)) faults.add(decision.text);
        else
          this.document.set(
            "faults",
            faults === undefined ? [decision.text] : [faults, decision.text],
          );
        break;
      }
    }
  }

  /**
   * Software takes steps of its period. Where units are driven step by step none may be longer than
   * the communication step: then it is called in between as well, and has to keep its period
   * itself.
   */
  private period(
    unit: string,
    period: number,
    why: string,
    { seconds: step, isDriven }: Around,
  ): void {
    if (step === undefined || Math.abs(step - period) <= 1e-9 * period) return;
    if (step > period || !isDriven) this.unitStep(unit, period, why);
  }

  /** Paths are relative to the file, so a file elsewhere has others. */
  movePaths(moved: (path: string) => string): void {
    visit(this.document, {
      Scalar: (key, node, path) => {
        const pair = path.at(-1);
        const name = isPair(pair) && isScalar(pair.key) ? pair.key.value : "";
        const { value } = node;
        // The text of a key is not a value.
        if (key === "key" || typeof value !== "string" || ABSOLUTE.test(value)) return;
        if (PATH.test(value) || (name === "fmu" && !/\s/.test(value))) node.value = moved(value);
      },
    });
  }

  private unitStep(unit: string, value: number, why: string): void {
    const path = this.unitMap(unit);
    if (path !== undefined) this.set([...path, "step"], seconds(value), why, path);
  }

  private adapt({ unit, written }: Extract<Decision, { kind: "adaptation" }>, why: string): void {
    const path = this.unitMap(unit);
    if (path === undefined) return;
    if (written === undefined) this.document.deleteIn([...path, "adapt"]);
    else this.set([...path, "adapt"], this.document.createNode(written, { flow: true }), why, path);
  }

  /** Around all adaptations that are there. */
  private multiply(unit: string, rate: number, why: string): void {
    const path = this.unitMap(unit);
    if (path === undefined) return;
    const made = flow(this.document, { "multi-rate": { rate } });
    const given = this.document.getIn([...path, "adapt"], true);
    if (given === undefined) this.set([...path, "adapt"], made, why, path);
    else {
      const all = isSeq(given)
        ? given
        : (this.document.createNode([given], { flow: true }) as YAMLSeq);
      all.add(made);
      this.set([...path, "adapt"], all, why, path);
    }
  }

  /** The unit with room for more. */
  private unitMap(unit: string): readonly string[] | undefined {
    const path = ["units", unit];
    const given = this.document.getIn(path);
    if (given === undefined) {
      this.problems.push(`there is no unit '${unit}' in the text`);
      return undefined;
    }
    if (!isMap(given))
      this.document.setIn(path, flow(this.document, { [keyOf(String(given))]: given }));
    return path;
  }

  private input(decision: Extract<Decision, { kind: "input" }>, why: string): void {
    const found = this.connection(decision);
    if (found === undefined) return;
    const { list, index } = found;
    const map = this.asMap(list, index, decision);
    map.set("kind", decision.inputKind);
    if (decision.approximation !== undefined) map.set("approximation", decision.approximation);
    this.say(map, why);
  }

  private bond(
    { name, effort, flow: back }: Extract<Decision, { kind: "bond" }>,
    why: string,
  ): void {
    const wires = [effort, back].map((wire) => this.connection(wire));
    if (wires.some((wire) => wire === undefined)) return;
    const ends = [effort, back].map((wire) => {
      const { list, index } = this.connection(wire) as FoundConnection;
      const item = list.items[index];
      list.delete(index);
      return isMap(item) ? item : `${wire.from} -> ${wire.to}`;
    });
    const bond = this.document.createNode({
      name,
      effort: ends[0],
      flow: ends[1],
      preserve: "energy",
    }) as YAMLMap;
    const bonds = this.document.get("bonds");
    if (isSeq(bonds)) bonds.add(bond);
    else {
      const made = this.document.createNode([bond]) as YAMLSeq;
      this.insertBehind("connections", "bonds", made);
    }
    if (this.withReasons) bond.commentBefore = ` ${why}`;
  }

  /** `key: value` behind another key, so that what belongs together stands together. */
  private insertBehind(neighbour: string, key: string, value: YAMLSeq): void {
    const { contents } = this.document;
    if (!isMap(contents)) return;
    const at = contents.items.findIndex(({ key: one }) => isScalar(one) && one.value === neighbour);
    const pair = this.document.createPair(key, value);
    if (isScalar(pair.key)) pair.key.spaceBefore = true;
    contents.items.splice(at + 1, 0, pair as (typeof contents.items)[number]);
  }

  private connection({ from, to }: Wire): FoundConnection | undefined {
    const list = this.document.get("connections");
    if (isSeq(list)) {
      const index = list.items.findIndex((item) => {
        if (isMap(item)) return item.get("from") === from && item.get("to") === to;
        const text = isScalar(item) ? String(item.value) : "";
        const [left, right] = text.split(/\s*(?:->|→)\s*/);
        return left?.trim() === from && right?.trim() === to;
      });
      if (index >= 0) return { list, index };
    }
    this.problems.push(`'${from} -> ${to}' is not written as a connection of its own`);
    return undefined;
  }

  /** The connection with room for more. */
  private asMap(list: YAMLSeq, index: number, { from, to }: Wire): YAMLMap {
    const item = list.items[index];
    if (isMap(item)) return item;
    const map = flow(this.document, { from, to });
    if (isScalar(item)) {
      map.comment = item.comment ?? null;
      map.commentBefore = item.commentBefore ?? null;
      if (item.spaceBefore) map.spaceBefore = true;
    }
    list.items[index] = map;
    return map;
  }

  private set(path: readonly string[], value: unknown, why: string, commented = path): void {
    this.document.setIn(path, value);
    const node = this.document.getIn(commented, true);
    if (typeof node === "object" && node !== null) this.say(node as Commented, why);
  }

  private say(node: Commented, why: string): void {
    if (!this.withReasons) return;
    const given = node.comment;
    // One reason is enough, if it is the same.
    if (given?.includes(why)) return;
    node.comment = given ? `${given};  ${why}` : ` ${why}`;
  }
}

/** What can only be a path. */
const PATH = /^\S+\.(?:fmu|m?js|m?ts|sa|csv|ya?ml|mci|mcl|hint|ss[pd]|json)(?:#\S*)?$/i;
const ABSOLUTE = /^(?:[a-z]+:|[\\/])/i;

interface Commented {
  comment?: string | null | undefined;
}

interface FoundConnection {
  readonly list: YAMLSeq;
  readonly index: number;
}

function flow(document: Document, value: Readonly<Record<string, unknown>>): YAMLMap {
  return document.createNode(value, { flow: true }) as YAMLMap;
}

/** Numbers as people write them: 1e-7, 0.001. */
function seconds(value: number): string {
  const rounded = Number(value.toPrecision(12));
  const units: readonly (readonly [number, string])[] = [
    [1, "s"],
    [1e-3, "ms"],
    [1e-6, "us"],
    [1e-9, "ns"],
  ];
  for (const [size, unit] of units) {
    const count = Number((rounded / size).toPrecision(12));
    if (count >= 1 && Number.isInteger(count)) return `${count} ${unit}`;
  }
  return `${rounded} s`;
}

/** The key of a unit's source in its long form; a folder is an unpacked FMU. */
function keyOf(path: string): string {
  const kind = fileKind(path) ?? "fmu";
  return kind === "scenario-file" ? "scenario" : kind;
}
