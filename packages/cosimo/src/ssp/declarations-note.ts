/**
 * Integrals, bonds, constraints, events and limits in Cosimo's annotation of a system, as JSON. The
 * connections of a bond are written as connections, so that other tools see the signals; the
 * annotation says which of them belong together, by the input that each ends at.
 */

import type { Place } from "../base/diagnostic.ts";
import type {
  BondDraft,
  ConnectionDraft,
  ConstraintDraft,
  EventDraft,
  ScenarioDraft,
  StepLimitDraft,
} from "../model/scenario.ts";

type Placeless<T> = T extends unknown ? Omit<T, "place"> : never;

export interface DeclarationsNote {
  /** Input → output that is the integral of what feeds it. */
  readonly integrals?: readonly { readonly to: string; readonly integral: string }[];
  /** `effort` and `flow` are the inputs that their connections end at. */
  readonly bonds?: readonly (Pick<BondDraft, "name" | "preserve"> & {
    readonly effort: string;
    readonly flow: string;
  })[];
  readonly constraints?: readonly Placeless<ConstraintDraft>[];
  readonly events?: readonly Placeless<EventDraft>[];
  readonly limits?: readonly Placeless<StepLimitDraft>[];
}

/** Connections of the scenario and of its bonds. */
export function allConnections({ connections, bonds = [] }: ScenarioDraft): ConnectionDraft[] {
  return [...connections, ...bonds.flatMap(({ effort, flow }) => [effort, flow])];
}

export function declarationsOf(draft: ScenarioDraft): DeclarationsNote {
  const { bonds, constraints, events, limits } = draft;
  const integrals = allConnections(draft).flatMap(({ to, integral }) =>
    integral === undefined ? [] : [{ to, integral }],
  );
  return {
    ...(integrals.length > 0 && { integrals }),
    ...(bonds?.length && {
      bonds: bonds.map(({ name, effort, flow, preserve }) => ({
        name,
        effort: effort.to,
        flow: flow.to,
        preserve,
      })),
    }),
    ...(constraints?.length && { constraints: constraints.map(placeless) }),
    ...(events?.length && { events: events.map(placeless) }),
    ...(limits?.length && { limits: limits.map(placeless) }),
  };
}

function placeless<T extends { readonly place: Place }>({ place: _, ...rest }: T): Placeless<T> {
  return rest as Placeless<T>;
}

/** `2 bonds, 1 constraint`; empty when there is nothing. */
export function declarationsText(note: DeclarationsNote): string {
  return Object.entries(note)
    .map(([what, list]) => `${list.length} ${list.length === 1 ? what.slice(0, -1) : what}`)
    .join(", ");
}

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string";
const number: Check = (value) => typeof value === "number";
const oneOf =
  (...choices: readonly string[]): Check =>
  (value) =>
    choices.includes(value as string);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const absentOr =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const shaped =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.keys(value).every((key) => Object.hasOwn(fields, key)) &&
    Object.entries(fields).every(([key, check]) => check((value as Record<string, unknown>)[key]));

const sides = { left: text, right: text };
const LIMITS = [
  shaped({ kind: oneOf("every"), every: number, offset: number }),
  shaped({ kind: oneOf("at"), times: listOf(number) }),
  shaped({ kind: oneOf("difference"), port: text, atMost: number, unit: absentOr(text) }),
];
const isNote = shaped({
  integrals: absentOr(listOf(shaped({ to: text, integral: text }))),
  bonds: absentOr(
    listOf(shaped({ name: text, effort: text, flow: text, preserve: oneOf("nothing", "energy") })),
  ),
  constraints: absentOr(
    listOf(
      shaped({
        ...sides,
        rate: (value) => value === "none" || absentOr(shaped(sides))(value),
        by: listOf(shaped({ port: text, factor: number })),
      }),
    ),
  ),
  events: absentOr(
    listOf(
      shaped({
        when: text,
        crosses: (value) => text(value) || number(value),
        unit: absentOr(text),
        direction: oneOf("rising", "falling", "any"),
        tolerance: absentOr(number),
      }),
    ),
  ),
  limits: absentOr(listOf((value) => LIMITS.some((check) => check(value)))),
});

/** The note that `json` holds; undefined when it is none. */
export function parseDeclarations(json: string): DeclarationsNote | undefined {
  try {
    const note: unknown = JSON.parse(json);
    return isNote(note) ? (note as DeclarationsNote) : undefined;
  } catch {
    // Text that is not JSON and JSON of another shape are the same mistake to the caller.
    return undefined;
  }
}

/**
 * `draft` with what `note` says of it; undefined when the note names connections that the draft has
 * not.
 */
export function withDeclarations(
  draft: ScenarioDraft,
  note: DeclarationsNote,
): ScenarioDraft | undefined {
  const { place } = draft;
  const connections = [...draft.connections];
  const at = (to: string): number => connections.findIndex((one) => one.to === to);
  for (const { to, integral } of note.integrals ?? []) {
    const i = at(to);
    const connection = connections[i];
    if (connection === undefined) return undefined;
    connections[i] = { ...connection, integral };
  }
  const take = (to: string): ConnectionDraft | undefined => {
    const i = at(to);
    return i < 0 ? undefined : connections.splice(i, 1)[0];
  };
  const bonds: BondDraft[] = [];
  for (const { name, effort: effortEnd, flow: flowEnd, preserve } of note.bonds ?? []) {
    const effort = take(effortEnd);
    const flow = take(flowEnd);
    if (effort === undefined || flow === undefined) return undefined;
    bonds.push({ name, effort, flow, preserve, place });
  }
  const { constraints, events, limits } = note;
  return {
    ...draft,
    connections,
    ...(note.bonds && { bonds }),
    ...(constraints && { constraints: constraints.map((one) => ({ ...one, place })) }),
    ...(events && { events: events.map((one) => ({ ...one, place })) }),
    ...(limits && { limits: limits.map((one) => ({ ...one, place })) }),
  };
}
