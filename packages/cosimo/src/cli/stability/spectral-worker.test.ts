/**
 * The analysis of real FMUs: two coupled mass-spring-dampers that say everything about themselves,
 * and the same two that only step.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { folderOfFile } from "../../platform/node/testing/folders.ts";
import type { SpectralReport } from "../../stability/spectral.ts";
import type { SpectralJob } from "./spectral-protocol.ts";
import { analyseStability } from "./spectral-worker.ts";

const FMUS = fileURLToPath(new URL("../../../../../fixtures/build", import.meta.url));
const folder = folderOfFile("spectral");

function scenario(left: string, right: string): string {
  const file = join(folder, `${left}-${right}.yaml`.replaceAll("/", "-"));
  writeFileSync(
    file,
    [
      "name: masses",
      "units:",
      `  left: ${join(FMUS, left)}.fmu`,
      `  right: ${join(FMUS, right)}.fmu`,
      "connections:",
      "  - left.x_1 -> right.x_c",
      "  - left.v_1 -> right.v_c",
      "  - right.F_c -> left.F_e",
      "experiment: { stop: 10 s, step: 1 s }",
      "master: jacobi",
    ].join("\n"),
  );
  return file;
}

async function analyse(model: string, options: SpectralJob["options"]): Promise<SpectralReport> {
  let report: SpectralReport | undefined;
  const job: SpectralJob = {
    kind: "spectral",
    trust: true,
    model,
    folder,
    set: ["right.d=2"],
    options,
  };
  await analyseStability(
    job,
    (message) => {
      if (message.kind === "report") report = message.report;
      else expect(["units", "working"]).toContain(message.kind);
    },
    () => false,
  );
  return report!;
}

const RANGE = { from: 1, to: 2, perDecade: 10 };
const FULL = ["fmi3/MassSpringDamperLeft", "fmi2/MassSpringDamperRight"] as const;
const PLAIN = ["fmi2/MassSpringDamperLeftPlain", "fmi3/MassSpringDamperRightPlain"] as const;

describe("two FMUs that are coupled", () => {
  it.each([
    ["from their derivatives", "auto", "equations"],
    ["measured under rollback", "steps", "steps"],
  ] as const)("[ST1] have theory's radii at H=1, %s", async (_, method, found) => {
    const { masters, units } = await analyse(scenario(...FULL), { method, range: RANGE });
    expect(units.map((unit) => [unit.method, unit.states])).toEqual([
      [found, 2],
      [found, 2],
    ]);
    for (const { error, curvature } of units) {
      expect(error).toBeLessThan(1e-9);
      expect(curvature).toBeLessThan(1e-9);
    }
    const radii = Object.fromEntries(masters.map(({ label, radius }) => [label, radius]));
    expect(radii["jacobi"]).toBeCloseTo(0.67357, 6);
    expect(radii["gauss-seidel left → right"]).toBeCloseTo(0.37572, 6);
    expect(radii["gauss-seidel right → left"]).toBeCloseTo(0.409383, 6);
    expect(radii["iterative"]).toBeCloseTo(0.447463, 6);
    expect(masters[0]!.sweep!.limit).toBeCloseTo(1.2475, 4);
  });

  it("[ST5] have theory's radii also when they can do nothing but step", async () => {
    const { masters, units } = await analyse(scenario(...PLAIN), { range: RANGE });
    expect(units.map(({ method, canRollBack }) => [method, canRollBack])).toEqual([
      ["steps", false],
      ["steps", false],
    ]);
    expect(masters[0]!.radius).toBeCloseTo(0.67357, 6);
    expect(masters[0]!.sweep!.limit).toBeCloseTo(1.2475, 4);
    expect(masters.find(({ label }) => label === "iterative")!.reason).toMatch(/cannot save/);
  });

  it("[ST5] are looked at later only where they can come back to it", async () => {
    const later = analyse(scenario(...PLAIN), { at: 3, range: RANGE });
    await expect(later).rejects.toThrow(/'left', 'right' cannot go back to t=3/);
    await expect(analyse(scenario(...FULL), { at: -1 })).rejects.toThrow(/before the start/);
  });

  it("[ST1] are linear, so it does not matter when they are looked at", async () => {
    const { at, masters } = await analyse(scenario(...FULL), { at: 3, range: RANGE });
    expect(at).toBe(3);
    expect(masters[0]!.radius).toBeCloseTo(0.67357, 6);
  });
});
