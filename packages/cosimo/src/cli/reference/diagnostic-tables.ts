/**
 * All diagnostic tables in one place: the reference page of codes is printed from them, and a code
 * must mean one thing.
 */
import type { DiagnosticTable } from "../../base/diagnostic.ts";
import { COORDINATION_DIAGNOSTICS } from "../../coordinate/diagnostics.ts";
import { DEVS_DIAGNOSTICS } from "../../devs/devs-diagnostics.ts";
import { CHECKPOINT_DIAGNOSTICS } from "../../engine/checkpoint-diagnostics.ts";
import { DIVERGENCE_DIAGNOSTICS } from "../../engine/explain-divergence.ts";
import { EXPORT_FMU_RULES } from "../../export/export-diagnostics.ts";
import { ARCHIVE_DIAGNOSTICS } from "../../fmi/archive-diagnostics.ts";
import { DESCRIPTION_DIAGNOSTICS } from "../../fmi/description-diagnostics.ts";
import { VALIDATION_RULES } from "../../fmi/validate/rule-table.ts";
import { ADAPTATION_FILE_RULES } from "../../host/describe-adaptation-diagnostics.ts";
import { ISOLATION_DIAGNOSTICS } from "../../host/isolation/isolation-diagnostics.ts";
import { LANGUAGE_SERVER_RULES } from "../../host/language-server/diagnostics.ts";
import { DISTRIBUTED_DIAGNOSTICS } from "../../host/network/distributed-diagnostics.ts";
import { NETWORK_DIAGNOSTICS } from "../../host/network/network-diagnostics.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "../../host/scenario-diagnostics.ts";
import { TRUST_DIAGNOSTICS } from "../../host/trust.ts";
import { FAULT_TEXT_RULES } from "../../lang/fault/diagnostics.ts";
import { GUARD_TEXT_RULES } from "../../lang/guard/diagnostics.ts";
import { HYBRID_TEXT_RULES } from "../../lang/hybrid/diagnostics.ts";
import { MACHINE_RULES } from "../../lang/machine/diagnostics.ts";
import { MCI_RULES } from "../../lang/mci/diagnostics.ts";
import { MCL_RULES } from "../../lang/mcl/diagnostics.ts";
import { ORCHESTRATION_TEXT_RULES } from "../../lang/orchestration/diagnostics.ts";
import { APPLY_RULES } from "../../lang/sa/apply-diagnostics.ts";
import { SA_RULES } from "../../lang/sa/diagnostics.ts";
import { DIALECT_RULES } from "../../lang/sa/dialect/diagnostics.ts";
import { SCENARIO_TEXT_RULES } from "../../lang/scenario/diagnostics.ts";
import { STUDY_TEXT_RULES } from "../../lang/study/diagnostics.ts";
import { SWITCHED_TEXT_RULES } from "../../lang/switched/diagnostics.ts";
import { TEXT_RULES } from "../../lang/text/diagnostics.ts";
import { INTERFACE_RULES } from "../../model/apply-interface.ts";
import { SCENARIO_RULES } from "../../model/resolve-scenario-diagnostics.ts";
import { PLAN_CHECK_RULES } from "../../plan/check-plan-diagnostics.ts";
import { PLAN_DIAGNOSTICS } from "../../plan/plan-diagnostics.ts";
import { NATIVE_DIAGNOSTICS } from "../../platform/native/native-diagnostics.ts";
import { ENCODING_DIAGNOSTICS } from "../../platform/node/description-text.ts";
import { RECORD_DIAGNOSTICS } from "../../record/diagnostics.ts";
import { LATE_DIAGNOSTICS } from "../../run/late-failures.ts";
import { ORCHESTRATION_RULES } from "../../search/orchestration/orchestration-diagnostics.ts";
import { STUDY_RULES } from "../../search/studies/diagnostics.ts";
import { SSP_OWN_DIAGNOSTICS } from "../../ssp/ssp-diagnostics.ts";
import { HYBRID_DIAGNOSTICS } from "../../stability/hybrid-diagnostics.ts";
import { SPECTRAL_DIAGNOSTICS } from "../../stability/spectral-diagnostics.ts";
import { CHECKPOINT_RUN_DIAGNOSTICS } from "../checkpoint/checkpoint-run-diagnostics.ts";
import { JSR_DIAGNOSTICS } from "../commands/stability-jsr.ts";
import { STUDIO_DIAGNOSTICS } from "../commands/studio.ts";
import { BINARY_DIAGNOSTICS } from "../commands/validate.ts";
import { RUN_DIAGNOSTICS } from "../run-diagnostics.ts";

