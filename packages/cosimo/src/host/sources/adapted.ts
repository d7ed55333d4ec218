/**
 * Units with an open adaptation around them (`adapt: multi-rate { rate: 10 }`): the scenario says
 * what goes inside.
 */
import { describeAdaptation } from "../../adapt/describe-adaptation.ts";
import { exposePorts } from "../../adapt/exposed-ports.ts";
import { diagnose, hasErrors, unwrap } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import { present } from "../../base/present.ts";
import { matchArguments, openUnits } from "../../lang/sa/apply-arguments.ts";
import { reportApply } from "../../lang/sa/apply-diagnostics.ts";
import { applySa } from "../../lang/sa/apply-sa.ts";
import { checkSa } from "../../lang/sa/check-sa.ts";
import { explicitForm } from "../../lang/sa/explicit-form.ts";
import type { AdaptedSource } from "../../model/scenario.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import { adaptationPath, libraryNames } from "../adaptation-library.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "../scenario-diagnostics.ts";
import {
  adaptationSource,
  type FittedAdaptation,
  InnerUnits,
  parseFile,
  splitAdaptationPath,
  wrong,
} from "./adaptation.ts";
import { lazily, type ReadSource } from "./source.ts";

export const readAdapted: ReadSource<AdaptedSource> = async (
  { unit, source, file, around },
  tree,
) => {
  const { adaptation: name, place } = source;
  const path = adaptationPath(name, file);
  if (path === undefined) {
    const known = libraryNames();
    const params = { unit: unit.name, name, nearest: nearest(name, known), known };
    return tree.report(diagnose(SCENARIO_LOAD_DIAGNOSTICS, "adaptation-unknown", params, place));
  }
  if (!tree.files.exists(splitAdaptationPath(path).file))
    return tree.broken({ name: unit.name, place }, path, "there is no such file");
  const parsed = await parseFile(path, tree);
  if (parsed === undefined || hasErrors(parsed.findings)) return undefined;
  const { adaptation, text, file: written } = parsed;
  const [adapted] = openUnits(adaptation);
  if (adapted === undefined)
    return wrong(tree, "adaptation-closed", { name: unit.name, place }, path);
  const files = matchArguments(adaptation, source.arguments).value.units;
  const units = new InnerUnits(tree, around);
  for (const inner of adaptation.inner) {
    const given = files.get(inner.name);
    const named = { name: `${unit.name}.${inner.name}`, place: given?.place ?? inner.place };
    if (inner === adapted) await units.add(inner.name, { ...unit, source: source.inner }, file);
    else if (given !== undefined) await units.addAt(inner.name, String(given.value), named, file);
    else if (inner.source !== undefined)
      await units.addAt(inner.name, inner.source, named, written);
    else {
      const params = { adaptation: name, unit: inner.name };
      return tree.report(reportApply("sa-inner-missing", params, place));
    }
    if (!units.sources.has(inner.name)) return undefined;
  }
  const fit = lazily((): FittedAdaptation | undefined => {
    // What is wrong inside has been reported.
    if (units.descriptions.size < adaptation.inner.length) return undefined;
    const applied = applySa(adaptation, source.arguments, units.describe, place);
    tree.report(...applied.diagnostics);
    if (applied.value === undefined) return undefined;
    const findings = checkSa(applied.value, units.describe);
    tree.report(...findings);
    if (hasErrors(findings)) return undefined;
    const explicit = unwrap(explicitForm(applied.value, units.describe));
    const own = describeAdaptation(explicit, units.descriptions);
    const open = new Map<string, UnitDescription>();
    for (const inner of openUnits(applied.value)) {
      const description = units.describe(inner);
      if (description !== undefined) open.set(inner.name, description);
    }
    const passing = open.size === 0 ? undefined : exposePorts(own, open);
    const description = passing?.description ?? own;
    return { explicit, description, inner: units.sources, text, ...present({ passing }) };
  });
  return adaptationSource("applied", path, fit);
};
