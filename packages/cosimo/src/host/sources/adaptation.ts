/**
 * Adaptations (`.sa` files) with inner units of their own, which may be adaptations again. What is
 * known of one is kept also where it is not usable: editors and `cosimo adapt` show it.
 *
 * The parser is loaded when there is a text to read: it takes as long to load as everything else
 * together.
 */

import { resolve } from "node:path";
import { adaptedUnit } from "../../adapt/adapted-unit.ts";
import { describeAdaptation } from "../../adapt/describe-adaptation.ts";
import {
  type ExposedPorts,
  exposePorts,
  isParameter,
  withExposedPorts,
} from "../../adapt/exposed-ports.ts";
import { type Checked, type Diagnostic, diagnose, hasErrors } from "../../base/diagnostic.ts";
import { present } from "../../base/present.ts";
import { withoutEventMode } from "../../engine/event-steps.ts";
import type { ExportNode } from "../../export/exported-fmu.ts";
import { checkSa } from "../../lang/sa/check-sa.ts";
import type { SaFile } from "../../lang/sa/dialect/link.ts";
import { explicitForm } from "../../lang/sa/explicit-form.ts";
import { type Adaptation, type InnerUnit, isOpen } from "../../model/adaptation/data.ts";
import type { UnitDraft, UnitSource } from "../../model/scenario.ts";
import { sourceAt } from "../../model/source-kind.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import type { UnitUse } from "../../run/open-units.ts";
import { DelegatingUnit } from "../../unit/delegating-unit.ts";
import { disposeAll } from "../../unit/dispose-all.ts";
import type { Unit } from "../../unit/unit.ts";
import { readAdaptationText } from "../adaptation-text.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "../scenario-diagnostics.ts";
import {
  givenNumbers,
  innerUse,
  lazily,
  type NamedUnit,
  type ReadSource,
  type Source,
} from "./source.ts";
import type { SourceTree } from "./tree.ts";

/** A `.sa` file and what it names, as read. */
export interface AdaptationFile {
  /** As it was written. */
  readonly adaptation: Adaptation;
  readonly source: Source;
  /** How it fits its inner units. Called when everything was read. */
  readonly fit: () => AdaptationFit;
}

export interface AdaptationFit {
  /** Descriptions of inner units by name, as far as they are known. */
  readonly inner: ReadonlyMap<string, UnitDescription>;
  /** Absent where there is none: it does not fit its inner units, or leaves one open. */
  readonly explicit?: Adaptation;
  /** Absent where something is wrong with it or inside it. */
  readonly description?: UnitDescription;
  /** Parameters of inner units that it shows; absent where they have none. */
  readonly passing?: ExposedPorts;
}

export const readAdaptation: ReadSource<
  Extract<UnitSource, { readonly kind: "adaptation" }>
> = async ({ unit, path, around }, tree) => {
  if (around.includes(path)) return wrong(tree, "adaptation-nests-itself", unit, path);
  const { file } = await readAdaptationFile(path, around, tree);
  return file?.adaptation.inner.some(isOpen)
    ? wrong(tree, "adaptation-open", unit, path)
    : file?.source;
};

/**
 * Reads the file once, also where two units are made of it.
 * @returns without a file after a report.
 */
export async function readAdaptationFile(
  path: string,
  around: readonly string[],
  tree: SourceTree,
): Promise<{ readonly file?: AdaptationFile }> {
  const absolute = resolve(path);
  return tree.once(absolute, async () => {
    const parsed = await parseFile(path, tree);
    if (parsed === undefined) return {};
    const { adaptation, findings: earlier, text, file } = parsed;
    const units = new InnerUnits(tree, [...around, absolute]);
    for (const unit of adaptation.inner) await units.addNamed(unit, file);
    const fit = lazily(() => {
      const findings = checkSa(adaptation, units.describe);
      tree.report(...findings);
      const isLeftOpen = adaptation.inner.some(isOpen);
      const explicit = isLeftOpen ? undefined : explicitForm(adaptation, units.describe).value;
      const inner = units.descriptions;
      const isWhole = inner.size === adaptation.inner.length;
      const isUsable = isWhole && !hasErrors(findings) && !hasErrors(earlier);
      const own =
        explicit !== undefined && isUsable ? describeAdaptation(explicit, inner) : undefined;
      const exposed = own && exposePorts(own, inner, isParameter);
      const passing = exposed?.ports.length ? exposed : undefined;
      const description = passing?.description ?? own;
      return { inner, ...present({ explicit, description, passing }) };
    });
    const source = adaptationSource("file", path, () => {
      const { explicit, description, passing } = fit() ?? {};
      if (explicit === undefined || description === undefined) return undefined;
      return { explicit, description, inner: units.sources, text, ...present({ passing }) };
    });
    return { file: { adaptation, source, fit: () => fit() ?? { inner: new Map() } } };
  });
}

