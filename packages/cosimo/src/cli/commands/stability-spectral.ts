/**
 * `cosimo stability spectral scenario`: is the coupling stable with fixed steps, up to which step,
 * and with which master?
 */

import { present } from "../../base/present.ts";
import { COUPLING_SCHEMES } from "../../model/masters.ts";
import { writeWholeFile } from "../../platform/node/whole-file.ts";
import type { SpectralOptions, SpectralReport } from "../../stability/spectral.ts";
import {
  anyOf,
  type Command,
  checkFormats,
  type ParsedArguments,
  TRUST,
  UsageError,
} from "../command.ts";
import { printFindings } from "../findings.ts";
import { drawSvg } from "../plot-file.ts";
import { modelPath } from "../read-file.ts";
import { runSpectral } from "../stability/run-spectral.ts";
import { spectralPage } from "../stability/spectral-page.ts";
import { spectralPicture, sweptMasters } from "../stability/spectral-picture.ts";
import { STOP_CODES } from "../supervisor/stop-signals.ts";
import { print, printError } from "../terminal.ts";

export const stabilitySpectralCommand: Command = {
  name: "stability spectral",
  summary:
    "Find out whether a coupling is stable with fixed steps, up to which step, and with which master.",
  usage:
    "cosimo stability spectral <scenario> [--plot <file>] [--csv <file>] [--master <name>] [--step <s>] [--at <s>] [--delay <s>] [--jitter <part>] [--json]",
  details:
    "Runs the plan of every master on linear models of the units and looks at the spectral radius ρ of what one step makes of a\n" +
    "small deviation: below 1 it fades, above 1 it grows. Units that offer derivatives are taken by their equations if their steps\n" +
    "agree with these; all others are measured with small changes of their inputs, which are rolled back afterwards. The exit\n" +
    "code is 0 whether it is stable or not, 3 when a unit fails.",
  arguments: [
    { name: "<scenario>", help: "a scenario.yaml, .ssp or .ssd, or the folder of a scenario.yaml" },
  ],
  options: {
    "--plot <file>...": "draw ρ over the step for all masters: .svg or .png",
    "--csv <file>": "write the same as a table",
    "--master <name>": `as if the scenario said so: ${anyOf(COUPLING_SCHEMES)}`,
    "--step <s>": "as if the scenario said so: the communication step",
    "--set <unit.port=v>...": "a parameter or start value, over the scenario",
    "--at <s>": "analyse the units at this time of a run (default: at its start)",
    "--from <s>": "smallest step to analyse (default: a hundredth of the step)",
    "--to <s>": "largest step to analyse (default: a hundred times the step)",
    "--points <n>": "steps to analyse per decade (default: 12)",
    "--delay <s>": "all outputs arrive this much later, rounded up to whole steps",
    "--jitter <part>": "steps vary by this part of their size: 0.1 is ±10 %",
    "--maps <file>":
      "write the one-step maps of all masters over the states of the units, for 'cosimo stability jsr': .json",
    "--sizes <s,s,…>": "step sizes of these maps (default: the step)",
    ...TRUST,
    "--timeout <s>": "give up when it takes longer than this (wall clock)",
    "--measure": "measure all units, also those that offer derivatives",
    "--json": "print everything as JSON",
  },
  examples: {
    "cosimo stability spectral scenario.yaml --plot radius.svg":
      "how large may my step be, and would another master allow more?",
    "cosimo stability spectral scenario.yaml --delay 0.02 --jitter 0.1":
      "and if signals are 20 ms late and steps vary by 10 %?",
    "cosimo stability spectral scenario.yaml --set right.d_c=1000 --step 0.001":
      "with other parameters and another step",
  },
  async run(args) {
    checkFormats(args.all("plot"), [".svg", ".png"], "--plot");
    checkFormats(args.all("csv"), [".csv"], "--csv");
    checkFormats(args.all("maps"), [".json"], "--maps");
    const path = modelPath(args.first);
    const { diagnostics, report, failure, stoppedBy } = await runSpectral(
      path,
      { trust: args.has("trust"), set: args.all("set"), options: optionsIn(args) },
      args.positive("timeout"),
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
    for (const file of args.all("plot"))
      writeWholeFile(file, await drawSvg(file, spectralPicture(report)));
    const maps = args.one("maps");
    if (maps !== undefined) writeWholeFile(maps, mapsText(report));
    const csv = args.one("csv");
    if (csv !== undefined) writeWholeFile(csv, csvText(report));
    print(args.has("json") ? JSON.stringify(report, undefined, 2) : spectralPage(report));
    return 0;
  },
};

function optionsIn(args: ParsedArguments): Omit<SpectralOptions, "onProgress"> {
  const positive = (name: string, example = 0.01): number | undefined => {
    const value = args.number(name);
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
  return {
    ...present({
      master: args.one("master"),
      step: positive("step"),
      at: args.number("at"),
      delay: positive("delay"),
      jitter,
      maps: args.has("maps") ? sizesOf(args) : undefined,
    }),
    range: present({ from, to, perDecade: positive("points", 24) }),
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

function csvText(report: SpectralReport): string {
  const swept = sweptMasters(report);
  const head = ["step", ...swept.map(({ label }) => `"${label}"`)].join(",");
  const rows = (swept[0]?.steps ?? []).map((step, k) =>
    [step, ...swept.map(({ radii }) => radii[k] ?? "")].join(","),
  );
  return `${[head, ...rows].join("\n")}\n`;
}
