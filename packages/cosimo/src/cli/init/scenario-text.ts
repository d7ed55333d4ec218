/**
 * The scenario that `cosimo init` writes for units that it is given: outputs feed inputs of the
 * same name and unit, everything else that a person has to decide is a comment at its place. What
 * is written runs as it is.
 */

import { conversion } from "../../model/physical-unit-conversion.ts";
import { fitOf } from "../../model/resolve-scenario-types.ts";
import { type Port, portSize, type UnitDescription } from "../../model/unit-description.ts";
import { isIntervalOpen } from "../worker/clocks.ts";
import { defaultStep } from "../worker/experiment.ts";

export interface InitUnit {
  readonly name: string;
  /** As the scenario names it: relative to its folder. */
  readonly path: string;
  /** The path does not say that it is an FMU. */
  readonly isUnpacked: boolean;
  readonly description: UnitDescription;
}

/** What feeds an input, or could. */
export interface InitInput {
  readonly input: string;
  readonly unit?: string;
  /** Connected. */
  readonly from?: string;
  /** Outputs of the same name that fit, where there are several or their units differ. */
  readonly choices: readonly string[];
  /** Why the person decides. */
  readonly why: string;
}

export interface InitScenario {
  readonly text: string;
  readonly inputs: readonly InitInput[];
}

export function initScenario(name: string, file: string, units: readonly InitUnit[]): InitScenario {
  const inputs = units.flatMap((unit) => inputsOf(unit, units));
  const lines = [
    `# Written by 'cosimo init'. 'cosimo check ${file}' explains it, 'cosimo run ${file} --plot run.html' runs it.`,
    `name: ${yamlText(name)}`,
    "",
    "units:",
    ...units.map(unitLine),
    "",
    ...connectionLines(inputs),
    "",
    ...experimentLines(units),
  ];
  return { text: `${lines.join("\n")}\n`, inputs };
}

function unitLine({ name, path, isUnpacked, description }: InitUnit): string {
  const source = isUnpacked ? `{ fmu: ${yamlText(path, ",{}")} }` : yamlText(path);
  return `  ${name}: ${source}${description.name === name ? "" : `  # ${oneLine(description.name)}`}`;
}

interface Source {
  readonly name: string;
  readonly port: Port;
}

function inputsOf(unit: InitUnit, units: readonly InitUnit[]): InitInput[] {
  const outputs = units
    .filter((other) => other !== unit)
    .flatMap(({ name, description }) =>
      description.ports
        .filter(({ direction }) => direction === "output")
        .map((port): Source => ({ name: `${name}.${port.name}`, port })),
    );
  return unit.description.ports
    .filter((port) => port.direction === "input" && !ticksByItself(port))
    .map((port) => inputOf(`${unit.name}.${port.name}`, port, outputs));
}

/**
 * An input clock that the run ticks without a stated time: at an interval that the FMU states, or
 * gives while it runs.
 */
function ticksByItself({ clock }: Port): boolean {
  return clock !== undefined && clock.interval !== "triggered" && !isIntervalOpen(clock);
}

function inputOf(input: string, port: Port, outputs: readonly Source[]): InitInput {
  const about = { input, ...(port.unit && { unit: port.unit.name }) };
  const named = outputs.filter(
    (source) => source.port.name === port.name && fits(source.port, port),
  );
  const same = named.filter((source) => sameUnit(source.port, port));
  const [only, ...others] = same;
  if (only !== undefined && others.length === 0)
    return { ...about, from: only.name, choices: [], why: "" };
  const names = (sources: readonly Source[]): string[] => sources.map((source) => source.name);
  if (same.length > 1)
    return { ...about, choices: names(same), why: "several outputs have its name" };
  if (named.length > 0)
    return { ...about, choices: names(named), why: "an output of its name has another unit" };
  const alike = outputs.filter(
    (source) =>
      port.unit && source.port.unit && fits(source.port, port) && sameUnit(source.port, port),
  );
  return { ...about, choices: names(alike).slice(0, MAX_ALIKE), why: "no output has its name" };
}

/** Of outputs that have nothing but the unit in common with an input. */
const MAX_ALIKE = 3;

function fits(from: Port, to: Port): boolean {
  const isOfSize = portSize(from) === portSize(to) && from.shape.length === to.shape.length;
  return isOfSize && fitOf(from, to).kind !== "no";
}

/** The same unit, or two names of it; a unit never meets the lack of one. */
function sameUnit({ unit: from }: Port, { unit: to }: Port): boolean {
  if (from === undefined || to === undefined) return from === to;
  const way = conversion(from, to);
  return !("error" in way) && way.factor === 1 && way.offset === 0 && !way.radian;
}

function connectionLines(inputs: readonly InitInput[]): string[] {
  const connected = inputs.filter(({ from }) => from !== undefined);
  const open = inputs.filter(({ from }) => from === undefined);
  return [
    "connections:",
    ...connected.map(({ from, input }) => `  - ${yamlText(`${from} -> ${input}`)}`),
    ...(open.length === 0
      ? []
      : [
          "  # Nothing feeds these inputs: they keep their start values until you connect or set them.",
        ]),
    ...open.flatMap(openLines),
  ];
}

function openLines({ input, unit, choices, why }: InitInput): string[] {
  const about = `  # ${oneLine(input)}${unit === undefined ? "" : ` (${oneLine(unit)})`}: ${why}`;
  const offered = choices.map((from) => `  # - ${yamlText(`${from} -> ${input}`)}`);
  return [about, ...offered];
}

function experimentLines(units: readonly InitUnit[]): string[] {
  const said = units.map(({ description }) => description.experiment);
  const start = Math.max(0, ...said.map((one) => one.start ?? 0));
  const stops = said.flatMap(({ stop }) => (stop !== undefined && stop > start ? [stop] : []));
  const stop = stops.length > 0 ? Math.max(...stops) : start + 1;
  const steps = said.flatMap(({ step }) => (step !== undefined && step > 0 ? [step] : []));
  const step = steps.length > 0 ? Math.min(...steps) : defaultStep(start, stop);
  const times = [
    ...(start === 0 ? [] : [`start: ${start} s`]),
    `stop: ${stop} s`,
    `step: ${step} s`,
  ];
  const guessed = [
    ...(stops.length === 0 ? ["no unit says when to stop"] : []),
    ...(steps.length === 0 ? ["no unit says how large a step it likes"] : []),
  ];
  return [
    `experiment: { ${times.join(", ")} }${guessed.length === 0 ? "" : `  # ${guessed.join(", ")}: choose`}`,
  ];
}

/**
 * Plain where YAML reads it as a text in any case; in quotes elsewhere. @param also characters that
 * mean something here.
 */
function yamlText(text: string, also = ""): string {
  const isPlain =
    /^[A-Za-z_./][\w./()[\]+> -]*$/.test(text) &&
    !/^(true|false|null|yes|no|on|off)$|\s$/i.test(text) &&
    ![...also].some((character) => text.includes(character));
  return isPlain ? text : JSON.stringify(text);
}

/** Names come from files of others; a line break would end the comment. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
