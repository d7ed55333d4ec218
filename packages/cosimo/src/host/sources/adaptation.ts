/**
 * Adaptations (`.sa` files) with inner units of their own, which may be adaptations again. What is known of one is kept also where it is
 * not usable: editors and `cosimo adapt` show it.
 *
 * The parser is loaded when there is a text to read: it takes as long to load as everything else together.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { adaptedUnit } from "../../adapt/adapted-unit.ts";
import { describeAdaptation } from "../../adapt/describe-adaptation.ts";
import { type ExposedPorts, withExposedPorts } from "../../adapt/exposed-ports.ts";
import { type Diagnostic, diagnose, hasErrors } from "../../base/diagnostic.ts";
import type { ExportNode } from "../../export/exported-fmu.ts";
import { checkSa } from "../../lang/sa/check-sa.ts";
import { explicitForm } from "../../lang/sa/explicit-form.ts";
import { type Adaptation, type InnerUnit, isOpen } from "../../model/adaptation/data.ts";
import type { UnitDraft, UnitSource } from "../../model/scenario.ts";
import { sourceAt } from "../../model/source-kind.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import type { Unit } from "../../unit/unit.ts";
import { readAdaptationText } from "../adaptation-text.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "../scenario-diagnostics.ts";
import { givenNumbers, innerUse, type NamedUnit, type ReadSource, type Source } from "./source.ts";
import type { SourceTree } from "./tree.ts";

/** What a `.sa` file says, with what is known of its inner units. */
export interface AdaptationFile {
  /** As it was written; absent where the text cannot be read. */
  readonly adaptation?: Adaptation;
  /** Absent where there is none: it does not fit its inner units, or leaves one open. */
  readonly explicit?: Adaptation;
  /** Descriptions of inner units by name, as far as they are known. */
  readonly inner: ReadonlyMap<string, UnitDescription>;
  /** Absent where something is wrong with it or inside it. */
  readonly source?: AdaptationSource;
}

export interface AdaptationSource extends Source {
  readonly description: UnitDescription;
}

export const readAdaptation: ReadSource<
  Extract<UnitSource, { readonly kind: "adaptation" }>
> = async ({ unit, path, around }, tree) => {
  if (around.includes(path)) return wrong(tree, "adaptation-nests-itself", unit, path);
  const { adaptation, source } = await readAdaptationFile(path, around, tree);
  // What is wrong inside has been said, in its own file.
  return adaptation?.inner.some(isOpen) ? wrong(tree, "adaptation-open", unit, path) : source;
};

/** Reads the file once, also where two units are made of it. */
export async function readAdaptationFile(
  path: string,
  around: readonly string[],
  tree: SourceTree,
): Promise<AdaptationFile> {
  const absolute = resolve(path);
  return tree.once(absolute, async () => {
    const parsed = await parseFile(path, tree);
    if (parsed === undefined) return { inner: new Map() };
    const { adaptation } = parsed;
    const units = new InnerUnits(tree, [...around, absolute]);
    for (const unit of adaptation.inner) await units.addNamed(unit, path);
    const findings = checkSa(adaptation, units.describe);
    tree.report(...findings);
    const isLeftOpen = adaptation.inner.some(isOpen);
    const explicit = isLeftOpen ? undefined : explicitForm(adaptation, units.describe).value;
    const isWhole = units.sources.size === adaptation.inner.length;
    const isUsable = isWhole && !hasErrors(findings) && !hasErrors(parsed.findings);
    return {
      adaptation,
      inner: units.descriptions,
      ...(explicit !== undefined && { explicit }),
      ...(explicit !== undefined &&
        isUsable && { source: adaptationSource(explicit, units, path) }),
    };
  });
}

/** @returns undefined after a report. */
export async function parseFile(
  path: string,
  tree: SourceTree,
): Promise<
  { readonly adaptation: Adaptation; readonly findings: readonly Diagnostic[] } | undefined
> {
  const text = readAdaptationText(path, tree.files.text);
  tree.report(...text.diagnostics);
  if (text.value === undefined) return undefined;
  const { parseSa } = await import("../../lang/sa/parse-sa.ts");
  const { value, diagnostics } = parseSa(text.value, path);
  tree.report(...diagnostics);
  return value && { adaptation: value, findings: diagnostics };
}

