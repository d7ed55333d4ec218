/**
 * Under which key the host keeps what it loaded for a unit, and what shapes it there.
 */
import { dirname, resolve } from "node:path";
import type { UnitDraft } from "../model/scenario.ts";
import type { FmuFile } from "../platform/node/fmu-file.ts";

/** Where `sources` holds what is behind a unit of the scenario `file`. */
export function loadedKey(file: string, unit: Pick<UnitDraft, "name" | "source">): string {
  if (unit.source.kind === "adapted") return adaptedKey(file, unit.name);
  const path = unit.source.kind === "scenario" ? file : unit.source.path;
  return sourceKey(resolve(dirname(file), path), unit);
}

/** An adaptation is applied for each unit anew; no path can look like this. */
function adaptedKey(file: string, unit: string): string {
  return `${resolve(file)}\0${unit}`;
}

/** A module may export several units; an FMU file is one. */
export function sourceKey(path: string, unit: Pick<UnitDraft, "source">): string {
  const name = unit.source.kind === "module" ? unit.source.export : undefined;
  return name === undefined ? path : `${path}#${name}`;
}

/** Structural parameters that the scenario sets: they shape the ports. */
export function structuralOf(unit: Pick<UnitDraft, "values">, fmu: FmuFile): Map<string, number> {
  const shaping = new Set(
    fmu.description.variables
      .filter((v) => v.causality === "structuralParameter")
      .map((v) => v.name),
  );
  return new Map(
    unit.values.flatMap(({ port, value }) =>
      shaping.has(port) ? [[port, Number(value)] as const] : [],
    ),
  );
}
