/**
 * One-step maps against theory: tables of two coupled mass-spring-dampers, and maps that can be
 * written down.
 */
import { describe, expect, it } from "vitest";
import { coupledMasses, MASSES_WIRES } from "../engine/testing/coupled-masses.ts";
import { massesMap } from "../engine/testing/masses-maps.ts";
import { spectralRadius } from "../numerics/eigenvalues.ts";
import { linearUnit } from "../unit/linear-unit.ts";
import type { Unit } from "../unit/unit.ts";
import { NoPlan } from "./one-step-map.ts";
import { radiusOf, reduceMaps, spectrumOf } from "./spectrum.ts";
import { couple, type LookedAt, lookAt, mapOf } from "./testing/looked-at.ts";

const LEFT_FIRST = { order: ["left", "right"] };
const RIGHT_FIRST = { order: ["right", "left"] };

function masses(coupling: number, step: number, method: "auto" | "steps" = "auto"): LookedAt {
  const units = coupledMasses({ coupling, damping: 2 });
  return lookAt(couple({ ...units }, MASSES_WIRES, { step }), method);
}

describe.each(["auto", "steps"] as const)("two coupled masses, models found by '%s'", (method) => {
  const looked = masses(1, 0.1, method);

  it.each([
    [0.001, 0.999233, 0.999233, 0.999233, 0.999233],
    [0.1, 0.92504, 0.924956, 0.924987, 0.926119],
    [0.5, 0.660022, 0.655044, 0.658909, 0.678642],
    [1, 0.67357, 0.37572, 0.409383, 0.447463],
    [2, 1.683953, 0.935922, 1.153008, 0.254732],
  ])(
    "[ST1] have the spectral radii of theory at H=%f",
    (step, jacobi, leftFirst, rightFirst, strong) => {
      expect(radiusOf(mapOf(looked, step, "jacobi"))).toBeCloseTo(jacobi, 6);
      expect(radiusOf(mapOf(looked, step, "gauss-seidel", LEFT_FIRST))).toBeCloseTo(leftFirst, 6);
      expect(radiusOf(mapOf(looked, step, "gauss-seidel", RIGHT_FIRST))).toBeCloseTo(rightFirst, 6);
      expect(radiusOf(mapOf(looked, step, "iterative"))).toBeCloseTo(strong, 6);
    },
  );
});

describe("two coupled masses that can only step", () => {
  const plain = coupledMasses({ coupling: 1, damping: 2 });
  const open = Object.fromEntries(
    Object.entries(plain).map(([name, unit]) => [name, withoutKinds(unit)]),
  );
  const looked = lookAt(couple(open, MASSES_WIRES, { step: 0.1 }), "steps");

  it.each([0.001, 0.1, 0.5, 1, 2])(
    "[ST16] have the radius of a sequence with held inputs at H=%f, the same in both orders",
    (step) => {
      for (const [options, master] of [
        [LEFT_FIRST, "left first, held"],
        [RIGHT_FIRST, "right first, held"],
      ] as const) {
        const written = massesMap({ coupling: 1, damping: 2 }, step, master);
        const found = radiusOf(mapOf(looked, step, "gauss-seidel", options));
        expect(found).toBeCloseTo(spectralRadius(4, written), 9);
        if (step === 2) expect(found).toBeCloseTo(0.554292, 6);
      }
    },
  );
});

/** The same unit, which says nothing of its inputs and takes no slopes. */
function withoutKinds(unit: Unit): Unit {
  const { description } = unit;
  const ports = description.ports.map(({ reactive: _, ...port }) => port);
  const capabilities = { ...description.capabilities, inputDerivativeOrder: 0, variableStep: true };
  return Object.create(unit, {
    description: { value: { ...description, ports, capabilities } },
  }) as Unit;
}

