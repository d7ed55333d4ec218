/**
 * What a unit can and cannot do in a co-simulation, in sentences: the consequence for the person, then the fact.
 */
import { unitKind } from "../../fmi/kind.ts";
import type { Capabilities, UnitDescription } from "../../model/unit-description.ts";

interface Sentence {
  readonly can: boolean;
  readonly text: string;
}

export function abilities(unit: UnitDescription): string[] {
  return [...capabilitySentences(unit.capabilities), ...kindSentences(unit)];
}

function capabilitySentences(c: Capabilities): string[] {
  const sentences: Sentence[] = [
    c.rollback
      ? {
          can: true,
          text: "rollback: a step can be undone and repeated, so iterating, error-controlling and event-locating masters work",
        }
      : {
          can: false,
          text: "no rollback: a step cannot be repeated; only explicit masters, and events are found late",
        },
    c.variableStep
      ? { can: true, text: "variable step: the communication step may change during the run" }
      : {
          can: false,
          text: "constant step only: every communication step must have the same size",
        },
    c.serialize
      ? { can: true, text: "its state can be stored: checkpoints on disk work" }
      : { can: false, text: "its state cannot be stored: no checkpoints on disk" },
    c.directionalDerivatives
      ? {
          can: true,
          text: "directional derivatives: algebraic loops and strong coupling converge fast",
        }
      : {
          can: false,
          text: "no directional derivatives: loops are solved by finite differences or fixed-point iteration",
        },
    c.inputDerivativeOrder > 0
      ? { can: true, text: "takes input slopes: inputs may vary within a step" }
      : { can: false, text: "no input slopes: inputs are held constant within a step" },
    ...optionalSentences(c),
  ];
  return sentences.map(({ can, text }) => `  ${can ? "+" : "-"} ${text}`);
}

/** Only what is worth a line when it is there. */
function optionalSentences(c: Capabilities): Sentence[] {
  const sentences: [boolean, Sentence][] = [
    [
      c.outputDerivativeOrder > 0,
      {
        can: true,
        text: `output derivatives up to order ${c.outputDerivativeOrder}: others can extrapolate it well`,
      },
    ],
    [
      c.adjointDerivatives,
      { can: true, text: "adjoint derivatives: gradients of a few outputs are cheap" },
    ],
    [c.eventMode, { can: true, text: "event mode: its events are handled at their exact time" }],
    [c.earlyReturn, { can: true, text: "early return: it may end a step where something happens" }],
    [
      c.intermediateUpdate,
      { can: true, text: "intermediate update: values can be exchanged within a step" },
    ],
    [
      c.oncePerProcess,
      { can: false, text: "one instance per process: a scenario can hold it once" },
    ],
    [
      c.needsExecutionTool,
      { can: false, text: "needs the tool that made it (or its run time) on this machine" },
    ],
    [
      c.preferredStep !== undefined,
      {
        can: true,
        text: `works inside with a step of ${c.preferredStep} s: take a multiple of it`,
      },
    ],
  ];
  return sentences.filter(([is]) => is).map(([, sentence]) => sentence);
}

/** Ports of one kind for one reason share a line. */
function kindSentences(unit: UnitDescription): string[] {
  const { inputs, outputs } = unitKind(unit);
  const groups = new Map<string, { names: string[]; kind: string; why: string }>();
  for (const { port, kind, why } of [...inputs, ...outputs]) {
    const group = groups.get(kind + why) ?? { names: [], kind, why };
    group.names.push(port.name);
    groups.set(kind + why, group);
  }
  if (groups.size === 0) return [];
  return [
    "  kind",
    ...[...groups.values()].map(
      ({ names, kind, why }) => `    ${listed(names)}: ${kind}, because ${why}`,
    ),
  ];
}

const MAX_NAMES = 6;

function listed(names: readonly string[]): string {
  if (names.length <= MAX_NAMES) return names.join(", ");
  return `${names.slice(0, MAX_NAMES).join(", ")} and ${names.length - MAX_NAMES} more`;
}
