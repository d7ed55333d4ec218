/**
 * Everything that can be wrong with the shape of an XML file, whichever standard defines it: one
 * table, so that codes keep their meaning. The zones that read a format add their own rules to it.
 */

import { type RulesFor, rulesFrom } from "../base/diagnostic.ts";
import { didYouMean } from "../base/rule-text.ts";

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
  "odd-literal": {
    readonly attribute: string;
    readonly element: string;
    readonly value: string;
  };
}

export const XML_DIAGNOSTICS: RulesFor<XmlParams> = rulesFrom<XmlParams>({
  "xml-malformed": {
    rule: "A file is well-formed XML.",
    message: (p) => `this is not well-formed XML: ${p.detail}`,
    fix: "correct the file, or export it again",
  },
  "xml-encoding": {
    rule: "A file is encoded in UTF-8.",
    message: (p) => `the file looks like ${p.encoding}; it must be UTF-8`,
    fix: "save the file as UTF-8",
  },
  "xml-encoding-declared": {
    severity: "warning",
    rule: "The XML declaration names UTF-8.",
    message: (p) =>
      `the XML declaration names the encoding '${p.encoding}', but the file was read as UTF-8 as the standard demands`,
    fix: 'save the file as UTF-8 and declare encoding="UTF-8"',
  },
  "xml-replaced-characters": {
    severity: "warning",
    rule: "A file holds only valid UTF-8.",
    message: "some bytes here are not valid UTF-8 and were replaced",
    fix: "save the file as UTF-8",
  },
  "xml-doctype": {
    severity: "warning",
    rule: "A file has no document type declaration.",
    message: "the document type declaration is skipped; the standard does not use one",
    fix: "remove the <!DOCTYPE …>",
  },
  "xml-entity-declared": {
    rule: "A file declares no entities.",
    message: "the document type declares entities; they are never expanded",
    fix: "remove the <!DOCTYPE …> and write the text itself instead of entities",
  },
  "xml-entity-unknown": {
    rule: "Only the five predefined entities and numeric character references are used.",
    message: (p) => `'&${p.entity};' is not a predefined entity, so it stays as written`,
    fix: "write the character itself, or a numeric reference such as &#176;",
  },
  "xml-limit": {
    rule: "A file stays within the limits that protect the reader.",
    message: (p) => `more than ${p.limit} ${p.what}; reading stops here`,
    fix: "ask its supplier for a corrected export: no proper file needs this",
  },
  "xml-too-many-problems": {
    severity: "note",
    rule: "A report stays readable: after many problems of a kind the rest is counted.",
    message: (p) => `${p.more} more problems were found in this file and are not listed`,
    fix: "correct the ones above first",
  },
  "wrong-root": {
    rule: "The root element is the one that the standard names for this file.",
    message: (p) => `the root element is <${p.found}>, not <${p.expected}>`,
    fix: "check that this is the right file",
  },
  "unknown-element": {
    rule: "Every element is one that the schema allows at its place.",
    message: (p) =>
      `<${p.parent}> has no child element <${p.element}> in this version of the standard; it is skipped`,
    fix: "remove it; tool-specific data belongs into annotations",
  },
  "unknown-attribute": {
    rule: "Every attribute is one that the schema allows for its element.",
    message: (p) =>
      `<${p.element}> has no attribute '${p.attribute}' in this version of the standard; it is ignored`,
    fix: (p) => didYouMean(p.nearest, "remove it"),
  },
  "missing-attribute": {
    rule: "Every attribute that the schema requires is present.",
    message: (p) => `<${p.element}> lacks the required attribute '${p.attribute}'`,
    fix: (p) => `add ${p.attribute}="…"`,
  },
  "missing-element": {
    rule: "Every element that the schema requires is present.",
    message: (p) => `<${p.parent}> lacks the required element <${p.element}>`,
    fix: (p) => `add <${p.element}>`,
  },
  "empty-list": {
    rule: "A list element has at least one entry.",
    message: (p) => `<${p.element}> is empty, but the schema wants at least one <${p.child}> in it`,
    fix: (p) => `remove <${p.element}>, or fill it`,
  },
  "repeated-element": {
    rule: "An element that the schema allows once occurs once.",
    message: (p) => `<${p.parent}> has <${p.element}> again`,
    fix: "keep one of them",
  },
  "element-order": {
    severity: "warning",
    rule: "Elements come in the order of the schema.",
    message: (p) =>
      `<${p.element}> comes too late in <${p.parent}>; other tools may refuse the file`,
    fix: "reorder the elements as the schema does",
  },
  "unexpected-text": {
    rule: "Text occurs only inside annotations.",
    message: (p) => `there is text inside <${p.element}>, which holds only elements`,
    fix: "remove the text",
  },
  "malformed-attribute": {
    rule: "Every attribute value has the form of its type.",
    message: (p) => `${p.attribute}="${p.value}" of <${p.element}> is not ${p.expected}`,
    fix: (p) => `write ${p.expected}`,
  },
  "odd-literal": {
    rule: "Booleans, integers, infinite numbers, items and keywords are spelled as the schema does.",
    message: (p) =>
      `${p.attribute}="${p.value}" of <${p.element}> is not spelled as the schema does; its meaning is clear`,
    fix: "write true or false, integers without decimals, numbers of items, INF, -INF or NaN, and the words of this version of the standard",
  },
});
