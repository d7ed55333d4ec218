/** Systems of units for tests: in a line, and random ones. */
import fc from "fast-check";
import type { OrchestratedSystem, OrchestratedUnit } from "../../../model/orchestration.ts";

/**
 * `a.y -> b.u; b.y -> a.u` with units in words: `a: u reactive; y <- u` has a reactive input u that
 * its output y feeds through, `!` behind a unit's name: it may refuse steps, `-`: it cannot roll
 * back.
 */
export function systemFrom(units: readonly string[], wires: string): OrchestratedSystem {
  return {
    units: units.map((text): OrchestratedUnit => {
      const [head = "", ports = ""] = text.split(":");
      const inputs: Record<string, "reactive" | "delayed" | "undeclared"> = {};
      const outputs: Record<string, readonly string[]> = {};
      for (const port of ports.split(";").map((one) => one.trim())) {
        const [name = "", kind] = port.split(/\s+/);
        if (port.includes("<-"))
          outputs[name] = (port.split("<-")[1] ?? "")
            .split(",")
            .map((one) => one.trim())
            .filter(Boolean);
        else if (name !== "") inputs[name] = (kind ?? "undeclared") as "delayed";
      }
      return {
        name: head.replace(/[!-]/g, "").trim(),
        inputs,
        outputs,
        mayRefuse: head.includes("!"),
        canRollBack: !head.includes("-"),
      };
    }),
    connections: wires
      .split(";")
      .filter((wire) => wire.trim() !== "")
      .map((wire) => {
        const [from = "", to = ""] = wire.split("->").map((end) => end.trim());
        return { from, to };
      }),
  };
}

export interface RandomSystemOptions {
  readonly units: number;
  /** Whether units may refuse steps, or lack rollback. */
  readonly isDifficult?: boolean;
}

export function randomSystem({
  units: most,
  isDifficult = false,
}: RandomSystemOptions): fc.Arbitrary<OrchestratedSystem> {
  const unit = fc.record({
    inputs: fc.array(fc.constantFrom("reactive" as const, "delayed" as const), { maxLength: 2 }),
    /** Bits choose the inputs that each output feeds through. */
    outputs: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 2 }),
    refuses: isDifficult ? fc.nat({ max: 3 }).map((n) => n === 0) : fc.constant(false),
    rollback: isDifficult ? fc.nat({ max: 4 }).map((n) => n > 0) : fc.constant(true),
  });
  return fc
    .record({
      units: fc.array(unit, { minLength: 1, maxLength: most }),
      sources: fc.array(fc.nat(), { minLength: 2 * most, maxLength: 2 * most }),
    })
    .map(({ units, sources }) => {
      const made = units.map(
        (spec, u): OrchestratedUnit => ({
          name: `u${u}`,
          inputs: Object.fromEntries(spec.inputs.map((kind, i) => [`i${i}`, kind])),
          outputs: Object.fromEntries(
            spec.outputs.map((bits, o) => [
              `o${o}`,
              spec.inputs.flatMap((_, i) => (bits & (1 << i) ? [`i${i}`] : [])),
            ]),
          ),
          mayRefuse: spec.refuses,
          canRollBack: spec.rollback,
        }),
      );
      const outputs = made.flatMap(({ name, outputs: ports }) =>
        Object.keys(ports).map((port) => `${name}.${port}`),
      );
      const inputs = made.flatMap(({ name, inputs: ports }) =>
        Object.keys(ports).map((port) => `${name}.${port}`),
      );
      // Some inputs stay open.
      const connections = inputs.flatMap((to, i) => {
        const n = sources[i] ?? 0;
        return n % 5 === 0 ? [] : [{ from: outputs[n % outputs.length] as string, to }];
      });
      return { units: made, connections };
    });
}
