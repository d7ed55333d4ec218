/**
 * What shells complete, as plain data: from the same tables that help and checks of the command
 * line come from.
 */
import { type CommandSpec, type CommandTable, optionsOf } from "../command.ts";

export interface CompletedCommand {
  /** `run`, or of a group `stability jsr`. */
  readonly words: readonly string[];
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  /** Words that its first argument may be; none: files. */
  readonly values: readonly string[];
}

export interface CompletedOption {
  readonly long: string;
  readonly short?: string;
  readonly help: string;
  readonly value: "none" | "optional" | "needed";
  /** Words that it takes. */
  readonly choices: readonly string[];
  readonly takesFile: boolean;
  readonly isRepeatable: boolean;
}

/** Commands and groups, by the word that is typed first. */
export interface CompletedTable {
  readonly first: readonly (readonly [name: string, summary: string])[];
  readonly groups: Readonly<Record<string, readonly (readonly [name: string, summary: string])[]>>;
  readonly commands: readonly CompletedCommand[];
}

export async function completedTable(table: CommandTable): Promise<CompletedTable> {
  const commands: CompletedCommand[] = [];
  const groups: Record<string, [string, string][]> = {};
  for (const [name, entry] of Object.entries(table)) {
    if (!("commands" in entry)) {
      commands.push(completed([name], await entry.load()));
      continue;
    }
    if (entry.otherwise !== undefined) {
      // Its members are words among others that may come first.
      const spec = await entry.otherwise.load();
      const values = { ...spec.values, "": Object.keys(entry.commands) };
      commands.push(completed([name], { ...spec, values }));
      continue;
    }
    groups[name] = Object.entries(entry.commands).map(([member, { summary }]) => [member, summary]);
    for (const [member, { load }] of Object.entries(entry.commands))
      commands.push(completed([name, member], await load()));
  }
  const first = Object.entries(table).map(([name, { summary }]) => [name, summary] as const);
  return { first, groups, commands };
}

function completed(words: readonly string[], spec: CommandSpec): CompletedCommand {
  const options = [...optionsOf(spec).values()].map((option): CompletedOption => {
    const { name, short, value, isValueOptional, isRepeatable, help } = option;
    return {
      long: name,
      ...(short !== undefined && { short }),
      help: help.split("\n")[0] ?? "",
      value: value === undefined ? "none" : isValueOptional ? "optional" : "needed",
      choices: spec.values?.[name] ?? choicesIn(value),
      takesFile: value !== undefined && /file|folder|answer|\.\w+>/.test(value),
      isRepeatable,
    };
  });
  return { words, summary: spec.summary, options, values: spec.values?.[""] ?? [] };
}

/** `<auto|off>` lists what it takes. */
function choicesIn(placeholder = ""): readonly string[] {
  const [, inside = ""] = /^<([\w-]+(?:\|[\w-]+)+)>$/.exec(placeholder) ?? [];
  return inside === "" ? [] : inside.split("|").filter((word) => word !== "n");
}
