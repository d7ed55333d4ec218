/**
 * Groups of Model Exchange FMUs that share one integrator (coupled integration): a scenario in
 * place whose units are opened as equations, joined, and solved together.
 */

import { diagnose } from "../../base/diagnostic.ts";
import { describeGroup } from "../../exchange/group-description.ts";
import type { GroupMember } from "../../exchange/group-ode.ts";
import { integratingDescription } from "../../exchange/integrating-description.ts";
import { EXPORT_FMU_RULES } from "../../export/export-diagnostics.ts";
import type {
  ConnectionDraft,
  GroupSource,
  PortValue,
  Scenario,
  ScenarioUnit,
} from "../../model/scenario.ts";
import { type Port, portSize, type UnitDescription } from "../../model/unit-description.ts";
import { type Banks, bankOf, makeBanks, type Value } from "../../model/value-type.ts";
import type { UnitUse } from "../../run/open-units.ts";
import { disposeAll } from "../../unit/dispose-all.ts";
import type { PortSlot } from "../../unit/unit.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "../scenario-diagnostics.ts";
import { givenNumbers, type ReadSource, type Source } from "./source.ts";
import type { SourceTree } from "./tree.ts";

export const readGroup: ReadSource<GroupSource> = async ({ unit, source, around }, tree) => {
  const { scenario: draft, integrator = {} } = source;
  const refuse = (what: string, place: ConnectionDraft["place"]): void =>
    void tree.report(
      diagnose(SCENARIO_LOAD_DIAGNOSTICS, "group-unusable", { unit: unit.name, what }, place),
    );
  await tree.readUnits(draft, around);
  let isFine = true;
  for (const member of draft.units) {
    if (tree.has(member.source) && tree.sourceOf(member.source).openEquations !== undefined)
      continue;
    isFine = false;
    // What could not be read was reported.
    if (tree.has(member.source))
      refuse(`'${member.name}' is not an FMU driven through Model Exchange`, member.place);
  }
  for (const connection of draft.connections) {
    const extra = UNUSED.find((key) => connection[key] !== undefined);
    if (extra === undefined) continue;
    isFine = false;
    refuse(`its connections have no '${extra}': values inside it are continuous`, connection.place);
  }
  return isFine ? groupSource(source, tree, integrator) : undefined;
};

/** What only makes sense between units that step on their own. */
const UNUSED = [
  "formula",
  "approximation",
  "kind",
  "mapping",
  "integral",
  "trigger",
  "tolerance",
  "interaction",
] as const;

function groupSource(
  { scenario: draft }: GroupSource,
  tree: SourceTree,
  integrator: NonNullable<GroupSource["integrator"]>,
): Source {
  const resolved = tree.nestedScenario(draft);
  const equationsOf = ({ source, name }: ScenarioUnit): UnitDescription => {
    const given = draft.units.find((one) => one.name === name);
    return tree.sourceOf(source).describeEquations!(
      given === undefined ? new Map() : givenNumbers(given),
    );
  };
  const describeModels = (scenario: Scenario): UnitDescription => {
    const members = scenario.units.map((unit) => {
      const description = equationsOf(unit);
      const ports = withStarts(description.ports, unit.values);
      return { name: unit.name, description: { ...description, ports } };
    });
    return describeGroup(draft.name, members, scenario.connections);
  };
  return {
    path: draft.file,
    describe(_, unit) {
      const scenario = resolved();
      if (scenario === undefined) return tree.broken(unit, draft.file, "it is not a usable group");
      const isContinuous = scenario.units.every(
        ({ description }) => description.capabilities.rollback,
      );
      return integratingDescription(describeModels(scenario), { isContinuous });
    },
    async open(use, around) {
      const scenario = resolved();
      if (scenario === undefined)
        throw new Error("internal: a group was used without a description");
      const [{ GroupOde }, { integratingUnit }] = await Promise.all([
        import("../../exchange/group-ode.ts"),
        import("../../exchange/integrating-unit.ts"),
      ]);
      const members: GroupMember[] = [];
      try {
        for (const unit of scenario.units) {
          const inner: UnitUse = {
            ...use,
            name: `${use.name}.${unit.name}`,
            structural: structuralOf(unit),
          };
          const model = await tree.sourceOf(unit.source).openEquations!(inner, around);
          const values = valuesOf(unit);
          members.push({ name: unit.name, model, ...(values && { values }) });
        }
        const group = new GroupOde(
          use.name,
          members,
          scenario.connections,
          describeModels(scenario),
        );
        return integratingUnit(group, { ...integrator, handlesEvents: !use.hasEvents });
      } catch (error) {
        disposeAll(members.map(({ model }) => model));
        throw error;
      }
    },
    toC(use, around) {
      const params = { unit: use.name, path: draft.units.map(({ name }) => name).join(", ") };
      around.report(diagnose(EXPORT_FMU_RULES, "export-model-exchange", params, use.place));
      return undefined;
    },
  };
}

/** Ports whose start values are those that the group sets. */
function withStarts(ports: readonly Port[], values: readonly PortValue[]): Port[] {
  const set = new Map(values.map(({ port, values: given }) => [port, given]));
  return ports.map((port) => {
    const start = set.get(port.index);
    return start === undefined ? port : { ...port, start };
  });
}

function structuralOf({ values, description: { ports } }: ScenarioUnit): Map<string, number> {
  return new Map(
    values.flatMap(({ port, values: [size] }) => {
      const described = ports[port];
      return described?.direction === "structural-parameter"
        ? [[described.name, Number(size)] as const]
        : [];
    }),
  );
}

/** What a member is set to, in banks. */
function valuesOf({
  values,
  description: { ports },
}: ScenarioUnit): { readonly slots: readonly PortSlot[]; readonly banks: Banks } | undefined {
  const sizes = { f64: 0, i64: 0, obj: 0 };
  const placed = values.flatMap(({ port: index, values: given }) => {
    const port = ports[index];
    if (port === undefined || port.direction === "structural-parameter") return [];
    const bank = bankOf(port.type);
    const slot = sizes[bank];
    sizes[bank] += portSize(port);
    return [{ port, bank, slot, given }];
  });
  if (placed.length === 0) return undefined;
  const banks = makeBanks(sizes);
  for (const { port, bank, slot, given } of placed)
    for (let i = 0; i < portSize(port); i++) {
      const value = given[given.length === 1 ? 0 : i] as Value;
      if (bank === "f64") banks.f64[slot + i] = Number(value);
      else if (bank === "i64") banks.i64[slot + i] = BigInt(value as bigint | number);
      else banks.obj[slot + i] = value as string | Uint8Array;
    }
  return { slots: placed.map(({ port, slot }) => ({ port: port.index, slot })), banks };
}
