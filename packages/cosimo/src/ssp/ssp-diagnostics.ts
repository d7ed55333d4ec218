/**
 * Everything that can be wrong with a system structure (SSD, SSV, SSM, SSB, SSP), read or written:
 * one table, on top of what any XML file can get wrong. Rules: docs/spec/ssp.md.
 */

import { type Diagnostic, type RulesFor, rulesFrom, type Severity } from "../base/diagnostic.ts";
import { didYouMean } from "../base/rule-text.ts";
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
  "ssp-unknown-unit": {
    readonly unit: string;
    readonly isKnown: boolean;
    readonly nearest: string | undefined;
  };
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
  "ssp-empty-attribute": { readonly attribute: string; readonly element: string };
  "ssp-absent": { readonly what: string; readonly element: string };
  "ssp-repeated": { readonly what: string; readonly name: string; readonly line: number };
  "ssp-structure-name": { readonly name: string };
  "ssp-source-spelling": { readonly source: string; readonly path: string };
  "ssp-type-assumed": { readonly source: string; readonly type: string; readonly known: string };
  "ssp-undeclared-connector": { readonly connector: string; readonly owner: string };
  "ssp-foreign-experiment": {
    readonly what: string;
    readonly value: number;
    readonly where: string;
  };
}

export type SspReporter = Reporter<SspParams>;

const EXPORT_AGAIN = "correct the file, or export it again from the tool that made it";

type OwnParams = Omit<SspParams, keyof XmlParams | keyof ExportParams>;

