/**
 * `study.yaml` → a study, as written:
 *
 *   scenario: scenario.yaml
 *   factors:
 *     chassis.c: { from: 10 kN/m, to: 30 kN/m }
 *     master: [jacobi, gauss-seidel]
 *   design: { method: sobol, runs: 256 }
 *   keep: [chassis.z_c, maximum(abs(chassis.F)) as force, robustness, traces]
 */
import {
  type Checked,
  type Diagnostic,
  diagnose,
  hasErrors,
  type Place,
} from "../../base/diagnostic.ts";
import { present } from "../../base/present.ts";
import type { RequirementDraft } from "../../model/requirement.ts";
import {
  DESIGN_METHODS,
  type Design,
  type KeptDraft,
  type MeasureDraft,
  type RunLimits,
  type StudyDraft,
} from "../../model/study.ts";
import { parseRequirement } from "../requirement/parse-requirement.ts";
import { TextReporter } from "../scenario/diagnostics.ts";
import {
  type Fields,
  POSITIVE,
  readChoice,
  readFields,
  readNumber,
  readText,
  readTexts,
  readTime,
  wrongType,
} from "../scenario/fields.ts";
import { parseBytes } from "../scenario/parse-isolation.ts";
import { readYaml, type YamlEntry, type YamlNode } from "../scenario/yaml-tree.ts";
import { STUDY_TEXT_RULES } from "./diagnostics.ts";
import { DESIGN_KEYS, STUDY_KEYS, STUDY_LIMIT_KEYS } from "./keys.ts";
import { parseFactors } from "./parse-factors.ts";
import { parseGoal } from "./parse-goal.ts";
import { COUNT, readMeasure, SEED, type StudyReader } from "./study-reader.ts";

const EXAMPLE = "scenario: scenario.yaml";

/** Reads the text of a study; `file` is the name in places. Never throws, whatever the text. */
export function parseStudy(text: string, file: string): Checked<StudyDraft> {
  const reporter = new TextReporter();
  const more: Diagnostic[] = [];
  const reader: StudyReader = {
    reporter,
    report(code, params, place) {
      more.push(diagnose(STUDY_TEXT_RULES, code, params as never, place));
      return undefined;
    },
  };
  const root = readYaml(text, file, reporter, EXAMPLE);
  const value = root && readStudy(root, file, reader);
  const diagnostics = [...reporter.diagnostics, ...more];
  return value === undefined || hasErrors(diagnostics) ? { diagnostics } : { value, diagnostics };
}

type StudyFields = Fields<(typeof STUDY_KEYS)[number]>;

function readStudy(root: YamlNode, file: string, reader: StudyReader): StudyDraft | undefined {
  const { reporter } = reader;
  const fields = readFields(
    root,
    {
      owner: "a study",
      keys: STUDY_KEYS,
      required: ["scenario", "factors"],
      example: `${EXAMPLE}\n  factors: { motor.R: { from: 1, to: 2 } }`,
    },
    reporter,
  );
  if (fields === undefined) return undefined;
  const scenario = readText(fields.scenario, "scenario.yaml", reporter);
  const factors = parseFactors(fields.factors, reader);
  const goal = parseGoal(fields, reader, root.place);
  const design = fields.design && parseDesign(fields.design, reader);
  checkPurpose(fields, reader, root.place);
  if (goal !== undefined)
    for (const { name, levels, place } of factors)
      if (levels.kind === "list" || !["uniform", "log-uniform"].includes(levels.name))
        reader.report(
          "study-goal",
          {
            why: `the factor '${name}' is not a range, and goals are searched for in ranges`,
            fix: `write '${name}: { from: 1, to: 10 }'`,
          },
          place,
        );
  const name = fields.name && readText(fields.name, "suspension", reporter);
  const description = fields.description && readText(fields.description, "…", reporter);
  const keep = fields.keep ? parseKeep(fields.keep, reader) : DEFAULT_KEEP;
  const limits = fields.limits ? parseLimits(fields.limits, reporter) : {};
  const constraints = fields.constraints ? parseConstraints(fields.constraints, reader) : [];
  if (scenario === undefined) return undefined;
  checkNames([...factors, ...keep.measures], reader);
  return {
    name: name ?? studyName(file),
    file,
    scenario,
    factors,
    constraints,
    keep,
    limits,
    place: root.place,
    ...present({ description, design, goal }),
  };
}

/** Without a word about it: how the requirements fared. */
const DEFAULT_KEEP: KeptDraft = { measures: [], robustness: "all", traces: false };

function studyName(file: string): string {
  return (file.split(/[\\/]/).at(-1) ?? file).replace(/(?:\.study)?\.ya?ml$/i, "");
}

