/**
 * What the studio's server gets from the command line (serve/services.ts).
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { openFmuFile } from "../../platform/node/fmu-file.ts";
import type { StudioServices } from "../../serve/services.ts";
import { fmuFacts } from "../commands/info.ts";
import { fmuFindings } from "../commands/validate.ts";
import { infoPage } from "../info/info-page.ts";
import { readTrace } from "../read-trace.ts";
import { startRun } from "./start-run.ts";
import { startStability } from "./start-stability.ts";

/** @param trust modules are run wherever they are. */
export function studioServices(trust: boolean): StudioServices {
  return {
    startRun: (order, hear) => startRun(order, trust, hear),
    startStability: (file, request, hear) => startStability(file, request, trust, hear),
    startLanguageServer: () =>
      spawn(process.execPath, [commandFile(), "language-server", "--stdio"], {
        stdio: ["pipe", "pipe", "ignore"],
      }),
    fmuPage(file) {
      const opened = openFmuFile(file);
      const { value } = opened;
      return {
        info: value === undefined ? {} : fmuFacts(value),
        text: value === undefined ? "" : infoPage(value),
        findings: fmuFindings(file, opened),
      };
    },
    readTrace,
  };
}

/** bin/cosimo.js of this package: two folders above the build's and the bundle's modules. */
function commandFile(): string {
  const above = import.meta.url.includes("/cli/studio/") ? "../../../" : "../../";
  return fileURLToPath(new URL(`${above}bin/cosimo.js`, import.meta.url));
}
