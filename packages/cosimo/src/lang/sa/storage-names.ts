/**
 * Names of the parameters and variables that explicit form adds: `INIT_WINDOW_HEIGHT`,
 * `stored_window_height`.
 *
 * Ports that differ in signs a variable cannot have, or in capital letters only, must not share
 * one; and a name that means something else to the author is not taken. Names depend on the ports
 * and on what the author wrote, not on what was added, so that reducing twice finds the same ones.
 */
import type { Adaptation, Declaration, Statement } from "../../model/adaptation/data.ts";
import { eachStatement } from "../../model/adaptation/walk.ts";

export interface OwnedPort {
  readonly owner: string;
  readonly port: string;
  /** Where its stored value lives. */
  readonly storage: "in" | "out";
}

export interface StorageNames {
  readonly init: (owner: string, port: string) => string;
  readonly stored: (owner: string, port: string) => string;
}

export function storageNames(adaptation: Adaptation, ports: readonly OwnedPort[]): StorageNames {
  const names = (list: readonly Declaration[]): string[] => list.map(({ name }) => name);
  const { inputs = [], outputs = [], inner } = adaptation;
  const others = [
    ...localNames(adaptation),
    ...names(adaptation.controlVariables),
    ...[...inputs, ...outputs, ...inner].map(({ name }) => name),
  ];
  const parameters = names(adaptation.parameters);
  const inVariables = names(adaptation.inVariables);
  const outVariables = names(adaptation.outVariables);
  const taken = {
    init: new Set([...others, ...inVariables, ...outVariables]),
    in: new Set([...others, ...parameters, ...outVariables]),
    out: new Set([...others, ...parameters, ...inVariables]),
  };
  const init = new Map<string, string>();
  const stored = new Map<string, string>();
  const usedInit = new Set<string>();
  const usedStored = new Set<string>();
  for (const { owner, port, storage } of ports) {
    const key = `${owner}.${port}`;
    const suffix = `${word(owner)}_${word(port)}`;
    init.set(key, free(`INIT_${suffix.toUpperCase()}`, taken.init, usedInit));
    stored.set(key, free(`stored_${suffix}`, taken[storage], usedStored));
  }
  const found = (list: ReadonlyMap<string, string>, owner: string, port: string): string => {
    const name = list.get(`${owner}.${port}`);
    if (name === undefined) throw new Error(`internal: no variable stores ${owner}.${port}`);
    return name;
  };
  return {
    init: (owner, port) => found(init, owner, port),
    stored: (owner, port) => found(stored, owner, port),
  };
}

/** Gives names for new local variables of the control rules. */
export function freeLocals(adaptation: Adaptation): (wanted: string) => string {
  const { parameters, controlVariables, inVariables, outVariables, inner } = adaptation;
  const { inputs = [], outputs = [] } = adaptation;
  const taken = new Set(
    [parameters, controlVariables, inVariables, outVariables, inputs, outputs, inner]
      .flat()
      .map(({ name }) => name),
  );
  const used = new Set<string>();
  return (wanted) => free(word(wanted), taken, used);
}

function free(wanted: string, taken: ReadonlySet<string>, used: Set<string>): string {
  let name = wanted;
  for (let n = 2; taken.has(name) || used.has(name); n++) name = `${wanted}_${n}`;
  used.add(name);
  return name;
}

function word(text: string): string {
  return text.replace(/[^A-Za-z0-9_]/g, "_");
}

function localNames({ controlRules = [], inRules, outRules }: Adaptation): string[] {
  const names: string[] = [];
  const note = (statements: readonly Statement[]): void =>
    eachStatement(statements, (s) => {
      if (s.kind === "var") names.push(s.name);
      if (s.kind === "for") names.push(s.variable);
    });
  note(controlRules);
  for (const { first, second } of [...inRules, ...outRules]) {
    note(first);
    note(second);
  }
  return names;
}
