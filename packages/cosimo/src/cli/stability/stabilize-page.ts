/**
 * What stabilization found, for people, for scripts and as the guard file that an adaptive master
 * takes.
 */

import { entropyBits } from "../../stability/entropy.ts";
import {
  type BrokenCycle,
  guardOf,
  type Stabilized,
  type StabilizeRound,
  type Undecided,
} from "../../stability/stabilize.ts";
import type { SwitchedSystem } from "../../stability/switched-system.ts";
import { counted } from "../findings.ts";

export interface StabilizeReport {
  readonly file: string;
  readonly system: SwitchedSystem;
  readonly lift: number;
  readonly rate: number;
  /** The most freedom was requested, not just much of it. */
  readonly exact: boolean;
  readonly result: Stabilized;
  /** What the given automaton allows. */
  readonly growthBefore: number;
  readonly budgetMs: number;
  readonly seconds: number;
}

const SHOWN = 24;
const LONGEST_WORD = 12;

export function stabilizePage(report: StabilizeReport, output: string | undefined): string {
  const { system, lift, rate, result, growthBefore, file } = report;
  const { automaton, forbidden, proof } = result;
  const word = (modes: readonly number[]): string =>
    modes.length > LONGEST_WORD
      ? `${word(modes.slice(0, LONGEST_WORD))} · … (${modes.length} steps)`
      : modes.map((mode) => system.names[mode]).join(" · ");
  const policies = system.names.length === 1 ? "1 policy" : `${system.names.length} policies`;
  const lines = [`${file}: ${policies}, ${counted(lift, "decision")} remembered`, ""];
  if (result.undecided !== undefined) {
    lines.push(...undecidedLines(report, result.undecided, word));
    return lines.join("\n");
  }
  if (automaton.nodes === 0) {
    lines.push(
      "Nothing is left: every cycle had to be broken.",
      `  fix: remember more (--lift ${lift + 1}), or ask for less (--rate closer to 1)`,
    );
    return lines.join("\n");
  }
  const goal = rate === 1 ? "stable" : `stable, and falls at least like ${rate} to the steps taken`;
  lines.push(`Whatever follows the guard is ${goal}.`, "");
  const bits = `${entropyBits(result.rate).toFixed(4)} of ${Math.log2(growthBefore).toFixed(4)} bits`;
  const optimal = result.isOptimal
    ? ", which is the most that this memory allows"
    : result.isCutShort
      ? `; the budget of ${timeText(report.budgetMs)} ended the search for more`
      : report.exact
        ? "; whether another choice leaves more was too much to find out"
        : "";
  lines.push(
    `Freedom    ${choices(result.rate.lower)} of ${choices(growthBefore)} choices per step (${bits})${optimal}`,
    `Guard      ${counted(automaton.nodes, "node")}, ${counted(automaton.edges.length, "edge")}`,
    `Proof      every path shrinks within ${counted(proof.longest, "step")}; ${counted(proof.products, "product")} checked with margins for rounding`,
  );
  if (forbidden.length > 0) {
    const what = lift === 0 ? "policies" : `sequences of ${lift + 1}`;
    lines.push("", `Forbidden  ${forbidden.length} ${what}`);
    result.reasons.slice(0, SHOWN).forEach((reason, k) => {
      lines.push(`  ${word(forbidden[k] ?? [])}`, `    ${reasonText(reason, rate, word)}`);
    });
    if (forbidden.length > SHOWN) lines.push(`  … and ${forbidden.length - SHOWN} more (--json)`);
  }
  if (output !== undefined) lines.push("", `Written to ${output}`);
  return lines.join("\n");
}

/** Why a sequence is forbidden: the product that grows, by how much, and how sure that is. */
function reasonText(
  { word: modes, rate: relative, grows }: BrokenCycle,
  requested: number,
  word: (modes: readonly number[]) => string,
): string {
  const product = word(modes);
  if (!grows)
    return `needed for the proof: product ${product}, which as computed does not ${requested === 1 ? "shrink" : "fall fast enough"} (not proved to grow)`;
  const rate = `rate at least ${rateText(relative * requested)} per step`;
  return requested === 1
    ? `because it grows: product ${product}, ${rate}`
    : `because it falls too slowly: product ${product}, ${rate}`;
}

