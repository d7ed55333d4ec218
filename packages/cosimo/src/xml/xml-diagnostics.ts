/**
 * Everything that can be wrong with the shape of an XML file, whichever standard defines it: one table, so that codes keep
 * their meaning. The zones that read a format add their own rules to it.
 */

import type { RulesFor } from "../base/diagnostic.ts";
import { didYouMean, error, note, say, warning } from "../base/rule-text.ts";

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
  "xml-malformed": error("A file is well-formed XML.", (p) =>
    say(`this is not well-formed XML: ${p.detail}`, "correct the file, or export it again"),
  ),
  "xml-encoding": error("A file is encoded in UTF-8.", (p) =>
    say(`the file looks like ${p.encoding}; it must be UTF-8`, "save the file as UTF-8"),
  ),
  "xml-encoding-declared": warning("The XML declaration names UTF-8.", (p) =>
    say(
      `the XML declaration names the encoding '${p.encoding}', but the file was read as UTF-8 as the standard demands`,
      'save the file as UTF-8 and declare encoding="UTF-8"',
    ),
  ),
  "xml-replaced-characters": warning("A file holds only valid UTF-8.", () =>
    say("some bytes here are not valid UTF-8 and were replaced", "save the file as UTF-8"),
  ),
  "xml-doctype": warning("A file has no document type declaration.", () =>
    say(
      "the document type declaration is skipped; the standard does not use one",
      "remove the <!DOCTYPE …>",
    ),
  ),
  "xml-entity-declared": error("A file declares no entities.", () =>
    say(
      "the document type declares entities; they are never expanded",
      "remove the <!DOCTYPE …> and write the text itself instead of entities",
    ),
  ),
  "xml-entity-unknown": error(
    "Only the five predefined entities and numeric character references are used.",
    (p) =>
      say(
        `'&${p.entity};' is not a predefined entity, so it stays as written`,
        "write the character itself, or a numeric reference such as &#176;",
      ),
  ),
  "xml-limit": error("A file stays within the limits that protect the reader.", (p) =>
    say(
      `more than ${p.limit} ${p.what}; reading stops here`,
      "ask its supplier for a corrected export: no proper file needs this",
    ),
  ),
  "xml-too-many-problems": note(
    "A report stays readable: after many problems of a kind the rest is counted.",
    (p) =>
      say(
        `${p.more} more problems were found in this file and are not listed`,
        "correct the ones above first",
      ),
  ),
  "wrong-root": error("The root element is the one that the standard names for this file.", (p) =>
    say(
      `the root element is <${p.found}>, not <${p.expected}>`,
      "check that this is the right file",
    ),
  ),
  "unknown-element": error("Every element is one that the schema allows at its place.", (p) =>
    say(
      `<${p.parent}> has no child element <${p.element}> in this version of the standard; it is skipped`,
      "remove it; tool-specific data belongs into annotations",
    ),
  ),
  "unknown-attribute": error(
    "Every attribute is one that the schema allows for its element.",
    (p) =>
      say(
        `<${p.element}> has no attribute '${p.attribute}' in this version of the standard; it is ignored`,
        didYouMean(p.nearest, "remove it"),
      ),
  ),
  "missing-attribute": error("Every attribute that the schema requires is present.", (p) =>
    say(`<${p.element}> lacks the required attribute '${p.attribute}'`, `add ${p.attribute}="…"`),
  ),
  "missing-element": error("Every element that the schema requires is present.", (p) =>
    say(`<${p.parent}> lacks the required element <${p.element}>`, `add <${p.element}>`),
  ),
  "empty-list": error("A list element has at least one entry.", (p) =>
    say(
      `<${p.element}> is empty, but the schema wants at least one <${p.child}> in it`,
      `remove <${p.element}>, or fill it`,
    ),
  ),
  "repeated-element": error("An element that the schema allows once occurs once.", (p) =>
    say(`<${p.parent}> has <${p.element}> again`, "keep one of them"),
  ),
  "element-order": warning("Elements come in the order of the schema.", (p) =>
    say(
      `<${p.element}> comes too late in <${p.parent}>; other tools may refuse the file`,
      "reorder the elements as the schema does",
    ),
  ),
  "unexpected-text": error("Text occurs only inside annotations.", (p) =>
    say(`there is text inside <${p.element}>, which holds only elements`, "remove the text"),
  ),
  "malformed-attribute": error("Every attribute value has the form of its type.", (p) =>
    say(
      `${p.attribute}="${p.value}" of <${p.element}> is not ${p.expected}`,
      `write ${p.expected}`,
    ),
  ),
};
