/** Adaptations around plants (plant.ts), from text: as a unit of TypeScript, and as C. */
import { adaptedUnit } from "../../src/adapt/adapted-unit.ts";
import { type Checked, hasErrors } from "../../src/base/diagnostic.ts";
import { type AdaptationSource, adaptationSource } from "../../src/export/adaptation-source.ts";
import { checkSa } from "../../src/lang/sa/check-sa.ts";
import { explicitForm } from "../../src/lang/sa/explicit-form.ts";
import { parseSa } from "../../src/lang/sa/parse-sa.ts";
import type { Adaptation } from "../../src/model/adaptation/data.ts";
import type { UnitDescription } from "../../src/model/unit-description.ts";
import type { Unit } from "../../src/unit/unit.ts";
import { Plant, type PlantKind, plantDescription } from "./plant.ts";

/** Which plant every inner unit is. */
export type Kinds = Readonly<Record<string, PlantKind>>;

export interface Subject {
  readonly text: string;
  readonly kinds: Kinds;
  /** In explicit form. */
  readonly adaptation: Adaptation;
}

/** @returns no value where the language refuses it. */
export function readSubject(text: string, kinds: Kinds): Checked<Subject> {
  const parsed = parseSa(text, "folder/test.sa");
  if (parsed.value === undefined || hasErrors(parsed.diagnostics)) return parsed as Checked<never>;
  const describe = ({ name }: { readonly name: string }): UnitDescription =>
    plantDescription(kinds[name]!);
  const findings = checkSa(parsed.value, describe);
  if (hasErrors(findings)) return { diagnostics: findings };
  const { value, diagnostics } = explicitForm(parsed.value, describe);
  return value === undefined
    ? { diagnostics }
    : { value: { text, kinds, adaptation: value }, diagnostics };
}

export function openSubject({ adaptation, kinds }: Subject): Unit {
  const inner = Object.entries(kinds).map(([name, kind]) => [name, new Plant(name, kind)] as const);
  return adaptedUnit("adapted", adaptation, new Map(inner));
}

export function sourceOf({ adaptation, kinds, text }: Subject, maker: string): AdaptationSource {
  const inner = Object.entries(kinds).map(
    ([name, kind]) =>
      [name, { maker: `make_${kind}`, description: plantDescription(kind) }] as const,
  );
  return adaptationSource(adaptation, { maker, inner: new Map(inner), text });
}
