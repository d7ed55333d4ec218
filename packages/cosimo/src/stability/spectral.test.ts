/**
 * The whole analysis on two coupled mass-spring-dampers (theory: AX-4) and on systems that can be
 * solved by hand.
 */
import { describe, expect, it } from "vitest";
import { coupledMasses, MASSES_WIRES } from "../engine/testing/coupled-masses.ts";
import { type MassesMaster, massesMap } from "../engine/testing/masses-maps.ts";
import { spectralRadius } from "../numerics/eigenvalues.ts";
import { linearUnit } from "../unit/linear-unit.ts";
import type { Unit } from "../unit/unit.ts";
import { analyseSpectrum, type SpectralOptions, type SpectralReport } from "./spectral.ts";
import { couple } from "./testing/looked-at.ts";

function masses(step: number, damping: number, options: SpectralOptions): Promise<SpectralReport> {
  const { scenario, plan, units } = couple({ ...coupledMasses({ damping }) }, MASSES_WIRES, {
    step,
  });
  return analyseSpectrum(scenario, plan, units, options);
}

/** Where the radius of the written map passes 1, between two steps on both sides. */
function writtenLimit(master: MassesMaster, damping: number, left: number, right: number): number {
  let [low, high] = [left, right];
  for (let k = 0; k < 60; k++) {
    const middle = (low + high) / 2;
    if (spectralRadius(4, massesMap({ coupling: 1, damping }, middle, master)) > 1) high = middle;
    else low = middle;
  }
  return low;
}

const RANGE = { from: 0.1, to: 20, perDecade: 10 };

/** x' = u, fed with -k x: x⁺ = (1 - kH) x. */
function loop(gain: number, step: number, options: SpectralOptions): Promise<SpectralReport> {
  const tank: Unit = linearUnit({
    name: "tank",
    inputs: { u: {} },
    states: { x: {} },
    a: [[0]],
    b: [[1]],
  });
  const { scenario, plan, units } = couple({ tank }, `tank.x -> tank.u * ${-gain}`, { step });
  return analyseSpectrum(scenario, plan, units, options);
}

describe("the analysis of two coupled masses", () => {
  it("[ST9] finds the limits of the written maps, and theory's 1.2475 and 1.0936 s for jacobi", async () => {
    const { masters } = await masses(0.1, 2, { range: RANGE });
    const limit = (label: string): number =>
      masters.find((one) => one.label === label)!.sweep!.limit!;
    expect(limit("jacobi")).toBeCloseTo(1.2475, 4);
    expect(limit("jacobi")).toBeCloseTo(writtenLimit("jacobi", 2, 1, 2), 5);
    expect(limit("gauss-seidel left → right")).toBeCloseTo(
      writtenLimit("left first", 2, 2, 2.5),
      5,
    );
    expect(limit("gauss-seidel right → left")).toBeCloseTo(writtenLimit("right first", 2, 1, 2), 5);
    expect(masters.find(({ label }) => label === "iterative")!.sweep).toMatchObject({
      unstable: [],
    });
    const undamped = await masses(0.1, 0, { range: RANGE });
    expect(undamped.masters[0].sweep!.limit).toBeCloseTo(1.0936, 4);
  });

  it("[ST3] compares the scenario's own master with the others, and mentions twins once", async () => {
    const { masters } = await masses(0.1, 2, {
      master: "gauss-seidel",
      range: { from: 0.1, to: 1 },
    });
    expect(masters.map(({ label }) => label)).toEqual([
      "gauss-seidel left → right",
      "jacobi",
      "gauss-seidel right → left",
      "jacobi, linear",
      "gauss-seidel left → right, linear",
      "iterative",
    ]);
    expect(masters.filter(({ isChosen }) => isChosen)).toHaveLength(1);
    // One unit alone: every order is the same.
    const alone = await loop(1, 0.1, { range: { from: 0.1, to: 1 } });
    expect(alone.masters.filter(({ label }) => label.startsWith("gauss-seidel")).length).toBe(0);
  });

  it("[ST12] says what to do where the step is too large", async () => {
    const { advice, masters } = await masses(2, 2, { range: { from: 0.1, to: 4 } });
    expect(masters[0].isStable).toBe(false);
    expect(advice[0]).toMatch(
      /^jacobi is unstable with steps of 2 s: a deviation doubles every 2.66 s$/,
    );
    expect(advice[1]).toMatch(/take steps of 0.6 s: it is stable up to 1.247 s/);
    expect(advice[2]).toMatch(/or take iterative: stable with this step \(ρ = 0.2547\), no limit/);
  });
});

