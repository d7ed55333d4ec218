/**
 * The classes of the stress test, in the order of the table. A class gives its cases; a case has a
 * name, which a seed makes unique and repeatable, and a function that runs it and says which rules
 * it broke.
 */
import { damagedCommandCases } from "./damaged-commands.mjs";
import { damagedFileCases } from "./damaged-files.mjs";
import { diskCases } from "./disks.mjs";
import { killCases } from "./kills.mjs";
import { misdeedCases } from "./misdeeds.mjs";

/**
 * `share` of the time that a class may take (time.mjs); `short` how many cases of it the short form
 * runs.
 */
export const CLASSES = {
  "damaged files": { share: 0.2, short: 99, cases: damagedFileCases },
  "commands on damaged files": { share: 0.12, short: 14, cases: damagedCommandCases },
  "full disks": { share: 0.06, short: 4, cases: diskCases },
  kills: { share: 0.12, short: 8, cases: killCases },
  misdeeds: { share: 0.5, short: 60, cases: misdeedCases },
};
