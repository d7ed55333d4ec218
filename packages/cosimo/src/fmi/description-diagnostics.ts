/**
 * Everything that can be wrong with the shape of an FMU's XML files: one table, so that codes keep
 * their meaning and the reference page can be generated. What the content means (value references,
 * combinations, …) is the validator's business.
 */

import {
  type Diagnostic,
  diagnose,
  type Place,
  type RulesFor,
  rulesFrom,
} from "../base/diagnostic.ts";
import { excessOf, MAX_UNIT_ELEMENTS } from "../model/element-limits.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import type { Reporter } from "../xml/reporter.ts";
import { XML_DIAGNOSTICS, type XmlParams } from "../xml/xml-diagnostics.ts";
import { fmiVersionNames } from "./versions/table.ts";

export interface DescriptionParams extends XmlParams {
  "negated-alias": { readonly name: string };
  "fmi-version-unknown": { readonly version: string };
  "fmi-version-literal": { readonly version: string; readonly expected: string };
  "fmi-version-newer": { readonly version: string };
  "newer-content": { readonly what: string };
  "too-many-elements": {
    readonly variable: string;
    readonly shape: readonly number[];
    readonly total: number;
  };
  "malformed-date": { readonly attribute: string; readonly value: string };
  "absent-attribute": { readonly attribute: string; readonly element: string };
  "absent-element": { readonly element: string; readonly parent: string };
  "ignored-attribute": MalformedValue;
  "repeated-list": { readonly element: string; readonly parent: string };
}

type MalformedValue = XmlParams["malformed-attribute"];

/** Takes reports about the files of an FMU. */
export type DescriptionReporter = Reporter<DescriptionParams>;

const OWN_RULES: RulesFor<Omit<DescriptionParams, keyof XmlParams>> = rulesFrom<
  Omit<DescriptionParams, keyof XmlParams>
>({
  "negated-alias": {
    severity: "warning",
    rule: "No variable of FMI 1.0 is another one with the opposite sign.",
    message: (p) =>
      `'${p.name}' is a negated alias: FMI functions return the value of the other variable, so it is left out`,
    fix: "use the other variable, with a factor of -1 where it is connected",
  },
  "fmi-version-unknown": {
    rule: "The attribute fmiVersion names a version that Cosimo knows.",
    message: (p) => `fmiVersion is '${p.version}'; Cosimo reads ${fmiVersionNames("and")}`,
    fix: `export the model again as ${fmiVersionNames("or")}`,
  },
  "fmi-version-literal": {
    severity: "warning",
    rule: 'In every revision of FMI 2.0 the attribute fmiVersion is "2.0".',
    message: (p) =>
      `fmiVersion is '${p.version}', but every revision of FMI ${p.expected} writes '${p.expected}'`,
    fix: (p) => `write fmiVersion="${p.expected}"`,
  },
  "fmi-version-newer": {
    severity: "warning",
    rule: "The minor version of FMI is one that Cosimo knows.",
    message: (p) => `FMI ${p.version} is newer than what Cosimo knows; what it adds is ignored`,
    fix: "nothing, unless the model relies on the additions",
  },
  "newer-content": {
    severity: "warning",
    rule: "What a newer minor version adds is known to Cosimo.",
    message: (p) => `${p.what} is not known in FMI 3.0 and is ignored`,
    fix: "nothing, unless the model relies on it",
  },
  "too-many-elements": {
    rule: `The variables of an FMU have at most ${MAX_UNIT_ELEMENTS} elements together, start values included.`,
    message: (p) =>
      `with '${p.variable}'${p.shape.length > 0 ? ` (${p.shape.join(" × ")})` : ""} the FMU has ${p.total} elements; at most ${MAX_UNIT_ELEMENTS} are possible`,
    fix: "make the dimensions smaller, or the values of the structural parameters that set them",
  },
  "malformed-date": {
    rule: "A date has the form 2024-01-31T12:00:00Z.",
    message: (p) => `${p.attribute}="${p.value}" is not a date and time; it is kept as text`,
    fix: "write it like 2024-01-31T12:00:00Z",
  },
  "absent-attribute": {
    rule: "Attributes that the schema requires are present, also where they can be done without.",
    message: (p) =>
      `<${p.element}> lacks the required attribute '${p.attribute}'; it is read as empty`,
    fix: (p) => `add ${p.attribute}="…"`,
  },
  "absent-element": {
    rule: "Elements that the schema requires are present, also where they can be done without.",
    message: (p) =>
      `<${p.parent}> lacks the required element <${p.element}>; it is read as if that were empty`,
    fix: (p) => `add <${p.element}>`,
  },
  "ignored-attribute": {
    rule: "Attributes have the form of their type, also where they can be done without.",
    message: (p) =>
      `${p.attribute}="${p.value}" of <${p.element}> is not ${p.expected}; it is ignored`,
    fix: (p) => `write ${p.expected}, or omit it`,
  },
  "repeated-list": {
    rule: "A list occurs once.",
    message: (p) => `<${p.parent}> has <${p.element}> again; the entries of both are read`,
    fix: "write all entries into one list",
  },
});

export const DESCRIPTION_DIAGNOSTICS: RulesFor<DescriptionParams> = {
  ...XML_DIAGNOSTICS,
  ...OWN_RULES,
};

const LOSSLESS: ReadonlySet<string> = new Set([
  "unknown-element",
  "unknown-attribute",
  "empty-list",
  "unexpected-text",
  "malformed-date",
  "absent-attribute",
  "absent-element",
  "ignored-attribute",
  "odd-literal",
  "repeated-list",
  "xml-entity-unknown",
]);

/**
 * True when the problem breaks the schema but nothing that Cosimo reads was lost by it: `validate`
 * calls it an error, `info` and `run` may go on with the value they got.
 */
export function isLossless(diagnostic: Diagnostic): boolean {
  return diagnostic.severity !== "error" || LOSSLESS.has(diagnostic.code);
}

/** A unit whose structural parameters were given values that make it too large. */
export function tooManyElements(
  { ports }: Pick<UnitDescription, "ports">,
  place: Place,
): Diagnostic | undefined {
  const { index = -1, total = 0 } = excessOf(ports) ?? {};
  const port = ports[index];
  if (port === undefined) return undefined;
  const params = { variable: port.name, shape: port.shape, total };
  return diagnose(DESCRIPTION_DIAGNOSTICS, "too-many-elements", params, place);
}
