/**
 * What `cosimo stability hybrid` says: a page for people, JSON for programs, phase plots for both.
 */
import type { PhaseCurve, PhaseFigure, PhasePanel } from "../../plot/phase.ts";
import type { Assumption } from "../../stability/hybrid-delay-assumptions.ts";
import type { ModeSafety } from "../../stability/hybrid-energy.ts";
import type { HybridModel } from "../../stability/hybrid-model.ts";
import type { DelayAnswer, HybridAnswers, StepAnswer, Trial } from "./hybrid-analysis.ts";

export function hybridPage({ model, delay, step, timeIsUp }: HybridAnswers): string {
  const [first, second] = model.modes;
  const parts = [`${model.name}: modes '${first.name}' and '${second.name}'`];
  if (delay) parts.push(delayText(model, delay));
  if (step) parts.push(stepText(model, step));
  if (timeIsUp !== undefined)
    parts.push(
      `undecided: the time was up while ${timeIsUp}; what would have followed is not proved\n  fix: --timeout with more seconds, or --no-run`,
    );
  return parts.join("\n\n");
}

function delayText(model: HybridModel, { result, assumptions, trials }: DelayAnswer): string {
  const { bound, orbit, equilibrium } = result;
  const home = model.modes[equilibrium.mode].name;
  const away = model.modes[equilibrium.mode === 0 ? 1 : 0].name;
  const lines = [
    orbit === undefined
      ? "maximum stable delay: no closed orbit was found on this part of the section"
      : `maximum stable delay: ${seconds(bound, 9)}`,
    `  rests in '${home}' at ${point(model, equilibrium.x)}`,
  ];
  if (orbit !== undefined) {
    lines.push(`  can go round for ever through ${point(model, orbit.x)},`);
    lines.push(
      `  with '${away}' switched on ${seconds(orbit.leaving, 6)} late and '${home}' ${seconds(orbit.returning, 6)} late`,
    );
  }
  if (assumptions.length > 0) lines.push("  assumptions, on sampled points");
  for (const one of assumptions)
    lines.push(
      `    ${one.holds ? "ok    " : "FAILED"} ${one.number === 0 ? "" : `${one.number}: `}${one.finding}`,
    );
  return [...lines, ...trialLines(trials, "delay")].join("\n");
}

function stepText(model: HybridModel, { result, trials }: StepAnswer): string {
  const { bound, modes } = result;
  const answer =
    bound === 0
      ? "none, as a condition fails however small the step is"
      : bound < Number.POSITIVE_INFINITY
        ? `below ${seconds(bound, 9)}`
        : "nothing forbids any step up to the longest";
  const lines = [
    `safe communication step by energies: ${answer}`,
    ...modes.flatMap((mode) => modeLines(model, mode)),
  ];
  const luck = trials.some(({ place, run }) => place === "above" && run.settles)
    ? ["    above the bound it may rest or not: that depends on the moments of looking"]
    : [];
  return [...lines, ...trialLines(trials, "step"), ...luck].join("\n");
}

const CONDITIONS = [
  "its energy is positive in the danger zone",
  "its energy is zero at rest",
  "its energy does not grow in the danger zone",
  "it is never entered with more energy than the time before",
] as const;

function modeLines(model: HybridModel, safety: ModeSafety): string[] {
  const { mode, bound, limitedBy, conditions, dangerZone, byLeastEntry, worst } = safety;
  const { name } = model.modes[mode];
  const lines = [
    limitedBy === undefined
      ? `  '${name}': all conditions hold up to the longest step`
      : bound === 0
        ? `  '${name}': none`
        : `  '${name}': below ${seconds(bound, 9)}, where its danger zone reaches ${digits(dangerZone, 3)} beyond the surface`,
  ];
  for (const [k, from] of conditions.entries()) {
    const verdict =
      from === Number.POSITIVE_INFINITY ? "holds" : `fails from ${seconds(from, 6)} on`;
    lines.push(`    condition ${k + 1}, ${CONDITIONS[k]}: ${verdict}`);
  }
  if (limitedBy === 4 && worst) {
    lines.push(`      first through ${point(model, worst.crossing)}`);
    if (byLeastEntry > bound)
      lines.push(
        `      (entries with the least energy alone: from ${seconds(byLeastEntry, 6)} on)`,
      );
  }
  return lines;
}

function trialLines(trials: readonly Trial[], what: "delay" | "step"): string[] {
  if (trials.length === 0) return [];
  return ["  co-simulated", ...trials.map((trial) => `    ${trialText(trial, what)}`)];
}