export const DIAGNOSTIC_TABLES: readonly {
  readonly title: string;
  readonly table: DiagnosticTable;
}[] = [
  { title: "FMU archives", table: { ...ARCHIVE_DIAGNOSTICS, ...ENCODING_DIAGNOSTICS } },
  { title: "The shape of modelDescription.xml", table: DESCRIPTION_DIAGNOSTICS },
  { title: "The rules of FMI", table: VALIDATION_RULES },
  { title: "Binaries", table: { ...NATIVE_DIAGNOSTICS, ...BINARY_DIAGNOSTICS } },
  {
    title: "Running",
    table: { ...RUN_DIAGNOSTICS, ...LATE_DIAGNOSTICS, ...DIVERGENCE_DIAGNOSTICS },
  },
  {
    title: "Checkpoints",
    table: { ...CHECKPOINT_DIAGNOSTICS, ...CHECKPOINT_RUN_DIAGNOSTICS },
  },
  {
    title: "Scenario files",
    table: { ...SCENARIO_TEXT_RULES, ...SCENARIO_LOAD_DIAGNOSTICS, ...TRUST_DIAGNOSTICS },
  },
  { title: "Scenarios", table: SCENARIO_RULES },
  { title: "Units in processes of their own", table: ISOLATION_DIAGNOSTICS },
  { title: "Units on other computers", table: NETWORK_DIAGNOSTICS },
  { title: "Distributed runs", table: DISTRIBUTED_DIAGNOSTICS },
  { title: "State machines", table: MACHINE_RULES },
  { title: "Faults", table: FAULT_TEXT_RULES },
  { title: "Discrete-event models", table: DEVS_DIAGNOSTICS },
  { title: "Coordination", table: COORDINATION_DIAGNOSTICS },
  {
    title: "Interfaces and specifications",
    table: { ...TEXT_RULES, ...MCI_RULES, ...MCL_RULES, ...INTERFACE_RULES },
  },
  { title: "System structures (SSP)", table: SSP_OWN_DIAGNOSTICS },
  {
    title: "Semantic adaptations",
    table: {
      ...SA_RULES,
      ...APPLY_RULES,
      ...DIALECT_RULES,
      ...ADAPTATION_FILE_RULES,
      ...LANGUAGE_SERVER_RULES,
    },
  },
  {
    title: "Switched systems",
    table: { ...SWITCHED_TEXT_RULES, ...JSR_DIAGNOSTICS, ...GUARD_TEXT_RULES },
  },
  { title: "Plans", table: { ...PLAN_DIAGNOSTICS, ...PLAN_CHECK_RULES } },
  {
    title: "Orchestration algorithms",
    table: { ...ORCHESTRATION_TEXT_RULES, ...ORCHESTRATION_RULES },
  },
  { title: "Studies", table: { ...STUDY_TEXT_RULES, ...STUDY_RULES } },
  { title: "Hybrid systems", table: { ...HYBRID_TEXT_RULES, ...HYBRID_DIAGNOSTICS } },
  { title: "Stability with fixed steps", table: SPECTRAL_DIAGNOSTICS },
  { title: "Exported FMUs", table: EXPORT_FMU_RULES },
  { title: "Recording and reading tables", table: RECORD_DIAGNOSTICS },
  { title: "The studio", table: STUDIO_DIAGNOSTICS },
];

/** The page docs/reference/diagnostics.md. */
export function diagnosticsPage(): string {
  const lines = [
    "# Diagnostics",
    "",
    "Every code that Cosimo reports, with the rule behind it. A code never changes its meaning. This page is printed from the",
    "tables in the code (`npm run reference`); a test holds the two together.",
  ];
  for (const { title, table } of DIAGNOSTIC_TABLES) {
    lines.push("", `## ${title}`, "", "| code | severity | rule |", "|---|---|---|");
    for (const [code, rule] of Object.entries(table)) {
      lines.push(`| \`${code}\` | ${rule.severity} | ${rule.rule.replaceAll("|", "\\|")} |`);
    }
  }
  return `${lines.join("\n")}\n`;
}