describe("the analysis of a loop that can be solved by hand", () => {
  it("[ST11] tells how the radius follows what a connection carries", async () => {
    const { drivers, masters } = await loop(3, 0.1, { range: { from: 0.1, to: 1 } });
    expect(masters[0].radius).toBeCloseTo(1 - 0.3, 12);
    // d(1 - kH)/d ln k
    expect(drivers.couplings).toEqual([
      { connection: "tank.x -> tank.u", sensitivity: expect.closeTo(-0.3, 7) },
    ]);
  });

  it("[ST11] shares a mode out among states and signals, and the shares make one", async () => {
    const { drivers } = await masses(0.1, 2, { range: { from: 0.1, to: 0.2 } });
    const sum = drivers.units.reduce((all, { share }) => all + share, 0);
    expect(sum).toBeGreaterThan(0.97);
    expect(sum).toBeLessThan(1 + 1e-9);
    expect(drivers.units.map(({ name }) => name)).toContain("left");
  });

  it("[ST8] finds the step that a delay leaves", async () => {
    // One step late: kH < 1.
    const { masters, advice } = await loop(4, 0.1, { delay: 0.1, range: { from: 0.1, to: 2 } });
    expect(masters[0].radius).toBeCloseTo(Math.sqrt(0.4), 10);
    expect(masters[0].sweep!.limit).toBeCloseTo(0.25, 5);
    expect(advice[0]).toMatch(/stays so up to 0.25 s/);
  });

  it("[ST12] does not blame masters for a system that is unstable itself", async () => {
    const { advice } = await loop(-1, 0.1, { range: { from: 0.001, to: 1 } });
    expect(advice[0]).toMatch(/the coupled system itself is unstable/);
  });

  it("[ST12] says of a mode that stays that it stays", async () => {
    const { advice, masters } = await loop(0, 0.1, { range: { from: 0.01, to: 1 } });
    expect(masters[0]).toMatchObject({ radius: 1, isStable: true });
    expect(advice[0]).toMatch(/a deviation stays, it neither grows nor fades/);
  });
});

describe("steps that vary", () => {
  it("[ST10] are proven stable where every sequence of their sizes is, at the rate of the worst", async () => {
    // One state: every product is the product of the factors 1 - kH.
    const { jitter, advice } = await loop(3, 0.1, { jitter: 0.5, range: { from: 0.1, to: 0.2 } });
    expect(jitter!.sizes.map(({ radius }) => radius)).toEqual([
      expect.closeTo(0.85, 12),
      expect.closeTo(0.7, 12),
      expect.closeTo(0.55, 12),
    ]);
    expect(jitter!.proven.value).toBeGreaterThanOrEqual(0.85 - 1e-12);
    expect(jitter!.proven.value).toBeLessThan(0.85 * 1.001);
    expect(advice[1]).toMatch(/±50 % are stable .* which is proven$/);
  });

  it("[ST10] are called unstable where a sequence grows, though the step that is meant does not", async () => {
    const { jitter, masters, advice } = await loop(3, 0.6, {
      jitter: 0.2,
      range: { from: 0.5, to: 0.8 },
    });
    expect(masters[0].radius).toBeCloseTo(0.8, 12);
    expect(jitter!.met.value).toBeCloseTo(3 * 0.72 - 1, 9);
    expect(advice.at(-1)).toMatch(/can be unstable/);
  });

  it("[ST10] of two masses are as slow as the slowest size, and the signals between them do not hide the proof", async () => {
    const { jitter } = await masses(0.1, 2, { jitter: 0.3, range: { from: 0.1, to: 0.2 } });
    const slowest = spectralRadius(4, massesMap({ coupling: 1, damping: 2 }, 0.07, "jacobi"));
    expect(jitter!.met.value).toBeCloseTo(slowest, 6);
    expect(jitter!.proven.value).toBeGreaterThanOrEqual(slowest - 1e-9);
    expect(jitter!.proven.value).toBeLessThan(1);
  });
});

