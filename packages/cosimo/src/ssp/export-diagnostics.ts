/**
 * What SSP cannot say of a scenario. An export never drops anything silently: what other tools will
 * not see is kept in an annotation and said, what cannot be kept at all is an error.
 */

import { type RulesFor, rulesFrom } from "../base/diagnostic.ts";

export interface ExportParams {
  "ssp-export-module": { readonly unit: string };
  "ssp-export-adaptation": { readonly unit: string; readonly path: string };
  "ssp-export-machine": { readonly unit: string; readonly path: string };
  "ssp-export-group": { readonly unit: string };
  "ssp-export-remote": { readonly unit: string; readonly places: string };
  "ssp-export-adapt": { readonly unit: string; readonly adaptation: string };
  "ssp-export-scenario-file": { readonly unit: string; readonly path: string };
  "ssp-export-reference": { readonly reference: string; readonly why: string };
  "ssp-export-transformation": { readonly from: string; readonly to: string; readonly why: string };
  "ssp-export-value": { readonly unit: string; readonly port: string; readonly why: string };
  "ssp-export-extras": { readonly what: string };
  "ssp-export-faults": { readonly count: number };
  "ssp-export-text": { readonly text: string };
}

export const EXPORT_RULES: RulesFor<ExportParams> = rulesFrom<ExportParams>({
  "ssp-export-module": {
    severity: "warning",
    rule: "A unit of an exported system is an FMU or a system.",
    message: (p) => `the unit '${p.unit}' is a module; other tools cannot run it`,
    fix: "replace it by an FMU if other tools are to run the system",
  },
  "ssp-export-adaptation": {
    severity: "warning",
    rule: "A unit of an exported system is an FMU or a system.",
    message: (p) =>
      `the unit '${p.unit}' is an adaptation (${p.path}): other tools cannot run it, and the units inside do not travel with it`,
    fix: (p) =>
      `make one FMU of it, 'cosimo export ${p.path} -o ${p.unit}.fmu', and name that in its place`,
  },
  "ssp-export-machine": {
    severity: "warning",
    rule: "A unit of an exported system is an FMU or a system.",
    message: (p) => `'${p.unit}' is a state machine (${p.path}), which other tools cannot read`,
    fix: (p) => `make an FMU of it: cosimo export ${p.path} -o ${p.unit}.fmu`,
  },
  "ssp-export-group": {
    rule: "Units of an exported system have integrators of their own.",
    message: (p) => `the FMUs of the group '${p.unit}' share one integrator, which SSP cannot say`,
    fix: "write its FMUs as units of the scenario, each with an integrator of its own",
  },
  "ssp-export-remote": {
    rule: "Units of an exported system are in the package.",
    message: (p) => `'${p.unit}' is on another computer (${p.places}), and its files are not here`,
    fix: "name the FMU itself in place of 'remote', if its owner gives it away",
  },
  "ssp-export-adapt": {
    rule: "Units of an exported system have no adaptation around them.",
    message: (p) =>
      `SSP has no word for '${p.adaptation}' around the unit '${p.unit}', and without it the system is another one`,
    fix: "remove 'adapt', or replace both by one FMU: 'cosimo export' makes one of a scenario with this unit alone",
  },
  "ssp-export-scenario-file": {
    rule: "A nested scenario is loaded before it is exported.",
    message: (p) =>
      `the unit '${p.unit}' is the scenario file '${p.path}', which SSP cannot refer to`,
    fix: "load the scenario file and export it as part of the system",
  },
  "ssp-export-reference": {
    rule: "An exported connection names two single ports.",
    message: (p) => `'${p.reference}' ${p.why}`,
    fix: "write unit.port for both ends",
  },
  "ssp-export-transformation": {
    rule: "A connection has one kind of transformation.",
    message: (p) => `the connection ${p.from} → ${p.to} ${p.why}`,
    fix: "use a factor and an offset, or a mapping of values of one type",
  },
  "ssp-export-value": {
    severity: "warning",
    rule: "A value is one that this version of SSP can express.",
    message: (p) =>
      `the value of '${p.unit}.${p.port}' is kept in an annotation that other tools ignore: ${p.why}`,
    fix: "export as SSP 2.0, or give the value in a form that SSP knows",
  },
  "ssp-export-extras": {
    severity: "warning",
    rule: "What an exported system does is said by its units and connections.",
    message: (p) => `kept in an annotation that other tools ignore: ${p.what}`,
    fix: "run the system in Cosimo where they matter; other tools leave inputs that hold a constraint open",
  },
  "ssp-export-faults": {
    severity: "warning",
    rule: "An exported system is the one without faults.",
    message: (p) =>
      `SSP has no word for faults: ${p.count === 1 ? "the one of this scenario is" : `the ${p.count} of this scenario are`} not in the package`,
    fix: "give them to its runs: cosimo run system.ssp --faults <file>",
  },
  "ssp-export-text": {
    rule: "Every text can be written in XML.",
    message: (p) => `the text '${p.text}' holds a character that XML cannot carry`,
    fix: "remove the control character",
  },
});
