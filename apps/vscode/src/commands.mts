/**
 * What the commands of the extension call: one row each. Plain data, so that tests can run the calls without an editor.
 */

export interface CommandRow {
  readonly id: string;
  readonly title: string;
  /** Endings of the files that it is for. */
  readonly endings: readonly string[];
  /** Arguments of `cosimo`. @param made the file that it writes, beside the one that it is about. */
  readonly args: (file: string, made: string) => readonly string[];
  /** Ending of the file that it writes, in place of that of the file that it is about. */
  readonly makes?: string;
  /** Its output is a text in this language, to be shown beside the file. */
  readonly shows?: string;
  /** Opened in the browser when it is made. */
  readonly opens?: true;
}

const SCENARIOS = [".yaml", ".yml", ".mcl", ".ssp", ".ssd"];

export const COMMANDS: readonly CommandRow[] = [
  {
    id: "cosimo.run",
    title: "Run",
    endings: [...SCENARIOS, ".fmu"],
    args: (file) => ["run", file],
  },
  {
    id: "cosimo.plot",
    title: "Run and Plot",
    endings: [...SCENARIOS, ".fmu"],
    args: (file, made) => ["run", file, "--plot", made],
    makes: ".plot.html",
    opens: true,
  },
  {
    id: "cosimo.check",
    title: "Check",
    endings: [...SCENARIOS, ".mci"],
    args: (file) => ["check", file],
  },
  {
    id: "cosimo.graph",
    title: "Show Graph",
    endings: SCENARIOS,
    args: (file, made) => ["check", file, "--graph", made],
    makes: ".graph.html",
    opens: true,
  },
  {
    id: "cosimo.explicit",
    title: "Show Explicit Form",
    endings: [".sa"],
    args: (file) => ["adapt", file, "--explicit"],
    shows: "sa",
  },
  {
    id: "cosimo.export",
    title: "Export as FMU",
    endings: [".yaml", ".yml", ".sa", ".ssp", ".ssd"],
    args: (file, made) => ["export", file, "-o", made],
    makes: ".fmu",
  },
];

export interface CommandCall {
  readonly args: readonly string[];
  /** What it writes, if anything. */
  readonly made?: string;
}

/** @param isTrusted the folder's modules may run. @returns undefined where the command is not for such a file. */
export function callOf(row: CommandRow, file: string, isTrusted: boolean): CommandCall | undefined {
  const name = file.toLowerCase();
  if (!row.endings.some((ending) => name.endsWith(ending))) return undefined;
  const made =
    row.makes === undefined ? undefined : `${file.replace(/\.[^./\\]*$/, "")}${row.makes}`;
  const args = [...row.args(file, made ?? ""), ...(isTrusted ? ["--trust"] : [])];
  return made === undefined ? { args } : { args, made };
}
