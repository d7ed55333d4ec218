/**
 * Everything that can be wrong with the shape of an XML file, whichever standard defines it: one table, so that codes keep
 * their meaning. The zones that read a format add their own rules to it.
 */

import type { RulesFor } from "../base/diagnostic.ts";

export interface XmlParams {
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
  "unknown-element": { readonly element: string; readonly parent: string };
  "unknown-attribute": {
    readonly attribute: string;
    readonly element: string;
    readonly nearest: string | undefined;
  };
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
}

export const XML_DIAGNOSTICS: RulesFor<XmlParams> = {
  "xml-malformed": {
    severity: "error",
    rule: "A file is well-formed XML.",
    text: (p) => ({
      message: `this is not well-formed XML: ${p.detail}`,
      fix: "correct the file, or export it again",
    }),
  },
  "xml-encoding": {
    severity: "error",
    rule: "A file is encoded in UTF-8.",
    text: (p) => ({
      message: `the file looks like ${p.encoding}; it must be UTF-8`,
      fix: "save the file as UTF-8",
    }),
  },
  "xml-encoding-declared": {
    severity: "warning",
    rule: "The XML declaration names UTF-8.",
    text: (p) => ({
      message: `the XML declaration names the encoding '${p.encoding}', but the file was read as UTF-8 as the standard demands`,
      fix: 'save the file as UTF-8 and declare encoding="UTF-8"',
    }),
  },
  "xml-replaced-characters": {
    severity: "warning",
    rule: "A file holds only valid UTF-8.",
    text: () => ({
      message: "some bytes here are not valid UTF-8 and were replaced",
      fix: "save the file as UTF-8",
    }),
  },
  "xml-doctype": {
    severity: "warning",
    rule: "A file has no document type declaration.",
    text: () => ({
      message: "the document type declaration is skipped; the standard does not use one",
      fix: "remove the <!DOCTYPE …>",
    }),
  },
  "xml-entity-declared": {
    severity: "error",
    rule: "A file declares no entities.",
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
    rule: "A file stays within the limits that protect the reader.",
    text: (p) => ({
      message: `more than ${p.limit} ${p.what}; reading stops here`,
      fix: "ask its supplier for a corrected export: no proper file needs this",
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
    rule: "The root element is the one that the standard names for this file.",
    text: (p) => ({
      message: `the root element is <${p.found}>, not <${p.expected}>`,
      fix: "check that this is the right file",
    }),
  },
  "unknown-element": {
    severity: "error",
    rule: "Every element is one that the schema allows at its place.",
    text: (p) => ({
      message: `<${p.parent}> has no child element <${p.element}> in this version of the standard; it is skipped`,
      fix: "remove it; tool-specific data belongs into annotations",
    }),
  },
  "unknown-attribute": {
    severity: "error",
    rule: "Every attribute is one that the schema allows for its element.",
    text: (p) => ({
      message: `<${p.element}> has no attribute '${p.attribute}' in this version of the standard; it is ignored`,
      fix: p.nearest === undefined ? "remove it" : `did you mean '${p.nearest}'?`,
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
};
