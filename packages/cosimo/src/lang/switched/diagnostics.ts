/**
 * What can be wrong with the description of a switched system beyond the shape of its YAML
 * (lang/scenario has the codes for that).
 */
import type { RulesFor } from "../../base/diagnostic.ts";
import { error } from "../diagnostic-rule.ts";

interface SwitchedTextParams {
  "switched-no-matrices": Record<never, never>;
  "switched-matrix": { mode: string; problem: string };
  "switched-entry": { mode: string; row: number; found: string };
  "switched-size": {
    mode: string;
    size: number;
    first: string;
    expected: number;
  };
  "switched-edge": { found: string };
  "switched-mode": {
    mode: string;
    nearest: string | undefined;
    modes: readonly string[];
  };
  "switched-node": {
    node: string;
    nearest: string | undefined;
    nodes: readonly string[];
  };
  "switched-nodes": { found: string };
  "switched-too-large": {
    nodes: number;
    edges: number;
    dimension: number;
    limit: number;
  };
}

export const SWITCHED_TEXT_RULES: RulesFor<SwitchedTextParams> = {
  "switched-no-matrices": error("A switched system has at least one matrix.", () => ({
    message: "'matrices' is empty, so there is nothing that could grow",
    fix: "name a mode with its matrix: 'slow: [[0.9, 0.1], [0, 0.8]]'",
  })),
  "switched-matrix": error("A matrix is a list of rows, as many as each row has numbers.", (p) => ({
    message: `the matrix of '${p.mode}' ${p.problem}`,
    fix: "write rows of equal length, as many rows as columns: [[0.9, 0.1], [0, 0.8]]",
  })),
  "switched-entry": error("Entries of matrices are finite numbers.", (p) => ({
    message: `row ${p.row} of '${p.mode}' contains ${p.found}`,
    fix: "write a finite number, for example 0.5 or 1e-3",
  })),
  "switched-size": error("All matrices of a switched system have the same size.", (p) => ({
    message: `'${p.mode}' is ${p.size} × ${p.size}, but '${p.first}' is ${p.expected} × ${p.expected}`,
    fix: "all modes act on the same state: give every matrix the same size",
  })),
  "switched-edge": error("An edge of an automaton has a source, a target and a mode.", (p) => ({
    message: `an edge is [from, to, mode], not ${p.found}`,
    fix: "for example '[1, 2, slow]', or '{ from: 1, to: 2, mode: slow }'",
  })),
  "switched-mode": error(
    "Edges carry modes that have a matrix, by name or counted from 1.",
    (p) => ({
      message: `there is no mode '${p.mode}'`,
      fix: p.nearest ? `did you mean '${p.nearest}'?` : `modes are ${listed(p.modes)}`,
    }),
  ),
  "switched-node": error(
    "Edges connect nodes of the automaton, by name or counted from 1.",
    (p) => ({
      message: `there is no node '${p.node}'`,
      fix: p.nearest ? `did you mean '${p.nearest}'?` : `nodes are ${listed(p.nodes)}`,
    }),
  ),
  "switched-nodes": error(
    "The nodes of an automaton are a number, or a list of different names.",
    (p) => ({
      message: `'nodes' cannot be ${p.found}`,
      fix: "write how many there are ('nodes: 4'), or their names ('nodes: [idle, busy]')",
    }),
  ),
  "switched-too-large": error(
    "An automaton has at most 20 million numbers: nodes and edges times the entries of a matrix.",
    (p) => ({
      message: `${p.nodes} nodes and ${p.edges} edges with matrices of size ${p.dimension} are more than ${p.limit} numbers`,
      fix: "use fewer nodes, or smaller matrices",
    }),
  ),
};

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 12).join(", ");
  return names.length > 12 ? `${shown}, …` : shown;
}
