/**
 * Bounds of a joint spectral radius in words: the two numbers, what proves each, and what that
 * means.
 */

import type { SwitchedDescription } from "../../lang/switched/parse-switched.ts";
import type { JsrBounds } from "../../stability/jsr.ts";
import { proofToJson } from "../../stability/jsr-proof-json.ts";
import { counted } from "../findings.ts";

const LONGEST_WORD = 24;

export function jsrPage(file: string, system: SwitchedDescription, bounds: JsrBounds): string {
  const { lower, upper } = bounds;
  const rows: [string, string, string][] = [
    [
      "at least",
      number(lower.value, -1),
      lower.word.length > 0 ? `by the word ${wordOf(system, bounds)}` : "",
    ],
    ["at most", number(upper.value, 1), `by ${upper.method}`],
  ];
  const width = Math.max(...rows.map(([, value]) => value.length));
  return [
    `joint spectral radius of ${file}: ${sizeOf(system)}`,
    "",
    ...rows.map(([what, value, why]) =>
      `  ${what.padEnd(10)}${value.padEnd(width)}  ${why}`.trimEnd(),
    ),
    `  gap       ${gapText(bounds)}`,
    "",
    ...verdictLines(system, bounds),
  ].join("\n");
}

/** One line while it is searched: what is known after so many seconds. */
export function jsrProgressLine(
  seconds: number,
  system: SwitchedDescription,
  bounds: JsrBounds,
): string {
  const { lower, upper } = bounds;
  const time = `${seconds.toFixed(1)} s`.padStart(8);
  const word = lower.word.length > 0 ? ` (${wordOf(system, bounds)})` : "";
  return `${time}  ≥ ${number(lower.value, -1)}${word}  ≤ ${number(upper.value, 1)} (${upper.method})  gap ${gapText(bounds)}`;
}

export function jsrJson(
  file: string,
  system: SwitchedDescription,
  bounds: JsrBounds,
  seconds: number,
): string {
  const { lower, upper, verdict } = bounds;
  const report = {
    file,
    dimension: system.dimension,
    modes: system.names,
    verdict,
    timeIsUp: bounds.isCutShort,
    lower: {
      value: lower.value,
      word: lower.word.map((mode) => system.names[mode]),
      method: lower.method,
    },
    upper: {
      value: Number.isFinite(upper.value) ? upper.value : null,
      method: upper.method,
      certificate: upper.certificate ? proofToJson(upper.certificate) : null,
    },
    seconds,
  };
  return JSON.stringify(report, undefined, 1);
}

function sizeOf({ dimension, names, automaton }: SwitchedDescription): string {
  const modes = `${counted(names.length, "mode")} of size ${dimension}`;
  if (automaton.nodes === 1 && automaton.edges.length === names.length)
    return `${modes}, any order`;
  return `${modes}, automaton of ${counted(automaton.nodes, "node")} and ${counted(automaton.edges.length, "edge")}`;
}

function verdictLines(system: SwitchedDescription, bounds: JsrBounds): string[] {
  const { lower, upper, verdict } = bounds;
  switch (verdict) {
    case "stable":
      return upper.value === 0
        ? ["stable: the automaton has no cycle, so no sequence goes on for ever"]
        : ["stable: every allowed sequence tends to zero, whatever is decided"];
    case "unstable":
      return [
        `unstable: repeating ${wordOf(system, bounds)} does not tend to zero (factor ${number(lower.value ** lower.word.length)} a round)`,
      ];
    case "undecided":
      return [
        "undecided: 1 lies between the bounds",
        ...(bounds.isCutShort
          ? ["  the time was up: these are the best bounds proved by then"]
          : []),
        "  more time may help: --timeout 60; at a radius of exactly 1 nothing will",
      ];
  }
}

function gapText({ lower, upper }: JsrBounds): string {
  if (lower.value === 0) return upper.value === 0 ? "0" : number(upper.value);
  const gap = (upper.value - lower.value) / lower.value;
  return Number.isFinite(gap) ? `${gap.toExponential(1)} relative` : "unknown";
}

function wordOf({ names }: SwitchedDescription, { lower: { word } }: JsrBounds): string {
  const shown = word.slice(0, LONGEST_WORD).map((mode) => names[mode]);
  const rest = word.length - shown.length;
  return `'${shown.join(" ")}${rest > 0 ? ` … (${rest} more)` : ""}'`;
}

/** Twelve digits, rounded so that the bound stays one. */
function number(value: number, outward: -1 | 0 | 1 = 0): string {
  if (!Number.isFinite(value)) return "∞";
  return Number((value * (1 + outward * 5e-13)).toPrecision(13)).toString();
}