const OWN_RULES: RulesFor<OwnParams> = rulesFrom<OwnParams>({
  "ssp-version": {
    rule: "A file of SSP says version 1.0 or 2.0.",
    message: (p) => `version is '${p.version}'; Cosimo reads SSP 1.0 and 2.0`,
    fix: "export the system again as SSP 1.0 or 2.0",
  },
  "ssp-namespace": {
    severity: "warning",
    rule: "Every namespace prefix is declared.",
    message: (p) =>
      `the namespace prefix '${p.prefix}' is not declared; it is taken for the one of the standard`,
    fix: (p) => `declare xmlns:${p.prefix}="…" on the root element`,
  },
  "ssp-newer-content": {
    severity: "warning",
    rule: "A file that says version 1.0 uses only what SSP 1.0 has.",
    message: (p) => `${p.what} belongs to SSP 2.0, but the file says 1.0; it is read all the same`,
    fix: 'write version="2.0"',
  },
  "ssp-duplicate-name": {
    rule: "Names are unique among their neighbours.",
    message: (p) => `the ${p.what} '${p.name}' exists already, on line ${p.line}`,
    fix: "give one of them another name",
  },
  "ssp-unknown-element": {
    rule: "A connection names elements of its own system.",
    message: (p) => `this system has no element '${p.element}'`,
    fix: (p) => didYouMean(p.nearest, "name an element of this system, or leave the attribute out"),
  },
  "ssp-unknown-connector": {
    rule: "A connection names connectors that its elements declare.",
    message: (p) => `${p.owner} declares no connector '${p.connector}'`,
    fix: (p) => didYouMean(p.nearest, `add <ssd:Connector name="${p.connector}" kind="…"/> to it`),
  },
  "ssp-connection-direction": {
    rule: "A connection leads from a source of data to a sink.",
    message: (p) =>
      `'${p.start}' and '${p.end}' are both ${p.role}s of data here, so nothing can flow between them`,
    fix: "connect an output to an input, or correct the kind of one connector",
  },
  "ssp-connection-loop": {
    rule: "Connections through dictionaries and systems come from a component in the end.",
    message: (p) => `the connections that lead to ${p.at} form a loop without a component in it`,
    fix: "remove one connection of the loop",
  },
  "ssp-unknown-dictionary": {
    rule: "A reference names a signal dictionary of its system or of one around it.",
    message: (p) => `there is no signal dictionary '${p.dictionary}' in this system or around it`,
    fix: (p) => didYouMean(p.nearest, "define it in <ssd:SignalDictionaries>"),
  },
  "ssp-unknown-entry": {
    rule: "A connector of a dictionary reference names an entry of the dictionary.",
    message: (p) => `the signal dictionary '${p.dictionary}' has no entry '${p.entry}'`,
    fix: (p) => didYouMean(p.nearest, "add a <ssb:DictionaryEntry> for it"),
  },
  "ssp-two-writers": {
    rule: "A signal of a dictionary and an output of a system have one source.",
    message: (p) => `${p.what} gets its value here and on line ${p.line}`,
    fix: "keep one of the two connections",
  },
  "ssp-unwritten-signal": {
    severity: "warning",
    rule: "A signal that is read is written.",
    message: (p) => `nothing writes the signal '${p.signal}'; its readers keep their start values`,
    fix: "connect an output to it, or remove this connection",
  },
  "ssp-unknown-unit": {
    severity: "warning",
    rule: "Every unit that a file names is defined in its Units.",
    message: (p) =>
      `the unit '${p.unit}' is not defined in this file; ${p.isKnown ? "it is taken for the unit of that name" : "nothing is converted"}`,
    fix: (p) => didYouMean(p.nearest, "define it in the <Units> of this file"),
  },
  "ssp-unknown-enumeration": {
    severity: "note",
    rule: "Every enumeration that a file names is defined in its Enumerations.",
    message: (p) =>
      `the enumeration '${p.name}' is not defined in this file; the items are those of the FMU`,
    fix: (p) => didYouMean(p.nearest, "define it in the <Enumerations> of this file"),
  },
  "ssp-missing-file": {
    rule: "Every file that a system names is there.",
    message: (p) => `there is no file '${p.path}'`,
    fix: "add the file, or correct the source; it is relative to the .ssd",
  },
  "ssp-source": {
    rule: "A source is a relative path, inside the package where there is one.",
    message: (p) => `the source '${p.source}' ${p.why}`,
    fix: "use a path relative to the .ssd",
  },
  "ssp-no-source": {
    rule: "A component that is to run has a source.",
    message: (p) => `the component '${p.component}' has no source, so there is nothing to run`,
    fix: 'add source="resources/….fmu"',
  },
  "ssp-implementation": {
    rule: "The implementation of a component is any, CoSimulation, ModelExchange or ScheduledExecution.",
    message: (p) =>
      `the component '${p.component}' asks for '${p.implementation}', which is not an interface of FMI; what the FMU offers is used`,
    fix: 'write implementation="any"',
    severity: "warning",
  },
  "ssp-media-type": {
    rule: "The type of a component, parameter source, mapping or dictionary is one that SSP defines.",
    message: (p) => `Cosimo cannot read the type '${p.type}' of <${p.element}>`,
    fix: "use a type that SSP defines, or leave the attribute out",
  },
  "ssp-inline": {
    rule: "Content is either inline or in the file that source names.",
    message: (p) =>
      p.both
        ? `<${p.element}> has both a source and inline content`
        : `<${p.element}> has neither a source nor <${p.content}> in it`,
    fix: (p) => (p.both ? "keep one of them" : `add source="…" or <${p.content}>`),
  },
  "ssp-reference-loop": {
    rule: "A system does not contain itself.",
    message: (p) => `'${p.source}' leads back to a system that contains this component`,
    fix: "refer to another system",
  },
  "ssp-unknown-id": {
    rule: "A source that begins with # names the id of a system in the same file.",
    message: (p) => `no <ssd:System> of this file has id="${p.id}"`,
    fix: "correct the source, or add the id to the system that is meant",
  },
  "ssp-ambiguous-map": {
    rule: "A mapping maps a value once.",
    message: (p) => `the value '${p.value}' is mapped twice`,
    fix: "keep one <ssc:MapEntry>",
  },
  "ssp-mapping-target": {
    rule: "No two parameters are mapped to the same name.",
    message: (p) => `'${p.target}' is the target of another entry already, on line ${p.line}`,
    fix: "keep one of the entries",
  },
  "ssp-value-count": {
    rule: "An array parameter has as many values as its dimensions say.",
    message: (p) =>
      `the parameter '${p.name}' has ${p.found} values, but its dimensions say ${p.expected}`,
    fix: "correct the values or the <ssc:Dimension> elements",
  },
  "ssp-value-type": {
    rule: "A transformation fits the type of the value that it transforms.",
    message: (p) => `the transformation of '${p.name}' needs ${p.needed}`,
    fix: "use the transformation that belongs to the parameter's type",
  },
  "ssp-transformation-chain": {
    rule: "Transformations on the way from an output to an input combine into one.",
    message: (p) => `the transformations on the way to this input do not combine: ${p.why}`,
    fix: "keep one transformation on the way",
  },
  "ssp-boundary-transformation": {
    severity: "warning",
    rule: "The outermost system passes its connectors on as they are.",
    message: (p) =>
      `the transformation at the connector '${p.connector}' of the outermost system is not applied`,
    fix: "put the transformation on a connection between two elements",
  },
  "ssp-annotation": {
    rule: "Cosimo's own annotation has the content that Cosimo writes.",
    message: (p) => `the annotation of type 'cosimo' ${p.why}`,
    fix: EXPORT_AGAIN,
  },
  "ssp-no-structure": {
    rule: "A package holds SystemStructure.ssd at its root.",
    message: (p) =>
      p.elsewhere === undefined
        ? "the package has no SystemStructure.ssd"
        : `the package has no SystemStructure.ssd at its root, but '${p.elsewhere}'`,
    fix: "pack the files so that SystemStructure.ssd lies at the root of the archive",
  },
  "ssp-unknown-variant": {
    rule: "A variant is one of the .ssd files at the root of the package.",
    message: (p) => `the package has no variant '${p.variant}'`,
    fix: (p) => `choose one of ${p.variants}`,
  },
  "ssp-parameter-unmatched": {
    severity: "warning",
    rule: "A parameter of a set is one of an element of the system.",
    message: (p) =>
      `no element of the system has the parameter '${p.name}', so its value has no effect`,
    fix: (p) =>
      `${p.nearest === undefined ? "correct the name" : `did you mean '${p.nearest}'? Otherwise correct the name`}, or remove it from the set`,
  },
  "ssp-mapping-unmatched": {
    severity: "warning",
    rule: "A parameter mapping names parameters of its set.",
    message: (p) => `the parameter set has no parameter '${p.name}', so mapping it has no effect`,
    fix: (p) =>
      `${p.nearest === undefined ? "correct the source" : `did you mean '${p.nearest}'? Otherwise correct the source`}, or remove the entry`,
  },
  "ssp-unused": {
    severity: "note",
    rule: "What a system contains and Cosimo does not use is listed.",
    message: (p) => `not used: ${p.what}`,
    fix: (p) => `nothing to do: ${p.why}`,
  },
  "ssp-empty-attribute": {
    severity: "note",
    rule: "An attribute that does not apply is omitted, not empty.",
    message: (p) =>
      `the attribute '${p.attribute}' of <${p.element}> is empty; it is read as absent`,
    fix: "remove the attribute",
  },
  "ssp-absent": {
    severity: "note",
    rule: "What the schema requires is present, also where it can be done without.",
    message: (p) => `<${p.element}> lacks ${p.what}, which can be done without`,
    fix: (p) => `add ${p.what}`,
  },
  "ssp-repeated": {
    severity: "note",
    rule: "Nothing is declared twice, not even with the same content.",
    message: (p) => `the ${p.what} '${p.name}' repeats what line ${p.line} says`,
    fix: "keep one of them",
  },
  "ssp-structure-name": {
    severity: "note",
    rule: "The structure of a package is called SystemStructure.ssd.",
    message: (p) =>
      `the package has no SystemStructure.ssd; '${p.name}' is the only .ssd that can be meant`,
    fix: "call it SystemStructure.ssd",
  },
  "ssp-source-spelling": {
    severity: "note",
    rule: "A source is a relative URI, with '/' between folders.",
    message: (p) =>
      `the source '${p.source}' is not a valid relative URI; it is read as '${p.path}'`,
    fix: "write it as a relative URI",
  },
  "ssp-type-assumed": {
    severity: "note",
    rule: "The type of a component is that of its source.",
    message: (p) => `the source '${p.source}' is read as ${p.known}, not as '${p.type}'`,
    fix: (p) => `write type="${p.known}"`,
  },
  "ssp-undeclared-connector": {
    severity: "warning",
    rule: "A connection names connectors that its elements declare, also those of components.",
    message: (p) =>
      `${p.owner} declares no connector '${p.connector}'; the variable of that name is connected, from start to end`,
    fix: (p) => `add <ssd:Connector name="${p.connector}" kind="…"/> to it`,
  },
  "ssp-foreign-experiment": {
    severity: "note",
    rule: "What a system says about its simulation is where the standard foresees it.",
    message: (p) => `the ${p.what} ${p.value} s comes from ${p.where}; SSP has no word for it`,
    fix: "nothing, unless another value is wanted: --step and --stop set them",
  },
});

