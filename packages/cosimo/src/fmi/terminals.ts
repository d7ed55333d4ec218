/**
 * terminalsAndIcons/terminalsAndIcons.xml (FMI 3.0, and FMI 2.0.4 on) as data: which variables form
 * one connector, and where a drawing puts it. FMI 2 uses the same file with the same content.
 */

import type { Checked } from "../base/diagnostic.ts";
import { present } from "../base/present.ts";
import { parseInteger, parseList } from "../xml/literals.ts";
import { Reporter } from "../xml/reporter.ts";
import type { Annotation } from "./description.ts";
import { DESCRIPTION_DIAGNOSTICS } from "./description-diagnostics.ts";
import type { Mutable } from "./description-draft.ts";
import { annotationsRule } from "./description-parts.ts";
import { type AttributeReader, type ElementRule, elementRule, walkXml } from "./element-walker.ts";

/** Lower left and upper right corner; a flipped item has them the other way round. */
export interface Extent {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

export interface TerminalsAndIcons {
  readonly fmiVersion: string;
  /** With the standard's default where the file has none. */
  readonly coordinateSystem: Extent & { readonly suggestedScalingFactorToMm: number };
  readonly icon?: Extent;
  readonly terminals: readonly Terminal[];
  readonly annotations: readonly Annotation[];
}

export interface Terminal {
  readonly name: string;
  /** "plug", "bus", "sequence" or a rule of another standard. */
  readonly matchingRule: string;
  readonly terminalKind?: string;
  readonly description?: string;
  readonly members: readonly TerminalMember[];
  readonly streamMembers: readonly TerminalStreamMember[];
  readonly terminals: readonly Terminal[];
  readonly graphics?: TerminalGraphics;
  readonly line: number;
}

export interface TerminalMember {
  readonly variableName: string;
  readonly memberName?: string;
  /** "signal", "inflow", "outflow" or a kind of another standard. */
  readonly variableKind: string;
  readonly line: number;
}

export interface TerminalStreamMember {
  readonly inStreamMemberName: string;
  readonly outStreamMemberName: string;
  readonly inStreamVariableName: string;
  readonly outStreamVariableName: string;
  readonly line: number;
}

export interface TerminalGraphics extends Extent {
  readonly iconBaseName: string;
  /** Red, green, blue, 0 to 255. */
  readonly defaultConnectionColor?: readonly number[];
  readonly defaultConnectionStrokeSize?: number;
  readonly line: number;
}

const ROOT = "fmiTerminalsAndIcons";
const EXTENT = "x1! y1! x2! y2!";
const DEFAULT_COORDINATES = { x1: -100, y1: -100, x2: 100, y2: 100 };
const DEFAULT_SCALE = 0.1;

export function parseTerminals(
  text: string,
  file = "terminalsAndIcons/terminalsAndIcons.xml",
): Checked<TerminalsAndIcons> {
  const reporter = new Reporter(file, DESCRIPTION_DIAGNOSTICS);
  const result: Mutable<TerminalsAndIcons> = {
    fmiVersion: "",
    coordinateSystem: { ...DEFAULT_COORDINATES, suggestedScalingFactorToMm: DEFAULT_SCALE },
    terminals: [],
    annotations: [],
  };
  const complete = walkXml(text, reporter, {
    root: (e) => {
      if (e.name === ROOT) return rootRule(text, result);
      reporter.report("wrong-root", { found: e.name, expected: ROOT }, e.line);
      return undefined;
    },
  });
  const diagnostics = reporter.finish();
  return complete ? { value: result, diagnostics } : { diagnostics };
}

function rootRule(text: string, result: Mutable<TerminalsAndIcons>): ElementRule {
  const annotations: Annotation[] = [];
  const terminals: Terminal[] = [];
  result.annotations = annotations;
  result.terminals = terminals;
  const annotated = {
    Annotations: annotationsRule("Annotation", "type", text, (a) => annotations.push(a)),
  };
  const coordinateSystem = elementRule({
    attributes: `${EXTENT} suggestedScalingFactorTo_mm!`,
    open: (e) => {
      const suggestedScalingFactorToMm = e.double("suggestedScalingFactorTo_mm") ?? DEFAULT_SCALE;
      result.coordinateSystem = { ...readExtent(e), suggestedScalingFactorToMm };
    },
  });
  const icon = elementRule({
    attributes: EXTENT,
    open: (e) => {
      result.icon = readExtent(e);
    },
  });
  return elementRule({
    attributes: "fmiVersion!",
    children: {
      GraphicalRepresentation: elementRule({
        children: { CoordinateSystem: coordinateSystem, Icon: icon, ...annotated },
      }),
      Terminals: elementRule({
        children: { "*Terminal": terminalRule(terminals, annotated) },
        listOf: "Terminal",
      }),
      ...annotated,
    },
    open: (e) => {
      result.fmiVersion = e.text("fmiVersion") ?? "";
    },
  });
}

function readExtent(e: AttributeReader): Extent {
  return {
    x1: e.double("x1") ?? DEFAULT_COORDINATES.x1,
    y1: e.double("y1") ?? DEFAULT_COORDINATES.y1,
    x2: e.double("x2") ?? DEFAULT_COORDINATES.x2,
    y2: e.double("y2") ?? DEFAULT_COORDINATES.y2,
  };
}

interface OpenTerminal extends Mutable<Terminal> {
  members: TerminalMember[];
  streamMembers: TerminalStreamMember[];
  terminals: Terminal[];
}

/** One rule for all levels: the terminals that are open lie on a stack. */
function terminalRule(
  roots: Terminal[],
  annotated: Readonly<Record<string, ElementRule>>,
): ElementRule {
  const open: OpenTerminal[] = [];
  const nested: Record<string, ElementRule | "self"> = {
    "*TerminalMemberVariable": elementRule({
      attributes: "variableName! memberName variableKind!",
      children: annotated,
      open: (e) => open.at(-1)?.members.push(readMember(e)),
    }),
    "*TerminalStreamMemberVariable": elementRule({
      attributes:
        "inStreamMemberName! outStreamMemberName! inStreamVariableName! outStreamVariableName!",
      children: annotated,
      open: (e) => open.at(-1)?.streamMembers.push(readStreamMember(e)),
    }),
    "*Terminal": "self",
    TerminalGraphicalRepresentation: elementRule({
      attributes: `defaultConnectionColor defaultConnectionStrokeSize ${EXTENT} iconBaseName!`,
      children: annotated,
      open: (e) => {
        const terminal = open.at(-1);
        if (terminal !== undefined) terminal.graphics = readGraphics(e);
      },
    }),
    ...annotated,
  };
  return elementRule({
    attributes: "name! matchingRule! terminalKind description",
    children: nested,
    open: (e) => {
      const terminal = readTerminal(e);
      (open.at(-1)?.terminals ?? roots).push(terminal);
      open.push(terminal);
    },
    close: () => open.pop(),
  });
}

function readTerminal(e: AttributeReader): OpenTerminal {
  return {
    name: e.text("name") ?? "",
    matchingRule: e.text("matchingRule") ?? "",
    ...e.texts("terminalKind", "description"),
    members: [],
    streamMembers: [],
    terminals: [],
    line: e.line,
  };
}

function readMember(e: AttributeReader): TerminalMember {
  return {
    variableName: e.text("variableName") ?? "",
    ...e.texts("memberName"),
    variableKind: e.text("variableKind") ?? "",
    line: e.line,
  };
}

function readStreamMember(e: AttributeReader): TerminalStreamMember {
  return {
    inStreamMemberName: e.text("inStreamMemberName") ?? "",
    outStreamMemberName: e.text("outStreamMemberName") ?? "",
    inStreamVariableName: e.text("inStreamVariableName") ?? "",
    outStreamVariableName: e.text("outStreamVariableName") ?? "",
    line: e.line,
  };
}

function readGraphics(e: AttributeReader): TerminalGraphics {
  const color = e.parsed("defaultConnectionColor", parseColor, "three integers from 0 to 255");
  const stroke = e.double("defaultConnectionStrokeSize");
  return {
    ...readExtent(e),
    iconBaseName: e.text("iconBaseName") ?? "",
    ...present({ defaultConnectionColor: color, defaultConnectionStrokeSize: stroke }),
    line: e.line,
  };
}

function parseColor(text: string): readonly number[] | undefined {
  const parts = parseList(text, (part) => parseInteger(part, 0, 255));
  return parts?.length === 3 ? parts : undefined;
}
