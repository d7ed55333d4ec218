/**
 * `cosimo stability stabilize policies.yaml`: what may a master decide so that no sequence of its
 * decisions is unstable?
 */

import { diagnose } from "../../base/diagnostic.ts";
import { GUARD_TEXT_RULES } from "../../lang/guard/diagnostics.ts";
import { ambiguity, type GuardFile, parseGuard } from "../../lang/guard/parse-guard.ts";
import { parseSwitched } from "../../lang/switched/parse-switched.ts";
import { withinTime } from "../../numerics/time-limit.ts";
import { writeWholeFile } from "../../platform/node/whole-file.ts";
import { growthRate } from "../../stability/entropy.ts";
import { type StabilizeRound, shrunk, stabilize } from "../../stability/stabilize.ts";
import {
  DEFAULT_LIMITS,
  type Verification,
  verifyStability,
} from "../../stability/stabilize-verify.ts";
import { type Command, type ExitCode, type ParsedArguments, UsageError } from "../command.ts";
import { printFindings } from "../findings.ts";
import { readParsed } from "../read-file.ts";
import {
  guardText,
  roundLine,
  type StabilizeReport,
  stabilizeJson,
  stabilizePage,
} from "../stability/stabilize-page.ts";
import { TIMEOUT, timeLimit } from "../stability/time-limit.ts";
import { print, printError, printJson } from "../terminal.ts";

export const stabilityStabilizeCommand: Command = {
  name: "stability stabilize",
  summary: "What may a master decide so that no sequence of its decisions is unstable?",
  usage:
    "cosimo stability stabilize <file> [--lift <n>] [--rate <part>] [--exact] [--timeout <s>] [-o <guard.json>] [--verify] [--json]",
  details:
    "The file has one matrix per policy, as for 'stability jsr'. Sequences that make the coupling unstable are forbidden, as few as possible,\n" +
    "each with the product that grows, and what is left is proved to be stable. What is proved neither to grow nor to be stable within the\n" +
    "budget is not forbidden: the answer is then that it is undecided, and there is no guard. The result is a guard: data that 'master: { name: adaptive, guard: guard.json }' obeys at\n" +
    "run time. A guard that remembers more decisions (--lift) forbids less. It holds its own proof: --verify checks it again.\n" +
    "The exit code is 0 when there is a guard (or its proof holds), 3 when nothing is left, when it is undecided, or when a proof does not\n" +
    "hold, 1 when the file is wrong.",
  arguments: [
    { name: "<file>", help: "matrices and automaton, YAML or JSON; with --verify a guard" },
  ],
  options: {
    "--lift <n>": "decisions that the guard remembers (default: 1)",
    "--rate <part>":
      "every sequence shall fall at least like this part to the number of steps (default: 1, it falls)",
    "--exact": "find the guard that allows most, not a good one: for small systems",
    ...TIMEOUT,
    "--budget <time>": "read and search no longer than this: 500ms, 10s, 2min (default: 1min)",
    "-o, --out <guard.json>": "write the guard to this file",
    "--verify": "check the proof of the guard in <file>",
    "--json": "print the result as JSON",
  },
  examples: {
    "cosimo stability stabilize policies.yaml --lift 2 -o guard.json":
      "make a guard that remembers two decisions",
    "cosimo stability stabilize policies.yaml --exact":
      "the most freedom that one remembered decision can leave",
    "cosimo stability stabilize policies.yaml --lift 3 --timeout 600":
      "take up to ten minutes, for a longer memory",
    "cosimo stability stabilize guard.json --verify": "is what the guard allows really stable?",
  },
  async run(args) {
    const file = args.first;
    return args.has("verify") ? verify(file, args) : make(file, args);
  },
};

const MAX_LIFT = 8;
const DEFAULT_BUDGET_MS = 60_000;

