/**
 * Rules about the files of an FMU: what must be there beside the description.
 */
import { type RulesFor, rulesFrom } from "../../base/diagnostic.ts";
import { didYouMean } from "../../base/rule-text.ts";
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

export const FILE_RULES: RulesFor<FileParams> = rulesFrom<FileParams>({
  "no-implementation": {
    rule: "An FMU holds a binary or sources.",
    message: "there is no library below binaries/ and no file below sources/",
    fix: "pack at least one binary, for instance binaries/x86_64-linux/<modelIdentifier>.so (FMI 2: binaries/linux64/)",
  },
  "binary-missing": {
    rule: "Every binary folder holds a library named by each modelIdentifier.",
    message: (p) => `binaries/${p.folder} has no library '${p.name}'`,
    fix: "name the library after the modelIdentifier, or remove the folder",
  },
  "binary-name": {
    severity: "warning",
    rule: "A library is named by its modelIdentifier.",
    message: (p) => `binaries/${p.folder} has '${p.found}' where '${p.name}' is expected`,
    fix: "rename the library; Cosimo finds it because it is the only one, other tools do not",
  },
  "platform-folder-version": {
    severity: "warning",
    rule: "FMI 3 names binary folders by platform tuples.",
    message: (p) =>
      `binaries/${p.folder} is the FMI 2 name of ${p.tuple}; other tools do not find '${p.name}' there`,
    fix: (p) => `rename the folder to binaries/${p.tuple}`,
  },
  "source-missing": {
    rule: "Every source file that is named exists.",
    message: (p) => `the source file '${p.name}' is named but not in the FMU`,
    fix: "pack the file, or remove its entry",
  },
  "build-description-missing": {
    severity: "warning",
    rule: "An FMI 3 FMU with sources has a build description.",
    message:
      "there are sources but no sources/buildDescription.xml, so that no tool can build them",
    fix: "add sources/buildDescription.xml",
  },
  "build-identifier-unknown": {
    rule: "A build configuration belongs to an interface.",
    message: (p) =>
      `a build configuration is for modelIdentifier '${p.name}', which no interface has`,
    fix: "use the modelIdentifier of an interface",
  },
  "terminal-variable-unknown": {
    rule: "Terminals are made of variables that exist.",
    message: (p) =>
      `terminal '${p.terminal}' has the member '${p.name}' of variable '${p.missing}', which does not exist`,
    fix: (p) => didYouMean(p.nearest, "use the name of a variable"),
  },
  "terminals-folder": {
    severity: "warning",
    rule: "Terminals and icons lie in the folder terminalsAndIcons.",
    message: (p) => `'${p.name}' is where drafts of FMI 3 put it`,
    fix: "move it to terminalsAndIcons/terminalsAndIcons.xml",
  },
  "picture-missing": {
    rule: "Every picture that is named exists.",
    message: (p) => `'${p.name}' is missing: ${p.because}`,
    fix: "pack the picture",
  },
  "documentation-entry-missing": {
    severity: "warning",
    rule: "Documentation begins with documentation/index.html.",
    message: "there is documentation but no documentation/index.html, so that tools cannot open it",
    fix: "add documentation/index.html",
  },
  "license-entry-missing": {
    severity: "warning",
    rule: "Licenses begin with license.txt, license.html or license.spdx.",
    message: "documentation/licenses has none of license.txt, license.html and license.spdx",
    fix: "add the one that explains which license holds for what",
  },
});
