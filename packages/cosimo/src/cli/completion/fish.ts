/** Completion for fish: one line for each word, with the condition under which it is offered. */
import type { CompletedCommand, CompletedOption, CompletedTable } from "./completed-command.ts";

export function fishCompletion({ first, groups, commands }: CompletedTable): string {
  return [
    "# fish completion for cosimo. Use it in this shell: cosimo completion fish | source",
    "complete -c cosimo -e",
    ...first.map(([name, summary]) => word("__fish_use_subcommand", name, summary)),
    ...Object.entries(groups).flatMap(([group, members]) => {
      const known = members.map(([name]) => name).join(" ");
      const condition = `__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${known}`;
      return members.map(([name, summary]) => word(condition, name, summary));
    }),
    ...commands.flatMap(lines),
    "",
  ].join("\n");
}

function word(condition: string, name: string, summary: string): string {
  return `complete -c cosimo -n '${condition}' -f -a ${name} -d '${quoted(summary)}'`;
}

function lines({ words, options, values }: CompletedCommand): string[] {
  const condition = words.map((one) => `__fish_seen_subcommand_from ${one}`).join("; and ");
  return [
    ...options.map((option) => optionLine(condition, option)),
    ...values.map((value) => `complete -c cosimo -n '${condition}' -f -a ${value}`),
  ];
}

function optionLine(condition: string, option: CompletedOption): string {
  const { long, short, help, value, choices, takesFile } = option;
  const names = `${short === undefined ? "" : `-s ${short} `}-l ${long}`;
  // -x: a value is needed, and it is not a file.
  const taken = value !== "needed" ? "" : takesFile ? " -r -F" : " -x";
  const offered = choices.length > 0 ? ` -a '${choices.join(" ")}'` : "";
  return `complete -c cosimo -n '${condition}' ${names}${taken}${offered} -d '${quoted(help)}'`;
}

const quoted = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