function trialText({ place, seconds: length, run }: Trial, what: "delay" | "step"): string {
  const where = { below: ", just below", above: ", just above", asked: ", as asked" }[place];
  const upTo = what === "delay" && place === "below" ? "delays up to" : what;
  const ending = run.settles
    ? `comes to rest, last switch at ${digits(run.lastSwitch, 3)} s`
    : `does not come to rest: ${run.switches} switches, the last at ${digits(run.lastSwitch, 4)} s`;
  return `${upTo} ${seconds(length, 4)}${where}: ${ending}`;
}

/** Typed arrays become lists, infinities null. */
export function hybridJson({ model, delay, step, timeIsUp }: HybridAnswers, file: string): string {
  const trials = (all: readonly Trial[]): object[] =>
    all.map(({ place, seconds: length, run }) => ({
      place,
      seconds: length,
      settles: run.settles,
      switches: run.switches,
      lastSwitch: run.lastSwitch,
      outcome: run.outcome.kind,
    }));
  const content = {
    file,
    name: model.name,
    states: model.states,
    modes: model.modes.map(({ name }) => name),
    ...(timeIsUp !== undefined && { timeIsUp }),
    ...(delay && {
      delay: { ...delay.result, assumptions: delay.assumptions, trials: trials(delay.trials) },
    }),
    ...(step && {
      step: { bound: step.result.bound, modes: step.result.modes, trials: trials(step.trials) },
    }),
  };
  const plain = (_: string, value: unknown): unknown =>
    value instanceof Float64Array ? [...value] : value;
  return JSON.stringify(content, plain, 2);
}

/** The trials around the bound side by side. */
export function hybridFigures({ model, delay, step }: HybridAnswers): PhaseFigure[] {
  const figures: PhaseFigure[] = [];
  for (const [answer, what] of [
    [delay, "delay"],
    [step, "step"],
  ] as const) {
    if (!answer || answer.trials.length === 0) continue;
    const { bound } = answer.result;
    figures.push({
      title:
        what === "delay"
          ? `${model.name}: maximum stable delay ${seconds(bound, 6)}`
          : `${model.name}: safe communication step below ${seconds(bound, 6)}`,
      caption:
        what === "delay"
          ? "○ start on the closed orbit   ● end of the run"
          : "the second half of the run   ○ its start   ● its end",
      xName: model.states[0] ?? "",
      yName: model.states[1] ?? "",
      panels: shownTrials(answer.trials).map((trial) => panelOf(model, trial, what)),
      boundary: {
        label: "switching surface",
        value: (x, y) => model.surface.value(Float64Array.of(x, y)),
      },
    });
  }
  return figures;
}

/**
 * Those around the bound; and where they all rest, one that the file asks for and that does not.
 */
function shownTrials(trials: readonly Trial[]): readonly Trial[] {
  const around = trials.filter(({ place }) => place !== "asked");
  if (around.length === 0) return trials;
  if (around.some(({ run }) => !run.settles)) return around;
  const restless = trials.find(({ run }) => !run.settles);
  return restless === undefined ? around : [...around, restless];
}

/** A run that begins far out shows in its second half whether it rests. */
function panelOf(model: HybridModel, trial: Trial, what: "delay" | "step"): PhasePanel {
  const { states, mode: all, time } = trial.run;
  const [xs = new Float64Array(1), ys = xs] = states;
  const middle = (time.at(-1) ?? 0) / 2;
  const first = what === "delay" ? 0 : time.findIndex((t) => t >= middle);
  const mode = all.subarray(first);
  const last = mode.length - 1;
  const at = (i: number): [number, number] => [xs[first + i] ?? 0, ys[first + i] ?? 0];
  const curves = model.modes.map(({ name: label }, m): PhaseCurve => {
    const curve = { label, color: m, x: [] as number[], y: [] as number[] };
    const add = ([x, y]: [number, number]): void => {
      curve.x.push(x);
      curve.y.push(y);
    };
    // A row's mode rules up to the next row.
    for (let i = 0; i < last; i++) {
      if (mode[i] !== m + 1) continue;
      if (i === 0 || mode[i - 1] !== m + 1) add(at(i));
      add(at(i + 1));
      if (mode[i + 1] !== m + 1) add([Number.NaN, Number.NaN]);
    }
    return curve;
  });
  const ending = trial.run.settles ? "comes to rest" : "does not come to rest";
  return {
    title: `${what} ${seconds(trial.seconds, 4)}: ${ending}`,
    curves,
    start: at(0),
    end: at(last),
  };
}

export function assumptionsHold(assumptions: readonly Assumption[]): boolean {
  return assumptions.every(({ holds }) => holds);
}

function point(model: HybridModel, x: Float64Array): string {
  return model.states.map((state, i) => `${state} = ${digits(x[i] ?? Number.NaN, 7)}`).join(", ");
}

function seconds(value: number, precision: number): string {
  return `${digits(value, precision)} s`;
}

function digits(value: number, precision: number): string {
  return String(Number(value.toPrecision(precision)));
}
