/**
 * A command as data: what it takes, what it says about itself, what it runs. Help text, argument
 * checks and "did you mean" come from the same table, so they cannot disagree.
 */
import { extname } from "node:path";
import { parseArgs } from "node:util";
import { nearest } from "../base/nearest.ts";
import { present } from "../base/present.ts";
import { parseQuantity, parseSeconds } from "../model/physical-unit-conversion.ts";

/** What exit codes mean: the table of docs/guide/run.md, and the only codes a command ends with. */
export const EXIT_CODES = {
  0: "done",
  1: "the input is wrong",
  2: "usage",
  3: "the simulation failed",
  4: "an internal error",
  5: "the traces differ (cosimo compare)",
  129: "cancelled by SIGHUP",
  130: "cancelled by SIGINT (Ctrl-C)",
  131: "cancelled by SIGQUIT",
  143: "cancelled by SIGTERM",
} as const;

export type ExitCode = keyof typeof EXIT_CODES;

/** What `-o, --out <file>...` says of an option. */
export interface Option {
  readonly name: string;
  readonly short?: string;
  /** Placeholder of the value; absent for a switch. */
  readonly value?: string;
  /** The value may be omitted: `--variables` or `--variables 'x*'`. */
  readonly isValueOptional: boolean;
  readonly isRepeatable: boolean;
  /** As written, without the mark that it is repeatable. */
  readonly text: string;
  readonly help: string;
}

export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly details?: string;
  /** `many`: the last one may be repeated; `optional`: it may be omitted. */
  readonly arguments: readonly {
    readonly name: string;
    readonly help: string;
    readonly many?: boolean;
    readonly optional?: boolean;
  }[];
  /**
   * Help by flags: `--json`, `-o, --out <file>`, `--set <name=value>...` (repeatable), `--realtime
   * [factor]`.
   */
  readonly options: Readonly<Record<string, string>>;
  /**
   * Words that options take, by the option's name, for shells to complete; of the argument under
   * the empty name.
   */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** What each command does. */
  readonly examples: Readonly<Record<string, string>>;
}

export interface ParsedArguments {
  readonly positionals: readonly string[];
  /** The first of them; empty where a command can do without. */
  readonly first: string;
  readonly has: (option: string) => boolean;
  readonly one: (option: string) => string | undefined;
  readonly all: (option: string) => readonly string[];
  /**
   * A number given to an option, or a usage error that shows what was written. Options of `<s>`
   * take a unit: '5 min'.
   */
  readonly number: (option: string) => number | undefined;
  /** A number above 0, for instance of seconds. */
  readonly positive: (option: string) => number | undefined;
  /** One of `choices`; the first is the default. */
  readonly choice: <Choice extends string>(
    option: string,
    choices: readonly [Choice, ...Choice[]],
  ) => Choice;
}

export interface Command extends CommandSpec {
  run(args: ParsedArguments): Promise<ExitCode>;
}

/** A command as `cosimo --help` lists it; it is loaded when it is called. */
export interface CommandEntry {
  readonly summary: string;
  load(): Promise<Command>;
}

/** `cosimo stability jsr …`: commands that share a subject. */
export interface CommandGroup {
  readonly summary: string;
  readonly commands: Readonly<Record<string, CommandEntry>>;
  /** What is meant where no command of the group is named: `cosimo study study.yaml`. */
  readonly otherwise?: CommandEntry;
}

export type CommandTable = Readonly<Record<string, CommandEntry | CommandGroup>>;

/** A mistake on the command line itself: exit code 2. */
export class UsageError extends Error {
  readonly fix: string;
  constructor(message: string, fix: string) {
    super(message);
    this.name = "UsageError";
    this.fix = fix;
  }
}

/** Of every command that may have to run modules, if only to learn their ports. */
export const TRUST: CommandSpec["options"] = {
  "--trust":
    "run the modules (.js, .mjs) that it names, those of packages included; without it, only those in\nfolders that 'cosimo trust' lists",
};

