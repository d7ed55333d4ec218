/**
 * Modules that make units. A module is a program: it is run where the user trusts it, also to learn
 * what it makes.
 */
import { diagnose } from "../../base/diagnostic.ts";
import { errorText } from "../../base/error-text.ts";
import { UnitError } from "../../base/outcome.ts";
import { guardedUnit } from "../../engine/guarded-unit.ts";
import type { UnitSource } from "../../model/scenario.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import type { Unit } from "../../unit/unit.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "../scenario-diagnostics.ts";
import type { NamedUnit, ReadSource, Source } from "./source.ts";
import type { SourceTree } from "./tree.ts";

type MakeUnit = (name: string) => Unit;

export const readModule: ReadSource<Extract<UnitSource, { readonly kind: "module" }>> = async (
  { unit, source, path },
  tree,
) => {
  const untrusted = tree.files.notTrusted(path, unit, tree.folder);
  if (untrusted !== undefined) return tree.report(untrusted);
  const name = source.export ?? "default";
  return tree.once(`${path}#${name}`, async () => {
    let exports: Readonly<Record<string, unknown>>;
    try {
      exports = await tree.files.module(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException | null)?.code !== "ERR_UNKNOWN_FILE_EXTENSION")
        return notAUnit(tree, unit, path, `it cannot be loaded: ${errorText(error)}`);
      const params = { unit: unit.name, path };
      return tree.report(
        diagnose(SCENARIO_LOAD_DIAGNOSTICS, "module-typescript", params, unit.place),
      );
    }
    const make = exports[name];
    if (typeof make === "function") return moduleSource(make as MakeUnit, path, tree);
    const offered = Object.keys(exports).join(", ") || "nothing";
    return notAUnit(tree, unit, path, `it has no function '${name}'; it exports ${offered}`);
  });
};

/** A function that makes units. What it makes is known only after making one. */
function moduleSource(make: MakeUnit, path: string, tree: SourceTree): Source {
  let known: UnitDescription | undefined;
  return {
    path,
    describe(_, unit) {
      if (known !== undefined) return known;
      try {
        const made = make(unit.name);
        known = made.description;
        made.dispose();
        return known;
      } catch (error) {
        return notAUnit(tree, unit, path, `making a unit failed: ${errorText(error)}`);
      }
    },
    open: async ({ name }) => guardedUnit(made(make, name)),
  };
}

/** It has made one before; this one may fail all the same. */
function made(make: MakeUnit, name: string): Unit {
  try {
    return make(name);
  } catch (error) {
    const status = `an exception: ${errorText(error)}`;
    throw new UnitError({ unit: name, call: "making the unit", status, time: 0, log: [] });
  }
}

function notAUnit(tree: SourceTree, unit: NamedUnit, path: string, reason: string): undefined {
  const params = { unit: unit.name, path, reason };
  return tree.report(diagnose(SCENARIO_LOAD_DIAGNOSTICS, "module-not-a-unit", params, unit.place));
}