function undecidedLines(
  { lift, rate, budgetMs }: StabilizeReport,
  { word: modes, rate: relative, because }: Undecided,
  word: (modes: readonly number[]) => string,
): string[] {
  const within = because === "budget" ? ` within the budget of ${timeText(budgetMs)}` : "";
  const lines = [
    `Undecided: what is left was not proved either way${within}, so nothing is forbidden and there is no guard.`,
  ];
  if (modes.length > 0)
    lines.push(
      `  nearest to growing: product ${word(modes)}, rate ${rateText(relative * rate)} per step`,
    );
  const ways = [
    ...(because === "budget" ? [`allow more time (--budget ${timeText(10 * budgetMs)})`] : []),
    ...(lift > 0 ? [`remember less (--lift ${lift - 1})`] : []),
    "omit policies that are much like others",
    ...(rate < 1 ? ["ask for less (--rate closer to 1)"] : []),
  ];
  lines.push(`  fix: ${ways.join(", or ")}`);
  return lines;
}

function timeText(ms: number): string {
  if (ms < 1000) return `${ms}ms`;
  return ms % 60_000 === 0 ? `${ms / 60_000}min` : `${ms / 1000}s`;
}

/** Never rounded up: a bound from below stays one. */
function rateText(rate: number): string {
  return (Math.floor(rate * 1e7) / 1e7).toFixed(7);
}

function choices(rate: number): string {
  return String(Number(rate.toFixed(7)));
}

/** The guard file: see lang/guard. */
export function guardText({ system, lift, rate, result }: StabilizeReport): string {
  const { automaton } = result;
  const n = system.dimension;
  const rows = (a: Float64Array): number[][] =>
    Array.from({ length: n }, (_, i) => [...a.subarray(i * n, (i + 1) * n)]);
  const lines = [
    "{",
    '  "matrices": {',
    list(
      system.matrices.map(
        (a, k) => `${JSON.stringify(system.names[k])}: ${JSON.stringify(rows(a))}`,
      ),
    ),
    "  },",
    `  "automaton": { "nodes": ${automaton.nodes}, "edges": [`,
    list(
      automaton.edges.map(({ from, to, mode }) =>
        JSON.stringify([from + 1, to + 1, system.names[mode]]),
      ),
    ),
    "  ] },",
    '  "guard": {',
    `    "start": ${guardOf(system, result).start + 1},`,
    `    "lift": ${lift},`,
    `    "rate": ${rate},`,
    `    "growth": ${result.rate.lower},`,
    `    "optimal": ${result.isOptimal},`,
    '    "forbidden": [',
    list(result.forbidden.map((modes) => JSON.stringify(modes.map((mode) => system.names[mode])))),
    "    ],",
    '    "proof": { "forms": [',
    list(result.forms.map((form) => JSON.stringify([...form]))),
    "    ] }",
    "  }",
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

function list(items: readonly string[]): string {
  return items.map((item) => `      ${item}`).join(",\n");
}

export function stabilizeJson(report: StabilizeReport): string {
  const { file, system, lift, rate, result, growthBefore, seconds } = report;
  const named = (modes: readonly number[]): (string | undefined)[] =>
    modes.map((mode) => system.names[mode]);
  return JSON.stringify(
    {
      file,
      policies: system.names,
      lift,
      rate,
      isEmpty: result.automaton.nodes === 0 && result.undecided === undefined,
      nodes: result.automaton.nodes,
      edges: result.automaton.edges.length,
      growth: result.rate.lower,
      growthBefore,
      entropy: result.automaton.nodes === 0 ? null : entropyBits(result.rate),
      isOptimal: result.isOptimal,
      isCutShort: result.isCutShort,
      undecided:
        result.undecided === undefined
          ? null
          : {
              product: named(result.undecided.word),
              rate: result.undecided.rate * rate,
              because: result.undecided.because,
            },
      forbidden: result.forbidden.map(named),
      reasons: result.reasons.map((reason) => ({
        product: named(reason.word),
        rate: reason.rate * rate,
        grows: reason.grows,
      })),
      unproven: result.unproven.map(named),
      proof: { longest: result.proof.longest, products: result.proof.products },
      rounds: result.rounds,
      seconds,
    },
    undefined,
    2,
  );
}

export function roundLine(seconds: number, system: SwitchedSystem, round: StabilizeRound): string {
  const found =
    round.word.length > 0 ? `: ${round.word.map((mode) => system.names[mode]).join(" · ")}` : "";
  return `${seconds.toFixed(1)} s  round ${round.round}: ${round.removed} edges removed for ${round.cycles} cycles, growth ${round.rate.toFixed(7)}, ${round.verdict}${found}`;
}
