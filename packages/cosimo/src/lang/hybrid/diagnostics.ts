/**
 * What can be wrong with the description of a hybrid system beyond the shape of its YAML (lang/scenario has the codes for that).
 */
import type { RulesFor } from "../../base/diagnostic.ts";

interface HybridTextParams {
  "hybrid-formula": {
    readonly what: string;
    readonly text: string;
    readonly message: string;
    readonly fix: string;
  };
  "hybrid-name": { readonly name: string; readonly why: string };
  "hybrid-parameter": { readonly name: string; readonly value: number };
  "hybrid-states": { readonly found: number };
  "hybrid-modes": { readonly found: number };
  "hybrid-equation": { readonly mode: string; readonly state: string };
  "hybrid-dynamics": { readonly mode: string };
  "hybrid-no-state": {
    readonly name: string;
    readonly nearest: string | undefined;
    readonly states: readonly string[];
  };
  "hybrid-range": { readonly key: string; readonly example: string };
  "hybrid-no-question": Record<never, never>;
  "hybrid-no-energy": { readonly modes: readonly string[] };
}

export const HYBRID_TEXT_RULES: RulesFor<HybridTextParams> = {
  "hybrid-formula": {
    severity: "error",
    rule: "Formulas are made of numbers, states, parameters, + - * / ^, parentheses and functions.",
    text: (p) => ({ message: `${p.what}, '${p.text}': ${p.message}`, fix: p.fix }),
  },
  "hybrid-name": {
    severity: "error",
    rule: "States and parameters have names of their own that formulas can use.",
    text: (p) => ({
      message: `'${p.name}' cannot name a state or a parameter: ${p.why}`,
      fix: "use letters, digits and '_', beginning with a letter, each name once",
    }),
  },
  "hybrid-parameter": {
    severity: "error",
    rule: "A parameter is a finite number.",
    text: (p) => ({
      message: `the parameter '${p.name}' is ${p.value}`,
      fix: "write a finite number, or a formula of the parameters above it that gives one",
    }),
  },
  "hybrid-states": {
    severity: "error",
    rule: "The system lives in the plane: it has two states.",
    text: (p) => ({
      message: `there are ${p.found} states; both analyses are made for the plane`,
      fix: "describe the two states that the switching acts on: 'states: [x, v]'",
    }),
  },
  "hybrid-modes": {
    severity: "error",
    rule: "A bi-modal system has two modes: the first where the surface is at or below zero, the second above.",
    text: (p) => ({
      message: `there are ${p.found} modes, not two`,
      fix: "write the mode of 'surface <= 0' first, then the other",
    }),
  },
  "hybrid-equation": {
    severity: "error",
    rule: "Every mode says how every state changes.",
    text: (p) => ({
      message: `mode '${p.mode}' does not say how '${p.state}' changes`,
      fix: `add '${p.state}: …' to its 'derivatives'`,
    }),
  },
  "hybrid-dynamics": {
    severity: "error",
    rule: "The equations of a mode are formulas or those of a unit, not both.",
    text: (p) => ({
      message: `mode '${p.mode}' has 'derivatives' and a 'unit'`,
      fix: "keep one of them",
    }),
  },
  "hybrid-no-state": {
    severity: "error",
    rule: "What refers to a state names one.",
    text: (p) => ({
      message: `there is no state '${p.name}'`,
      fix:
        p.nearest === undefined
          ? `the states are ${p.states.join(", ")}`
          : `did you mean '${p.nearest}'?`,
    }),
  },
  "hybrid-range": {
    severity: "error",
    rule: "A part of a curve is one state with a range of its values.",
    text: (p) => ({
      message: `'${p.key}' must name one state with the least and the greatest value`,
      fix: `for example '${p.key}: ${p.example}'`,
    }),
  },
  "hybrid-no-question": {
    severity: "error",
    rule: "A description requests an analysis: 'delay', 'step' or both.",
    text: () => ({
      message: "the file describes a system but requests no analysis",
      fix: "add 'delay: { section: v, along: { x: [0, 1] } }' for the maximum stable delay, or 'step: { along: { v: [-1, 1] }, longest: 0.1 }' for the safe step",
    }),
  },
  "hybrid-no-energy": {
    severity: "error",
    rule: "The safe step needs an energy function in both modes.",
    text: (p) => ({
      message: `'step' works with energies, and ${p.modes.map((m) => `'${m}'`).join(" and ")} ${p.modes.length === 1 ? "has" : "have"} none`,
      fix: "add 'energy: …' to the mode: kinetic plus potential energy, zero at rest",
    }),
  },
};
