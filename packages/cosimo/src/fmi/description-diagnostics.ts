/**
 * Everything that can be wrong with the shape of an FMU's XML files: one table, so that codes keep their meaning and the
 * reference page can be generated. What the content means (value references, combinations, …) is the validator's business.
 */

import type { Diagnostic, DiagnosticRule } from "../base/diagnostic.ts";

interface DescriptionParams {
  "xml-malformed": { readonly detail: string };
  "xml-encoding": { readonly encoding: string };
  "xml-encoding-declared": { readonly encoding: string };
  "xml-replaced-characters": Record<never, never>;
  "xml-doctype": Record<never, never>;
  "xml-entity-declared": Record<never, never>;
  "xml-entity-unknown": { readonly entity: string };
  "xml-limit": { readonly what: string; readonly limit: number };
  "xml-too-many-problems": { readonly more: number };
  "wrong-root": { readonly found: string; readonly expected: string };
  "fmi1-unsupported": Record<never, never>;
  "fmi-version-unknown": { readonly version: string };
  "fmi-version-literal": { readonly version: string };
  "fmi-version-newer": { readonly version: string };
  "unknown-element": { readonly element: string; readonly parent: string };
  "unknown-attribute": {
    readonly attribute: string;
    readonly element: string;
    readonly nearest: string | undefined;
  };
  "newer-content": { readonly what: string };
  "missing-attribute": { readonly attribute: string; readonly element: string };
  "missing-element": { readonly element: string; readonly parent: string };
  "empty-list": { readonly element: string; readonly child: string };
  "repeated-element": { readonly element: string; readonly parent: string };
  "element-order": { readonly element: string; readonly parent: string };
  "unexpected-text": { readonly element: string };
  "malformed-attribute": {
    readonly attribute: string;
    readonly element: string;
    readonly value: string;
    readonly expected: string;
  };
  "malformed-date": { readonly attribute: string; readonly value: string };
}

export type DescriptionDiagnostics = {
  readonly [Code in keyof DescriptionParams]: DiagnosticRule<DescriptionParams[Code]>;
};

const ASK_SUPPLIER = "ask the FMU's supplier for a corrected export";

