/**
 * An adaptation as text, in the one way that the formatter writes: sections in a fixed order, two
 * blanks a level, one statement a line. Comments, which an adaptation does not hold, come from
 * outside (format-sa.ts), by the place of what they belong to.
 */
import type { Place } from "../../base/diagnostic.ts";
import type {
  Adaptation,
  AdaptationPort,
  Declaration,
  Expression,
  InnerUnit,
  PortName,
  Rule,
  Statement,
} from "../../model/adaptation/data.ts";
import { indented, keyOf, type Notes, withNotes } from "../text/notes.ts";
import type { Section } from "./ast.ts";
import type { DraftPort } from "./dialect/draft.ts";
import { printName } from "./names.ts";
import { breakExpression, printExpression, printString, SUM } from "./print-expression.ts";

/** Notes of the part that begins at a place, of a section, or of the end of the text. */
export type NotesOf = (part: Place | Section["$type"] | "end") => Notes | undefined;

const WIDTH = 100;

/** `parseSa` reads this as the same adaptation, and `formatSa` leaves it as it is. */
export function printSa(adaptation: Adaptation): string {
  return printWithNotes(adaptation, () => undefined);
}

/** @param taken gets the keys of the parts whose notes were written: each is written once. */
export function printWithNotes(
  adaptation: Adaptation,
  notesOf: NotesOf,
  taken: Set<string> = new Set(),
): string {
  const print = printer(notesOf, taken);
  const { inputs, outputs, controlRules: control, target, inputKind, outputKind } = adaptation;
  const names = `${printName(adaptation.type)} ${printName(adaptation.name)}`;
  const head = [
    ["semantic adaptation", inputKind, outputKind, names]
      .filter((word) => word !== undefined)
      .join(" "),
    ...(target === undefined ? [] : [`at ${printString(target)}`]),
  ];
  const groups: string[][] = [
    print.part(adaptation.place, head),
    ...adaptation.inner.map(print.innerUnit),
    adaptation.connections.flatMap(({ from, to, place }) =>
      print.part(place, [`with ${portText(from)} -> ${portText(to)}`]),
    ),
    print.ports("InputPorts", "input ports", inputs ?? [], inputText),
    print.ports("OutputPorts", "output ports", outputs ?? [], outputText),
    print.declarations("Parameters", "param", adaptation.parameters),
    [
      ...print.declarations("ControlVariables", "control var", adaptation.controlVariables),
      ...(control === undefined
        ? []
        : print.part("ControlRules", ["control rules {"], [...print.block(control, 1), "}"])),
    ],
    [
      ...print.declarations("InVariables", "in var", adaptation.inVariables),
      ...print.rules("InRules", "in rules", adaptation.inRules),
    ],
    [
      ...print.declarations("OutVariables", "out var", adaptation.outVariables),
      ...print.rules("OutRules", "out rules", adaptation.outRules),
    ],
    [...(notesOf("end")?.before ?? [])],
  ];
  const written = groups.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return `${written.join("\n\n")}\n`;
}

type Key = Parameters<NotesOf>[0];

/**
 * Every function gives lines; a comment of several lines is one of them, so that only its first is
 * moved.
 */
