/**
 * The classes of the stress test, in the order of the table. A class gives its cases; a case has a
 * name, which a seed makes unique and repeatable, and a function that runs it and says which rules
 * it broke. `size` is how many inputs it tries, where that is more than one.
 */
import { damagedCommandCases } from "./damaged-commands.mjs";
import { damagedFileCases } from "./damaged-files.mjs";
import { diskCases } from "./disks.mjs";
import { killCases } from "./kills.mjs";
import { misdeedCases } from "./misdeeds.mjs";

/** `short` is how many cases of a class the short form runs. */
export const CLASSES = {
  "damaged files": { short: 99, cases: damagedFileCases },
  "commands on damaged files": { short: 14, cases: damagedCommandCases },
  "full disks": { short: 4, cases: diskCases },
  kills: { short: 8, cases: killCases },
  misdeeds: { short: 60, cases: misdeedCases },
};
