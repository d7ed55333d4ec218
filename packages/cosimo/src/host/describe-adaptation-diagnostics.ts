/**
 * What can go wrong between a `.sa` file and the inner units that it names.
 */
import type { RulesFor } from "../base/diagnostic.ts";

interface AdaptationFileParams {
  "sa-file-unreadable": { readonly reason: string };
  "sa-inner-broken": { readonly unit: string; readonly path: string; readonly reason: string };
  "sa-inner-format": { readonly unit: string; readonly path: string };
  "sa-nests-itself": { readonly unit: string; readonly path: string };
}

export const ADAPTATION_FILE_RULES: RulesFor<AdaptationFileParams> = {
  "sa-file-unreadable": {
    severity: "error",
    rule: "A .sa file can be read.",
    text: (p) => ({
      message: `cannot read it: ${p.reason}`,
      fix: "check the path and its permissions",
    }),
  },
  "sa-inner-broken": {
    severity: "error",
    rule: "What an inner unit is made of can be opened and described.",
    text: (p) => ({
      message: `inner unit '${p.unit}': ${p.path}: ${p.reason}`,
      fix: "mend it, or name another file: paths are relative to the .sa file",
    }),
  },
  "sa-inner-format": {
    severity: "error",
    rule: "An inner unit is an FMU, a module, a scenario or another .sa file, and its name tells which.",
    text: (p) => ({
      message: `inner unit '${p.unit}': '${p.path}' does not tell what it is`,
      fix: "name an .fmu, .sa, .yaml, .ssp, .ssd, .js, .mjs, .ts or .mts file, or the folder of an unpacked FMU",
    }),
  },
  "sa-nests-itself": {
    severity: "error",
    rule: "No adaptation is inside of itself.",
    text: (p) => ({
      message: `inner unit '${p.unit}': ${p.path} is this adaptation, or one around it`,
      fix: "name what is to be adapted",
    }),
  },
};
