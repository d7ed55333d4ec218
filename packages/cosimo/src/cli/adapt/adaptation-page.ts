/**
 * The page that `cosimo adapt` prints: what kind of unit an adaptation is, what is inside, and what
 * its ports are made of.
 */
import { BACKENDS, type BackendName } from "../../model/backends.ts";
import { fileKind, SOURCES } from "../../model/source-kind.ts";
import { listed } from "../info/abilities.ts";
import { textTable } from "../info/text-table.ts";
import type {
  AdaptationFacts,
  ArgumentFacts,
  InnerFacts,
  PortFacts,
  StoredFacts,
} from "./adaptation-facts.ts";

/**
 * Adaptations and scenarios describe themselves as TypeScript units, which says nothing to readers.
 */
function sourceText(source: string, backend: BackendName): string {
  const kind = fileKind(source);
  return (kind && SOURCES[kind].noun) ?? BACKENDS[backend].noun;
}

export function adaptationPage(facts: AdaptationFacts): string {
  const { storage } = facts;
  const stored: [string, readonly StoredFacts[]][] = [
    ["in", storage.in],
    ["control", storage.control],
    ["out", storage.out],
  ];
  return [
    heading(facts),
    section("given where it is applied", textTable((facts.arguments ?? []).map(argumentRow))),
    section("inner units", textTable(facts.inner.map(innerRow))),
    section("connections", textTable(facts.connections.map(({ from, to }) => [`${from} → ${to}`]))),
    section("inputs", textTable(facts.inputs.map((port) => portRow(port, "→")))),
    section("outputs", textTable(facts.outputs.map((port) => portRow(port, "←")))),
    section("parameters", textTable(facts.parameters.map(storedRow))),
    section(
      "storage",
      textTable(
        stored
          .filter(([, list]) => list.length > 0)
          .map(([part, list]) => [part, storedNames(list)]),
      ),
    ),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

const INPUT_KINDS: Readonly<Record<AdaptationFacts["kind"]["input"], string>> = {
  reactive: "  reactive: it wants its inputs at the end of a step",
  delayed: "  delayed: it takes its inputs at the beginning of a step",
  inherited: "  its inputs are of the kinds of those inside that they lead to",
};

const OUTPUT_KINDS: Readonly<Record<AdaptationFacts["kind"]["output"], string>> = {
  mealy: "  Mealy: its outputs may follow its inputs at once",
  moore: "  Moore: its outputs follow from its state alone",
  inherited: "  its outputs follow its inputs at once where what is inside does",
};

function heading({ type, kind, target }: AdaptationFacts): string {
  return [
    `${type}  (semantic adaptation, ${kindText(kind)})`,
    INPUT_KINDS[kind.input],
    OUTPUT_KINDS[kind.output],
    ...(target === undefined ? [] : [`  exported to ${target}`]),
  ].join("\n");
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [title, ...lines].join("\n");
}

function kindText({ input, output }: AdaptationFacts["kind"]): string {
  const named = { mealy: "Mealy", moore: "Moore", inherited: "inherited" }[output];
  return input === named ? "of the kind inside" : `${input} ${named}`;
}

function innerRow({ name, type, source, unit }: InnerFacts): string[] {
  if (source === undefined) return [name, type, "open", "", "", "given where it is applied"];
  if (unit === undefined) return [name, type, "not known", "", "", source];
  return [
    name,
    type,
    sourceText(source, unit.backend),
    kindText(unit.kind),
    unit.rollback ? "can roll back" : "cannot roll back",
    source,
  ];
}

function argumentRow({ name, is, of, type, otherwise }: ArgumentFacts): string[] {
  switch (is) {
    case "unit":
      return [name, "the file of a further unit", "", ""];
    case "parameter":
      return [name, "a parameter", type ?? "", `unless given: ${otherwise}`];
    default: {
      const unless = "unless given: the one of this name, or the only one";
      return [name, `an ${is} of '${of}'`, type ?? "", unless];
    }
  }
}

function portRow({ name, type, unit, binding, added }: PortFacts, arrow: string): string[] {
  const isConverted = binding?.unit !== undefined && unit !== undefined && binding.unit !== unit;
  const inside = isConverted ? `${binding.port} (${binding.unit})` : binding?.port;
  return [
    name,
    type,
    unit === undefined ? "" : `(${unit})`,
    inside === undefined ? "by rules" : `${arrow} ${inside}`,
    added ? "added" : "",
  ];
}

function storedRow({ name, value, added }: StoredFacts): string[] {
  return [name, `:= ${value}`, added ? "added" : ""];
}

/** The author's, and how many explicit form adds: those carry values from port to port. */
function storedNames(list: readonly StoredFacts[]): string {
  const written = list.filter(({ added }) => !added).map(({ name }) => name);
  const added = list.length - written.length;
  return [listed(written), ...(added === 0 ? [] : [`${added} added`])]
    .filter((text) => text !== "")
    .join(", ");
}
