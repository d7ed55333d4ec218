/**
 * A coordination specification as text, in the one way that the formatter writes: loads, the
 * experiment, connectors; sources before arrows. Comments come from outside (format-mcl.ts), by the
 * place of what they belong to.
 */
import { END, indented, keyOf, type Notes, withNotes } from "../text/notes.ts";
import { printQuoted } from "../text/quoted-names.ts";
import { printName, printPort } from "./language.ts";
import type {
  ConnectorSpec,
  Expression,
  InteractionSpec,
  PortName,
  Quantity,
  Specification,
  TriggerSpec,
} from "./specification.ts";

/** Notes by the place of what they belong to, or END. */
export type NotesOf = (key: string) => Notes | undefined;

/** `parseMcl` reads this as the same specification, and `formatMcl` leaves it as it is. */
export function printMcl(specification: Specification): string {
  return printWithNotes(specification, () => undefined);
}

export function printWithNotes(specification: Specification, notesOf: NotesOf): string {
  const { loads, experiment, connectors } = specification;
  const noted = (
    { place }: { readonly place: { readonly line?: number; readonly column?: number } },
    head: readonly string[],
    body: readonly string[] = [],
  ): string[] => withNotes(notesOf(keyOf(place)), head, body);
  const groups: string[][] = [
    loads.flatMap((load) => {
      const name = load.name === undefined ? "" : ` as ${printName(load.name)}`;
      return noted(load, [`load ${printQuoted(load.path)}${name}`]);
    }),
    experiment === undefined
      ? []
      : noted(
          experiment,
          ["experiment {"],
          [
            ...indented(
              experiment.settings.flatMap((one) =>
                noted(one, [`${one.key} ${quantityText(one.value)}`]),
              ),
            ),
            "}",
          ],
        ),
    ...connectors.map((connector) =>
      noted(
        connector,
        [`Connector ${printName(connector.name)}${endsText(connector)}`],
        indented([
          ...(connector.trigger === undefined
            ? []
            : noted(connector.trigger, [`when ${triggerText(connector.trigger)}`])),
          ...(connector.sync === undefined
            ? []
            : noted(connector.sync, [`sync ${syncText(connector.sync)}`])),
          "do",
          ...indented(connector.interactions.flatMap((one) => noted(one, [interactionText(one)]))),
        ]),
      ),
    ),
    [...(notesOf(END)?.before ?? [])],
  ];
  const written = groups.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return `${written.join("\n\n")}\n`;
}

function endsText({ ends }: ConnectorSpec): string {
  return ends === undefined
    ? ""
    : ` (from ${printPortName(ends.from)} to ${printPortName(ends.to)})`;
}

function triggerText(trigger: TriggerSpec): string {
  switch (trigger.kind) {
    case "every": {
      const { period, reference } = trigger;
      return reference === undefined
        ? `every ${quantityText(period)}`
        : `every ${period.value} ${printPortName(reference)}`;
    }
    case "event":
      return `event on ${printPortName(trigger.port)} occurs`;
    case "updated":
      return `value on ${printPortName(trigger.port)} has been Updated`;
    case "ready-to-read":
      return `value on ${printPortName(trigger.port)} is ReadyToRead`;
    case "threshold": {
      const crosses = trigger.direction === "rising" ? "rises above" : "falls below";
      return `value on ${printPortName(trigger.port)} ${crosses} ${trigger.level}`;
    }
  }
}

function syncText({ left, right, tolerance }: NonNullable<ConnectorSpec["sync"]>): string {
  const within = tolerance === undefined ? "" : ` within ${quantityText(tolerance)}`;
  return `${printPortName(left)} = ${printPortName(right)}${within}`;
}

function quantityText({ value, unit }: Quantity): string {
  return unit === undefined ? String(value) : `${value} ${unit}`;
}

export function interactionText({ source, target }: InteractionSpec): string {
  return `${expressionText(source)} -> ${printPortName(target)}`;
}

function printPortName({ unit, port, element }: PortName): string {
  const index = element.length === 0 ? "" : `[${element.join(", ")}]`;
  return `${printName(unit)}.${printPort(port)}${index}`;
}

const LEVELS = { "+": 1, "-": 1, "*": 2, "/": 2 } as const;

/** @param least the level that needs no brackets here. */
export function expressionText(expression: Expression, least = 0): string {
  switch (expression.kind) {
    case "number":
      return String(expression.value);
    case "port":
      return printPortName(expression.port);
    case "unary": {
      const { operator, operand } = expression;
      return `${operator === "not" ? "not " : "-"}${expressionText(operand, 3)}`;
    }
    case "binary": {
      const { operator, left, right } = expression;
      const level = LEVELS[operator];
      const text = `${expressionText(left, level)} ${operator} ${expressionText(right, level + 1)}`;
      return level < least ? `(${text})` : text;
    }
  }
}
