/**
 * `cosimo stability jsr file.yaml`: is every sequence of decisions stable, and how fast does the
 * worst one grow?
 */
import { diagnose, type RulesFor } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import { present } from "../../base/present.ts";
import { error, say } from "../../base/rule-text.ts";
import { parseSwitched, type SwitchedDescription } from "../../lang/switched/parse-switched.ts";
import { JSR_METHODS, type JsrBounds, type JsrOptions, jsrBounds } from "../../stability/jsr.ts";
import { type Proof, verifyProof } from "../../stability/jsr-proof.ts";
import { proofFromJson } from "../../stability/jsr-proof-json.ts";
import type { JsrMethod } from "../../stability/jsr-search.ts";
import { type Command, type ExitCode, type ParsedArguments, UsageError } from "../command.ts";
import { printFindings } from "../findings.ts";
import { readParsed, readText } from "../read-file.ts";
import { jsrJson, jsrPage, jsrProgressLine } from "../stability/jsr-page.ts";
import { TIMEOUT, timeLimit } from "../stability/time-limit.ts";
import { print, printError } from "../terminal.ts";

const DEFAULT_BUDGET_MS = 10_000;

export const stabilityJsrCommand: Command = {
  name: "stability jsr",
  summary:
    "Is every sequence of decisions stable? Bounds of the joint spectral radius, both proved.",
  usage:
    "cosimo stability jsr <file> [--tolerance <part>] [--timeout <s>] [--method <name>]… [--max-depth <n>] [--check <answer>] [--json]",
  details:
    "The file has one matrix per decision (what one step of the coupling does to a deviation) and, if not any order is allowed, an\n" +
    "automaton. Below 1, every allowed sequence tends to zero. The lower bound comes with the word that proves it, the upper bound\n" +
    "with a certificate that was checked again with margins for all rounding. On a terminal, bounds are printed as they get better.\n" +
    "The exit code is 0 when stability is decided (stable or unstable), 3 when it is not, 1 when the file is wrong.",
  arguments: [{ name: "<file>", help: "matrices and automaton, YAML or JSON" }],
  options: {
    "--tolerance <part>": "stop at this relative gap (default: 1e-6)",
    ...TIMEOUT,
    "--budget <time>": "read and search no longer than this: 500ms, 10s, 2min (default: 10s)",
    "--method <name>...": `only these upper bounds: ${JSR_METHODS.join(", ")}`,
    "--max-depth <n>": "longest products to examine (default: 1000)",
    "--check <answer>": "search nothing: check the certificate of an answer that --json printed",
    "--json": "print bounds, word and certificate as JSON",
  },
  examples: {
    "cosimo stability jsr policies.yaml": "may the master decide as it likes?",
    "cosimo stability jsr policies.yaml --timeout 60 --tolerance 1e-9":
      "take up to a minute, come closer",
    "cosimo stability jsr policies.yaml --method quadratic --json":
      "only a quadratic Lyapunov function, for a script",
    "cosimo stability jsr policies.yaml --check answer.json":
      "does the certificate of an earlier answer hold?",
  },
  async run(args) {
    // Reading a file of large matrices takes seconds, so the time counts from here.
    const began = performance.now();
    const { budgetMs, ...options } = optionsOf(args);
    const file = args.first;
    const system = readParsed(file, parseSwitched);
    if (system === undefined) return 1;
    const answer = args.one("check");
    if (answer !== undefined) return check(system, answer);
    const seconds = (): number => (performance.now() - began) / 1000;
    const bounds = jsrBounds(system, {
      ...options,
      budgetMs: Math.max(0, budgetMs - 1000 * seconds()),
      now: () => performance.now(),
      ...(process.stderr.isTTY && {
        onProgress: (now: JsrBounds) => printError(jsrProgressLine(seconds(), system, now)),
      }),
    });
    print(
      args.has("json") ? jsrJson(file, system, bounds, seconds()) : jsrPage(file, system, bounds),
    );
    return bounds.verdict === "undecided" ? 3 : 0;
  },
};

/** 0 when the certificate proves the upper bound for this system, 3 when it does not. */
function check(system: SwitchedDescription, file: string): ExitCode {
  const text = readText(file, (d) => printFindings([d]));
  if (text === undefined) return 1;
  const answer = upperOf(text);
  if (answer === undefined) {
    printFindings([diagnose(JSR_DIAGNOSTICS, "jsr-no-certificate", {}, { file })]);
    return 1;
  }
  const proved = verifyProof(system, answer.value, answer.proof);
  const what = `that the joint spectral radius is at most ${answer.value}`;
  print(proved ? `proved: ${file} shows ${what}` : `not proved: ${file} does not show ${what}`);
  return proved ? 0 : 3;
}

function upperOf(text: string): { value: number; proof: Proof } | undefined {
  try {
    const { upper } = JSON.parse(text) as { upper?: { value?: unknown; certificate?: unknown } };
    const proof = proofFromJson(upper?.certificate);
    const value = upper?.value;
    return proof && typeof value === "number" ? { value, proof } : undefined;
  } catch {
    return undefined;
  }
}

export const JSR_DIAGNOSTICS: RulesFor<{ "jsr-no-certificate": Record<never, never> }> = {
  "jsr-no-certificate": error(
    "An answer that is checked holds an upper bound and its certificate.",
    () =>
      say(
        "this is not an answer of 'cosimo stability jsr --json' with a certificate",
        "keep such an answer: cosimo stability jsr policies.yaml --json > answer.json",
      ),
  ),
};

function optionsOf(args: ParsedArguments): JsrOptions & { budgetMs: number } {
  const tolerance = args.number("tolerance");
  if (tolerance !== undefined && !(tolerance > 0 && tolerance < 1))
    throw new UsageError(
      `--tolerance wants a part between 0 and 1, not ${tolerance}`,
      "for instance --tolerance 1e-6",
    );
  const maxDepth = args.number("max-depth");
  if (maxDepth !== undefined && !(Number.isInteger(maxDepth) && maxDepth >= 1 && maxDepth <= 2000))
    throw new UsageError(
      `--max-depth wants a whole number from 1 to 2000, not ${maxDepth}`,
      "for instance --max-depth 100",
    );
  const methods = args.all("method").flatMap((names) => names.split(",").map(methodOf));
  return {
    budgetMs: timeLimit(args, DEFAULT_BUDGET_MS).budgetMs,
    ...present({ tolerance, maxDepth }),
    ...(methods.length > 0 && { methods }),
  };
}

function methodOf(name: string): JsrMethod {
  const found = JSR_METHODS.find((method) => method === name.trim());
  if (found !== undefined) return found;
  const guess = nearest(name, JSR_METHODS);
  throw new UsageError(
    `--method does not know '${name}'`,
    guess ? `did you mean '${guess}'?` : `one of ${JSR_METHODS.join(", ")}`,
  );
}
