/**
 * What cannot become an FMU, and what to do about it.
 */
import { type RulesFor, rulesFrom } from "../base/diagnostic.ts";

export interface ExportFmuParams {
  "export-module": { readonly unit: string; readonly path: string };
  "export-model-exchange": { readonly unit: string; readonly path: string };
  "export-scheduled-execution": { readonly unit: string; readonly path: string };
  "export-run-time-master": {
    readonly scenario: string;
    readonly why: string;
    /** A unit that makes it so: an .sa file, a unit with 'adapt:', or anything else. */
    readonly unit?: { readonly name: string; readonly kind: "file" | "applied" | "other" };
  };
  "export-type": { readonly port: string; readonly type: string };
  "export-no-ports": { readonly name: string };
  "export-inner-platform": {
    readonly unit: string;
    readonly machine: string;
    readonly offered: string;
  };
  "export-inner-version": { readonly unit: string; readonly version: string };
  "export-no-compiler": { readonly tried: string };
  "export-compiler-failed": { readonly compiler: string; readonly output: string };
}

/** How to do without a unit in what is exported. */
const WITHOUT: Readonly<Record<"file" | "applied" | "other", (name: string) => string>> = {
  file: (name) => `export '${name}' by itself`,
  applied: (name) =>
    `write what is applied to '${name}' as an .sa file whose inner unit says 'at', and export that by itself`,
  other: (name) => `leave '${name}' outside, and expose the ports that it is connected to`,
};

export const EXPORT_FMU_RULES: RulesFor<ExportFmuParams> = rulesFrom<ExportFmuParams>({
  "export-module": {
    rule: "Units of an exported FMU are FMUs, adaptations and scenarios.",
    message: (p) =>
      `the unit '${p.unit}' is a module (${p.path}), and JavaScript does not run inside an FMU`,
    fix: "replace it by an FMU, or leave it out and give its signals from outside",
  },
  "export-model-exchange": {
    rule: "FMUs of an exported FMU are driven through Co-Simulation.",
    message: (p) =>
      `the unit '${p.unit}' (${p.path}) is driven through Model Exchange, and an exported FMU has no integrator for it`,
    fix: "use its interface for Co-Simulation if it offers one, or leave it out and give its signals from outside",
  },
  "export-scheduled-execution": {
    rule: "An exported FMU has no schedule for partitions.",
    message: (p) =>
      `the unit '${p.unit}' (${p.path}) is driven through Scheduled Execution, and an exported FMU has no schedule for its partitions`,
    fix: "use its interface for Co-Simulation if it offers one, or leave it out and give its signals from outside",
  },
  "export-run-time-master": {
    rule: "An exported scenario has a fixed-step plan.",
    message: (p) =>
      `'${p.scenario}' decides while it runs (${p.why}), and an FMU has only the plan that was made before`,
    fix: (p) =>
      p.unit === undefined
        ? "choose 'master: jacobi' or 'master: gauss-seidel' without events, constraints, bonds, limits and faults"
        : `${WITHOUT[p.unit.kind](p.unit.name)}, or replace it by a unit that takes every step`,
  },
  "export-type": {
    rule: "FMI 2.0 has reals, 32-bit integers, booleans and texts.",
    message: (p) => `'${p.port}' is ${p.type}, which FMI 2.0 cannot express`,
    fix: "export with '--fmi 3'",
  },
  "export-no-ports": {
    rule: "An exported FMU has a variable at least.",
    message: (p) => `'${p.name}' shows no port, so its FMU would have no variable`,
    fix: "expose ports: add a section 'ports:' to the scenario",
  },
  "export-inner-platform": {
    rule: "FMUs inside have a binary for the machine that exports.",
    message: (p) => `the FMU of '${p.unit}' has no binary for ${p.machine}; it offers ${p.offered}`,
    fix: "export on a machine that it has a binary for, or build one from its sources",
  },
  "export-inner-version": {
    rule: "FMUs inside an exported one are of FMI 2.0 or 3.0.",
    message: (p) =>
      `the FMU of '${p.unit}' is of FMI ${p.version}, which exported FMUs cannot drive`,
    fix: "export its model again as FMI 2.0 or 3.0",
  },
  "export-no-compiler": {
    rule: "A C compiler builds the binary of an exported FMU.",
    message: (p) => `there is no C compiler: tried ${p.tried}`,
    fix: "install one (Debian: apt-get install gcc), name yours in the variable CC, or write an FMU without binary with '--sources-only'",
  },
  "export-compiler-failed": {
    rule: "A C compiler builds the binary of an exported FMU.",
    message: (p) => `'${p.compiler}' could not build the FMU: ${p.output}`,
    fix: "use another compiler (variable CC), or write the sources with '--sources-only' and build them yourself",
  },
});
