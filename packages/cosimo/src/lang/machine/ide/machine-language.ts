/**
 * State machines, as editors ask about them: states are offered, found and renamed; events and
 * inputs are offered where they can stand. What formulas name is left to the checks.
 */
import type { Step } from "../../scenario/ide/schema.ts";
import { contextsAt, scalarsOf, type WrittenScalar } from "../../scenario/ide/yaml-context.ts";
import { findingFix, findingSpan } from "../../scenario/ide/yaml-findings.ts";
import type {
  Candidate,
  EditorDocument,
  EditorLanguage,
  OutlineItem,
} from "../../text/editor-language.ts";
import {
  declarationOf,
  type NamedThing,
  renamable,
  renameThing,
  thingAt,
  usesOf,
} from "../../text/named-things.ts";

export const MACHINE_LANGUAGE: EditorLanguage = { id: "machine", open };

/** Which of the names that a machine declares can stand behind a key. */
const BEHIND: Readonly<Record<string, readonly string[]>> = {
  to: ["states"],
  initial: ["states"],
  on: ["inputs"],
  emit: ["events"],
};
const PORTS: ReadonlySet<string> = new Set(["inputs", "outputs", "parameters", "locals", "events"]);

function open(text: string): EditorDocument {
  const scalars = scalarsOf(text);
  const things = thingsOf(scalars);
  return {
    text,
    names: "",
    complete: (_, offset) => complete(text, scalars, offset),
    insideText: () => undefined,
    hover: () => undefined,
    definition(offset) {
      const found = thingAt(things, offset);
      const declared = found && declarationOf(things, found.key);
      return found && declared && { kind: "here", from: found.span, span: declared.span };
    },
    uses: (offset) => usesOf(things, offset),
    declarationOf: (port) =>
      scalars.find(({ isKey, path, value }) => isKey && value === port && isPort(path)),
    outline: () => outline(scalars),
    renamable: (offset) => renamable(things, offset),
    rename(_, offset, to) {
      if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(to.trim()))
        return { refused: `'${to.trim()}' is not a name of a state: letters, digits and _.` };
      return renameThing(things, offset, to, (name) => name);
    },
    spanOf: (finding) => findingSpan(text, scalars, finding),
    fix: (finding) => findingFix(text, scalars, finding),
  };
}

const isPort = (path: readonly Step[]): boolean => path.length === 2 && PORTS.has(String(path[0]));

function isState({ isKey, path }: WrittenScalar): boolean {
  return isKey && path.at(-2) === "states";
}

function thingsOf(scalars: readonly WrittenScalar[]): NamedThing[] {
  const states = new Set(scalars.filter(isState).map(({ value }) => value));
  return scalars.flatMap((scalar): NamedThing[] => {
    const { value, path, isKey, offset } = scalar;
    const isDeclaration = isState(scalar);
    const isUse = !isKey && (path.at(-1) === "to" || path.at(-1) === "initial");
    if (!isDeclaration && !isUse) return [];
    // A state inside another one may be written with it: `on.red`.
    return [...value.matchAll(/[^.]+/g)].flatMap(({ 0: name, index }): NamedThing[] => {
      const span = { offset: offset + index, end: offset + index + name.length };
      return states.has(name) ? [{ span, name, key: `state ${name}`, isDeclaration }] : [];
    });
  });
}

function complete(text: string, scalars: readonly WrittenScalar[], offset: number): Candidate[] {
  return contextsAt(text, offset).flatMap(({ isKey, path, before }) => {
    const groups = isKey ? undefined : BEHIND[String(path.at(-1))];
    if (groups === undefined) return [];
    const rest = /^[\p{L}\p{N}_]*/u.exec(text.slice(offset))?.[0] ?? "";
    const span = { offset: offset - before.length, end: offset + rest.length };
    const names = scalars.filter((one) => one.isKey && groups.includes(String(one.path.at(-2))));
    return [...new Set(names.map(({ value }) => value))].map((label) => ({
      label,
      kind: groups.includes("states") ? ("unit" as const) : ("port" as const),
      span,
    }));
  });
}

function outline(scalars: readonly WrittenScalar[]): OutlineItem[] {
  return scalars.flatMap((scalar): OutlineItem[] => {
    const { value: name, path, isKey, offset, end } = scalar;
    const isNamed = isState(scalar) || (isKey && isPort(path));
    if (!isNamed) return [];
    const kind = isState(scalar) ? "rules" : "port";
    const span = { offset, end };
    return [{ name, detail: String(path.at(-2)), kind, whole: span, span, children: [] }];
  });
}