export const DESCRIPTION_DIAGNOSTICS: DescriptionDiagnostics = {
  "xml-malformed": {
    severity: "error",
    rule: "An XML file of an FMU is well-formed XML.",
    text: (p) => ({
      message: `this is not well-formed XML: ${p.detail}`,
      fix: "correct the file, or export the FMU again",
    }),
  },
  "xml-encoding": {
    severity: "error",
    rule: "An XML file of an FMU is encoded in UTF-8.",
    text: (p) => ({
      message: `the file looks like ${p.encoding}; FMI demands UTF-8`,
      fix: "save the file as UTF-8",
    }),
  },
  "xml-encoding-declared": {
    severity: "warning",
    rule: "The XML declaration of an FMU's file names UTF-8.",
    text: (p) => ({
      message: `the XML declaration names the encoding '${p.encoding}', but the file was read as UTF-8 as FMI demands`,
      fix: 'save the file as UTF-8 and declare encoding="UTF-8"',
    }),
  },
  "xml-replaced-characters": {
    severity: "warning",
    rule: "An XML file of an FMU holds only valid UTF-8.",
    text: () => ({
      message: "some bytes here are not valid UTF-8 and were replaced",
      fix: "save the file as UTF-8",
    }),
  },
  "xml-doctype": {
    severity: "warning",
    rule: "An XML file of an FMU has no document type declaration.",
    text: () => ({
      message: "the document type declaration is skipped; FMI does not use one",
      fix: "remove the <!DOCTYPE …>",
    }),
  },
  "xml-entity-declared": {
    severity: "error",
    rule: "An XML file of an FMU declares no entities.",
    text: () => ({
      message: "the document type declares entities; they are never expanded",
      fix: "remove the <!DOCTYPE …> and write the text itself instead of entities",
    }),
  },
  "xml-entity-unknown": {
    severity: "error",
    rule: "Only the five predefined entities and numeric character references are used.",
    text: (p) => ({
      message: `'&${p.entity};' is no predefined entity, so it stays as written`,
      fix: "write the character itself, or a numeric reference such as &#176;",
    }),
  },
  "xml-limit": {
    severity: "error",
    rule: "An XML file of an FMU stays within the limits that protect the reader.",
    text: (p) => ({
      message: `more than ${p.limit} ${p.what}; reading stops here`,
      fix: `${ASK_SUPPLIER}: no FMU needs this`,
    }),
  },
  "xml-too-many-problems": {
    severity: "note",
    rule: "A report stays readable: after many problems of a kind the rest is counted.",
    text: (p) => ({
      message: `${p.more} more problems were found in this file and are not listed`,
      fix: "correct the ones above first",
    }),
  },
  "wrong-root": {
    severity: "error",
    rule: "The root element is the one that FMI names for this file.",
    text: (p) => ({
      message: `the root element is <${p.found}>, not <${p.expected}>`,
      fix: "check that this is the right file",
    }),
  },
  "fmi1-unsupported": {
    severity: "error",
    rule: "The FMU is an FMI 2.0 or 3.0 FMU.",
    text: () => ({
      message: "this is an FMI 1.0 FMU; Cosimo reads FMI 2.0 and 3.0",
      fix: "export the model again as FMI 2.0 or 3.0",
    }),
  },
  "fmi-version-unknown": {
    severity: "error",
    rule: "The attribute fmiVersion names a version that Cosimo knows.",
    text: (p) => ({
      message: `fmiVersion is '${p.version}'; Cosimo reads FMI 2.0 and 3.0`,
      fix: "export the model again as FMI 2.0 or 3.0",
    }),
  },
  "fmi-version-literal": {
    severity: "warning",
    rule: 'In every revision of FMI 2.0 the attribute fmiVersion is "2.0".',
    text: (p) => ({
      message: `fmiVersion is '${p.version}', but every revision of FMI 2.0 writes '2.0'`,
      fix: 'write fmiVersion="2.0"',
    }),
  },
  "fmi-version-newer": {
    severity: "warning",
    rule: "The minor version of FMI is one that Cosimo knows.",
    text: (p) => ({
      message: `FMI ${p.version} is newer than what Cosimo knows; what it adds is ignored`,
      fix: "nothing, unless the model relies on the additions",
    }),
  },
  "unknown-element": {
    severity: "error",
    rule: "Every element is one that the schema allows at its place.",
    text: (p) => ({
      message: `<${p.parent}> has no child element <${p.element}> in this version of FMI; it is skipped`,
      fix: "remove it; tool-specific data belongs into annotations",
    }),
  },
  "unknown-attribute": {
    severity: "error",
    rule: "Every attribute is one that the schema allows for its element.",
    text: (p) => ({
      message: `<${p.element}> has no attribute '${p.attribute}' in this version of FMI; it is ignored`,
      fix: p.nearest === undefined ? "remove it" : `did you mean '${p.nearest}'?`,
    }),
  },
  "newer-content": {
    severity: "warning",
    rule: "What a newer minor version adds is known to Cosimo.",
    text: (p) => ({
      message: `${p.what} is not known in FMI 3.0 and is ignored`,
      fix: "nothing, unless the model relies on it",
    }),
  },
  "missing-attribute": {
    severity: "error",
    rule: "Every attribute that the schema requires is present.",
    text: (p) => ({
      message: `<${p.element}> lacks the required attribute '${p.attribute}'`,
      fix: `add ${p.attribute}="…"`,
    }),
  },
  "missing-element": {
    severity: "error",
    rule: "Every element that the schema requires is present.",
    text: (p) => ({
      message: `<${p.parent}> lacks the required element <${p.element}>`,
      fix: `add <${p.element}>`,
    }),
  },
  "empty-list": {
    severity: "error",
    rule: "A list element has at least one entry.",
    text: (p) => ({
      message: `<${p.element}> is empty, but the schema wants at least one <${p.child}> in it`,
      fix: `remove <${p.element}>, or fill it`,
    }),
  },
  "repeated-element": {
    severity: "error",
    rule: "An element that the schema allows once occurs once.",
    text: (p) => ({
      message: `<${p.parent}> has <${p.element}> again`,
      fix: "keep one of them",
    }),
  },
  "element-order": {
    severity: "warning",
    rule: "Elements come in the order of the schema.",
    text: (p) => ({
      message: `<${p.element}> comes too late in <${p.parent}>; other tools may refuse the file`,
      fix: "reorder the elements as the schema does",
    }),
  },
  "unexpected-text": {
    severity: "error",
    rule: "Text occurs only inside annotations.",
    text: (p) => ({
      message: `there is text inside <${p.element}>, which holds only elements`,
      fix: "remove the text",
    }),
  },
  "malformed-attribute": {
    severity: "error",
    rule: "Every attribute value has the form of its type.",
    text: (p) => ({
      message: `${p.attribute}="${p.value}" of <${p.element}> is not ${p.expected}`,
      fix: `write ${p.expected}`,
    }),
  },
  "malformed-date": {
    severity: "error",
    rule: "A date has the form 2024-01-31T12:00:00Z.",
    text: (p) => ({
      message: `${p.attribute}="${p.value}" is no date and time; it is kept as text`,
      fix: "write it like 2024-01-31T12:00:00Z",
    }),
  },
};

const LOSSLESS: ReadonlySet<string> = new Set([
  "unknown-element",
  "unknown-attribute",
  "empty-list",
  "unexpected-text",
  "malformed-date",
]);

/**
 * True when the problem breaks the schema but nothing that Cosimo reads was lost by it: `validate` calls it an error,
 * `info` and `run` may go on with the value they got.
 */
export function isLossless(diagnostic: Diagnostic): boolean {
  return diagnostic.severity !== "error" || LOSSLESS.has(diagnostic.code);
}
