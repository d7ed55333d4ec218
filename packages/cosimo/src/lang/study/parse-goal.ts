/**
 * What a study is to find, as written in its study.yaml:
 *
 *   minimize: maximum(abs(chassis.z_c))        or `maximize: robustness of comfort`
 *   constraints: [always abs(chassis.F) < 3 kN]
 *   optimizer: { method: cma-es, runs: 500 }
 *
 *   calibrate: { data: measured.csv, signals: { position: left.x } }
 */
import type { Place } from "../../base/diagnostic.ts";
import { present } from "../../base/present.ts";
import {
  type GoalDraft,
  type MeasuredSignal,
  OPTIMIZERS,
  type OptimizerDraft,
} from "../../model/study.ts";
import {
  type Fields,
  POSITIVE,
  readChoice,
  readEntries,
  readFields,
  readNumber,
  readText,
} from "../scenario/fields.ts";
import type { YamlEntry } from "../scenario/yaml-tree.ts";
import { CALIBRATE_KEYS, OPTIMIZER_KEYS, SIGNAL_KEYS, type STUDY_KEYS } from "./keys.ts";
import { COUNT, readMeasure, SEED, type StudyReader } from "./study-reader.ts";

/** What a search may cost without a word about it. */
const DEFAULT_RUNS = 1000;
const DEFAULT_TOLERANCE = 1e-4;
/**
 * Residuals go to zero together with their derivatives, so a calibration ends close to its point.
 */
const FIT_TOLERANCE = 1e-9;

export function parseGoal(
  fields: Fields<(typeof STUDY_KEYS)[number]>,
  reader: StudyReader,
  place: Place,
): GoalDraft | undefined {
  const { minimize, maximize, calibrate, optimizer } = fields;
  if (calibrate !== undefined) return parseCalibration(calibrate, optimizer, reader);
  const entry = minimize ?? maximize;
  if (entry === undefined) return undefined;
  const text = readText(entry, "maximum(abs(motor.current))", reader.reporter);
  if (text === undefined) return undefined;
  const kind = minimize === undefined ? "maximize" : "minimize";
  const settings = parseOptimizer(optimizer, reader, "cma-es");
  const [, , requirement] = /^robustness(\s+of\s+(\S.*))?$/.exec(text) ?? [];
  if (/^robustness(\s+of\s+\S.*)?$/.test(text))
    return {
      kind,
      of: { kind: "robustness", ...present({ requirement }) },
      optimizer: settings,
      place: entry.node.place,
    };
  const [measure] = readMeasure(text, entry.node.place, reader);
  if (measure === undefined) return undefined;
  return {
    kind,
    of: { kind: "measure", measure },
    optimizer: settings,
    place: entry.place ?? place,
  };
}

function parseOptimizer(
  entry: YamlEntry | undefined,
  reader: StudyReader,
  usual: OptimizerDraft["method"],
): OptimizerDraft {
  const { reporter } = reader;
  const isFit = usual === "least-squares";
  const shape = {
    owner: "'optimizer'",
    keys: OPTIMIZER_KEYS,
    example: "optimizer: { method: cma-es, runs: 500 }",
  };
  const fields = entry && readFields(entry.node, shape, reporter);
  const methods = isFit ? (["least-squares"] as const) : OPTIMIZERS;
  const method = fields?.method && readChoice(fields.method.node, "'method'", methods, reporter);
  const tolerance = {
    expected: "a number between 0 and 1",
    example: "1e-4",
    accepts: (value: number): boolean => POSITIVE(value) && value < 1,
  };
  return {
    method: method ?? usual,
    runs: (fields?.runs && readNumber(fields.runs, COUNT, reporter)) ?? DEFAULT_RUNS,
    seed: (fields?.seed && readNumber(fields.seed, SEED, reporter)) ?? 1,
    tolerance:
      (fields?.tolerance && readNumber(fields.tolerance, tolerance, reporter)) ??
      (isFit ? FIT_TOLERANCE : DEFAULT_TOLERANCE),
  };
}

function parseCalibration(
  entry: YamlEntry,
  optimizer: YamlEntry | undefined,
  reader: StudyReader,
): GoalDraft | undefined {
  const { reporter } = reader;
  const example = "calibrate: { data: measured.csv, signals: { position: left.x } }";
  const fields = readFields(
    entry.node,
    { owner: "'calibrate'", keys: CALIBRATE_KEYS, required: ["data", "signals"], example },
    reporter,
  );
  const data = fields && readText(fields.data, "measured.csv", reporter);
  const entries =
    fields && readEntries(fields.signals.node, { owner: "'signals'", example }, reporter);
  if (data === undefined || entries === undefined) return undefined;
  const signals = entries.flatMap((one) => readSignal(one, reader) ?? []);
  const settings = parseOptimizer(optimizer, reader, "least-squares");
  return { kind: "calibrate", data, signals, optimizer: settings, place: entry.place };
}

/**
 * `position: left.x`, or with the size of differences that count as one: `{ signal: left.x, scale:
 * 0.01 }`.
 */
function readSignal(entry: YamlEntry, reader: StudyReader): MeasuredSignal | undefined {
  const { key: column, node } = entry;
  const shape = {
    owner: `'${column}'`,
    keys: SIGNAL_KEYS,
    required: ["signal"] as const,
    example: `${column}: { signal: left.x, scale: 0.01 }`,
  };
  const fields = node.kind === "map" ? readFields(node, shape, reader.reporter) : { signal: entry };
  if (fields === undefined) return undefined;
  const text = readText(fields.signal, "left.x", reader.reporter);
  const [signal] = text === undefined ? [] : readMeasure(text, fields.signal.node.place, reader);
  if (signal === undefined) return undefined;
  const rule = { expected: "a number above 0", example: "0.01", accepts: POSITIVE };
  const scale =
    "scale" in fields && fields.scale ? readNumber(fields.scale, rule, reader.reporter) : undefined;
  return { column, signal, ...present({ scale }) };
}
