/**
 * The way in: the text of an SSD → scenario draft. What the host must bring is the text of the
 * files that the SSD names; FMUs are not opened. Rules: docs/spec/ssp.md.
 */

import type { Checked } from "../base/diagnostic.ts";
import type { ScenarioDraft } from "../model/scenario.ts";
import { parseDouble } from "../xml/literals.ts";
import { Reporter } from "../xml/reporter.ts";
import { readForeignExperiment } from "./foreign-experiment.ts";
import { ReadHost, type ReadOptions, type ResolveText } from "./read-host.ts";
import { StructureReader } from "./read-structure.ts";
import { SSP_DIAGNOSTICS } from "./ssp-diagnostics.ts";
import { SystemBuilder } from "./system-draft.ts";
import { attribute, childNamed, readTree } from "./xml-node.ts";

/**
 * Reads the SSD `text`, which lies at `file`.
 * @returns the draft and everything noticed, files that the SSD names included; what SSP says and
 * Cosimo does not use is listed as notes of code `ssp-unused`.
 */
export function parseSsd(
  text: string,
  file: string,
  resolve: ResolveText,
  options: ReadOptions = {},
): Checked<ScenarioDraft> {
  const host = new ReadHost(resolve, options);
  const ssd = host.open(file);
  const root = ssd.read(text, "ssd:SystemStructureDescription");
  const around = [`${file}#`];
  const system = root && new StructureReader(host, ssd, root, "", around).system();
  if (root === undefined || system === undefined) return { diagnostics: host.diagnostics() };
  const draft = new SystemBuilder(system).draft();
  const experiment = childNamed(root, "ssd:DefaultExperiment");
  const time = (name: string) =>
    experiment && attribute(experiment, name, parseDouble, "a number", ssd.reporter);
  const foreign = readForeignExperiment(root, ssd.reporter, {
    start: time("startTime"),
    stop: time("stopTime"),
    step: draft.experiment.step,
  });
  const description = root.attributes.get("description");
  const diagnostics = host.diagnostics();
  const value: ScenarioDraft = {
    ...draft,
    name: root.attributes.get("name") ?? draft.name,
    ...(description !== undefined && { description }),
    experiment: {
      ...draft.experiment,
      ...foreign,
    },
  };
  return { value, diagnostics };
}

/** The name of an SSD among the variants of a package; undefined when it cannot be read. */
export function ssdName(text: string): string | undefined {
  return readTree(text, new Reporter("", SSP_DIAGNOSTICS))?.attributes.get("name");
}
