/**
 * What can be wrong with a hybrid system that only its analysis shows.
 */
import { type RulesFor, rulesFrom } from "../base/diagnostic.ts";

interface HybridParams {
  "hybrid-no-equilibrium": { readonly name: string };
  "hybrid-unit": { readonly mode: string; readonly path: string; readonly why: string };
  "hybrid-no-simulation": { readonly name: string };
}

export const HYBRID_DIAGNOSTICS: RulesFor<HybridParams> = rulesFrom<HybridParams>({
  "hybrid-no-equilibrium": {
    rule: "One mode of the system rests inside its own domain, near the section; that is what delays may destroy.",
    message: (p) =>
      `no mode of '${p.name}' has an equilibrium on its own side of the surface, or the section has no points there`,
    fix: "check the signs of 'surface' and 'derivatives' and the order of the modes; let 'along' lead towards the equilibrium",
  },
  "hybrid-unit": {
    rule: "The unit of a mode is made by a module, and has the system's states with their derivatives.",
    message: (p) => `'${p.path}' does not make the unit of mode '${p.mode}': ${p.why}`,
    fix: "export a function that makes the unit: 'export default (name) => odeUnit({ name, states: { x: {}, v: {} }, derivatives: … })'",
  },
  "hybrid-no-simulation": {
    severity: "note",
    rule: "Bounds are put to the test by a co-simulation, which needs a start and a stop time.",
    message: (p) =>
      `'${p.name}' does not say how to simulate it, so the bounds are not put to the test`,
    fix: "add 'simulate: { start: { x: 1, v: 0 }, stop: 60 }'",
  },
});
