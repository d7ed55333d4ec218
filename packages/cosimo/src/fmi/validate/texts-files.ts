/**
 * Rules about the files of an FMU: what must be there beside the description.
 */
import type { RulesFor } from "../../base/diagnostic.ts";
import { didYouMean, error, say, warning } from "../../base/rule-text.ts";
import type { Dangling, Named } from "./rule-params.ts";

interface InFolder extends Named {
  readonly folder: string;
}

export interface FileParams {
  "no-implementation": Record<never, never>;
  "binary-missing": InFolder;
  "binary-name": InFolder & { readonly found: string };
  "platform-folder-version": InFolder & { readonly tuple: string };
  "source-missing": Named;
  "build-description-missing": Record<never, never>;
  "build-identifier-unknown": Named;
  "terminal-variable-unknown": Dangling & { readonly terminal: string };
  "terminals-folder": Named;
  "picture-missing": Named & { readonly because: string };
  "documentation-entry-missing": Record<never, never>;
  "license-entry-missing": Record<never, never>;
}

export const FILE_RULES: RulesFor<FileParams> = {
  "no-implementation": error("An FMU holds a binary or sources.", () =>
    say(
      "there is no library below binaries/ and no file below sources/",
      "pack at least one binary, for instance binaries/x86_64-linux/<modelIdentifier>.so (FMI 2: binaries/linux64/)",
    ),
  ),
  "binary-missing": error(
    "Every binary folder holds a library named by each modelIdentifier.",
    (p) =>
      say(
        `binaries/${p.folder} has no library '${p.name}'`,
        "name the library after the modelIdentifier, or remove the folder",
      ),
  ),
  "binary-name": warning("A library is named by its modelIdentifier.", (p) =>
    say(
      `binaries/${p.folder} has '${p.found}' where '${p.name}' is expected`,
      "rename the library; Cosimo finds it because it is the only one, other tools do not",
    ),
  ),
  "platform-folder-version": warning("FMI 3 names binary folders by platform tuples.", (p) =>
    say(
      `binaries/${p.folder} is the FMI 2 name of ${p.tuple}; other tools do not find '${p.name}' there`,
      `rename the folder to binaries/${p.tuple}`,
    ),
  ),
  "source-missing": error("Every source file that is named exists.", (p) =>
    say(
      `the source file '${p.name}' is named but not in the FMU`,
      "pack the file, or remove its entry",
    ),
  ),
  "build-description-missing": warning("An FMI 3 FMU with sources has a build description.", () =>
    say(
      "there are sources but no sources/buildDescription.xml, so that no tool can build them",
      "add sources/buildDescription.xml",
    ),
  ),
  "build-identifier-unknown": error("A build configuration belongs to an interface.", (p) =>
    say(
      `a build configuration is for modelIdentifier '${p.name}', which no interface has`,
      "use the modelIdentifier of an interface",
    ),
  ),
  "terminal-variable-unknown": error("Terminals are made of variables that exist.", (p) =>
    say(
      `terminal '${p.terminal}' has the member '${p.name}' of variable '${p.missing}', which does not exist`,
      didYouMean(p.nearest, "use the name of a variable"),
    ),
  ),
  "terminals-folder": warning("Terminals and icons lie in the folder terminalsAndIcons.", (p) =>
    say(
      `'${p.name}' is where drafts of FMI 3 put it`,
      "move it to terminalsAndIcons/terminalsAndIcons.xml",
    ),
  ),
  "picture-missing": error("Every picture that is named exists.", (p) =>
    say(`'${p.name}' is missing: ${p.because}`, "pack the picture"),
  ),
  "documentation-entry-missing": warning(
    "Documentation begins with documentation/index.html.",
    () =>
      say(
        "there is documentation but no documentation/index.html, so that tools cannot open it",
        "add documentation/index.html",
      ),
  ),
  "license-entry-missing": warning(
    "Licenses begin with license.txt, license.html or license.spdx.",
    () =>
      say(
        "documentation/licenses has none of license.txt, license.html and license.spdx",
        "add the one that explains which license holds for what",
      ),
  ),
};
