/**
 * `cosimo stability spectral scenario`: is the coupling stable with fixed steps, up to which step, and with which master?
 */

import { writeFile } from "node:fs/promises";
import { extname } from "node:path";
import { COUPLING_SCHEMES } from "../../model/masters.ts";
import { radiusSvg } from "../../plot/radius-svg.ts";
import type { SpectralOptions, SpectralReport } from "../../stability/spectral.ts";
import {
  anyOf,
  type Command,
  type CommandSpec,
  checkFormats,
  type ExitCode,
  numberOption,
  type ParsedArguments,
  positiveOption,
  TRUST,
  UsageError,
} from "../command.ts";
import { printFindings } from "../findings.ts";
import { runSpectral } from "../stability/run-spectral.ts";
import { spectralPage } from "../stability/spectral-page.ts";
import { STOP_CODES } from "../stop-signals.ts";
import { print, printError } from "../terminal.ts";

const spec: CommandSpec = {
  name: "stability spectral",
  summary:
    "Find out whether a coupling is stable with fixed steps, up to which step, and with which master.",
  usage:
    "cosimo stability spectral <scenario> [--plot <file>] [--csv <file>] [--master <name>] [--step <s>] [--at <s>] [--delay <s>] [--jitter <part>] [--json]",
  details:
    "Runs the plan of every master on linear models of the units and looks at the spectral radius ρ of what one step makes of a\n" +
    "small deviation: below 1 it fades, above 1 it grows. Units that offer derivatives are taken by their equations if their steps\n" +
    "agree with these; all others are measured with small changes of their inputs, which they take back afterwards. The exit\n" +
    "code is 0 whether it is stable or not, 3 when a unit fails.",
  arguments: [
    { name: "<scenario>", help: "a scenario.yaml, .ssp or .ssd, or the folder of a scenario.yaml" },
  ],
  options: {
    plot: {
      value: "<file>",
      many: true,
      help: "draw ρ over the step for all masters: .svg or .png",
    },
    csv: { value: "<file>", help: "write the same as a table" },
    master: {
      value: "<name>",
      help: `as if the scenario said so: ${anyOf(COUPLING_SCHEMES)}`,
    },
    step: { value: "<s>", help: "as if the scenario said so: the communication step" },
    set: {
      value: "<unit.port=v>",
      many: true,
      help: "a parameter or start value, over the scenario",
    },
    at: { value: "<s>", help: "look at the units at this time of a run, not at its start" },
    from: {
      value: "<s>",
      help: "smallest step that is looked at; a hundredth of the step unless said",
    },
    to: {
      value: "<s>",
      help: "largest step that is looked at; a hundred times the step unless said",
    },
    points: { value: "<n>", help: "steps per decade that are looked at, 12 unless said" },
    delay: { value: "<s>", help: "all outputs arrive this much later, rounded up to whole steps" },
    jitter: { value: "<part>", help: "steps vary by this part of their size: 0.1 is ±10 %" },
    maps: {
      value: "<file>",
      help: "write the one-step maps of all masters over the states of the units, for 'cosimo stability jsr': .json",
    },
    sizes: { value: "<s,s,…>", help: "step sizes of these maps; the step unless said" },
    ...TRUST,
    timeout: { value: "<s>", help: "give up when it takes longer than this (wall clock)" },
    measure: { help: "measure all units, also those that offer derivatives" },
    json: { help: "print everything as JSON" },
  },
  examples: [
    {
      command: "cosimo stability spectral scenario.yaml --plot radius.svg",
      does: "how large may my step be, and would another master allow more?",
    },
    {
      command: "cosimo stability spectral scenario.yaml --delay 0.02 --jitter 0.1",
      does: "and if signals are 20 ms late and steps vary by 10 %?",
    },
    {
      command: "cosimo stability spectral scenario.yaml --set right.d_c=1000 --step 0.001",
      does: "with other parameters and another step",
    },
  ],
};

