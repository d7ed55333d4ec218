/**
 * Which units of a run get processes of their own: those whose scenario says so, all of them where
 * the caller says so, and FMUs that may be instantiated once per process, from the second on.
 * Everything else is opened as ever.
 */
import { basename, resolve } from "node:path";
import { diagnose } from "../../base/diagnostic.ts";
import { present } from "../../base/present.ts";
import { type Isolation, UNTRUSTED_CALL_SECONDS } from "../../model/isolation.ts";
import type { UnitSource } from "../../model/scenario.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import { refusalOfProcesses } from "../../platform/process/futex.ts";
import type { OpenUnit, UnitUse } from "../../run/open-units.ts";
import type { Files } from "../sources/files.ts";
import type { IsolationChoice, OpenContext } from "../sources/source.ts";
import { ISOLATION_DIAGNOSTICS } from "./isolation-diagnostics.ts";
import type { IsolationRequest, Isolator } from "./isolator.ts";

/** What is known of the units that are opened. */
export interface KnownSources {
  readonly files: Files;
  /** How the scenario asks for it. */
  requestOf(source: UnitSource): IsolationRequest["request"] | undefined;
  describe(source: UnitSource, use: UnitUse): UnitDescription | undefined;
}

export function isolatingOpener(
  open: OpenUnit,
  sources: KnownSources,
  options: Pick<OpenContext, "folder" | "native" | "isolation">,
): OpenUnit {
  const { choice, onIsolator, onDiagnostic = () => undefined } = options.isolation ?? {};
  let isolator: Promise<Isolator> | undefined;
  /**
   * By group, undefined for this process: paths of FMUs that must be there once, with the unit that
   * is the one.
   */
  const only = new Map<string | undefined, Map<string, string>>();
  return async (unit, use) => {
    const { source } = unit;
    // It is elsewhere already.
    if (source.kind === "remote") return open(unit, use);
    const isolation = withoutTwin(chosen(unit.isolation, choice), source, use);
    if (isolation === undefined) return open(unit, use);
    const description = sources.describe(source, use);
    const request = sources.requestOf(source);
    if (description === undefined || request === undefined)
      throw new Error(`internal: '${use.name}' is isolated and was not read`);
    isolator ??= load();
    const file = resolve(request.file);
    const { path, around } = request;
    return (await isolator).open({
      isolation,
      source,
      request: { path, around, file },
      use,
      description,
    });
  };

  /** Processes and sandboxes are loaded where there is a unit for them. */
  async function load(): Promise<Isolator> {
    const { Isolator: Made } = await import("./isolator.ts");
    const { folder, native } = options;
    const made = new Made({ folder, native, files: sources.files, onDiagnostic });
    onIsolator?.(made);
    return made;
  }

  /**
   * The first instance of an FMU that allows one per process stays where it was to be, here or in
   * the process of a group; others get processes of their own. What is inside adaptations is not
   * known by name, and counts as any FMU.
   */
  function withoutTwin(
    asked: Isolation | undefined,
    source: UnitSource,
    use: UnitUse,
  ): Isolation | undefined {
    if (asked !== undefined && asked.group === undefined) return asked;
    if (sources.describe(source, use)?.capabilities.oncePerProcess !== true) return asked;
    const path = source.kind === "fmu" ? (sources.requestOf(source)?.path ?? "") : "";
    const taken = only.get(asked?.group) ?? new Map<string, string>();
    only.set(asked?.group, taken);
    const isTaken = [...taken].some(
      ([other, by]) => by !== use.name && (other === path || other === "" || path === ""),
    );
    if (!isTaken) taken.set(path, use.name);
    if (!isTaken || refusalOfProcesses(process.platform, process.arch) !== undefined) return asked;
    const params = { unit: use.name, path: basename(path) || "what it contains" };
    onDiagnostic(diagnose(ISOLATION_DIAGNOSTICS, "isolation-automatic", params, use.place));
    const { group: _, ...alone } = asked ?? { kind: "process" };
    return alone;
  }
}

/** What the scenario says, unless the caller trusts nobody. */
function chosen(
  said: Isolation | undefined,
  choice: IsolationChoice | undefined,
): Isolation | undefined {
  if (choice === undefined) return said;
  if (choice.isForced !== true) return said ?? { kind: choice.kind };
  const limits = { callSeconds: UNTRUSTED_CALL_SECONDS, ...said?.limits };
  return { kind: "sandbox", limits, ...present({ onFailure: said?.onFailure }) };
}
