/**
 * Everything that can be wrong with a system structure (SSD, SSV, SSM, SSB, SSP), read or written: one table, on top of
 * what any XML file can get wrong. Rules: docs/spec/ssp.md.
 */

import type { RulesFor } from "../base/diagnostic.ts";
import type { Reporter } from "../xml/reporter.ts";
import { XML_DIAGNOSTICS, type XmlParams } from "../xml/xml-diagnostics.ts";
import { EXPORT_RULES, type ExportParams } from "./export-diagnostics.ts";

export interface SspParams extends XmlParams, ExportParams {
  "ssp-version": { readonly version: string };
  "ssp-namespace": { readonly prefix: string };
  "ssp-newer-content": { readonly what: string };
  "ssp-duplicate-name": { readonly what: string; readonly name: string; readonly line: number };
  "ssp-unknown-element": { readonly element: string; readonly nearest: string | undefined };
  "ssp-unknown-connector": {
    readonly connector: string;
    readonly owner: string;
    readonly nearest: string | undefined;
  };
  "ssp-connection-direction": {
    readonly start: string;
    readonly end: string;
    readonly role: string;
  };
  "ssp-connection-loop": { readonly at: string };
  "ssp-unknown-dictionary": { readonly dictionary: string; readonly nearest: string | undefined };
  "ssp-unknown-entry": {
    readonly entry: string;
    readonly dictionary: string;
    readonly nearest: string | undefined;
  };
  "ssp-two-writers": { readonly what: string; readonly line: number };
  "ssp-unwritten-signal": { readonly signal: string };
  "ssp-unknown-unit": { readonly unit: string; readonly nearest: string | undefined };
  "ssp-unknown-enumeration": { readonly name: string; readonly nearest: string | undefined };
  "ssp-missing-file": { readonly path: string };
  "ssp-source": { readonly source: string; readonly why: string };
  "ssp-no-source": { readonly component: string };
  "ssp-implementation": { readonly component: string; readonly implementation: string };
  "ssp-media-type": { readonly type: string; readonly element: string };
  "ssp-inline": { readonly element: string; readonly content: string; readonly both: boolean };
  "ssp-reference-loop": { readonly source: string };
  "ssp-unknown-id": { readonly id: string };
  "ssp-ambiguous-map": { readonly value: string };
  "ssp-mapping-target": { readonly target: string; readonly line: number };
  "ssp-value-count": { readonly name: string; readonly expected: number; readonly found: number };
  "ssp-value-type": { readonly name: string; readonly needed: string };
  "ssp-transformation-chain": { readonly why: string };
  "ssp-boundary-transformation": { readonly connector: string };
  "ssp-annotation": { readonly why: string };
  "ssp-no-structure": { readonly elsewhere: string | undefined };
  "ssp-unknown-variant": { readonly variant: string; readonly variants: string };
  "ssp-parameter-unmatched": { readonly name: string; readonly nearest: string | undefined };
  "ssp-mapping-unmatched": { readonly name: string; readonly nearest: string | undefined };
  "ssp-unused": { readonly what: string; readonly why: string };
}

export type SspReporter = Reporter<SspParams>;

const EXPORT_AGAIN = "correct the file, or export it again from the tool that made it";

function didYouMean(nearest: string | undefined, otherwise: string): string {
  return nearest === undefined ? otherwise : `did you mean '${nearest}'?`;
}