describe("maps over the states of units", () => {
  it("[ST15] are the maps that the definitions of masters give, in the same coordinates for all of them", async () => {
    const { maps, notes } = await masses(0.1, 2, {
      maps: [0.1, 0.7],
      range: { from: 0.1, to: 0.2 },
    });
    const named = new Map(maps!.map(({ name, rows }) => [name, rows.flat()]));
    for (const [label, master] of [
      ["jacobi", "jacobi"],
      ["gauss-seidel left → right", "left first"],
      ["gauss-seidel right → left", "right first"],
    ] as const)
      for (const step of [0.1, 0.7]) {
        const written = massesMap({ coupling: 1, damping: 2 }, step, master);
        named.get(`${label}, ${step} s`)!.forEach((entry, k) => {
          expect(entry).toBeCloseTo(written[k], 10);
        });
      }
    expect(named.has("iterative, 0.1 s")).toBe(true);
    expect(notes).toContain("no map of 'jacobi, linear': it carries more than states of units");
  });
});

describe("a system with a mode that stays", () => {
  /**
   * A mass that is braked, with its place: nothing pulls it back. The brake follows the speed by
   * hand.
   */
  async function braked(step: number): Promise<SpectralReport> {
    const mass: Unit = linearUnit({
      name: "mass",
      inputs: { force: { reactive: true } },
      states: { place: {}, speed: {} },
      a: [
        [0, 1],
        [0, 0],
      ],
      b: [[0], [1]],
    });
    const brake: Unit = linearUnit({
      name: "brake",
      inputs: { speed: { reactive: true } },
      states: { lag: {} },
      outputs: { force: { feedThrough: [] } },
      a: [[-5]],
      b: [[5]],
      c: [[-1]],
    });
    const { scenario, plan, units } = couple(
      { mass, brake },
      "mass.speed -> brake.speed; brake.force -> mass.force",
      { step },
    );
    return analyseSpectrum(scenario, plan, units, { range: { from: 0.01, to: 1 } });
  }

  it("[ST3] tells masters apart by all their eigenvalues, since all have the radius 1", async () => {
    const { masters } = await braked(0.1);
    expect(masters.map(({ label }) => label)).toContain("gauss-seidel brake → mass");
    expect(masters.map(({ label }) => label)).toContain("gauss-seidel mass → brake");
    for (const { radius } of masters) expect(radius).toBeCloseTo(1, 9);
  });

  it("[ST11] names those who drive what moves, not what stays", async () => {
    const { masters, drivers, advice } = await braked(0.1);
    // Jacobi: v⁺ = v - H l, l⁺ = e l + (1 - e) v with e = exp(-0.5); λ² - (1 + e) λ + e + H (1 - e)
    // = 0.
    const e = Math.exp(-0.5);
    const determinant = e + 0.1 * (1 - e);
    expect((1 + e) ** 2 - 4 * determinant).toBeLessThan(0);
    const slowest = Math.sqrt(determinant);
    expect(masters[0].moving).toBeCloseTo(slowest, 9);
    expect(drivers.couplings.map(({ connection }) => connection).sort()).toEqual([
      "brake.force -> mass.force",
      "mass.speed -> brake.speed",
    ]);
    expect(advice[0]).toMatch(
      /some deviations stay, nothing pulls them back; all others are halved/,
    );
  });
});