/** Of every command; its own words go first. */
const COMMON_OPTIONS: CommandSpec["options"] = {
  "--json": "print what is wrong as JSON",
  "--verbose": "say on standard error what is done, and how long it takes",
  "--debug": "show the trace of an internal error",
  "-h, --help": "show this help",
};

const FLAGS =
  /^(?:-(?<short>\w), )?--(?<name>[\w-]+)(?: (?<value><.*>)| \[(?<optional>.*)\])?(?<many>\.\.\.)?$/;

/** By name; those of the command before those of every command. */
export function optionsOf({ options }: CommandSpec): Map<string, Option> {
  const found = new Map<string, Option>();
  for (const [flags, help] of [...Object.entries(options), ...Object.entries(COMMON_OPTIONS)]) {
    const { short, name, value, optional, many } = FLAGS.exec(flags)?.groups ?? {};
    if (name === undefined) throw new Error(`internal: '${flags}' is not an option`);
    if (found.has(name)) continue;
    found.set(name, {
      name,
      ...present({ short, value: value ?? optional }),
      isValueOptional: optional !== undefined,
      isRepeatable: many !== undefined,
      text: flags.replace(/\.\.\.$/, ""),
      help,
    });
  }
  return found;
}

export function parseCommandLine(spec: CommandSpec, argv: readonly string[]): ParsedArguments {
  const options = optionsOf(spec);
  const { tokens } = parseArgs({
    args: [...joinOptionalValues(spec, argv, options)],
    options: Object.fromEntries(
      [...options].map(([name, { value, isValueOptional, short }]) => [
        name,
        { type: value && !isValueOptional ? "string" : "boolean", ...present({ short }) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const positionals: string[] = [];
  const values = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const option = options.get(token.name);
    if (!option) throw unknownOption(spec, token.rawName, options);
    if (option.value && !option.isValueOptional && token.value === undefined) {
      throw new UsageError(
        `${token.rawName} needs a value`,
        `write ${token.rawName} ${option.value}`,
      );
    }
    if (!option.value && token.value !== undefined) {
      throw new UsageError(`${token.rawName} takes no value`, `write just ${token.rawName}`);
    }
    const seen = values.get(token.name) ?? [];
    if (seen.length > 0 && !option.isRepeatable) {
      throw new UsageError(`${token.rawName} is given twice`, "keep one of them");
    }
    values.set(token.name, [...seen, token.value ?? ""]);
  }
  if (!values.has("help")) checkPositionals(spec, positionals);
  const one = (option: string): string | undefined => values.get(option)?.[0];
  const number = (option: string): number | undefined =>
    options.get(option)?.value === TIME
      ? timeIn(one(option), option)
      : numberIn(one(option), option);
  return {
    positionals,
    first: positionals[0] ?? "",
    has: (option) => values.has(option),
    one,
    all: (option) => values.get(option) ?? [],
    number,
    positive(option) {
      const value = number(option);
      if (value === undefined || value > 0) return value;
      throw new UsageError(`--${option} wants a positive number`, `for instance --${option} 60`);
    },
    choice(option, choices) {
      const text = one(option) ?? choices[0];
      const found = choices.find((choice) => choice === text);
      if (found) return found;
      const guess = nearest(text, choices);
      throw new UsageError(
        `--${option} is ${choices.join(" or ")}, not '${text}'`,
        guess ? `did you mean ${guess}?` : `omit it, or write --${option} ${choices.at(-1)}`,
      );
    },
  };
}

/**
 * `model.fmu --variables x*` → `--variables=x*`, unless the word is needed as the command's own
 * argument.
 */
function joinOptionalValues(
  spec: CommandSpec,
  argv: readonly string[],
  options: ReadonlyMap<string, Option>,
): string[] {
  const joined: string[] = [];
  let isJoined = false;
  for (const [i, word] of argv.entries()) {
    if (isJoined) {
      isJoined = false;
      continue;
    }
    const next = argv[i + 1];
    const option = word.startsWith("--") ? options.get(word.slice(2)) : undefined;
    const others = argv.filter((w, k) => k !== i + 1 && isValue(w)).length;
    const isFree = next !== undefined && isValue(next) && others >= spec.arguments.length;
    isJoined = option?.isValueOptional === true && isFree;
    joined.push(isJoined ? `${word}=${next}` : word);
  }
  return joined;
}

/** A hyphen alone stands for standard input or output. */
const isValue = (word: string): boolean => word === STDIO || !word.startsWith("-");

function unknownOption(
  spec: CommandSpec,
  raw: string,
  options: ReadonlyMap<string, Option>,
): UsageError {
  const guess = nearest(raw.replace(/^-+/, ""), options.keys());
  return new UsageError(
    `cosimo ${spec.name} has no option ${raw}`,
    guess ? `did you mean --${guess}?` : `see 'cosimo ${spec.name} --help'`,
  );
}

function checkPositionals(spec: CommandSpec, positionals: readonly string[]): void {
  const wanted = spec.arguments;
  const missing = wanted[positionals.length];
  if (missing !== undefined && missing.optional !== true) {
    throw new UsageError(`${missing.name} is missing`, `usage: ${spec.usage}`);
  }
  if (positionals.length > wanted.length && wanted.at(-1)?.many !== true) {
    throw new UsageError(
      `'${positionals[wanted.length]}' is one argument too many`,
      `usage: ${spec.usage}`,
    );
  }
}

function numberIn(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value)) return value;
  throw new UsageError(
    `--${option} wants a number, not '${text}'`,
    `for instance --${option} 0.01`,
  );
}

/** What a placeholder says of options that take a time. */
const TIME = "<s>";

function timeIn(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const value = parseSeconds(text);
  if (value !== undefined && Number.isFinite(value)) return value;
  const wants = parseQuantity(text) === undefined ? "a number" : "a time";
  throw new UsageError(
    `--${option} wants ${wants}, not '${text}'`,
    `seconds, or with a unit of time: --${option} 0.01, --${option} '10 ms', --${option} '5 min'`,
  );
}

/** The time that `--budget` gives, in milliseconds; a bare number counts seconds. */
export function budgetOption(args: ParsedArguments): number | undefined {
  const text = args.one("budget");
  if (text === undefined) return undefined;
  const budget = 1000 * (parseSeconds(text) ?? Number.NaN);
  if (budget > 0) return budget;
  throw new UsageError(
    `--budget ${text} is not a time`,
    "for instance --budget 500ms, 10s or 2min",
  );
}

/** Standard input or output in place of a file. */
export const STDIO = "-";

/**
 * A file whose name does not end like one of the formats is a usage error. @param takesStdio so is
 * `-` unless it is true.
 */
export function checkFormats(
  files: readonly string[],
  allowed: readonly string[],
  option: string,
  takesStdio = false,
): void {
  for (const file of files) {
    if ((file === STDIO && takesStdio) || allowed.includes(extname(file).toLowerCase())) continue;
    throw new UsageError(
      `${option} cannot tell the format of '${file}'`,
      `let the name end in ${allowed.join(", ")}`,
    );
  }
}

/** "a, b or c". */
export function anyOf(names: readonly string[]): string {
  return names.join(", ").replace(/, ([^,]*)$/, " or $1");
}

export function helpText(spec: CommandSpec): string {
  const rows = [
    ...spec.arguments.map(({ name, help }) => [name, help] as const),
    ...[...optionsOf(spec).values()].map(({ text, help }) => [text, help] as const),
  ];
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  const table = rows.map(
    ([left, right]) =>
      `  ${left.padEnd(width)}${right.replaceAll("\n", `\n${" ".repeat(width + 2)}`)}`,
  );
  return [
    `${spec.summary}\n`,
    `usage: ${spec.usage}\n`,
    ...(spec.details ? [`${spec.details}\n`] : []),
    ...table,
    "",
    "examples:",
    ...Object.entries(spec.examples).flatMap(([command, does]) => [
      `  ${command}`,
      `      ${does}`,
    ]),
  ].join("\n");
}