describe("one-step maps", () => {
  it.each([
    ["jacobi", "jacobi", {}],
    ["gauss-seidel", "left first", LEFT_FIRST],
    ["gauss-seidel", "right first", RIGHT_FIRST],
  ] as const)(
    "[ST1] of %s, %s, have the eigenvalues of the map that its definition gives",
    (name, master, options) => {
      const looked = masses(1, 0.7);
      const found = spectrumOf(reduceMaps([mapOf(looked, 0.7, name, options)])[0]);
      const written = spectrumOf({
        size: 4,
        entries: [],
        owners: [],
        matrix: massesMap({ coupling: 1, damping: 2 }, 0.7, master),
      });
      written.forEach(({ re, im }, k) => {
        expect(found[k].re).toBeCloseTo(re, 11);
        expect(found[k].im).toBeCloseTo(im, 11);
      });
      // What else is carried is forgotten after a step.
      for (const { modulus } of found.slice(4)) expect(modulus).toBeLessThan(1e-7);
    },
  );

  it.each([
    ["jacobi", {}, 1278.6, 1.864, 5997],
    ["gauss-seidel", RIGHT_FIRST, 2000.3, undefined, 2998],
    ["gauss-seidel", LEFT_FIRST, 8260.6, undefined, 1.001],
  ] as const)(
    "[ST1] of %s %o pass 1 at theory's stiffness of the damper, H=1 ms",
    (name, options, limit, at2000, at6e6) => {
      const radius = (coupling: number): number =>
        radiusOf(mapOf(masses(coupling, 0.001), 0.001, name, options));
      // Theory gives five digits.
      expect(radius(limit - 0.06)).toBeLessThan(1);
      expect(radius(limit + 0.06)).toBeGreaterThan(1);
      if (at2000 !== undefined) expect(radius(2000)).toBeCloseTo(at2000, 3);
      expect(radius(6e6) / at6e6).toBeCloseTo(1, 3);
    },
  );

  it("[ST1] of strong coupling do not grow with a damper of 6e6, where explicit masters do", () => {
    const radius = radiusOf(mapOf(masses(6e6, 0.001), 0.001, "iterative"));
    // Theory has 1 - 2.5e-10; iterations on such forces do not agree any better than to a
    // millionth.
    expect(Math.abs(radius - 1)).toBeLessThan(1e-6);
  });

  it("[ST2] leave out inputs that nobody feeds, and keep a unit's state that stays", () => {
    const tank = (): Unit =>
      linearUnit({ name: "tank", inputs: { flow: {} }, states: { level: {} }, a: [[0]], b: [[1]] });
    const looked = lookAt(couple({ tank: tank() }, "", { step: 0.1 }));
    const [reduced] = reduceMaps([mapOf(looked, 0.1, "jacobi")]);
    expect(reduced!.owners).toEqual([{ kind: "unit", unit: 0 }]);
    expect([...reduced!.matrix]).toEqual([1]);
  });

  it("[ST2] have the past of extrapolated inputs as state: linear extrapolation of an integrator's own value", () => {
    // x⁺ = x + ∫ -k (x + (x - x₋) s/H) ds = x - kH (1.5 x - 0.5 x₋): λ² - (1 - 1.5 kH) λ - 0.5 kH =
    // 0.
    const looked = lookAt(couple({ a: integrator() }, "a.x -> a.u * -3", { step: 0.2 }));
    const found = radiusOf(mapOf(looked, 0.2, "jacobi", { approximation: "linear" }));
    const g = 0.6;
    const p = 1 - 1.5 * g;
    const root = Math.sqrt(p * p + 2 * g);
    expect(found).toBeCloseTo(Math.max(Math.abs(p + root), Math.abs(p - root)) / 2, 12);
  });

  it("[ST7] are over a period where units have steps of their own, and the radius is that of a tick", () => {
    // The slow one holds its input for two ticks, the fast one sees the slow one's value as it was.
    const fast = linearUnit({
      name: "f",
      inputs: { u: {} },
      states: { x: {} },
      a: [[-1]],
      b: [[1]],
    });
    const slow = linearUnit({
      name: "s",
      inputs: { u: {} },
      states: { x: {} },
      a: [[-2]],
      b: [[1]],
    });
    const looked = lookAt(
      couple({ fast, slow }, "fast.x -> slow.u; slow.x -> fast.u * 0.5", {
        step: 0.1,
        steps: { slow: 0.2 },
      }),
    );
    const map = mapOf(looked, 0.1, "jacobi");
    expect(map.ticks).toBe(2);
    const [e1, e2] = [Math.exp(-0.1), Math.exp(-0.4)];
    const written = Float64Array.of(e1 * e1, 0.5 * (1 - e1 * e1), (1 - e2) / 2, e2);
    expect(radiusOf(map)).toBeCloseTo(Math.sqrt(spectralRadius(2, written)), 12);
  });

  it.each([1, 2, 5])("[ST8] with outputs %i steps late are those of a delay line", (d) => {
    // x⁺ = x - kH x(n - d) is stable while kH < 2 cos(π d / (2d + 1)) (Levin and May 1976).
    const looked = lookAt(couple({ a: integrator() }, "a.x -> a.u * -1", { step: 0.1 }));
    const limit = 2 * Math.cos((Math.PI * d) / (2 * d + 1));
    const radius = (step: number): number => radiusOf(mapOf(looked, step, "jacobi", {}, d * step));
    expect(radius(limit * 0.999)).toBeLessThan(1);
    expect(radius(limit * 1.001)).toBeGreaterThan(1);
    // A delay of a little less is rounded up.
    expect(radiusOf(mapOf(looked, 0.1, "jacobi", {}, (d - 0.4) * 0.1))).toBeCloseTo(
      radius(0.1),
      12,
    );
  });

  it("[ST3] say why a master has no plan", () => {
    const { left, right } = coupledMasses();
    for (const unit of [left, right])
      Object.assign(unit, {
        description: {
          ...unit.description,
          capabilities: { ...unit.description.capabilities, rollback: false },
        },
      });
    const looked = lookAt(couple({ left, right }, MASSES_WIRES, { step: 0.1 }));
    expect(() => mapOf(looked, 0.1, "iterative")).toThrow(NoPlan);
    expect(() => mapOf(looked, 0.1, "iterative")).toThrow(/cannot save and restore/);
  });
});

function integrator(): Unit {
  return linearUnit({
    name: "a",
    inputs: { u: { reactive: true } },
    states: { x: {} },
    a: [[0]],
    b: [[1]],
  });
}
