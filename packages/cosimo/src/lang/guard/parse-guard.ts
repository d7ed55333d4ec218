/**
 * Guard files: a switched system (lang/switched), so that every other tool for these reads them
 * too, with a part `guard` that says where a run begins and holds the proof that whatever the
 * automaton allows is stable.
 *
 *   { "matrices": …, "automaton": …,
 *     "guard": { "start": 1, "lift": 2, "rate": 1, "growth": 7.74, "forbidden": [["E", "E"]], "proof": { "forms": [[1, 0, 0, 1], …] } } }
 */
import { type Checked, type Diagnostic, diagnose, hasErrors } from "../../base/diagnostic.ts";
import type { Automaton } from "../../model/decision-automaton.ts";
import type { DecisionGuard } from "../../model/decision-guard.ts";
import { TextReporter } from "../scenario/diagnostics.ts";
import { readYaml, type YamlNode } from "../scenario/yaml-tree.ts";
import { parseSwitched, type SwitchedDescription } from "../switched/parse-switched.ts";
import { GUARD_TEXT_RULES } from "./diagnostics.ts";

export interface GuardFile extends DecisionGuard {
  readonly system: SwitchedDescription;
  /** Every allowed sequence shrinks at least like rateᵏ; 1: it shrinks. */
  readonly rate: number;
  /** One symmetric matrix per node, row-major. */
  readonly forms: readonly Float64Array[];
}

/** Reads the text of a guard; `file` is the name in places. Never throws, whatever the text. */
export function parseGuard(text: string, file: string): Checked<GuardFile> {
  const switched = parseSwitched(text, file);
  const system = switched.value;
  if (system === undefined) return { diagnostics: switched.diagnostics };
  const diagnostics: Diagnostic[] = [...switched.diagnostics];
  const root = readYaml(text, file, new TextReporter());
  const guard = member(root, "guard");
  if (guard === undefined) {
    diagnostics.push(diagnose(GUARD_TEXT_RULES, "guard-missing", {}, { file }));
    return { diagnostics };
  }
  const broken = (what: string): void => {
    diagnostics.push(diagnose(GUARD_TEXT_RULES, "guard-invalid", { what }, guard.place));
  };
  const ambiguous = ambiguity(system.automaton);
  if (ambiguous !== undefined) {
    const node = system.nodeNames[ambiguous.from] ?? "";
    const mode = system.names[ambiguous.mode] ?? "";
    diagnostics.push(diagnose(GUARD_TEXT_RULES, "guard-ambiguous", { node, mode }, guard.place));
  }
  const start = Number(scalar(member(guard, "start"))) - 1;
  if (!(Number.isInteger(start) && start >= 0 && start < system.automaton.nodes))
    broken("'start' is not one of its nodes");
  const rate = Number(scalar(member(guard, "rate")) ?? 1);
  if (!(rate > 0 && rate <= 1)) broken("'rate' is not above 0 and at most 1");
  const leaving = new Set(system.automaton.edges.map(({ from }) => from));
  if (leaving.size < system.automaton.nodes) broken("a node has no way on");
  const forms = items(member(member(guard, "proof"), "forms")).map((form) =>
    Float64Array.from(items(form), (item) => Number(scalar(item))),
  );
  const size = system.dimension ** 2;
  if (forms.length !== system.automaton.nodes || forms.some((form) => form.length !== size))
    broken(`its proof has not ${system.automaton.nodes} forms of ${size} numbers`);
  if (hasErrors(diagnostics)) return { diagnostics };
  const { automaton, names } = system;
  return { value: { system, policies: names, automaton, start, rate, forms }, diagnostics };
}

/** An edge whose decision another one that leaves the same node carries too. */
export function ambiguity({ edges }: Automaton): Automaton["edges"][number] | undefined {
  const seen = new Set<string>();
  return edges.find(({ from, mode }) => {
    const key = `${from} ${mode}`;
    const isKnown = seen.has(key);
    seen.add(key);
    return isKnown;
  });
}

function member(node: YamlNode | undefined, key: string): YamlNode | undefined {
  return node?.kind === "map" ? node.entries.find((entry) => entry.key === key)?.node : undefined;
}

function items(node: YamlNode | undefined): readonly YamlNode[] {
  return node?.kind === "list" ? node.items : [];
}

function scalar(node: YamlNode | undefined): unknown {
  return node?.kind === "scalar" ? node.value : undefined;
}
