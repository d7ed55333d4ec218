/**
 * `cosimo trust folder`: modules in this folder may be run from now on, without --trust at every
 * command.
 */
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { saveTrustedFolders, trustedFolders, trustFile } from "../../host/trust.ts";
import { type Command, UsageError } from "../command.ts";
import { counted } from "../findings.ts";
import { print, printJson } from "../terminal.ts";

export const trustCommand: Command = {
  name: "trust",
  summary: "List the folders whose modules may be run, add one, remove one.",
  usage: "cosimo trust [<folder>] [--remove] [--json]",
  details:
    "A unit written in JavaScript is a program with all your rights, and only running it shows its ports. So commands run modules only in\n" +
    "folders listed here, in those that COSIMO_TRUST names (separated as in PATH), or with --trust. Packages (.ssp) always need --trust.",
  arguments: [
    {
      name: "<folder>",
      help: "trust what lies in it and in the folders below; without it the list is printed",
      optional: true,
    },
  ],
  options: {
    "--remove": "do not trust it any more",
    "--json": "print the list as JSON",
  },
  examples: {
    "cosimo trust .": "the modules of this project are mine",
    "cosimo trust": "which folders do I trust?",
  },
  async run(args) {
    const given = args.positionals[0];
    if (given === undefined && args.has("remove"))
      throw new UsageError("--remove needs a folder", "cosimo trust <folder> --remove");
    const before = trustedFolders();
    const folders = given === undefined ? before : changed(before, given, args.has("remove"));
    if (given !== undefined) saveTrustedFolders(folders);
    if (args.has("json")) printJson({ file: trustFile(), folders });
    else print([...folders, summary(folders.length)].join("\n"));
    return 0;
  },
};

function summary(count: number): string {
  const list = `listed in ${trustFile()}`;
  if (count === 0) return `no folder is trusted (${list})`;
  return `${counted(count, "trusted folder")}, ${list}`;
}

function changed(before: readonly string[], given: string, isRemoval: boolean): readonly string[] {
  if (isRemoval) {
    const names = new Set([resolve(given), realOrSame(given)]);
    if (!before.some((one) => names.has(one)))
      throw new UsageError(`'${given}' is not in the list`, "'cosimo trust' prints it");
    return before.filter((one) => !names.has(one));
  }
  if (statSync(given, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`'${given}' is not a folder`, "packages (.ssp) are trusted with --trust");
  return [...new Set([...before, realOrSame(given)])].sort();
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