/** One of a design and the goals; what belongs to goals alone. */
function checkPurpose(fields: StudyFields, { report }: StudyReader, place: Place): void {
  const given = (["design", "minimize", "maximize", "calibrate"] as const).filter(
    (key) => fields[key] !== undefined,
  );
  if (given.length === 0) {
    const why = "the study does not say which runs are made";
    report(
      "study-goal",
      { why, fix: "add 'design: { method: sobol, runs: 256 }', 'minimize: …' or 'calibrate: …'" },
      place,
    );
  }
  const [, second] = given;
  if (second !== undefined)
    report(
      "study-goal",
      { why: `'${given.join("' and '")}' do not go together`, fix: "keep one of them" },
      fields[second]?.place ?? place,
    );
  for (const key of ["optimizer", "constraints"] as const) {
    const entry = fields[key];
    const isUseless = fields.design !== undefined || (key === "constraints" && fields.calibrate);
    if (entry !== undefined && isUseless)
      report(
        "study-goal",
        {
          why: `'${key}' has no effect without a goal that uses it`,
          fix: "remove it, or add 'minimize'",
        },
        entry.place,
      );
  }
}

function parseDesign(entry: YamlEntry, reader: StudyReader): Design | undefined {
  const { reporter } = reader;
  const example = "design: { method: latin-hypercube, runs: 100 }";
  const fields = readFields(
    entry.node,
    { owner: "'design'", keys: DESIGN_KEYS, required: ["method"], example },
    reporter,
  );
  const method = fields && readChoice(fields.method.node, "'method'", DESIGN_METHODS, reporter);
  if (fields === undefined || method === undefined) return undefined;
  const isLevelled = method === "grid" || method === "one-at-a-time";
  const unused = isLevelled ? (["runs", "seed", "indices"] as const) : (["points"] as const);
  for (const key of unused)
    if (fields[key] !== undefined)
      reader.report(
        "study-design",
        {
          why: `'${method}' has no '${key}'`,
          fix: isLevelled ? "write 'points', the number of values per range" : "write 'runs'",
        },
        fields[key].place,
      );
  if (!isLevelled && fields.runs === undefined)
    reader.report(
      "study-design",
      { why: "does not say how many runs there are", fix: `add 'runs: 100'` },
      entry.node.place,
    );
  const runs = fields.runs && readNumber(fields.runs, COUNT, reporter);
  const points = fields.points && readNumber(fields.points, COUNT, reporter);
  const seed = fields.seed && readNumber(fields.seed, SEED, reporter);
  return {
    method,
    seed: seed ?? 1,
    indices: fields.indices ? readFlag(fields.indices, reporter) : false,
    place: entry.node.place,
    ...present({ runs, points }),
  };
}

function readFlag({ key, node }: YamlEntry, reporter: TextReporter): boolean {
  if (node.kind === "scalar" && typeof node.value === "boolean") return node.value;
  wrongType(node, `'${key}'`, "true or false", `${key}: true`, reporter);
  return false;
}

function parseKeep(entry: YamlEntry, reader: StudyReader): KeptDraft {
  const measures: MeasureDraft[] = [];
  const named: { name: string; place: Place }[] = [];
  let isAll = false;
  let traces = false;
  for (const { text, place } of readTexts(entry, "[motor.speed, robustness]", reader.reporter)) {
    const [, requirement] = /^robustness\s+of\s+(\S.*)$/.exec(text) ?? [];
    if (requirement !== undefined) named.push({ name: requirement, place });
    else if (text === "robustness") isAll = true;
    else if (text === "traces") traces = true;
    else measures.push(...(readMeasure(text, place, reader) ?? []));
  }
  return { measures, robustness: isAll ? "all" : named, traces };
}

function parseConstraints(entry: YamlEntry, reader: StudyReader): RequirementDraft[] {
  const { reporter } = reader;
  return readTexts(entry, "[always motor.current < 5 A]", reporter).flatMap(({ text, place }) => {
    const { value, diagnostics } = parseRequirement(text, place);
    reporter.diagnostics.push(...diagnostics);
    return value === undefined ? [] : [value];
  });
}

const SECONDS = { expected: "a time above 0", example: "10 s", accepts: POSITIVE };

function parseLimits(entry: YamlEntry, reporter: TextReporter): RunLimits {
  const shape = {
    owner: "'limits'",
    keys: STUDY_LIMIT_KEYS,
    example: "limits: { time: 10 s, memory: 512 MB }",
  };
  const fields = readFields(entry.node, shape, reporter);
  return present({
    seconds: fields?.time && readTime(fields.time, SECONDS, reporter),
    memoryBytes: fields?.memory && parseBytes(fields.memory, reporter),
  });
}

/** Names of columns that every table has. */
const TAKEN = ["run", "outcome", "reason"];

function checkNames(
  columns: readonly { readonly name: string; readonly place: Place }[],
  { report }: StudyReader,
): void {
  const taken = new Set(TAKEN);
  for (const { name, place } of columns) {
    if (taken.has(name)) report("study-name-taken", { name }, place);
    taken.add(name);
  }
}
