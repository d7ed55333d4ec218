/**
 * sources/buildDescription.xml of a source-code FMU (FMI 3.0) as data: what to compile, with which
 * definitions and libraries, for which platform. FMI 2 lists its sources in the model description
 * instead.
 */

import type { Checked } from "../base/diagnostic.ts";
import { Reporter } from "../xml/reporter.ts";
import type { Annotation } from "./description.ts";
import { DESCRIPTION_DIAGNOSTICS } from "./description-diagnostics.ts";
import type { Mutable } from "./description-draft.ts";
import { annotationsRule } from "./description-parts.ts";
import { type ElementRule, elementRule, walkXml } from "./element-walker.ts";

export interface BuildDescription {
  readonly fmiVersion: string;
  readonly configurations: readonly BuildConfiguration[];
  readonly annotations: readonly Annotation[];
}

export interface BuildConfiguration {
  readonly modelIdentifier: string;
  /** Absent: for every platform. */
  readonly platform?: string;
  readonly description?: string;
  readonly fileSets: readonly SourceFileSet[];
  readonly libraries: readonly BuildLibrary[];
  readonly line: number;
}

export interface SourceFileSet {
  readonly name?: string;
  /** "C99", "C++11", …; absent: C99. */
  readonly language?: string;
  readonly compiler?: string;
  readonly compilerOptions?: string;
  /** Relative to the sources folder. */
  readonly files: readonly string[];
  readonly definitions: readonly PreprocessorDefinition[];
  readonly includeDirectories: readonly string[];
  readonly line: number;
}

export interface PreprocessorDefinition {
  readonly name: string;
  readonly optional: boolean;
  readonly value?: string;
  readonly description?: string;
  /** Values to choose from. */
  readonly options: readonly { readonly value?: string; readonly description?: string }[];
  readonly line: number;
}

export interface BuildLibrary {
  readonly name: string;
  readonly version?: string;
  /** True: the user must provide it; false: it is in the FMU. */
  readonly external: boolean;
  readonly description?: string;
  readonly line: number;
}

const ROOT = "fmiBuildDescription";

export function parseBuildDescription(
  text: string,
  file = "sources/buildDescription.xml",
): Checked<BuildDescription> {
  const reporter = new Reporter(file, DESCRIPTION_DIAGNOSTICS);
  const annotations: Annotation[] = [];
  const configurations: BuildConfiguration[] = [];
  let fmiVersion = "";
  const annotated = {
    Annotations: annotationsRule("Annotation", "type", text, (a) => annotations.push(a)),
  };
  const complete = walkXml(text, reporter, {
    root: (e) => {
      if (e.name !== ROOT) {
        reporter.report("wrong-root", { found: e.name, expected: ROOT }, e.line);
        return undefined;
      }
      fmiVersion = e.text("fmiVersion") ?? "";
      return elementRule({
        attributes: "fmiVersion!",
        children: {
          "*BuildConfiguration": configurationRule(configurations, annotated),
          ...annotated,
        },
        needs: ["BuildConfiguration"],
      });
    },
  });
  const diagnostics = reporter.finish();
  if (!complete) return { diagnostics };
  return { value: { fmiVersion, configurations, annotations }, diagnostics };
}

function configurationRule(
  configurations: BuildConfiguration[],
  annotated: Readonly<Record<string, ElementRule>>,
): ElementRule {
  let fileSets: SourceFileSet[] = [];
  let libraries: BuildLibrary[] = [];
  const library = elementRule({
    attributes: "name! version external description",
    children: annotated,
    open: (e) => {
      libraries.push({
        name: e.text("name") ?? "",
        external: e.flag("external"),
        ...e.texts("version", "description"),
        line: e.line,
      });
    },
  });
  return elementRule({
    attributes: "modelIdentifier! platform description",
    children: {
      "*SourceFileSet": fileSetRule((set) => fileSets.push(set), annotated),
      "*Library": library,
      ...annotated,
    },
    open: (e) => {
      fileSets = [];
      libraries = [];
      configurations.push({
        modelIdentifier: e.text("modelIdentifier") ?? "",
        ...e.texts("platform", "description"),
        fileSets,
        libraries,
        line: e.line,
      });
    },
  });
}

function fileSetRule(
  add: (set: SourceFileSet) => void,
  annotated: Readonly<Record<string, ElementRule>>,
): ElementRule {
  let files: string[] = [];
  let definitions: PreprocessorDefinition[] = [];
  let includeDirectories: string[] = [];
  const named = (take: (name: string) => void): ElementRule =>
    elementRule({
      attributes: "name!",
      children: annotated,
      open: (e) => take(e.text("name") ?? ""),
    });
  return elementRule({
    attributes: "name language compiler compilerOptions",
    children: {
      "*SourceFile": named((name) => files.push(name)),
      "*PreprocessorDefinition": definitionRule((d) => definitions.push(d), annotated),
      "*IncludeDirectory": named((name) => includeDirectories.push(name)),
      ...annotated,
    },
    needs: ["SourceFile"],
    open: (e) => {
      files = [];
      definitions = [];
      includeDirectories = [];
      add({
        ...e.texts("name", "language", "compiler", "compilerOptions"),
        files,
        definitions,
        includeDirectories,
        line: e.line,
      });
    },
  });
}

function definitionRule(
  add: (definition: PreprocessorDefinition) => void,
  annotated: Readonly<Record<string, ElementRule>>,
): ElementRule {
  let options: Mutable<PreprocessorDefinition["options"][number]>[] = [];
  const option = elementRule({
    attributes: "value description",
    open: (e) => options.push(e.texts("value", "description")),
  });
  return elementRule({
    attributes: "name! optional value description",
    children: { "*Option": option, ...annotated },
    open: (e) => {
      options = [];
      add({
        name: e.text("name") ?? "",
        optional: e.flag("optional"),
        ...e.texts("value", "description"),
        options,
        line: e.line,
      });
    },
  });
}