const OWN_RULES: RulesFor<Omit<SspParams, keyof XmlParams | keyof ExportParams>> = {
  "ssp-version": {
    severity: "error",
    rule: "A file of SSP says version 1.0 or 2.0.",
    text: (p) => ({
      message: `version is '${p.version}'; Cosimo reads SSP 1.0 and 2.0`,
      fix: "export the system again as SSP 1.0 or 2.0",
    }),
  },
  "ssp-namespace": {
    severity: "error",
    rule: "Every namespace prefix is declared.",
    text: (p) => ({
      message: `the namespace prefix '${p.prefix}' is not declared`,
      fix: `declare xmlns:${p.prefix}="…" on the root element`,
    }),
  },
  "ssp-newer-content": {
    severity: "warning",
    rule: "A file that says version 1.0 uses only what SSP 1.0 has.",
    text: (p) => ({
      message: `${p.what} belongs to SSP 2.0, but the file says 1.0; it is read all the same`,
      fix: 'write version="2.0"',
    }),
  },
  "ssp-duplicate-name": {
    severity: "error",
    rule: "Names are unique among their neighbours.",
    text: (p) => ({
      message: `the ${p.what} '${p.name}' exists already, on line ${p.line}`,
      fix: "give one of them another name",
    }),
  },
  "ssp-unknown-element": {
    severity: "error",
    rule: "A connection names elements of its own system.",
    text: (p) => ({
      message: `this system has no element '${p.element}'`,
      fix: didYouMean(p.nearest, "name an element of this system, or leave the attribute out"),
    }),
  },
  "ssp-unknown-connector": {
    severity: "error",
    rule: "A connection names connectors that its elements declare.",
    text: (p) => ({
      message: `${p.owner} declares no connector '${p.connector}'`,
      fix: didYouMean(p.nearest, `add <ssd:Connector name="${p.connector}" kind="…"/> to it`),
    }),
  },
  "ssp-connection-direction": {
    severity: "error",
    rule: "A connection leads from a source of data to a sink.",
    text: (p) => ({
      message: `'${p.start}' and '${p.end}' are both ${p.role}s of data here, so nothing can flow between them`,
      fix: "connect an output to an input, or correct the kind of one connector",
    }),
  },
  "ssp-connection-loop": {
    severity: "error",
    rule: "Connections through dictionaries and systems come from a component in the end.",
    text: (p) => ({
      message: `the connections that lead to ${p.at} run in a circle without a component in it`,
      fix: "remove one connection of the circle",
    }),
  },
  "ssp-unknown-dictionary": {
    severity: "error",
    rule: "A reference names a signal dictionary of its system or of one around it.",
    text: (p) => ({
      message: `there is no signal dictionary '${p.dictionary}' in this system or around it`,
      fix: didYouMean(p.nearest, "define it in <ssd:SignalDictionaries>"),
    }),
  },
  "ssp-unknown-entry": {
    severity: "error",
    rule: "A connector of a dictionary reference names an entry of the dictionary.",
    text: (p) => ({
      message: `the signal dictionary '${p.dictionary}' has no entry '${p.entry}'`,
      fix: didYouMean(p.nearest, "add a <ssb:DictionaryEntry> for it"),
    }),
  },
  "ssp-two-writers": {
    severity: "error",
    rule: "A signal of a dictionary and an output of a system have one source.",
    text: (p) => ({
      message: `${p.what} gets its value here and on line ${p.line}`,
      fix: "keep one of the two connections",
    }),
  },
  "ssp-unwritten-signal": {
    severity: "warning",
    rule: "A signal that is read is written.",
    text: (p) => ({
      message: `nobody writes the signal '${p.signal}'; its readers keep their start values`,
      fix: "connect an output to it, or remove this connection",
    }),
  },
  "ssp-unknown-unit": {
    severity: "error",
    rule: "Every unit that a file names is defined in its Units.",
    text: (p) => ({
      message: `the unit '${p.unit}' is not defined in this file`,
      fix: didYouMean(p.nearest, "define it in the <Units> of this file"),
    }),
  },
  "ssp-unknown-enumeration": {
    severity: "error",
    rule: "Every enumeration that a file names is defined in its Enumerations.",
    text: (p) => ({
      message: `the enumeration '${p.name}' is not defined in this file`,
      fix: didYouMean(p.nearest, "define it in the <Enumerations> of this file"),
    }),
  },
  "ssp-missing-file": {
    severity: "error",
    rule: "Every file that a system names is there.",
    text: (p) => ({
      message: `there is no file '${p.path}'`,
      fix: "add the file, or correct the source; it is relative to the .ssd",
    }),
  },
  "ssp-source": {
    severity: "error",
    rule: "A source is a relative path, inside the package where there is one.",
    text: (p) => ({
      message: `the source '${p.source}' ${p.why}`,
      fix: "use a path relative to the .ssd",
    }),
  },
  "ssp-no-source": {
    severity: "error",
    rule: "A component that is to run has a source.",
    text: (p) => ({
      message: `the component '${p.component}' has no source, so there is nothing to run`,
      fix: 'add source="resources/….fmu"',
    }),
  },
  "ssp-implementation": {
    severity: "error",
    rule: "A component is run as co-simulation.",
    text: (p) => ({
      message: `the component '${p.component}' asks for ${p.implementation}; Cosimo runs co-simulation FMUs`,
      fix: 'export the FMU for co-simulation and write implementation="CoSimulation"',
    }),
  },
  "ssp-media-type": {
    severity: "error",
    rule: "The type of a component, parameter source, mapping or dictionary is one that SSP defines.",
    text: (p) => ({
      message: `Cosimo cannot read the type '${p.type}' of <${p.element}>`,
      fix: "use a type that SSP defines, or leave the attribute out",
    }),
  },
  "ssp-inline": {
    severity: "error",
    rule: "Content is either inline or in the file that source names.",
    text: (p) => ({
      message: p.both
        ? `<${p.element}> has both a source and inline content`
        : `<${p.element}> has neither a source nor <${p.content}> in it`,
      fix: p.both ? "keep one of them" : `add source="…" or <${p.content}>`,
    }),
  },
  "ssp-reference-loop": {
    severity: "error",
    rule: "A system does not contain itself.",
    text: (p) => ({
      message: `'${p.source}' leads back to a system that contains this component`,
      fix: "refer to another system",
    }),
  },
  "ssp-unknown-id": {
    severity: "error",
    rule: "A source that begins with # names the id of a system in the same file.",
    text: (p) => ({
      message: `no <ssd:System> of this file has id="${p.id}"`,
      fix: "correct the source, or add the id to the system that is meant",
    }),
  },
  "ssp-ambiguous-map": {
    severity: "error",
    rule: "A mapping maps a value once.",
    text: (p) => ({
      message: `the value '${p.value}' is mapped twice`,
      fix: "keep one <ssc:MapEntry>",
    }),
  },
  "ssp-mapping-target": {
    severity: "error",
    rule: "No two parameters are mapped to the same name.",
    text: (p) => ({
      message: `'${p.target}' is the target of another entry already, on line ${p.line}`,
      fix: "keep one of the entries",
    }),
  },
  "ssp-value-count": {
    severity: "error",
    rule: "An array parameter has as many values as its dimensions say.",
    text: (p) => ({
      message: `the parameter '${p.name}' has ${p.found} values, but its dimensions say ${p.expected}`,
      fix: "correct the values or the <ssc:Dimension> elements",
    }),
  },
  "ssp-value-type": {
    severity: "error",
    rule: "A transformation fits the type of the value that it transforms.",
    text: (p) => ({
      message: `the transformation of '${p.name}' needs ${p.needed}`,
      fix: "use the transformation that belongs to the parameter's type",
    }),
  },
  "ssp-transformation-chain": {
    severity: "error",
    rule: "Transformations on the way from an output to an input combine into one.",
    text: (p) => ({
      message: `the transformations on the way to this input do not combine: ${p.why}`,
      fix: "keep one transformation on the way",
    }),
  },
  "ssp-boundary-transformation": {
    severity: "warning",
    rule: "The outermost system passes its connectors on as they are.",
    text: (p) => ({
      message: `the transformation at the connector '${p.connector}' of the outermost system is not applied`,
      fix: "put the transformation on a connection between two elements",
    }),
  },
  "ssp-annotation": {
    severity: "error",
    rule: "Cosimo's own annotation has the content that Cosimo writes.",
    text: (p) => ({ message: `the annotation of type 'cosimo' ${p.why}`, fix: EXPORT_AGAIN }),
  },
  "ssp-no-structure": {
    severity: "error",
    rule: "A package holds SystemStructure.ssd at its root.",
    text: (p) => ({
      message:
        p.elsewhere === undefined
          ? "the package has no SystemStructure.ssd"
          : `the package has no SystemStructure.ssd at its root, but '${p.elsewhere}'`,
      fix: "pack the files so that SystemStructure.ssd lies at the root of the archive",
    }),
  },
  "ssp-unknown-variant": {
    severity: "error",
    rule: "A variant is one of the .ssd files at the root of the package.",
    text: (p) => ({
      message: `the package has no variant '${p.variant}'`,
      fix: `choose one of ${p.variants}`,
    }),
  },
  "ssp-parameter-unmatched": {
    severity: "warning",
    rule: "A parameter of a set is one of an element of the system.",
    text: (p) => ({
      message: `no element of the system has the parameter '${p.name}', so its value has no effect`,
      fix: `${p.nearest === undefined ? "correct the name" : `did you mean '${p.nearest}'? Otherwise correct the name`}, or remove it from the set`,
    }),
  },
  "ssp-mapping-unmatched": {
    severity: "warning",
    rule: "A parameter mapping names parameters of its set.",
    text: (p) => ({
      message: `the parameter set has no parameter '${p.name}', so mapping it has no effect`,
      fix: `${p.nearest === undefined ? "correct the source" : `did you mean '${p.nearest}'? Otherwise correct the source`}, or remove the entry`,
    }),
  },
  "ssp-unused": {
    severity: "note",
    rule: "What a system contains and Cosimo does not use is listed.",
    text: (p) => ({ message: `not used: ${p.what}`, fix: `nothing to do: ${p.why}` }),
  },
};

export const SSP_DIAGNOSTICS: RulesFor<SspParams> = {
  ...XML_DIAGNOSTICS,
  ...EXPORT_RULES,
  ...OWN_RULES,
};

/** Only what SSP adds: for the reference page, which lists the codes of XML once. */
export const SSP_OWN_DIAGNOSTICS: RulesFor<Omit<SspParams, keyof XmlParams>> = {
  ...OWN_RULES,
  ...EXPORT_RULES,
};
