/**
 * A unit of a system while its values are gathered from the bindings around it, and its draft in
 * the end.
 */

import type { ScenarioDraft, UnitDraft, ValueDraft } from "../model/scenario.ts";
import { type Parameter, portable } from "./parameters.ts";
import type { SystemMember } from "./structure.ts";

export interface UnitBuild<Nested extends { draft(): ScenarioDraft }> {
  readonly member: Exclude<SystemMember, { kind: "reference" }>;
  /** By port; a later value replaces an earlier one. */
  readonly values: Map<string, ValueDraft>;
  /** Builds what is inside, of a system. */
  readonly nested?: Nested;
}

export function unitDraft({
  member,
  values,
  nested,
}: UnitBuild<{ draft(): ScenarioDraft }>): UnitDraft {
  return {
    name: member.name,
    source:
      member.kind === "component" ? member.source : { kind: "scenario", scenario: nested!.draft() },
    ...(member.step !== undefined && { step: member.step }),
    ...(member.drawnAt !== undefined && { drawnAt: member.drawnAt }),
    ...portUnits(member),
    values: [...values.values(), ...ownValues(member)],
    place: member.place,
  };
}

/** Of connectors whose unit has a meaning; a table has its units with its columns. */
function portUnits(member: UnitBuild<never>["member"]): Pick<UnitDraft, "portUnits"> {
  if (member.kind !== "component" || member.source.kind === "table") return {};
  const { file } = member.place;
  const portUnits = [...member.connectors.values()].flatMap(({ name, unit, line }) =>
    unit?.base === undefined ? [] : [{ port: name, unit, place: { file, line } }],
  );
  return portUnits.length === 0 ? {} : { portUnits };
}

/** Values that Cosimo wrote for the ports of a nested scenario stay there. */
function ownValues(member: UnitBuild<never>["member"]): ValueDraft[] {
  if (member.kind !== "system") return [];
  return member.bindings
    .filter(({ own }) => own)
    .flatMap(({ parameters, optional }) => parameters.map((p) => valueDraft(p.name, p, optional)));
}

export function setValue(
  unit: { readonly values: Map<string, ValueDraft> },
  port: string,
  parameter: Parameter,
  optional: boolean,
): void {
  unit.values.set(port, valueDraft(port, parameter, optional));
}

function valueDraft(port: string, parameter: Parameter, optional: boolean): ValueDraft {
  return {
    port,
    ...portable(parameter),
    ...(optional && { optional }),
    place: parameter.place,
  };
}
