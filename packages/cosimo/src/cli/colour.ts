/**
 * Colours of findings on terminals. Texts are made without them, so that files, pipes and tests see
 * plain text; what goes to a terminal is coloured line by line on its way out.
 *
 * NO_COLOR (no-color.org) turns colours off, FORCE_COLOR (force-color.org) turns them on where
 * there is no terminal; FORCE_COLOR=0 turns them off.
 */

type Environment = Readonly<Record<string, string | undefined>>;

export function hasColour(
  stream: { readonly isTTY?: boolean },
  environment: Environment = process.env,
): boolean {
  const { FORCE_COLOR: force = "", NO_COLOR: no = "", TERM: terminal } = environment;
  if (force !== "") return force !== "0" && force !== "false";
  return no === "" && stream.isTTY === true && terminal !== "dumb";
}

const SEVERITY = { error: 31, warning: 33, note: 36 } as const;

const FINDING = /^(\S.*?) (error|warning|note) ([a-z][a-z0-9-]*): /gm;
const FIX = /^ {2}fix: /gm;
const FAILURE = /^cosimo: /gm;

/** `text` as it is for files and pipes; on a terminal with findings that catch the eye. */
export function coloured(text: string, stream: { readonly isTTY?: boolean }): string {
  if (!hasColour(stream)) return text;
  return text
    .replace(
      FINDING,
      (_, place: string, severity: keyof typeof SEVERITY, code: string) =>
        `${styled(1, place)} ${styled(SEVERITY[severity], severity)} ${code}: `,
    )
    .replace(FIX, `  ${styled(32, "fix:")} `)
    .replace(FAILURE, `${styled(31, "cosimo:")} `);
}

/** @param code of the style (ECMA-48, SGR). */
function styled(code: number, text: string): string {
  return `\x1b[${code}m${text}\x1b[0m`;
}
