/**
 * Completion for bash: one function that looks at the words before the cursor. Where it offers
 * nothing, bash offers files.
 */
import type { CompletedCommand, CompletedOption, CompletedTable } from "./completed-command.ts";

export function bashCompletion({ first, groups, commands }: CompletedTable): string {
  const names = first.map(([name]) => name);
  const groupNames = Object.keys(groups);
  return `# bash completion for cosimo. Use it in this shell: eval "$(cosimo completion bash)"
_cosimo() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      -*) ;;
      *) command="\${command:+$command }\${COMP_WORDS[i]}"
         case $command in ${groupNames.join("|") || "''"}) ;; *) break ;; esac ;;
    esac
  done
  case $command in
    '') words='${[...names, "--help", "--version"].join(" ")}' ;;
${Object.entries(groups)
  .map(
    ([name, members]) => `    ${name}) words='${members.map(([member]) => member).join(" ")}' ;;`,
  )
  .join("\n")}
${commands.map(branch).join("\n")}
  esac
  COMPREPLY=()
  [[ -n $words ]] && mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -o default -o bashdefault -F _cosimo cosimo
`;
}

function branch({ words, options, values }: CompletedCommand): string {
  const chosen = options
    .filter(({ choices }) => choices.length > 0)
    .map((option) => `        ${flags(option).join("|")}) words='${option.choices.join(" ")}' ;;`);
  const free = options
    .filter(({ value, choices }) => value === "needed" && choices.length === 0)
    .flatMap(flags);
  const all = options.flatMap(flags).join(" ");
  return `    '${words.join(" ")}')
      case $prev in
${[...chosen, ...(free.length > 0 ? [`        ${free.join("|")}) ;;`] : [])].join("\n")}
        *) case $cur in -*) words='${all}' ;; *) words='${values.join(" ")}' ;; esac ;;
      esac ;;`;
}

function flags({ long, short }: CompletedOption): string[] {
  return [...(short === undefined ? [] : [`-${short}`]), `--${long}`];
}