/** The units inside an adaptation, as they are read. */
export class InnerUnits {
  readonly sources: Map<string, Source> = new Map();
  readonly descriptions: Map<string, UnitDescription> = new Map();
  private readonly tree: SourceTree;
  private readonly around: readonly string[];

  constructor(tree: SourceTree, around: readonly string[]) {
    this.tree = tree;
    this.around = around;
  }

  readonly describe = ({ name }: Pick<InnerUnit, "name">): UnitDescription | undefined =>
    this.descriptions.get(name);

  /** One that the adaptation at `file` names; one that it leaves open is left alone. */
  async addNamed(
    { name, source: path, place }: Pick<InnerUnit, "name" | "source" | "place">,
    file: string,
  ): Promise<void> {
    if (path !== undefined) await this.addAt(name, path, { name, place }, file);
  }

  /** One at `path`, relative to the folder of `file`. */
  async addAt(name: string, path: string, unit: NamedUnit, file: string): Promise<void> {
    const source = sourceAt(path);
    if (source === undefined) wrong(this.tree, "adaptation-inner-source", unit, path);
    else await this.add(name, { ...unit, source, values: [] }, file);
  }

  async add(name: string, draft: UnitDraft, file: string): Promise<void> {
    const source = await this.tree.read(draft, file, this.around);
    const description = source?.describe(givenNumbers(draft), draft);
    if (source === undefined || description === undefined) return;
    this.sources.set(name, source);
    this.descriptions.set(name, description);
  }
}

/** An adaptation that fits its inner units. @param passing where it was open: how the units that it was applied to are set. */
export function adaptationSource(
  explicit: Adaptation,
  { sources, descriptions }: InnerUnits,
  path: string,
  passing?: ExposedPorts,
): AdaptationSource {
  const description = passing?.description ?? describeAdaptation(explicit, descriptions);
  /** Sizes that were given to ports which show through, for the unit behind them. */
  const passed = (key: string, given: ReadonlyMap<string, number>): Map<string, number> =>
    new Map(
      (passing?.ports ?? []).flatMap(({ own, unit, portName }) => {
        const value = given.get(description.ports[own]!.name);
        return unit === key && value !== undefined ? [[portName, value] as const] : [];
      }),
    );
  const placeOf = (key: string): Diagnostic["place"] =>
    explicit.inner.find(({ name }) => name === key)?.place ?? explicit.place;
  const source: AdaptationSource = {
    path,
    description,
    describe: () => description,
    async open(use, around) {
      const units = new Map<string, Unit>();
      try {
        for (const [key, inner] of sources) {
          const inside = innerUse(use, key, passed(key, use.structural), placeOf(key));
          units.set(key, await inner.open(inside, around));
        }
        const unit = adaptedUnit(use.name, explicit, units);
        return passing === undefined ? unit : withExposedPorts(unit, units, passing);
      } catch (error) {
        for (const unit of units.values()) unit.dispose();
        throw error;
      }
    },
    toC: (use, around) =>
      around.once(source, JSON.stringify([...use.structural]), () => {
        const nodes = [...sources].map(([key, inner]) => {
          const inside = innerUse(use, key, passed(key, use.structural), placeOf(key));
          return [key, around.node(inner, inside)] as const;
        });
        const inner = new Map<string, ExportNode>();
        for (const [key, node] of nodes) if (node !== undefined) inner.set(key, node);
        if (inner.size < nodes.length) return undefined;
        const text = textOf(explicit.place.file);
        return {
          kind: "adaptation",
          description,
          adaptation: explicit,
          inner,
          ...(text !== undefined && { text }),
          ...(passing !== undefined && { passing }),
        };
      }),
  };
  return source;
}

type FileProblem =
  | "adaptation-nests-itself"
  | "adaptation-open"
  | "adaptation-closed"
  | "adaptation-inner-source";

export function wrong(
  tree: SourceTree,
  code: FileProblem,
  { name, place }: NamedUnit,
  path: string,
): undefined {
  return tree.report(diagnose(SCENARIO_LOAD_DIAGNOSTICS, code, { unit: name, path }, place));
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
