/**
 * Two coupled masses as plain FMUs, which say nothing of their inputs, under `gauss-seidel`: radius
 * and trace against the map that is written down from the definition of the master, for both orders
 * and both versions of FMI.
 */
import { describe, expect, it } from "vitest";
import { massesMap } from "../../src/engine/testing/masses-maps.ts";
import { spectralRadius } from "../../src/numerics/eigenvalues.ts";
import { fixture, numbersOf, Workplace } from "./cosimo.ts";

const place = new Workplace();
const STEP = 2;
const STATES = ["left.x_1", "left.v_1", "right.x_2", "right.v_2"];

/** One of FMI 2 and one of FMI 3, in either order. */
const CASES = [
  [2, 3, "left, right", "left first, held"],
  [2, 3, "right, left", "right first, held"],
  [3, 2, "left, right", "left first, held"],
  [3, 2, "right, left", "right first, held"],
] as const;

function scenario(left: number, right: number, order: string): string {
  return place.write(
    `${left}-${right}-${order.replace(", ", "-")}.yaml`,
    `units:
  left: ${fixture(`fmi${left}/MassSpringDamperLeftPlain`)}
  right: { fmu: "${fixture(`fmi${right}/MassSpringDamperRightPlain`)}", set: { d: 2 } }
connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e]
experiment: { stop: 20 s, step: ${STEP} s }
master: { name: gauss-seidel, order: [${order}] }
record: [${STATES.join(", ")}]
`,
  );
}

describe("plain FMUs in sequence", () => {
  it.each(CASES)(
    "[ST16] of FMI %i and %i, %s, have the textbook's radius",
    async (l, r, order, master) => {
      const ended = await place.run(
        ...["stability", "spectral", scenario(l, r, order)],
        ...["--from", "1", "--to", "2", "--points", "2", "--json"],
      );
      expect(ended).toMatchObject({ code: 0 });
      const { masters } = JSON.parse(ended.stdout) as {
        masters: { isChosen: boolean; name: string; radius: number }[];
      };
      const written = spectralRadius(4, massesMap({ coupling: 1, damping: 2 }, STEP, master));
      expect(written).toBeCloseTo(0.554292, 6);
      expect(masters[0]!.radius).toBeCloseTo(written, 6);
    },
  );

  it.each(CASES)(
    "[PN26] of FMI %i and %i, %s, follow the textbook's map",
    async (l, r, order, master) => {
      const ended = await place.run("run", scenario(l, r, order), "-o", place.path("trace.csv"));
      expect(ended).toMatchObject({ code: 0 });
      const trace = place.trace("trace.csv");
      const columns = STATES.map((name) => numbersOf(trace, name));
      const map = massesMap({ coupling: 1, damping: 2 }, STEP, master);
      let state = [1, 0, 0, 0];
      for (let k = 0; k < columns[0]!.length; k++) {
        for (const [i, column] of columns.entries()) expect(column[k]).toBeCloseTo(state[i]!, 12);
        state = state.map((_, i) => state.reduce((sum, x, j) => sum + map[4 * i + j]! * x, 0));
      }
      expect(columns[0]).toHaveLength(11);
    },
  );
});
