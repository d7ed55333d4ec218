/**
 * `cosimo check x.machine.yaml`: findings, states and transitions as a page, and the machine as a
 * drawing.
 */

import { type Diagnostic, hasErrors } from "../../base/diagnostic.ts";
import { parseMachine } from "../../lang/machine/parse-machine.ts";
import { printExpression } from "../../lang/sa/print-expression.ts";
import {
  type Machine,
  type MachineAction,
  stateNamed,
  statesOf,
  type TransitionDefinition,
} from "../../model/machine.ts";
import { writeWholeFile } from "../../platform/node/whole-file.ts";
import type { StateChart } from "../../plot/state-chart-svg.ts";
import type { ExitCode } from "../command.ts";
import { findingTexts, printFindings } from "../findings.ts";
import { readText } from "../read-file.ts";
import { print, printJson } from "../terminal.ts";

export interface CheckMachineOptions {
  readonly json: boolean;
  /** Where the drawing goes. */
  readonly graph?: string;
}

export async function checkMachineFile(
  path: string,
  { json, graph }: CheckMachineOptions,
): Promise<ExitCode> {
  const text = readText(path, (d) => printFindings([d]));
  if (text === undefined) return 1;
  const { value, diagnostics } = parseMachine(text, path);
  if (value !== undefined && graph !== undefined) {
    const { stateChartSvg } = await import("../../plot/state-chart-svg.ts");
    writeWholeFile(graph, await stateChartSvg(chartOf(value)));
  }
  if (json) printJson({ machine: path, ...(value && { chart: chartOf(value) }), diagnostics });
  else print(page(path, value, diagnostics));
  return hasErrors(diagnostics) ? 1 : 0;
}

function page(path: string, machine: Machine | undefined, findings: readonly Diagnostic[]): string {
  const parts: string[] = [];
  if (machine !== undefined) {
    const { states, transitions } = chartOf(machine);
    parts.push(
      machine.name,
      ...portLines(machine),
      "states",
      ...states.flatMap(({ path: state, isInitial, actions }) => [
        `  ${state}${isInitial ? "  (initial)" : ""}`,
        ...actions.map((action) => `    ${action}`),
        ...transitions
          .filter(({ from }) => from === state)
          .map(({ to, lines }) => `    → ${to}  ${lines.join(" ")}`.trimEnd()),
      ]),
      "",
    );
  }
  if (findings.length > 0) parts.push("findings", ...findingTexts(findings), "");
  parts.push(`${path}: ${hasErrors(findings) ? "it cannot be used" : "ready to use"}`);
  return parts.join("\n");
}

function portLines({ parameters, inputs, outputs, locals, events }: Machine): string[] {
  const rows: [string, readonly { readonly name: string }[]][] = [
    ["parameters", parameters],
    ["inputs", inputs],
    ["outputs", outputs],
    ["events", events],
    ["locals", locals],
  ];
  return rows.flatMap(([title, ports]) =>
    ports.length === 0 ? [] : [`  ${title}: ${ports.map(({ name }) => name).join(", ")}`],
  );
}

/** The machine as it is drawn. */
function chartOf(machine: Machine): StateChart {
  const states = statesOf(machine.states);
  const paths = states.map(({ path }) => path);
  const initials = new Set([
    machine.initial,
    ...states.flatMap(({ path, state }) => (state.initial ? [`${path}.${state.initial}`] : [])),
  ]);
  return {
    title: machine.name,
    subtitle: machine.description ?? `${states.length} states`,
    states: states.map(({ path, state }) => ({
      path,
      isInitial: initials.has(path),
      actions: [
        ...(state.entry.length > 0 ? [`entry / ${actionsText(state.entry)}`] : []),
        ...(state.exit.length > 0 ? [`exit / ${actionsText(state.exit)}`] : []),
      ],
    })),
    transitions: states.flatMap(({ path, state }) =>
      state.transitions.map((transition) => ({
        from: path,
        to: stateNamed(paths, path, transition.to) ?? transition.to,
        lines: transitionLines(transition),
      })),
    ),
  };
}

function transitionLines({ after, on, when, actions }: TransitionDefinition): string[] {
  const waits = [
    after === undefined ? "" : `after ${typeof after === "number" ? `${after} s` : after}`,
    on === undefined ? "" : `on ${on}`,
  ].filter((part) => part !== "");
  const guard = when === undefined ? "" : `[${printExpression(when)}]`;
  const first = [...waits, guard].filter((part) => part !== "").join(" ");
  const second = actions.length === 0 ? "" : `/ ${actionsText(actions)}`;
  return [first, second].filter((line) => line !== "");
}

function actionsText(actions: readonly MachineAction[]): string {
  return actions
    .map((action) =>
      action.kind === "emit"
        ? `emit ${action.event}`
        : `${action.target} := ${printExpression(action.value)}`,
    )
    .join("; ");
}
