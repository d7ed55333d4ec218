/**
 * The page docs/reference/adaptation-functions.md, printed from the one table of functions.
 */
import { signatureText } from "../../lang/sa/ide/hover.ts";
import { SA_CLOCK, SA_FUNCTIONS } from "../../model/adaptation/functions.ts";

export function functionsPage(): string {
  return [
    "# Functions of adaptations",
    "",
    "What the rules of a `.sa` file may call. This page is printed from the table in the code (`npm run reference`); a test holds",
    "the two together.",
    "",
    "| function | where | what |",
    "|---|---|---|",
    ...[...SA_FUNCTIONS.values()].map((known) => {
      const inRules = known.ofOwnInput !== undefined ? "first part of in rules" : "rules";
      const where = known.controlOnly ? "control rules" : known.compute ? "everywhere" : inRules;
      return `| \`${signatureText(known)}\` | ${where} | ${known.text} |`;
    }),
    "",
    "| time | what |",
    "|---|---|",
    ...[...SA_CLOCK].map(([name, text]) => `| \`${name}\` | ${text} |`),
    "",
  ].join("\n");
}