interface ParsedAdaptation {
  readonly adaptation: Adaptation;
  readonly text: string;
  readonly findings: readonly Diagnostic[];
  /** The file, without the name of the adaptation. */
  readonly file: string;
}

/** A file may hold several adaptations; one is named behind a hash. */
export function splitAdaptationPath(path: string): {
  readonly file: string;
  readonly name?: string;
} {
  const [, file, name] = /^(.*?\.sa)#(.*)$/is.exec(path) ?? [];
  return file === undefined || name === undefined ? { file: path } : { file, name };
}

/**
 * @param path of a file, or of one of its adaptations (`file.sa#name`).
 * @returns undefined after a report.
 */
export async function parseFile(
  path: string,
  tree: SourceTree,
): Promise<ParsedAdaptation | undefined> {
  const { file, name } = splitAdaptationPath(path);
  const { text, value, diagnostics: earlier } = await readSaFile(file, tree);
  if (value === undefined || text === undefined) return undefined;
  const { adaptationIn } = await import("../../lang/sa/parse-sa.ts");
  const { value: adaptation, diagnostics } = adaptationIn(value, name);
  tree.report(...diagnostics);
  return adaptation && { adaptation, text, findings: earlier, file };
}

/** A file with all of its adaptations, and what it imports; its findings are reported once. */
export async function readSaFile(
  file: string,
  tree: SourceTree,
): Promise<Checked<SaFile> & { readonly text?: string }> {
  return tree.once(`sa ${resolve(file)}`, async () => {
    const { value: text, diagnostics } = readAdaptationText(file, tree.files.text);
    tree.report(...diagnostics);
    if (text === undefined) return { diagnostics };
    const [{ parseSaFile }, { importsFrom }] = await Promise.all([
      import("../../lang/sa/parse-sa.ts"),
      import("../../lang/sa/imports.ts"),
    ]);
    const parsed = parseSaFile(text, file, importsFrom(tree.files, file));
    tree.report(...parsed.diagnostics);
    return { ...parsed, text };
  });
}

type DeclaredKinds = Pick<InnerUnit, "inputKind" | "outputKind">;

/**
 * A unit whose kinds an adaptation declares: what it describes of them, or leaves open, gives way.
 */
function withKinds(source: Source, kinds: DeclaredKinds): Source {
  return {
    ...source,
    describe: (given, unit) => {
      const description = source.describe(given, unit);
      return description && ofKinds(description, kinds);
    },
    open: async (use, around) => {
      const unit = await source.open(use, around);
      return new UnitOfKinds(unit, ofKinds(unit.description, kinds));
    },
    ...(source.toC && {
      toC: (use, around) => {
        const node = source.toC?.(use, around);
        return node && { ...node, description: ofKinds(node.description, kinds) };
      },
    }),
  };
}

/** Input clocks of inner units that something else drives: there are none. */
const NO_CLOCKS: ReadonlySet<number> = new Set();

class UnitOfKinds extends DelegatingUnit {}

function ofKinds(
  description: UnitDescription,
  { inputKind, outputKind }: DeclaredKinds,
): UnitDescription {
  const ports = description.ports.map((port) => {
    if (port.direction === "input" && inputKind !== undefined)
      return { ...port, reactive: inputKind === "reactive" };
    if (port.direction !== "output" || outputKind === undefined) return port;
    const { feedThrough: _, ...open } = port;
    return outputKind === "moore"
      ? { ...port, feedThrough: [] }
      : port.feedThrough?.length
        ? port
        : open;
  });
  return { ...description, ports };
}

/** The units inside an adaptation: read first, described when everything was read. */
export class InnerUnits {
  readonly sources: Map<string, Source> = new Map();
  private readonly drafts = new Map<string, UnitDraft>();
  private readonly tree: SourceTree;
  private readonly around: readonly string[];
  private readonly described = lazily(() => {
    const found = new Map<string, UnitDescription>();
    for (const [name, source] of this.sources) {
      const draft = this.drafts.get(name);
      const description = draft && source.describe(givenNumbers(draft), draft);
      if (description !== undefined) found.set(name, description);
    }
    return found;
  });