/**
 * What files get wrong that can be read all the same, so that packages of other tools run. Of XML,
 * SSP tolerates what adds nothing; `strictly` restores what the standard says.
 */
const TOLERATED_XML: Readonly<Partial<Record<keyof XmlParams, Severity>>> = {
  "unknown-element": "warning",
  "unknown-attribute": "warning",
  "empty-list": "note",
  "unexpected-text": "note",
  "element-order": "note",
  "odd-literal": "note",
  "xml-entity-unknown": "warning",
};

/** Of resolution (`model`, `host`): where a system and its FMUs do not say the same. */
export const TOLERATED_WITH_FMUS: ReadonlySet<string> = new Set([
  "connection-unchecked",
  "port-unit-differs",
  "unit-other-interface",
  "value-unit-unused",
  "value-without-effect",
]);

const TOLERATED: ReadonlySet<string> = new Set<keyof SspParams>([
  ...(Object.keys(TOLERATED_XML) as (keyof XmlParams)[]),
  "ssp-namespace",
  "ssp-newer-content",
  "ssp-unknown-unit",
  "ssp-unknown-enumeration",
  "ssp-implementation",
  "ssp-empty-attribute",
  "ssp-absent",
  "ssp-repeated",
  "ssp-source-spelling",
  "ssp-structure-name",
  "ssp-type-assumed",
  "ssp-undeclared-connector",
]);

/**
 * The findings as the standard sees them: what is tolerated to run a file is an error of the file.
 */
export function strictly(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const isTolerated = ({ code }: Diagnostic): boolean =>
    TOLERATED.has(code) || TOLERATED_WITH_FMUS.has(code);
  return diagnostics.map((d) => (isTolerated(d) ? { ...d, severity: "error" } : d));
}

export const SSP_DIAGNOSTICS: RulesFor<SspParams> = {
  ...XML_DIAGNOSTICS,
  ...(Object.fromEntries(
    Object.entries(TOLERATED_XML).map(([code, severity]) => [
      code,
      { ...XML_DIAGNOSTICS[code as keyof XmlParams], severity },
    ]),
  ) as Partial<RulesFor<XmlParams>>),
  ...EXPORT_RULES,
  ...OWN_RULES,
};

/** Only what SSP adds: for the reference page, which lists the codes of XML once. */
export const SSP_OWN_DIAGNOSTICS: RulesFor<Omit<SspParams, keyof XmlParams>> = {
  ...OWN_RULES,
  ...EXPORT_RULES,
};
