/**
 * modelDescription.xml, of any version that versions/table.ts lists, into plain data: the only way
 * into fmi/description.ts.
 *
 * The version's row has the grammar, the grammar fills a draft, and the references of the draft are
 * resolved at the end. Rules: docs/spec/fmi-description.md.
 */

import type { Checked } from "../base/diagnostic.ts";
import { Reporter } from "../xml/reporter.ts";
import type { FmuDescription } from "./description.ts";
import { DESCRIPTION_DIAGNOSTICS, type DescriptionReporter } from "./description-diagnostics.ts";
import { type DescriptionDraft, makeDraft } from "./description-draft.ts";
import { finishDescription } from "./description-finish.ts";
import { type AttributeReader, walkXml } from "./element-walker.ts";
import type { FmiVersion } from "./versions/fmi-version.ts";
import { FMI_VERSIONS, type FmiMajor } from "./versions/table.ts";

const ROOT = "fmiModelDescription";

/**
 * Reads a model description from its text.
 * @param file what diagnostics call it
 * @returns the description, also beside errors, so that a validator can go on; absent when the file
 * is not a well-formed
 *   description of a known version. Never throws on any text.
 */
export function parseModelDescription(
  text: string,
  file = "modelDescription.xml",
): Checked<FmuDescription> {
  const reporter = new Reporter(file, DESCRIPTION_DIAGNOSTICS);
  let draft: DescriptionDraft | undefined;
  let lenient = false;
  const complete = walkXml(text, reporter, {
    root: (e) => {
      const written = versionOf(e, reporter);
      if (written === undefined) return undefined;
      const [version, spelling] = written;
      draft = makeDraft(text, reporter, version, spelling);
      lenient = isNewer(version, spelling);
      return version.grammar(draft);
    },
    lenient: () => lenient,
  });
  const value = complete && draft !== undefined ? finishDescription(draft) : undefined;
  const diagnostics = reporter.finish();
  return value === undefined ? { diagnostics } : { value, diagnostics };
}

/** The row of the version that the root element names, and how it is written. */
function versionOf(
  e: AttributeReader,
  reporter: DescriptionReporter,
): [version: FmiVersion<FmiMajor>, spelling: string] | undefined {
  if (e.name !== ROOT) {
    reporter.report("wrong-root", { found: e.name, expected: ROOT }, e.line);
    return undefined;
  }
  const spelling = e.text("fmiVersion")?.trim();
  if (spelling === undefined) {
    reporter.report("missing-attribute", { attribute: "fmiVersion", element: ROOT }, e.line);
    return undefined;
  }
  const version = FMI_VERSIONS.find(({ spellings }) => spellings.test(spelling));
  if (version === undefined) {
    reporter.report("fmi-version-unknown", { version: spelling }, e.line);
    return undefined;
  }
  if (version.onlySpelling !== undefined && spelling !== version.onlySpelling)
    reporter.report(
      "fmi-version-literal",
      { version: spelling, expected: version.onlySpelling },
      e.line,
    );
  if (isNewer(version, spelling))
    reporter.report("fmi-version-newer", { version: spelling }, e.line);
  return [version, spelling];
}

function isNewer({ knownMinors }: FmiVersion, spelling: string): boolean {
  return knownMinors !== undefined && !knownMinors.test(spelling);
}
