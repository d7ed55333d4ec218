/**
 * A file and what it imports → its adaptations: inner units that are declared elsewhere get their
 * sources, and every draft is lowered.
 */
import type { Checked, Diagnostic } from "../../../base/diagnostic.ts";
import { append } from "../../../base/diagnostic.ts";
import { nearest } from "../../../base/nearest.ts";
import type {
  Adaptation,
  AdaptationPort,
  InnerConnection,
} from "../../../model/adaptation/data.ts";
import { report } from "../diagnostics.ts";
import { addInPorts, addOutPorts } from "../explicit-ports.ts";
import { innerPorts } from "../inner-ports.ts";
import { Translation } from "./diagnostics.ts";
import type { DraftAdaptation, DraftUnit, SaDraft } from "./draft.ts";
import { lowerAdaptation } from "./lower.ts";

/** A file whose adaptations can be used. */
export interface SaFile {
  readonly draft: SaDraft;
  /** In the order of the text. */
  readonly adaptations: readonly Adaptation[];
}

/** A file that is imported: by which path sources of the importing file reach it. */
export interface Imported {
  readonly file: SaFile;
  /** Relative to the folder of the importing file. */
  readonly path: string;
}

/** An inner unit that some file declares. */
interface Declared {
  readonly unit: DraftUnit;
  readonly isAdaptation: boolean;
}

export function linkFile(
  draft: SaDraft,
  imported: readonly Imported[],
): Checked<SaFile> & { value: SaFile } {
  return new Linker(draft, imported).link();
}

class Linker {
  private readonly draft: SaDraft;
  private readonly imported: readonly Imported[];
  private readonly diagnostics: Diagnostic[] = [];
  private readonly made = new Map<DraftAdaptation, Adaptation>();
  private readonly making = new Set<DraftAdaptation>();
  private readonly byName = new Map<string, () => Declared | undefined>();
  private readonly byType = new Map<string, () => Declared | undefined>();
  private readonly connections: readonly InnerConnection[];

  constructor(draft: SaDraft, imported: readonly Imported[]) {
    this.draft = draft;
    this.imported = imported;
    this.connections = [
      ...draft.connections,
      ...imported.flatMap(({ file }) => file.draft.connections),
    ];
    this.declareAll();
  }

  link(): Checked<SaFile> & { value: SaFile } {
    const adaptations = this.draft.adaptations.map((one) => this.lowered(one));
    return { value: { draft: this.draft, adaptations }, diagnostics: this.diagnostics };
  }

  /** What this file declares comes before what it imports. */
  private declareAll(): void {
    const declare = (name: string, type: string, get: () => Declared | undefined): void => {
      if (!this.byName.has(name)) this.byName.set(name, get);
      if (!this.byType.has(type)) this.byType.set(type, get);
    };
    const own = lastPart(this.draft.file);
    for (const unit of this.draft.units)
      declare(unit.name, unit.type, () => ({ unit, isAdaptation: false }));
    for (const one of this.draft.adaptations)
      declare(one.name, one.type, () => {
        if (this.making.has(one)) return undefined;
        return adapted(this.lowered(one), own);
      });
    for (const { file, path } of this.imported) {
      for (const unit of file.draft.units)
        declare(unit.name, unit.type, () => ({
          unit: { ...unit, ...(unit.source && { source: beside(path, unit.source) }) },
          isAdaptation: false,
        }));
      for (const one of file.adaptations) declare(one.name, one.type, () => adapted(one, path));
    }
  }

  private lowered(draft: DraftAdaptation): Adaptation {
    const known = this.made.get(draft);
    if (known !== undefined) return known;
    this.making.add(draft);
    const dialect = new Translation();
    const inner = [
      ...draft.inner.map((unit) => this.resolved(unit)),
      ...draft.listed.flatMap((one) => this.listed(one, dialect)),
    ];
    const made = lowerAdaptation(draft, { inner, connections: this.connections }, dialect);
    this.making.delete(draft);
    this.made.set(draft, made);
    append(this.diagnostics, dialect.diagnostics);
    return made;
  }

  /** `for inner fmu Type name` without a file, where the type is declared. */
  private resolved(unit: DraftUnit): DraftUnit {
    if (unit.source !== undefined) return unit;
    const found = this.byType.get(unit.type)?.();
    if (found?.unit.source === undefined) return unit;
    const { inputs, outputs } = found.unit;
    const isListed = unit.inputs !== undefined || unit.outputs !== undefined;
    return {
      ...(isListed ? {} : { ...(inputs && { inputs }), ...(outputs && { outputs }) }),
      ...unit,
      source: found.unit.source,
      isDeclared: true,
    };
  }

  private listed(
    { name, place }: DraftAdaptation["listed"][number],
    dialect: Translation,
  ): DraftUnit[] {
    const found = this.byName.get(name)?.();
    if (found === undefined) {
      const known = [...this.byName.keys()];
      dialect.add(report("sa-unknown-unit", { unit: name, nearest: nearest(name, known) }, place));
      return [];
    }
    dialect.note("'for fmu a'", "'for inner fmu A a'", place);
    const { unit } = found;
    const isByType = this.byType.get(unit.type)?.()?.unit.source === unit.source;
    return [{ ...unit, ...(isByType && unit.source && { isDeclared: true as const }), place }];
  }
}

/** An adaptation as an inner unit: its ports as far as the text tells them. */
function adapted(adaptation: Adaptation, path: string): Declared {
  const units = innerPorts(adaptation, () => undefined);
  const { inputs, outputs } = addOutPorts(addInPorts(adaptation, units), units);
  const isKnown = units.every(
    ({ unit }) => unit.inputs !== undefined || unit.outputs !== undefined,
  );
  const plain = (ports: typeof inputs): AdaptationPort[] =>
    ports.map(({ binding: _, inheritsKind: __, ...port }) => port);
  return {
    isAdaptation: true,
    unit: {
      type: adaptation.type,
      name: adaptation.name,
      source: `${path}#${adaptation.name}`,
      ...(isKnown && inputs.length > 0 && { inputs: plain(inputs) }),
      ...(isKnown && outputs.length > 0 && { outputs: plain(outputs) }),
      place: adaptation.place,
    },
  };
}

function lastPart(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/** A path in another file, as this one writes it. */
function beside(path: string, source: string): string {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return folder === "" || /^([/\\]|[A-Za-z]:)/.test(source) ? source : `${folder}${source}`;
}
