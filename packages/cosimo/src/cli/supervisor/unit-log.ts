/**
 * What units log during a run, as people read it: a unit may say the same thing a hundred thousand
 * times, or in megabytes. The limits are those of findings (../findings.ts); with --debug
 * everything is printed, whole.
 */
import type { Outcome } from "../../base/outcome.ts";
import { counted, SHOWN, SHOWN_PER_FILE, shortened } from "../findings.ts";
import type { FromWorker } from "../protocol/protocol.ts";

type LogMessage = Extract<FromWorker, { kind: "log" }>;

/** Lines that are kept to explain a failure. */
const MAX_KEPT = 200;

export class UnitLog {
  /** The newest lines, whole. */
  readonly newest: string[] = [];
  /** Those of errors. */
  private readonly errors: string[] = [];
  private readonly perUnit = new Map<string, number>();
  private readonly leftOut = new Map<string, number>();
  private shown = 0;
  private readonly isWhole: boolean;
  private readonly say: (line: string) => void;

  /** @param isWhole everything is wanted, also what a unit says when all is well. */
  constructor(isWhole: boolean, say: (line: string) => void) {
    this.isWhole = isWhole;
    this.say = say;
  }

  take({ unit, status, category, message }: LogMessage): void {
    const line = `${unit}: [${status}] ${category ? `${category}: ` : ""}${message}`;
    keep(this.newest, line);
    // An error's words come with the failure they explain; without one, at the end.
    if (status === "error" || status === "fatal") keep(this.errors, line);
    else if (this.isWhole) this.say(line);
    else if (status !== "ok") this.show(unit, line);
  }

  /**
   * The run is over. @param isExplained the failure that errors belong to comes with their words.
   */
  end(isExplained: boolean): void {
    if (!isExplained)
      for (const line of this.errors) this.say(this.isWhole ? line : shortened(line));
    for (const [unit, count] of this.leftOut) {
      const messages = counted(count, "more message");
      this.say(`… and ${messages} of '${shortened(unit)}'; --debug prints all of them`);
    }
  }

  private show(unit: string, line: string): void {
    const count = this.perUnit.get(unit) ?? 0;
    if (count === SHOWN_PER_FILE || this.shown === SHOWN) {
      this.leftOut.set(unit, (this.leftOut.get(unit) ?? 0) + 1);
      return;
    }
    this.perUnit.set(unit, count + 1);
    this.shown++;
    this.say(shortened(line));
  }
}

/** A failure with the newest messages of its unit, as many and as long as people read. */
export function withShortLog(outcome: Outcome): Outcome {
  if (outcome.kind !== "failed" && outcome.kind !== "crashed") return outcome;
  const { failure } = outcome;
  const left = failure.log.length - SHOWN_PER_FILE;
  const note = left > 0 ? [`(${left} messages before these; --debug prints all of them)`] : [];
  const log = [...note, ...failure.log.slice(-SHOWN_PER_FILE).map(shortened)];
  return { ...outcome, failure: { ...failure, log } };
}

function keep(lines: string[], line: string): void {
  lines.push(line);
  if (lines.length > MAX_KEPT) lines.shift();
}
