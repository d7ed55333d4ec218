/**
 * What can be wrong with the description of a hybrid system beyond the shape of its YAML (lang/scenario has the codes for that).
 */
import type { RulesFor } from "../../base/diagnostic.ts";
import { error } from "../diagnostic-rule.ts";

interface HybridTextParams {
  "hybrid-formula": {
    what: string;
    text: string;
    message: string;
    fix: string;
  };
  "hybrid-name": { name: string; why: string };
  "hybrid-parameter": { name: string; value: number };
  "hybrid-states": { found: number };
  "hybrid-modes": { found: number };
  "hybrid-equation": { mode: string; state: string };
  "hybrid-dynamics": { mode: string };
  "hybrid-no-state": {
    name: string;
    nearest: string | undefined;
    states: readonly string[];
  };
  "hybrid-range": { key: string; example: string };
  "hybrid-no-question": Record<never, never>;
  "hybrid-no-energy": { modes: readonly string[] };
}

export const HYBRID_TEXT_RULES: RulesFor<HybridTextParams> = {
  "hybrid-formula": error(
    "Formulas are made of numbers, states, parameters, + - * / ^, parentheses and functions.",
    (p) => ({ message: `${p.what}, '${p.text}': ${p.message}`, fix: p.fix }),
  ),
  "hybrid-name": error(
    "States and parameters have names of their own that formulas can use.",
    (p) => ({
      message: `'${p.name}' cannot name a state or a parameter: ${p.why}`,
      fix: "use letters, digits and '_', beginning with a letter, each name once",
    }),
  ),
  "hybrid-parameter": error("A parameter is a finite number.", (p) => ({
    message: `the parameter '${p.name}' is ${p.value}`,
    fix: "write a finite number, or a formula of the parameters above it that gives one",
  })),
  "hybrid-states": error("The system lives in the plane: it has two states.", (p) => ({
    message: `there are ${p.found} states; both analyses are made for the plane`,
    fix: "describe the two states that the switching acts on: 'states: [x, v]'",
  })),
  "hybrid-modes": error(
    "A bi-modal system has two modes: the first where the surface is at or below zero, the second above.",
    (p) => ({
      message: `there are ${p.found} modes, not two`,
      fix: "write the mode of 'surface <= 0' first, then the other",
    }),
  ),
  "hybrid-equation": error("Every mode says how every state changes.", (p) => ({
    message: `mode '${p.mode}' does not say how '${p.state}' changes`,
    fix: `add '${p.state}: …' to its 'derivatives'`,
  })),
  "hybrid-dynamics": error(
    "The equations of a mode are formulas or those of a unit, not both.",
    (p) => ({
      message: `mode '${p.mode}' has 'derivatives' and a 'unit'`,
      fix: "keep one of them",
    }),
  ),
  "hybrid-no-state": error("What refers to a state names one.", (p) => ({
    message: `there is no state '${p.name}'`,
    fix:
      p.nearest === undefined
        ? `the states are ${p.states.join(", ")}`
        : `did you mean '${p.nearest}'?`,
  })),
  "hybrid-range": error("A part of a curve is one state with a range of its values.", (p) => ({
    message: `'${p.key}' must name one state with the least and the greatest value`,
    fix: `for example '${p.key}: ${p.example}'`,
  })),
  "hybrid-no-question": error(
    "A description requests an analysis: 'delay', 'step' or both.",
    () => ({
      message: "the file describes a system but requests no analysis",
      fix: "add 'delay: { section: v, along: { x: [0, 1] } }' for the maximum stable delay, or 'step: { along: { v: [-1, 1] }, longest: 0.1 }' for the safe step",
    }),
  ),
  "hybrid-no-energy": error("The safe step needs an energy function in both modes.", (p) => ({
    message: `'step' works with energies, and ${p.modes.map((m) => `'${m}'`).join(" and ")} ${p.modes.length === 1 ? "has" : "have"} none`,
    fix: "add 'energy: …' to the mode: kinetic plus potential energy, zero at rest",
  })),
};