function printer(
  notesOf: NotesOf,
  taken: Set<string>,
): {
  readonly part: (key: Key, head: readonly string[], body?: readonly string[]) => string[];
  readonly innerUnit: (unit: InnerUnit) => string[];
  readonly ports: (
    section: Section["$type"] | undefined,
    head: string,
    all: readonly AdaptationPort[],
    text: (port: AdaptationPort) => string,
  ) => string[];
  readonly declarations: (
    section: Section["$type"],
    head: string,
    all: readonly Declaration[],
  ) => string[];
  readonly block: (statements: readonly Statement[], depth: number) => string[];
  readonly rules: (section: "InRules" | "OutRules", head: string, all: readonly Rule[]) => string[];
} {
  const part = (key: Key, head: readonly string[], body: readonly string[] = []): string[] =>
    withNotes(take(key), head, body);

  const take = (key: Key): Notes | undefined => {
    const text = typeof key === "string" ? key : keyOf(key);
    if (taken.has(text)) return undefined;
    taken.add(text);
    return notesOf(key);
  };

  /** On one line where it fits and its items have no comments. */
  function list<T extends { readonly place: Place }>(
    section: Section["$type"] | undefined,
    head: string,
    items: readonly T[],
    text: (item: T) => string,
    end: string,
    mayJoin: boolean,
  ): string[] {
    if (items.length === 0) return [];
    const joined = `${head} ${items.map(text).join(", ")}${end}`;
    const noted =
      items.some(({ place }) => isNoted(notesOf(place))) ||
      (section !== undefined && notesOf(section)?.trailing !== undefined);
    const key = section ?? NOWHERE;
    if (!noted && mayJoin && joined.length <= WIDTH - 2) return part(key, [joined]);
    const lines = items.flatMap((item, at) =>
      part(item.place, [`${text(item)}${at + 1 < items.length ? "," : end}`]),
    );
    return part(key, [head], indented(lines));
  }

  const innerUnit = (unit: InnerUnit): string[] =>
    part(
      unit.place,
      [
        [
          "for inner fmu",
          unit.inputKind,
          unit.outputKind,
          printName(unit.type),
          printName(unit.name),
        ]
          .filter((word) => word !== undefined)
          .join(" "),
      ],
      indented([
        ...(unit.source === undefined || unit.isDeclared ? [] : [`at ${printString(unit.source)}`]),
        ...list(undefined, "with input ports", unit.inputs ?? [], inputText, "", true),
        ...list(undefined, "with output ports", unit.outputs ?? [], outputText, "", true),
      ]),
    );

  const ports = (
    section: Section["$type"] | undefined,
    head: string,
    all: readonly AdaptationPort[],
    text: (port: AdaptationPort) => string,
  ): string[] => {
    const short = all.length === 1 || all.every(({ binding }) => binding === undefined);
    return list(section, head, all, text, "", short);
  };

  const declarations = (
    section: Section["$type"],
    head: string,
    all: readonly Declaration[],
  ): string[] => list(section, head, all, declarationText, ";", all.length === 1);

  function separated<T extends { readonly place: Place }>(
    all: readonly T[],
    print: (one: T) => string[],
  ): string[] {
    return all.flatMap((one, at) =>
      at > 0 && notesOf(one.place)?.blank === true ? ["", ...print(one)] : print(one),
    );
  }

  const block = (statements: readonly Statement[], depth: number): string[] =>
    indented(separated(statements, (one) => statement(one, depth)));

  function statement(s: Statement, depth: number): string[] {
    const width = WIDTH - 2 * depth;
    switch (s.kind) {
      case "assign":
        return part(s.place, fill(`${printExpression(s.target)} := `, s.value, ";", width));
      case "var":
        return part(s.place, fill(`var ${nameAndType(s)} := `, s.value, ";", width));
      case "if":
        return part(s.place, fill("if (", s.condition, ") {", width), branches(s, depth));
      case "for": {
        const range = `${printExpression(s.from, SUM)} .. ${printExpression(s.to, SUM)}`;
        const head = `for (var ${printName(s.variable)} in ${range}) {`;
        return part(s.place, [head], [...block(s.body, depth + 1), "}"]);
      }
      case "while":
        return part(s.place, fill("while (", s.condition, ") {", width), [
          ...block(s.body, depth + 1),
          "}",
        ]);
      case "break":
        return part(s.place, ["break;"]);
      case "return":
        return part(s.place, fill("return ", s.value, ";", width));
      case "call":
        return part(s.place, [`${printExpression(s.call)};`]);
    }
  }

  /** What follows the head of an `if`, to its last bracket. */
  function branches(s: Extract<Statement, { readonly kind: "if" }>, depth: number): string[] {
    const then = block(s.then, depth + 1);
    const [only, ...more] = s.otherwise;
    if (only === undefined) return [...then, "}"];
    if (only.kind === "if" && more.length === 0 && !isNoted(notesOf(only.place))) {
      const head = fill("} else if (", only.condition, ") {", WIDTH - 2 * depth);
      return [...then, ...head, ...branches(only, depth)];
    }
    return [...then, "} else {", ...block(s.otherwise, depth + 1), "}"];
  }

  function rule(r: Rule): string[] {
    const condition = `${printExpression(r.condition)} ->`;
    const first = block(r.first, 2);
    const second = block(r.second, 2);
    const end = second.length === 0 ? "{};" : "{";
    const tail = second.length === 0 ? [] : [...second, "};"];
    return first.length === 0
      ? part(r.place, [`${condition} {} --> ${end}`], tail)
      : part(r.place, [`${condition} {`], [...first, `} --> ${end}`, ...tail]);
  }

  const rules = (section: "InRules" | "OutRules", head: string, all: readonly Rule[]): string[] =>
    all.length === 0 ? [] : part(section, [`${head} {`], [...indented(separated(all, rule)), "}"]);

  return { part, innerUnit, ports, declarations, block, rules };
}

