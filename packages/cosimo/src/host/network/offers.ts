/**
 * What a node offers: units by name, each behind a file of its own. They are read when the node
 * starts, so that a mistake shows there and not in a caller's run, and described whenever they are
 * asked for.
 */
import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type Diagnostic, DiagnosticsError, diagnose } from "../../base/diagnostic.ts";
import type { UnitDraft, UnitSource } from "../../model/scenario.ts";
import { sourceAt } from "../../model/source-kind.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import { isToken } from "../../platform/nats/network-settings.ts";
import { diskFiles } from "../sources/files.ts";
import type { Source } from "../sources/source.ts";
import { SourceTree } from "../sources/tree.ts";
import type { Trust } from "../trust.ts";
import { NETWORK_DIAGNOSTICS } from "./network-diagnostics.ts";

export interface Offer {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
}

/**
 * `motor.fmu` is offered as `motor`, `plant/scenario.yaml` as `plant`, `drive=motor.fmu` as
 * `drive`.
 * @throws DiagnosticsError
 */
export function offersIn(texts: readonly string[]): Offer[] {
  const offers: Offer[] = [];
  for (const text of texts) {
    const [, name, path = text] = /^([\w-]+)=(.+)$/.exec(text) ?? [];
    const offer = { name: name ?? nameOf(path), path: resolve(path) };
    const other = offers.find((one) => one.name === offer.name);
    const why = isToken(offer.name)
      ? other && `'${basename(other.path)}' has this name already`
      : "names have letters, digits, '-' and '_'";
    if (why !== undefined) throw refused("offer-name", { name: offer.name, why }, path);
    if (offeredSource(offer) === undefined) throw refused("offer-unknown", { path }, path);
    offers.push(offer);
  }
  return offers;
}

/** By its name, or an unpacked FMU. */
export function offeredSource({ path }: Pick<Offer, "path">): UnitSource | undefined {
  const isFmu = existsSync(join(path, "modelDescription.xml"));
  return isFmu ? { kind: "fmu", path } : sourceAt(path);
}

function nameOf(path: string): string {
  const file = basename(path);
  const stem = file.replace(/(\.machine)?\.[^.]*$/, "");
  return stem === "scenario" ? basename(dirname(resolve(path))) : stem;
}

function refused<Code extends keyof typeof NETWORK_DIAGNOSTICS & string>(
  code: Code,
  params: Parameters<(typeof NETWORK_DIAGNOSTICS)[Code]["text"]>[0],
  file: string,
): DiagnosticsError {
  return new DiagnosticsError([
    diagnose(NETWORK_DIAGNOSTICS, code, params as never, { file }) as Diagnostic,
  ]);
}

/** Offers that were read. One tree for all of them: what they share is read once. */
export class OfferedUnits {
  readonly tree: SourceTree;
  private readonly offers: ReadonlyMap<string, Offer>;
  private readonly sources = new Map<string, UnitSource>();

  /** @param folder where packages are unpacked. */
  constructor(offers: readonly Offer[], trust: Trust, folder: string) {
    this.offers = new Map(offers.map((offer) => [offer.name, offer]));
    this.tree = new SourceTree(diskFiles(trust), folder);
  }

  /** @throws DiagnosticsError where it cannot be read; undefined where nothing has this name. */
  async read(name: string): Promise<{ source: Source; draft: UnitDraft } | undefined> {
    const offer = this.offers.get(name);
    if (offer === undefined) return undefined;
    const draft = this.draft(offer);
    const known = this.tree.has(draft.source);
    const before = this.tree.diagnostics.length;
    const source = known
      ? this.tree.sourceOf(draft.source)
      : await this.tree.read(draft, offer.path, []);
    if (source === undefined) throw new DiagnosticsError(this.tree.diagnostics.slice(before));
    return { source, draft };
  }

  /** @throws DiagnosticsError */
  async describe(
    name: string,
    given: ReadonlyMap<string, number>,
  ): Promise<UnitDescription | undefined> {
    const read = await this.read(name);
    if (read === undefined) return undefined;
    const before = this.tree.diagnostics.length;
    const description = read.source.describe(given, read.draft);
    if (description === undefined) throw new DiagnosticsError(this.tree.diagnostics.slice(before));
    return description;
  }

  private draft({ name, path }: Offer): UnitDraft {
    const source = this.sources.get(name) ?? offeredSource({ path });
    if (source === undefined) throw new Error(`internal: '${path}' is not a unit`);
    this.sources.set(name, source);
    return { name, source, values: [], place: { file: path } };
  }
}
