/**
 * The one way to the terminal. Names, units, descriptions and log messages come from files and FMUs
 * of others; an escape sequence in one of them could recolour, clear or retype what the person
 * reads, and a bidirectional override could turn it around. So control characters leave this
 * process spelled out, wherever they come from.
 */
import { coloured } from "./colour.ts";

/**
 * C0 controls except tab and newline, DEL, C1 controls, and what changes the direction of text. A
 * carriage return before a newline is only another way to end a line.
 */
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /\r(?=\n)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * `text` with control characters spelled out (`\\u001b[2J`), which means the same where the text is
 * JSON.
 */
export function visibleText(text: string): string {
  return text.replace(CONTROLS, (control, at: number) => {
    if (control === "\r" && text[at + 1] === "\n") return "";
    return `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

let failure: Error | undefined;
let isWatched = false;
let isAnswered = false;

/** The command's answer, a line or several. */
export function print(text: string): void {
  write(process.stdout, `${coloured(visibleText(text), process.stdout)}\n`);
}

/** The answer without a newline or colours of ours: for texts that are files. */
export function printPlain(text: string): void {
  write(process.stdout, visibleText(text));
}

/** A file that goes to standard output: as it is, unless a terminal would obey what is in it. */
export function printFile(piece: string | Uint8Array): void {
  if (process.stdout.isTTY === true)
    write(process.stdout, visibleText(typeof piece === "string" ? piece : decode(piece)));
  else write(process.stdout, piece);
}

const decode = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");

/** Whether something was printed on standard output. */
export function hasAnswered(): boolean {
  return isAnswered;
}

/** The answer for machines. */
export function printJson(
  value: unknown,
  replacer?: (key: string, value: unknown) => unknown,
): void {
  printPlain(`${JSON.stringify(value, replacer, 2)}\n`);
}

/** With colours of our own: the caller has made everything else visible. */
export function printStyled(text: string): void {
  write(process.stdout, `${text}\n`);
}

/**
 * What is said beside the answer: findings, progress, errors. A terminal that is gone is no reason
 * to end.
 */
export function printError(text: string): void {
  printErrorPlain(`${text}\n`);
}

export function printErrorPlain(text: string): void {
  try {
    watchStreams();
    process.stderr.write(coloured(visibleText(text), process.stderr));
  } catch {
    // There is no reader left.
  }
}

let saysWhatItDoes = false;

/** `--verbose`: from now on `printVerbose` prints. */
export function beVerbose(): void {
  saysWhatItDoes = true;
}

/**
 * What is being done, for a person who wants to know: on standard error, with the time since the
 * command began.
 */
export function printVerbose(text: string): void {
  if (saysWhatItDoes) printError(`[${(performance.now() / 1000).toFixed(3)} s] ${text}`);
}

/**
 * Why the answer did not arrive, if it did not: a full disk behind `>`, not a reader that has seen
 * enough (`| head`). Call it when the command is over.
 */
export async function outputFailure(): Promise<Error | undefined> {
  // Errors of pipes arrive in a later turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  return failure;
}

function write(stream: NodeJS.WriteStream, text: string | Uint8Array): void {
  watchStreams();
  isAnswered ||= stream === process.stdout;
  try {
    stream.write(text);
  } catch (error) {
    note(error);
  }
}

/** A reader or a terminal that goes away does not end the command; `outputFailure` reports it. */
export function watchStreams(): void {
  if (isWatched) return;
  isWatched = true;
  process.stdout.on("error", note);
  process.stderr.on("error", () => undefined);
}

function note(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code === "EPIPE") return;
  failure ??= error as Error;
}
