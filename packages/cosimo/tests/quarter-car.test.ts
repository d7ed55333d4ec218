/**
 * A quarter car drives over a step of 10 cm in the road, as FMUs of both versions. What is
 * exchanged every 10 ms decides where it ends: at the height of the road, or anywhere else.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { simulateScenarioFile } from "../src/host/scenario-file.ts";
import { folderOfFile } from "../src/platform/node/testing/folders.ts";

const BUILT = join(import.meta.dirname, "..", "..", "..", "fixtures", "build");
const folder = folderOfFile("quarter-car");

const HEIGHT = 0.1;
/** A millimetre. */
const ALLOWED = 1e-3;
const STEP = 0.01;
/** v on the ramp of 4 ms. */
const VELOCITY = HEIGHT / 0.004;

const VERSIONS = ["fmi2", "fmi3"] as const;
const MASTERS = ["jacobi", "gauss-seidel", "iterative"] as const;
const CASES = VERSIONS.flatMap((version) => MASTERS.map((master) => ({ version, master })));

interface Car {
  readonly version: (typeof VERSIONS)[number];
  readonly master: string;
  /** The connection from the road keeps its area, the suspension its energy. */
  readonly kept?: boolean;
  readonly options?: string;
  readonly limits?: string;
  /** The wheel takes the velocity of the start of a step, whichever unit goes first. */
  readonly delayed?: boolean;
  /** When the road begins to rise. */
  readonly begin?: number;
}

/** Heights of chassis, wheel and of the road under the wheel, when everything has come to rest. */
async function endOf(car: Car): Promise<{ chassis: number; wheel: number; road: number }> {
  const { version, master, kept = false, options = "", limits = "", begin = 0.998 } = car;
  const more = `${kept ? ", integral: road.z" : ""}${car.delayed ? ", kind: delayed" : ""}`;
  const fmu = (name: string): string =>
    JSON.stringify(join(BUILT, version, `QuarterCar${name}.fmu`));
  const file = join(folder, "scenario.yaml");
  writeFileSync(
    file,
    `
units:
  road: { fmu: ${fmu("Road")}, set: { begin: ${begin} } }
  wheel: ${fmu("Wheel")}
  chassis: ${fmu("Chassis")}
connections:
  - { from: road.v, to: wheel.v_road${more} }
  - wheel.z_w -> chassis.z_w
bonds:
  - name: suspension
    effort: chassis.F -> wheel.F
    flow: wheel.v_w -> chassis.v_w
    preserve: ${kept ? "energy" : "nothing"}
${limits}
experiment: { stop: 10 s, step: ${STEP} }
master: { name: ${master}${options} }
record: [chassis.z_c, wheel.z_w, wheel.z_road]
`,
  );
  const { outcome, trace } = await simulateScenarioFile(file);
  expect(outcome.kind).toBe("completed");
  const [chassis, wheel, road] = ["chassis.z_c", "wheel.z_w", "wheel.z_road"].map((name) => {
    const column = trace.columns.find((one) => one.name === name)!;
    return Number(column.data.at(-1));
  });
  return { chassis: chassis!, wheel: wheel!, road: road! };
}

function expectAllAt(height: number, end: Awaited<ReturnType<typeof endOf>>): void {
  expect(Math.abs(end.chassis - height)).toBeLessThan(ALLOWED);
  expect(Math.abs(end.wheel - height)).toBeLessThan(ALLOWED);
  expect(Math.abs(end.road - height)).toBeLessThan(1e-12);
}

const sampled = ", approximation: hold, eventMode: false";

describe("a quarter car behind a step of 10 cm", () => {
  it.each(CASES)("ends at what was sampled: held velocity, $master, $version", async (car) => {
    // The point at 1 s sees the ramp and holds it for a step; with a ramp between two points, none
    // does.
    expectAllAt(VELOCITY * STEP, await endOf({ ...car, options: sampled }));
    expectAllAt(0, await endOf({ ...car, options: sampled, begin: 0.993 }));
  });

  it.each(CASES)(
    "[PB7] ends at its height where areas are kept: $master, $version",
    async (car) => {
      for (const begin of [0.998, 0.993])
        expectAllAt(HEIGHT, await endOf({ ...car, kept: true, options: sampled, begin }));
    },
  );

  it.each(CASES)(
    "[PB12] ends at its height with points at the corners: $master, $version",
    async (car) => {
      const limits = "limits: [{ at: [0.998, 1.002] }]";
      // The velocity that jumps at a corner belongs to the step behind it.
      expectAllAt(HEIGHT, await endOf({ ...car, limits, options: sampled, delayed: true }));
    },
  );

  it.each(MASTERS)(
    "ends at its height where the road tells its corners: %s, fmi3",
    async (master) => {
      for (const begin of [0.998, 0.993])
        expectAllAt(HEIGHT, await endOf({ version: "fmi3", master, begin }));
    },
  );

  it.each(MASTERS)(
    "ends at its height where areas are kept and events handled: %s, fmi3",
    async (master) => {
      for (const begin of [0.998, 0.993])
        expectAllAt(HEIGHT, await endOf({ version: "fmi3", master, begin, kept: true }));
    },
  );
});
