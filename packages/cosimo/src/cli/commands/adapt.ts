/**
 * `cosimo adapt file.sa`: what an adaptation is and whether it fits its inner units, its explicit
 * form, and its formatter. Nothing is simulated and no binary is loaded.
 */
import { type Diagnostic, hasErrors } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import type { DescribedAdaptation } from "../../host/load-adaptation.ts";
import { userTrust } from "../../host/trust.ts";
import { isOpen } from "../../model/adaptation/data.ts";
import { fileKind } from "../../model/source-kind.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import {
  type Command,
  type ExitCode,
  type ParsedArguments,
  TRUST,
  UsageError,
} from "../command.ts";
import { findingTexts, printFindings, verdictCounts } from "../findings.ts";
import { print, printError, printPlain } from "../terminal.ts";

export const adaptCommand: Command = {
  name: "adapt",
  summary: "Check a semantic adaptation, show what it means, format it; list the library.",
  usage: "cosimo adapt <file.sa|name> [--explicit] [--json] | --format [--check] | --list",
  details:
    "An adaptation (.sa) makes units fit: units of measurement, rates, events. Without options it is checked against the descriptions\n" +
    "of its inner units, inner .sa files included, and described: kind, inner units, ports and what they are bound to,\n" +
    "parameters, storage. The exit code is 1 when there are errors.\n\n" +
    "Cosimo has a library of adaptations that a scenario puts around a unit in a line ('adapt: multi-rate { rate: 10 }').",
  arguments: [
    {
      name: "<file.sa|name>",
      help: "a semantic adaptation, or one of the library by its name",
      optional: true,
    },
  ],
  options: {
    ...TRUST,
    "--explicit": "print it in explicit form: with everything that authors may omit",
    "--json": "print everything as JSON, with --explicit the explicit form too",
    "--format": "rewrite the file as the formatter writes it; comments stay",
    "--list": "list the library, one line each",
    "--check": "with --format: write nothing, exit with 1 if something would change",
  },
  examples: {
    "cosimo adapt window.sa": "does it fit, and what unit does it make?",
    "cosimo adapt window.sa --explicit": "what exactly does it do?",
    "cosimo adapt window.sa --format": "tidy it up",
    "cosimo adapt --list": "what is there to put around a unit?",
    "cosimo adapt multi-rate": "what does it take, what does it do?",
  },
  async run(args) {
    const name = args.positionals[0];
    if (args.has("list")) {
      if (name !== undefined)
        throw new UsageError("--list lists all of the library", `for one: cosimo adapt ${name}`);
      return listLibrary(args.has("json"));
    }
    if (name === undefined)
      throw new UsageError("<file.sa|name> is missing", `usage: ${this.usage}`);
    const path = await pathOf(name, args.has("format"));
    if (args.has("check") && !args.has("format"))
      throw new UsageError(
        "--check belongs to --format",
        "omit it: without options the adaptation is checked",
      );
    if (!args.has("format")) return describeFile(path, args);
    for (const other of ["explicit", "json"])
      if (args.has(other))
        throw new UsageError(`--format does not go with --${other}`, "call cosimo adapt twice");
    const [{ formatFile }, { readAdaptationText }] = await Promise.all([
      import("../format-file.ts"),
      import("../../host/adaptation-text.ts"),
    ]);
    const command = `cosimo adapt ${path} --format`;
    return formatFile(path, readAdaptationText(path), { checkOnly: args.has("check"), command });
  },
};

async function listLibrary(asJson: boolean): Promise<ExitCode> {
  const { libraryNames, librarySummary } = await import("../../host/adaptation-library.ts");
  const { textTable } = await import("../info/text-table.ts");
  const all = libraryNames().map((name) => ({ name, summary: librarySummary(name) }));
  print(
    asJson
      ? JSON.stringify({ adaptations: all }, undefined, 2)
      : [
          ...textTable(all.map(({ name, summary }) => [name, summary])),
          "",
          "In a scenario: 'adapt: multi-rate { rate: 10 }'. More of one: cosimo adapt <name>.",
        ].join("\n"),
  );
  return 0;
}