  constructor(tree: SourceTree, around: readonly string[]) {
    this.tree = tree;
    this.around = around;
  }

  /** By name, as far as they are known. */
  get descriptions(): ReadonlyMap<string, UnitDescription> {
    return this.described() ?? new Map();
  }

  readonly describe = ({ name }: Pick<InnerUnit, "name">): UnitDescription | undefined =>
    this.descriptions.get(name);

  /** One that the adaptation at `file` names; one that it leaves open is left alone. */
  async addNamed(
    unit: Pick<InnerUnit, "name" | "source" | "place"> & DeclaredKinds,
    file: string,
  ): Promise<void> {
    const { name, source: path, place } = unit;
    if (path !== undefined) await this.addAt(name, path, { name, place }, file, unit);
  }

  /** One at `path`, relative to the folder of `file`. */
  async addAt(
    name: string,
    path: string,
    unit: NamedUnit,
    file: string,
    { inputKind, outputKind }: DeclaredKinds = {},
  ): Promise<void> {
    const source = sourceAt(path);
    const hasKinds = inputKind !== undefined || outputKind !== undefined;
    const kinds = hasKinds ? present({ inputKind, outputKind }) : undefined;
    if (source === undefined) wrong(this.tree, "adaptation-inner-source", unit, path);
    else await this.add(name, { ...unit, source, values: [] }, file, kinds);
  }

  /** @param kinds that the adaptation declares for the unit. */
  async add(name: string, draft: UnitDraft, file: string, kinds?: DeclaredKinds): Promise<void> {
    const read = await this.tree.read(draft, file, this.around);
    if (read === undefined) return;
    const source = kinds === undefined ? read : withKinds(read, kinds);
    this.sources.set(name, source);
    this.drafts.set(name, draft);
  }
}

/** An adaptation that fits its inner units. */
export interface FittedAdaptation {
  readonly explicit: Adaptation;
  readonly description: UnitDescription;
  readonly inner: ReadonlyMap<string, Source>;
  readonly text: string;
  /**
   * How the units inside are set: those that it was applied to, or the parameters of those that it
   * names.
   */
  readonly passing?: ExposedPorts;
}

/** @param fit gives undefined after a report. */
export function adaptationSource(
  adaptation: "file" | "applied",
  path: string,
  fit: () => FittedAdaptation | undefined,
): Source {
  const fitted = (): FittedAdaptation => {
    const made = fit();
    if (made === undefined)
      throw new Error(`internal: the adaptation '${path}' was used without a description`);
    return made;
  };
  const source: Source = {
    path,
    adaptation,
    describe: () => fit()?.description,
    async open(use, around) {
      const { explicit, inner, passing } = fitted();
      const units = new Map<string, Unit>();
      try {
        for (const [key, one] of inner) {
          const unit = await one.open(insideUse(fitted(), use, key), around);
          // Rules ask for steps: a unit that insists on event mode handles its events and clocks
          // inside of them.
          units.set(key, withoutEventMode(unit, NO_CLOCKS));
        }
        const unit = adaptedUnit(use.name, explicit, units);
        return passing === undefined ? unit : withExposedPorts(unit, units, passing);
      } catch (error) {
        disposeAll(units.values());
        throw error;
      }
    },
    toC: (use, around) =>
      around.once(source, JSON.stringify([...use.structural]), () => {
        const { explicit, description, inner, text, passing } = fitted();
        const nodes = new Map<string, ExportNode>();
        for (const [key, one] of inner) {
          const node = around.node(one, insideUse(fitted(), use, key));
          if (node !== undefined) nodes.set(key, node);
        }
        if (nodes.size < inner.size) return undefined;
        return {
          kind: "adaptation",
          description,
          adaptation: explicit,
          inner: nodes,
          text,
          ...present({ passing }),
        };
      }),
  };
  return source;
}

/**
 * The use of an inner unit. Sizes that were given to ports which show through are for the unit
 * behind them.
 */
function insideUse(
  { explicit, description, passing }: FittedAdaptation,
  use: UnitUse,
  key: string,
): UnitUse {
  const structural = new Map<string, number>();
  for (const { own, unit, portName } of passing?.ports ?? []) {
    const value = use.structural.get(description.ports[own]?.name ?? "");
    if (unit === key && value !== undefined) structural.set(portName, value);
  }
  const { place } = explicit.inner.find(({ name }) => name === key) ?? explicit;
  return innerUse(use, key, structural, place);
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
