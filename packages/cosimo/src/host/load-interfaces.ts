/**
 * Interfaces (`.mci`) that scenarios put beside their units, and specifications (`.mcl`) that are
 * made of them: read here, so that a draft holds what they say. Initial values of inputs become
 * values of the unit, unless the scenario sets them itself.
 */
import { dirname, resolve } from "node:path";
import {
  type Checked,
  type Diagnostic,
  diagnose,
  hasErrors,
  type Place,
} from "../base/diagnostic.ts";
import { withSlashes } from "../lang/text/slashes.ts";
import type { ScenarioDraft, UnitDraft, ValueDraft } from "../model/scenario.ts";
import { type UnitInterface, variableOf } from "../model/unit-interface.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "./scenario-diagnostics.ts";
import type { Files } from "./sources/files.ts";

type Report = (...diagnostics: readonly Diagnostic[]) => void;

/** The draft of an `.mcl` file. */
export async function readMcl(
  path: string,
  files: Pick<Files, "text">,
): Promise<Checked<ScenarioDraft>> {
  // The languages take longer to load than everything else together.
  const [{ parseMcl }, { draftOfMcl }] = await Promise.all([
    import("../lang/mcl/parse-mcl.ts"),
    import("../lang/mcl/draft-of-mcl.ts"),
  ]);
  const { value: specification, diagnostics: found } = parseMcl(files.text(path), path);
  const diagnostics = [...found];
  if (specification === undefined) return { diagnostics };
  const interfaces = new Map<string, UnitInterface | undefined>();
  for (const { path: file, place } of specification.loads)
    if (!interfaces.has(file))
      interfaces.set(
        file,
        await readInterface(file, path, files, place, (...more) => void diagnostics.push(...more)),
      );
  const draft = draftOfMcl(specification, path, (load) => interfaces.get(load.path));
  diagnostics.push(...draft.diagnostics);
  return draft.value === undefined ? { diagnostics } : { value: draft.value, diagnostics };
}

/** The draft with what the interfaces of its units say. */
export async function withInterfaces(
  draft: ScenarioDraft,
  files: Pick<Files, "text">,
  report: Report,
): Promise<ScenarioDraft> {
  if (draft.units.every((unit) => unit.interface === undefined)) return draft;
  const units: UnitDraft[] = [];
  for (const unit of draft.units) {
    const named = unit.interface;
    const content =
      named &&
      (named.content ?? (await readInterface(named.path, draft.file, files, named.place, report)));
    if (named === undefined || content === undefined) units.push(unit);
    else
      units.push({
        ...unit,
        interface: { ...named, content },
        values: [...unit.values, ...initialValues(content, unit)],
      });
  }
  return { ...draft, units };
}

/**
 * @param from the file that names it.
 * @returns undefined after a report.
 */
async function readInterface(
  path: string,
  from: string,
  files: Pick<Files, "text">,
  place: Place,
  report: Report,
): Promise<UnitInterface | undefined> {
  const broken = (reason: string): undefined =>
    void report(diagnose(SCENARIO_LOAD_DIAGNOSTICS, "interface-unusable", { path, reason }, place));
  const file = resolve(dirname(from), withSlashes(path));
  let text: string;
  try {
    text = files.text(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return broken(code === "ENOENT" ? "there is no such file" : message);
  }
  const { parseMci } = await import("../lang/mci/parse-mci.ts");
  const { value, diagnostics } = parseMci(text, file);
  report(...diagnostics);
  return hasErrors(diagnostics) || value === undefined ? broken("it has errors") : value;
}

function initialValues({ ports }: UnitInterface, { values }: UnitDraft): ValueDraft[] {
  const given = new Set(values.map(({ port }) => port));
  return ports.flatMap((port): ValueDraft[] => {
    const { direction, initial, shape, place } = port;
    const name = variableOf(port);
    if (direction !== "input" || initial === undefined || given.has(name)) return [];
    const all = initial.split(",").map((one) => one.trim());
    const isList = shape.length > 0 && all.length > 1;
    return [{ port: name, value: isList ? all : initial, place }];
  });
}