function make(file: string, args: ParsedArguments): ExitCode {
  const lift = wholeOption(args, "lift", 1, MAX_LIFT);
  const rate = args.number("rate") ?? 1;
  if (!(rate > 0 && rate <= 1))
    throw new UsageError(
      `--rate wants a part above 0 and at most 1, not ${rate}`,
      "for instance --rate 0.999",
    );
  // Reading a file of large matrices takes seconds, so the time counts from here.
  const began = performance.now();
  const { budgetMs } = timeLimit(args, DEFAULT_BUDGET_MS);
  const system = readParsed(file, parseSwitched);
  if (system === undefined) return 1;
  const ambiguous = ambiguity(system.automaton);
  if (ambiguous !== undefined) {
    const params = {
      node: system.nodeNames[ambiguous.from] ?? "",
      mode: system.names[ambiguous.mode] ?? "",
    };
    printFindings([diagnose(GUARD_TEXT_RULES, "guard-ambiguous", params, { file })]);
    return 1;
  }
  const seconds = (): number => (performance.now() - began) / 1000;
  const result = stabilize(shrunk(system, rate), {
    lift,
    exact: args.has("exact"),
    budgetMs: Math.max(0, budgetMs - 1000 * seconds()),
    now: () => performance.now(),
    ...(process.stderr.isTTY && {
      onRound: (round: StabilizeRound) => printError(roundLine(seconds(), system, round)),
    }),
  });
  const growthBefore = growthRate(system.automaton).lower;
  const report: StabilizeReport = {
    file,
    system,
    lift,
    rate,
    exact: args.has("exact"),
    result,
    growthBefore,
    budgetMs,
    seconds: seconds(),
  };
  const isEmpty = result.automaton.nodes === 0;
  const output = args.one("out");
  if (output !== undefined && !isEmpty) writeWholeFile(output, guardText(report));
  print(args.has("json") ? stabilizeJson(report) : stabilizePage(report, output));
  return isEmpty ? 3 : 0;
}

function verify(file: string, args: ParsedArguments): ExitCode {
  const guard = readParsed(file, parseGuard);
  if (guard === undefined) return 1;
  const { keepGoing } = timeLimit(args);
  const limits = { ...DEFAULT_LIMITS, keepGoing };
  const check = withinTime(
    keepGoing,
    () => verifyStability(shrunk(guard.system, guard.rate), guard.forms, limits),
    (): Verification => ({ holds: false, reason: "effort", node: 0, word: [] }),
  );
  if (args.has("json")) printJson({ file, ...check });
  else print(verificationText(file, guard, check, keepGoing));
  return check.holds ? 0 : 3;
}

/** A sequence that does not shrink is as long as those that are examined. */
const SHOWN_STEPS = 12;

function verificationText(
  file: string,
  guard: GuardFile,
  check: Verification,
  keepGoing: () => boolean,
): string {
  if (check.holds) {
    const goal =
      guard.rate === 1 ? "" : ` and falls at least like ${guard.rate} to the steps taken`;
    return `${file}: the proof holds. Whatever the guard allows is stable${goal}: every path shrinks within ${check.longest} ${check.longest === 1 ? "step" : "steps"} (${check.products} products, with margins for rounding).`;
  }
  const shown = check.word.slice(0, SHOWN_STEPS).map((mode) => guard.policies[mode]);
  const word = `${shown.join(" · ")}${check.word.length > SHOWN_STEPS ? ` · … (${check.word.length} steps)` : ""}`;
  const why = {
    form: `the form of node ${check.node + 1} is not symmetric and positive definite`,
    length: `from node ${check.node + 1} the sequence ${word} does not shrink`,
    effort: keepGoing()
      ? `from node ${check.node + 1} too many sequences do not shrink, among them ${word}`
      : "the time was up before all sequences were examined",
  }[check.reason];
  return `${file}: the proof does not hold: ${why}\n  fix: make the guard again, with 'cosimo stability stabilize <matrices> -o ${file}'`;
}

function wholeOption(args: ParsedArguments, name: string, otherwise: number, most: number): number {
  const given = args.number(name) ?? otherwise;
  if (Number.isInteger(given) && given >= 0 && given <= most) return given;
  throw new UsageError(
    `--${name} wants a whole number from 0 to ${most}, not ${given}`,
    `for instance --${name} 2`,
  );
}
