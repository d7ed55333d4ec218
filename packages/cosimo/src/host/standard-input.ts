/**
 * A scenario on standard input, for `cosimo run - < scenario.yaml`. It has no file; its name says
 * so in messages, and paths in it start at the working folder. The supervisor reads it once and
 * hands it to its workers.
 */
import { basename } from "node:path";

/** Named like a scenario, and like no file. */
export const STANDARD_INPUT = "<stdin>.yaml";

let given: string | undefined;

export function provideStandardInput(text: string): void {
  given = text;
}

/** What was provided; undefined where nothing was. */
export function givenStandardInput(): string | undefined {
  return given;
}

/** Its text, where `path` means it. */
export function standardInput(path: string): string | undefined {
  return basename(path) === STANDARD_INPUT ? given : undefined;
}