/** A unit that a file declares for its adaptations and for those that import it. */
export function printUnitDeclaration(
  unit: InnerUnit,
  notesOf: NotesOf,
  taken: Set<string>,
): string {
  const { part, ports } = printer(notesOf, taken);
  const list = (head: string, all: readonly AdaptationPort[] = []): string[] =>
    ports(undefined, head, all, declaredPort);
  return part(
    unit.place,
    [`fmu ${printName(unit.type)} ${printName(unit.name)}`],
    indented([
      ...(unit.source === undefined ? [] : [`at ${printString(unit.source)}`]),
      ...list("input ports", unit.inputs),
      ...list("output ports", unit.outputs),
    ]),
  ).join("\n");
}

const NOWHERE: Place = { file: "" };

function isNoted(notes: Notes | undefined): boolean {
  return (
    notes !== undefined &&
    (notes.before.length > 0 || notes.after.length > 0 || notes.trailing !== undefined)
  );
}

export function portText({ unit, port }: PortName): string {
  return unit === "" ? printName(port) : `${printName(unit)}.${printName(port)}`;
}

function inputText(port: AdaptationPort): string {
  return port.binding === undefined
    ? plainPort(port)
    : `${plainPort(port)} -> ${portText(port.binding)}`;
}

function outputText(port: AdaptationPort): string {
  return port.binding === undefined
    ? plainPort(port)
    : `${plainPort(port)} <- ${portText(port.binding)}`;
}

function plainPort(port: AdaptationPort): string {
  return port.unit === undefined ? nameAndType(port) : `${nameAndType(port)} (${port.unit})`;
}

/** A port that a file declares may have what only adaptations make ports and parameters of. */
function declaredPort(port: DraftPort): string {
  const { alias, start, size, unit } = port;
  const values = start?.values.map((one) => printExpression(one)).join(", ");
  const { name } = port;
  return [
    alias === undefined
      ? nameAndType(port)
      : `${printName(name)} ${printString(alias)}${typed(port)}`,
    ...(start === undefined ? [] : [`:= ${start.isArray ? `[${values}]` : values}`]),
    ...(size === undefined ? [] : [`[${size.lower}..${size.upper}]`]),
    ...(unit === undefined ? [] : [`(${unit})`]),
  ].join(" ");
}

type Typed = Pick<AdaptationPort, "type" | "isDiscrete">;

function nameAndType(one: Typed & Pick<Declaration, "name">): string {
  return `${printName(one.name)}${typed(one)}`;
}

function typed({ type, isDiscrete }: Typed): string {
  return type === undefined ? "" : `: ${isDiscrete ? "discrete " : ""}${type}`;
}

function declarationText(one: Declaration): string {
  const unit = one.unit === undefined ? "" : ` (${one.unit})`;
  const limits = (one.limits ?? []).map(({ kind, bound }) => ` ${kind} ${bound}`).join("");
  return `${nameAndType(one)}${unit} := ${printExpression(one.value)}${limits}`;
}

/** One line, or an operand a line where that is too long. */
function fill(start: string, value: Expression, end: string, width: number): string[] {
  const text = `${start}${printExpression(value)}${end}`;
  const parts = breakExpression(value);
  if (text.length <= width || parts.length === 1) return [text];
  return parts.map((piece, at) =>
    at === 0 ? `${start}${piece}` : `    ${piece}${at + 1 === parts.length ? end : ""}`,
  );
}
