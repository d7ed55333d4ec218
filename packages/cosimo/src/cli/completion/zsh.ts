/** Completion for zsh: `_arguments` knows options, their values and what they mean. */
import type { CompletedCommand, CompletedOption, CompletedTable } from "./completed-command.ts";

export function zshCompletion({ first, groups, commands }: CompletedTable): string {
  return `#compdef cosimo
# zsh completion for cosimo. Use it in this shell: source <(cosimo completion zsh)
_cosimo() {
  local curcontext="$curcontext" state line
  local -a described
  if (( CURRENT == 2 )); then
    described=(${described(first)})
    _describe command described
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
${Object.entries(groups).map(groupText).join("\n")}
  case $command in
${commands.map(branch).join("\n")}
  esac
}
if [[ $funcstack[1] == _cosimo ]]; then _cosimo "$@"; else compdef _cosimo cosimo; fi
`;
}

function groupText([name, members]: [string, readonly (readonly [string, string])[]]): string {
  return `  if [[ $command == ${name} ]]; then
    if (( CURRENT == 2 )); then
      described=(${described(members)})
      _describe command described
      return
    fi
    command="${name} $words[2]"
    shift words
    (( CURRENT-- ))
  fi`;
}

function described(entries: readonly (readonly [string, string])[]): string {
  return entries
    .map(([name, summary]) => `'${quoted(`${name}:${summary.replaceAll(":", "\\:")}`)}'`)
    .join(" ");
}

function branch({ words, options, values }: CompletedCommand): string {
  const specs = options.flatMap(optionSpecs);
  const rest = values.length > 0 ? `'1:word:(${values.join(" ")})'` : "'*:file:_files'";
  return `    ${words.length > 1 ? `'${words.join(" ")}'` : words[0]}) _arguments ${[...specs, rest].join(" ")} ;;`;
}

/** `'--stop=[stop time]:s:'`, and the same for the short name. */
function optionSpecs(option: CompletedOption): string[] {
  const { long, short, help, value, choices, takesFile, isRepeatable } = option;
  const repeated = isRepeatable ? "*" : "";
  const action =
    choices.length > 0
      ? `(${choices.join(" ")})`
      : takesFile
        ? "_files"
        : value === "none"
          ? ""
          : " ";
  const taken = { none: "", optional: `::value:${action}`, needed: `:value:${action}` }[value];
  const about = `[${quoted(help.replaceAll(/[[\]\\:]/g, "\\$&"))}]${taken}`;
  const names = [...(short === undefined ? [] : [`-${short}`]), `--${long}`];
  return names.map(
    (name) =>
      `'${repeated}${name}${value === "needed" && name.startsWith("--") ? "=" : ""}${about}'`,
  );
}

const quoted = (text: string): string => text.replaceAll("'", "'\\''");