async function pathOf(name: string, isToBeFormatted: boolean): Promise<string> {
  if (fileKind(name) === "adaptation") return name;
  const { adaptationPath, libraryNames } = await import("../../host/adaptation-library.ts");
  const path = adaptationPath(name, ".");
  if (path === undefined) {
    const close = nearest(name, libraryNames());
    throw new UsageError(
      `'${name}' is not an adaptation`,
      close === undefined
        ? "give a file that ends in .sa, or a name of the library (cosimo adapt --list)"
        : `did you mean '${close}'? 'cosimo adapt --list' lists the library`,
    );
  }
  if (isToBeFormatted)
    throw new UsageError(`'${name}' is of the library`, "give a file of yours to format");
  return path;
}

async function describeFile(path: string, args: ParsedArguments): Promise<ExitCode> {
  const [{ describeSaFile }, { diskFiles }] = await Promise.all([
    import("../../host/load-adaptation.ts"),
    import("../../host/sources/files.ts"),
  ]);
  const files = diskFiles(userTrust(args.has("trust")));
  const temp = createTempFolder();
  try {
    const { adaptations, diagnostics } = await describeSaFile(path, temp.path, files);
    if (args.has("json")) print(await json(path, adaptations, diagnostics, args.has("explicit")));
    else if (args.has("explicit")) return await printExplicit(path, adaptations, diagnostics);
    else print(await page(path, adaptations, diagnostics));
    return hasErrors(diagnostics) ? 1 : 0;
  } finally {
    temp.remove();
  }
}

/** The form alone on standard output, so that it can be kept as a file. */
async function printExplicit(
  path: string,
  all: readonly DescribedAdaptation[],
  findings: readonly Diagnostic[],
): Promise<ExitCode> {
  printFindings(findings);
  const texts = await Promise.all(all.map(explicitText));
  const written = texts.filter((text) => text !== undefined);
  if (written.length > 0) printPlain(written.join("\n"));
  if (!all.some(isLeftOpen)) return hasErrors(findings) ? 1 : 0;
  printError(
    `${path}: it leaves its inner unit open, so it has an explicit form only where it is applied\n` +
      "  fix: name a unit with 'at' in a copy of it",
  );
  return 1;
}

function isLeftOpen({ adaptation }: DescribedAdaptation): boolean {
  return adaptation.inner.some(isOpen);
}

async function explicitText(
  described: DescribedAdaptation | undefined,
): Promise<string | undefined> {
  const { printSa } = await import("../../lang/sa/print-sa.ts");
  return described?.explicit && printSa(described.explicit);
}

async function json(
  file: string,
  all: readonly DescribedAdaptation[],
  findings: readonly Diagnostic[],
  withExplicit: boolean,
): Promise<string> {
  const { adaptationFacts } = await import("../adapt/adaptation-facts.ts");
  const contents = await Promise.all(
    all.map(async (described) => ({
      adaptation: adaptationFacts(described),
      ...(withExplicit ? { explicit: await explicitText(described) } : {}),
    })),
  );
  // A file mostly holds one; of several, each is an element of a list.
  const [only, ...others] = contents;
  const content =
    others.length === 0
      ? {
          file,
          findings,
          adaptation: only?.adaptation,
          ...(withExplicit ? { explicit: only?.explicit } : {}),
        }
      : { file, findings, adaptations: contents };
  return JSON.stringify(content, undefined, 2);
}

async function page(
  path: string,
  all: readonly DescribedAdaptation[],
  findings: readonly Diagnostic[],
): Promise<string> {
  const [{ adaptationFacts }, { adaptationPage }, { leadingComment }, { readAdaptationText }] =
    await Promise.all([
      import("../adapt/adaptation-facts.ts"),
      import("../adapt/adaptation-page.ts"),
      import("../../host/adaptation-library.ts"),
      import("../../host/adaptation-text.ts"),
    ]);
  const leavesOpen = all.some(isLeftOpen);
  return [
    ...(leavesOpen ? [leadingComment(readAdaptationText(path).value ?? "").join("\n")] : []),
    ...all.map((described) => adaptationPage(adaptationFacts(described))),
    ...(findings.length === 0 ? [] : [["findings", ...findingTexts(findings)].join("\n")]),
    verdict(path, findings, leavesOpen),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function verdict(path: string, findings: readonly Diagnostic[], leavesOpen: boolean): string {
  if (findings.length === 0)
    return `${path}: no problems found, ${leavesOpen ? "it can be applied" : "it fits its inner units"}`;
  return `${path}: ${verdictCounts(findings)}`;
}