export const stabilitySpectralCommand: Command = {
  spec,
  async run(args: ParsedArguments): Promise<ExitCode> {
    checkFormats(args.all("plot"), [".svg", ".png"], "--plot");
    checkFormats(args.all("csv"), [".csv"], "--csv");
    checkFormats(args.all("maps"), [".json"], "--maps");
    const path = args.positionals[0]!;
    const { diagnostics, report, failure, stoppedBy } = await runSpectral(
      path,
      { trust: args.has("trust"), set: args.all("set"), options: wishes(args) },
      positiveOption(args, "timeout"),
    );
    printFindings(diagnostics);
    if (stoppedBy !== undefined) {
      printError(`cosimo: ${path}: ${failure}`);
      return STOP_CODES[stoppedBy];
    }
    if (report === undefined) {
      if (failure === undefined) return 1;
      printError(
        `cosimo: ${path}: ${failure}\n  fix: try other values with --set or another time with --at, or run the scenario to see more`,
      );
      return 3;
    }
    for (const file of args.all("plot")) await writeFile(file, await draw(file, report));
    const maps = args.one("maps");
    if (maps !== undefined) await writeFile(maps, mapsText(report));
    const csv = args.one("csv");
    if (csv !== undefined) await writeFile(csv, csvText(report));
    print(args.has("json") ? JSON.stringify(report, undefined, 2) : spectralPage(report));
    return 0;
  },
};

function wishes(args: ParsedArguments): Omit<SpectralOptions, "onProgress"> {
  const positive = (name: string, example = 0.01): number | undefined => {
    const value = numberOption(args, name);
    if (value !== undefined && !(value > 0))
      throw new UsageError(
        `--${name} wants a number above 0, not ${value}`,
        `omit it, or --${name} ${example}`,
      );
    return value;
  };
  const jitter = positive("jitter");
  if (jitter !== undefined && jitter >= 1)
    throw new UsageError(
      `--jitter is a part of the step below 1, not ${jitter}`,
      "for instance --jitter 0.1",
    );
  const [from, to] = [positive("from"), positive("to")];
  if (from !== undefined && to !== undefined && from >= to)
    throw new UsageError(`--from ${from} is not below --to ${to}`, "exchange them");
  const given = {
    master: args.one("master"),
    step: positive("step"),
    at: numberOption(args, "at"),
    delay: positive("delay"),
    jitter,
  };
  const range = { from, to, perDecade: positive("points", 24) };
  return {
    ...present(given),
    ...(args.has("maps") ? { maps: sizesOf(args) } : {}),
    range: present(range),
    method: args.has("measure") ? "steps" : "auto",
  };
}

/** Empty: the scenario's own step. */
function sizesOf(args: ParsedArguments): number[] {
  const texts = args.one("sizes")?.split(",") ?? [];
  return texts.map((text) => {
    const size = Number(text);
    if (text.trim() === "" || !(size > 0) || !Number.isFinite(size))
      throw new UsageError(
        `--sizes wants numbers above 0 with commas between them, not '${text}'`,
        "for instance --sizes 0.05,0.1,0.2",
      );
    return size;
  });
}

/** A switched system: one mode for every master and size. */
function mapsText({ scenario, maps = [] }: SpectralReport): string {
  const lines = maps.map(
    ({ name, rows }) => `    ${JSON.stringify(name)}: ${JSON.stringify(rows)}`,
  );
  return `{\n  "name": ${JSON.stringify(scenario)},\n  "matrices": {\n${lines.join(",\n")}\n  }\n}\n`;
}

/** Without what was not said. */
function present<T extends object>(options: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}

async function draw(file: string, report: SpectralReport): Promise<string | Uint8Array> {
  const swept = report.masters.filter(({ sweep }) => sweep !== undefined);
  const svg = radiusSvg({
    title: `${report.scenario}: stability over the step size`,
    step: report.step,
    steps: swept[0]?.sweep?.steps ?? [report.step],
    curves: swept.map(({ label, isChosen, sweep }) => ({
      label,
      isChosen,
      radii: sweep!.radii,
      ...(sweep!.limit === undefined ? {} : { limit: sweep!.limit }),
    })),
  });
  if (extname(file).toLowerCase() === ".svg") return svg;
  return (await import("../../platform/node/plot-png.ts")).svgToPng(svg);
}

function csvText({ masters }: SpectralReport): string {
  const swept = masters.filter(({ sweep }) => sweep !== undefined);
  const head = ["step", ...swept.map(({ label }) => `"${label}"`)].join(",");
  const rows = (swept[0]?.sweep?.steps ?? []).map((step, k) =>
    [step, ...swept.map(({ sweep }) => sweep!.radii[k] ?? "")].join(","),
  );
  return `${[head, ...rows].join("\n")}\n`;
}
