/**
 * An interface as text, in the one way that the formatter writes: its parts and the attributes of
 * its ports in a fixed order, two blanks a level, one attribute a line. Comments come from outside
 * (format-mci.ts), by the key of what they belong to.
 */
import type { Place } from "../../base/diagnostic.ts";
import type { InterfacePort, UnitInterface } from "../../model/unit-interface.ts";
import { END, indented, keyOf, type Notes, withNotes } from "../text/notes.ts";
import { printQuoted } from "../text/quoted-names.ts";
import type { Attribute, Part } from "./ast.ts";
import { printEventName, printName } from "./language.ts";

/**
 * Notes by key: the place of what begins there, the kind of a part that holds a list, or the end of
 * the text. What two blocks of one kind say is written as one.
 */
export type NotesOf = (key: string) => Notes | undefined;

/** The key of an attribute: a port has each of them once. */
export function attributeKey(port: Place, kind: Attribute["$type"]): string {
  return `${keyOf(port)} ${kind}`;
}

/** `parseMci` reads this as the same interface, and `formatMci` leaves it as it is. */
export function printMci(declared: UnitInterface): string {
  return printWithNotes(declared, () => undefined);
}

export function printWithNotes(declared: UnitInterface, notesOf: NotesOf): string {
  const { name, source, ports, references, properties, place } = declared;
  const block = (kind: Part["$type"], head: string, items: readonly string[]): string[] =>
    items.length === 0 ? [] : withNotes(notesOf(kind), [`${head} {`], [...indented(items), "}"]);
  const body = [
    ...(source === undefined
      ? []
      : withNotes(notesOf(keyOf(source.place)), [`${source.keyword} ${printQuoted(source.path)}`])),
    ...block(
      "Ports",
      "ports",
      ports.flatMap((port, i) => portLines(port, i + 1 < ports.length ? "," : "", notesOf)),
    ),
    ...block(
      "TemporalReferences",
      "temporalreferences",
      references.flatMap((one) =>
        withNotes(
          notesOf(keyOf(one.place)),
          [`ModelTemporalReference ${printName(one.name)} {`],
          [`  reference ${one.kind}`, "}"],
        ),
      ),
    ),
    ...block(
      "UnitProperties",
      "properties",
      properties.flatMap((one) =>
        withNotes(notesOf(keyOf(one.place)), [`${one.name}${one.value ? "" : " false"}`]),
      ),
    ),
  ];
  const lines = withNotes(
    notesOf(keyOf(place)),
    [`Interface ${printName(name)} {`],
    [...indented(body), "}"],
  );
  return `${[...lines, ...(notesOf(END)?.before ?? [])].join("\n")}\n`;
}

export function portLines(port: InterfacePort, separator: string, notesOf: NotesOf): string[] {
  const { name, variable, direction, nature, type, shape, initial, reference } = port;
  const { events, use, monitored, color, place } = port;
  const size = shape.length === 0 ? "" : ` [${shape.join(", ")}]`;
  const attribute = (
    kind: Attribute["$type"],
    value: unknown,
    head: string,
    inside: readonly string[] = [],
  ): string[] =>
    value === undefined ? [] : withNotes(notesOf(attributeKey(place, kind)), [head], inside);
  const eventLines = events.flatMap((one) =>
    withNotes(notesOf(keyOf(one.place)), [
      one.name === undefined ? one.kind : `${one.kind} ${printEventName(one.name)}`,
    ]),
  );
  const lines = [
    ...attribute("VariableAttribute", variable, `variableName ${printQuoted(variable ?? "")}`),
    ...attribute("DirectionAttribute", direction, `direction ${direction?.toUpperCase()}`),
    ...attribute("NatureAttribute", nature, `nature ${nature}`),
    ...attribute("TypeAttribute", type, `type ${type}${size}`),
    ...attribute("InitialAttribute", initial, `initialValue ${printQuoted(initial ?? "")}`),
    ...attribute(
      "ReferenceAttribute",
      reference,
      `temporalreference ${printName(reference ?? "")}`,
    ),
    ...attribute("EventsAttribute", events[0], "ioevents {", [...indented(eventLines), "}"]),
    ...attribute("PortProperties", use, "properties {", [`  ${use}`, "}"]),
    ...attribute("MonitoredAttribute", monitored, `monitored ${monitored}`),
    ...attribute("ColorAttribute", color, `plotterColor ${printQuoted(color ?? "")}`),
  ];
  return withNotes(
    notesOf(keyOf(place)),
    [`Port ${printName(name)} {`],
    [...indented(lines), `}${separator}`],
  );
}
