/**
 * An exported adaptation is an FMU, and an FMU is a unit: the contract of all units holds for it,
 * in both versions of the standard.
 */
import { join } from "node:path";
import { unitContract } from "../src/unit/testing/contract.ts";
import { exportedUnit } from "./export-adaptation/open-units.ts";

const FILE = join(import.meta.dirname, "export-adaptation", "types.sa");

for (const version of [2, 3] as const) {
  let exported: ReturnType<typeof exportedUnit> | undefined;
  unitContract(`types.sa as an FMI ${version}.0 FMU`, {
    open: async () => {
      exported ??= exportedUnit(FILE, version);
      return (await exported).open();
    },
    step: 0.25,
    // The start value of the input inside.
    behaviour: { port: "real_out", at: () => 1.25, tolerance: 0 },
    settable: { port: "real", value: 3 },
    fixed: { port: "INIT_TYPES_SA_REAL", value: 3 },
    feedThrough: { input: "real", value: -2, output: "real_out", expected: -2, tolerance: 0 },
    // Led over a quarter of a second.
    inputDerivative: {
      input: "real",
      value: 1,
      slope: 2,
      output: "real_out",
      expected: 1.5,
      tolerance: 0,
    },
    echoes: [
      { input: "real", output: "real_out", value: 0.1 },
      { input: "words", output: "words_out", value: "Grüße" },
      { input: "choice", output: "choice_out", value: 1 },
      { input: "tiny", output: "tiny_out", value: 5 },
    ],
  });
}
