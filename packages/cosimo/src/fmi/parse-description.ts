/**
 * modelDescription.xml, FMI 2.0 or 3.0, into plain data: the only way into fmi/description.ts.
 *
 * The version decides the grammar, the grammar fills a draft, and the references of the draft are resolved at the end.
 * Rules: docs/spec/fmi-description.md.
 */

import type { Checked } from "../base/diagnostic.ts";
import { Reporter } from "../xml/reporter.ts";
import type { FmuDescription } from "./description.ts";
import { DESCRIPTION_DIAGNOSTICS } from "./description-diagnostics.ts";
import { type DescriptionDraft, makeDraft } from "./description-draft.ts";
import { finishDescription } from "./description-finish.ts";
import { fmi2Rule } from "./description-fmi2.ts";
import { fmi3Rule } from "./description-fmi3.ts";
import { type AttributeReader, type ElementRule, walkXml } from "./element-walker.ts";

const ROOT = "fmiModelDescription";
const VERSION_2 = /^2\.0(\.\d+)?$/;
const VERSION_3 = /^3\.(0|[1-9]\d*)(\.(0|[1-9]\d*))?(-.+)?$/;

/**
 * Reads a model description from its text.
 * @param file what diagnostics call it
 * @returns the description, also beside errors, so that a validator can go on; absent when the file is no well-formed
 *   description of a known version. Never throws on any text.
 */
export function parseModelDescription(
  text: string,
  file = "modelDescription.xml",
): Checked<FmuDescription> {
  const reporter = new Reporter(file, DESCRIPTION_DIAGNOSTICS);
  const draft = makeDraft(text, reporter);
  let newer = false;
  const complete = walkXml(text, reporter, {
    root: (e) => {
      const rule = grammarOf(e, draft);
      newer = draft.identity.major === 3 && !draft.identity.fmiVersion.startsWith("3.0");
      return rule;
    },
    lenient: () => newer,
  });
  const value = complete ? finishDescription(draft) : undefined;
  const diagnostics = reporter.finish();
  return value === undefined ? { diagnostics } : { value, diagnostics };
}

function grammarOf(e: AttributeReader, draft: DescriptionDraft): ElementRule | undefined {
  const { reporter, identity } = draft;
  if (e.name !== ROOT) {
    reporter.report("wrong-root", { found: e.name, expected: ROOT }, e.line);
    return undefined;
  }
  const version = e.text("fmiVersion")?.trim();
  if (version === undefined) {
    reporter.report("missing-attribute", { attribute: "fmiVersion", element: ROOT }, e.line);
    return undefined;
  }
  identity.fmiVersion = version;
  if (VERSION_2.test(version)) {
    if (version !== "2.0") reporter.report("fmi-version-literal", { version }, e.line);
    return fmi2Rule(draft);
  }
  if (VERSION_3.test(version)) {
    identity.major = 3;
    if (!version.startsWith("3.0")) reporter.report("fmi-version-newer", { version }, e.line);
    return fmi3Rule(draft);
  }
  if (version === "1.0") reporter.report("fmi1-unsupported", {}, e.line);
  else reporter.report("fmi-version-unknown", { version }, e.line);
  return undefined;
}
