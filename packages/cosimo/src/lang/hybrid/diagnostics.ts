/**
 * What can be wrong with the description of a hybrid system beyond the shape of its YAML
 * (lang/scenario has the codes for that).
 */
import { type RulesFor, rulesFrom } from "../../base/diagnostic.ts";

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

export const HYBRID_TEXT_RULES: RulesFor<HybridTextParams> = rulesFrom<HybridTextParams>({
  "hybrid-formula": {
    rule: "Formulas are made of numbers, states, parameters, + - * / ^, parentheses and functions.",
    message: (p) => `${p.what}, '${p.text}': ${p.message}`,
    fix: (p) => p.fix,
  },
  "hybrid-name": {
    rule: "States and parameters have names of their own that formulas can use.",
    message: (p) => `'${p.name}' cannot name a state or a parameter: ${p.why}`,
    fix: "use letters, digits and '_', beginning with a letter, each name once",
  },
  "hybrid-parameter": {
    rule: "A parameter is a finite number.",
    message: (p) => `the parameter '${p.name}' is ${p.value}`,
    fix: "write a finite number, or a formula of the parameters above it that gives one",
  },
  "hybrid-states": {
    rule: "The system lives in the plane: it has two states.",
    message: (p) => `there are ${p.found} states; both analyses are made for the plane`,
    fix: "describe the two states that the switching acts on: 'states: [x, v]'",
  },
  "hybrid-modes": {
    rule: "A bi-modal system has two modes: the first where the surface is at or below zero, the second above.",
    message: (p) => `there are ${p.found} modes, not two`,
    fix: "write the mode of 'surface <= 0' first, then the other",
  },
  "hybrid-equation": {
    rule: "Every mode says how every state changes.",
    message: (p) => `mode '${p.mode}' does not say how '${p.state}' changes`,
    fix: (p) => `add '${p.state}: …' to its 'derivatives'`,
  },
  "hybrid-dynamics": {
    rule: "The equations of a mode are formulas or those of a unit, not both.",
    message: (p) => `mode '${p.mode}' has 'derivatives' and a 'unit'`,
    fix: "keep one of them",
  },
  "hybrid-no-state": {
    rule: "What refers to a state names one.",
    message: (p) => `there is no state '${p.name}'`,
    fix: (p) =>
      p.nearest === undefined
        ? `the states are ${p.states.join(", ")}`
        : `did you mean '${p.nearest}'?`,
  },
  "hybrid-range": {
    rule: "A part of a curve is one state with a range of its values.",
    message: (p) => `'${p.key}' must name one state with the least and the greatest value`,
    fix: (p) => `for example '${p.key}: ${p.example}'`,
  },
  "hybrid-no-question": {
    rule: "A description requests an analysis: 'delay', 'step' or both.",
    message: "the file describes a system but requests no analysis",
    fix: "add 'delay: { section: v, along: { x: [0, 1] } }' for the maximum stable delay, or 'step: { along: { v: [-1, 1] }, longest: 0.1 }' for the safe step",
  },
  "hybrid-no-energy": {
    rule: "The safe step needs an energy function in both modes.",
    message: (p) =>
      `'step' works with energies, and ${p.modes.map((m) => `'${m}'`).join(" and ")} ${p.modes.length === 1 ? "has" : "have"} none`,
    fix: "add 'energy: …' to the mode: kinetic plus potential energy, zero at rest",
  },
});
