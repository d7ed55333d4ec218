/**
 * `--timeout` of the commands that search in this process. It counts from the start of the process,
 * as that of commands that run units does, and what was found by then is the answer.
 */
import { budgetOption, type CommandSpec, type ParsedArguments } from "../command.ts";

export const TIMEOUT: CommandSpec["options"] = {
  "--timeout <s>": "end within this time (wall clock), with what is known by then",
};

export interface TimeLimit {
  /** From now on. */
  readonly budgetMs: number;
  readonly keepGoing: () => boolean;
}

/**
 * The shorter of `--timeout` and `--budget`.
 * @param defaultMs where neither is given.
 */
export function timeLimit(
  args: ParsedArguments,
  defaultMs: number = Number.POSITIVE_INFINITY,
): TimeLimit {
  const timeout = args.positive("timeout");
  const budget = args.has("budget") ? budgetOption(args) : undefined;
  const now = performance.now();
  const left = timeout === undefined ? defaultMs : 1000 * timeout * WORKING - now;
  const budgetMs = Math.max(0, Math.min(left, budget ?? left));
  const end = now + budgetMs;
  return { budgetMs, keepGoing: () => performance.now() < end };
}

/** The rest is for what is printed. */
const WORKING = 0.95;
