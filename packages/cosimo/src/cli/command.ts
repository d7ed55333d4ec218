/**
 * A command as data: what it takes, what it says about itself, what it runs. Help text, argument checks and
 * "did you mean" come from the same table, so they cannot disagree.
 */
import { extname } from "node:path";
import { parseArgs } from "node:util";
import { nearest } from "../base/nearest.ts";

/** What exit codes mean: the table of docs/guide/run.md, and the only codes a command ends with. */
export const EXIT_CODES = {
  0: "done",
  1: "the input is wrong",
  2: "usage",
  3: "the simulation failed",
  4: "an internal error",
  129: "cancelled by SIGHUP",
  130: "cancelled by SIGINT (Ctrl-C)",
  131: "cancelled by SIGQUIT",
  143: "cancelled by SIGTERM",
} as const;

export type ExitCode = keyof typeof EXIT_CODES;

export interface OptionSpec {
  /** Placeholder of the value; absent for a switch. */
  readonly value?: string;
  readonly short?: string;
  readonly many?: boolean;
  /** The value may be left out: `--variables` or `--variables 'x*'`. */
  readonly valueOptional?: boolean;
  readonly help: string;
}

export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly details?: string;
  /** `many`: the last one may be repeated; `optional`: it may be left out. */
  readonly arguments: readonly {
    readonly name: string;
    readonly help: string;
    readonly many?: boolean;
    readonly optional?: boolean;
  }[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly examples: readonly { readonly command: string; readonly does: string }[];
}

export interface ParsedArguments {
  readonly positionals: readonly string[];
  readonly has: (option: string) => boolean;
  readonly one: (option: string) => string | undefined;
  readonly all: (option: string) => readonly string[];
}

export interface Command {
  readonly spec: CommandSpec;
  run(args: ParsedArguments): Promise<ExitCode>;
}

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
export const TRUST: Readonly<Record<"trust", OptionSpec>> = {
  trust: {
    help: "run the modules (.js, .mjs) that it names, those of packages included; without it, only those in\nfolders that 'cosimo trust' lists",
  },
};

/** Of every command; its own words go first. */
const COMMON_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  debug: { help: "show the trace of an internal error" },
  help: { short: "h", help: "show this help" },
};

export function parseCommandLine(spec: CommandSpec, argv: readonly string[]): ParsedArguments {
  const options: Record<string, OptionSpec> = { ...COMMON_OPTIONS, ...spec.options };
  const { tokens } = parseArgs({
    args: [...joinOptionalValues(spec, argv, options)],
    options: Object.fromEntries(
      Object.entries(options).map(([name, o]) => [
        name,
        {
          type: o.value && !o.valueOptional ? "string" : "boolean",
          ...(o.short ? { short: o.short } : {}),
        },
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
    const option = options[token.name];
    if (!option) throw unknownOption(spec, token.rawName, options);
    if (option.value && !option.valueOptional && token.value === undefined) {
      throw new UsageError(
        `${token.rawName} needs a value`,
        `write ${token.rawName} ${option.value}`,
      );
    }
    if (!option.value && token.value !== undefined) {
      throw new UsageError(`${token.rawName} takes no value`, `write just ${token.rawName}`);
    }
    const seen = values.get(token.name) ?? [];
    if (seen.length > 0 && !option.many) {
      throw new UsageError(`${token.rawName} is given twice`, "keep one of them");
    }
    values.set(token.name, [...seen, token.value ?? ""]);
  }
  if (!values.has("help")) checkPositionals(spec, positionals);
  return {
    positionals,
    has: (option) => values.has(option),
    one: (option) => values.get(option)?.[0],
    all: (option) => values.get(option) ?? [],
  };
}

/** `model.fmu --variables x*` → `--variables=x*`, unless the word is needed as the command's own argument. */
function joinOptionalValues(
  spec: CommandSpec,
  argv: readonly string[],
  options: Record<string, OptionSpec>,
): string[] {
  const joined: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    const next = argv[i + 1];
    const option = word.startsWith("--") ? options[word.slice(2)] : undefined;
    const others = argv.filter((w, k) => k !== i + 1 && !w.startsWith("-")).length;
    if (
      option?.valueOptional &&
      next?.startsWith("-") === false &&
      others >= spec.arguments.length
    ) {
      joined.push(`${word}=${next}`);
      i++;
    } else joined.push(word);
  }
  return joined;
}

function unknownOption(
  spec: CommandSpec,
  raw: string,
  options: Record<string, OptionSpec>,
): UsageError {
  const guess = nearest(raw.replace(/^-+/, ""), Object.keys(options));
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

/** A number given to an option, or a usage error that shows what was written. */
export function numberOption(args: ParsedArguments, option: string): number | undefined {
  const text = args.one(option);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) {
    throw new UsageError(
      `--${option} wants a number, not '${text}'`,
      `for instance --${option} 0.01`,
    );
  }
  return value;
}

/** A number above 0, for instance of seconds. */
export function positiveOption(args: ParsedArguments, option: string): number | undefined {
  const value = numberOption(args, option);
  if (value !== undefined && !(value > 0)) {
    throw new UsageError(`--${option} wants a positive number`, `for instance --${option} 60`);
  }
  return value;
}

const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, "": 1000, s: 1000, min: 60_000 };

/** The time that `--budget` gives, in milliseconds; a bare number counts seconds. */
export function budgetOption(args: ParsedArguments): number | undefined {
  const text = args.one("budget");
  if (text === undefined) return undefined;
  const [, digits = "", unit = ""] = /^\s*([\d.]+)\s*(ms|s|min|)\s*$/.exec(text) ?? [];
  const budget = Number(digits) * MILLISECONDS[unit]!;
  if (digits !== "" && budget > 0) return budget;
  throw new UsageError(`--budget ${text} is no time`, "for instance --budget 500ms, 10s or 2min");
}

/** A file whose name does not tell one of the formats is a usage error. */
export function checkFormats(
  files: readonly string[],
  allowed: readonly string[],
  option: string,
): void {
  for (const file of files) {
    if (allowed.includes(extname(file).toLowerCase())) continue;
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
  const options = Object.entries({ ...spec.options, ...COMMON_OPTIONS, ...spec.options }).map(
    ([name, o]): [string, string] => {
      const value = o.value ? (o.valueOptional ? ` [${o.value}]` : ` ${o.value}`) : "";
      return [`${o.short ? `-${o.short}, ` : ""}--${name}${value}`, o.help];
    },
  );
  const rows: [string, string][] = [
    ...spec.arguments.map((a): [string, string] => [a.name, a.help]),
    ...options,
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
    ...spec.examples.flatMap((e) => [`  ${e.command}`, `      ${e.does}`]),
  ].join("\n");
}
