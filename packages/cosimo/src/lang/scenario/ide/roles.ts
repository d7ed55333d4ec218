/**
 * What the texts of a scenario stand for, by their place: ports, units, files. The schema says
 * which keys there are; what a text under them names is said here.
 */
import { FILE_KEYS, SOURCES, UNIT_ENDINGS } from "../../../model/source-kind.ts";
import type { Direction } from "../../../model/unit-description.ts";
import type { Step } from "./schema.ts";

export type Role =
  /** Ports as `unit.port`, anywhere in the text: `a.y -> b.u`, `a.x = b.x`, `tank.level > 3 m`. */
  | { readonly kind: "ports"; readonly directions: readonly Direction[]; readonly isArrow?: true }
  /** The name of a unit. */
  | { readonly kind: "unit" }
  /** The path of a file with one of these endings. */
  | { readonly kind: "file"; readonly endings: readonly string[] }
  /** A requirement: a formula about ports of units, or the path of a file of hints. */
  | { readonly kind: "formula" }
  /** Of `set`: a port of the unit, as a key or as what its value is for. */
  | { readonly kind: "set"; readonly unit: string; readonly port?: string };

const OUTPUTS: readonly Direction[] = ["output"];
const TARGETS: readonly Direction[] = ["input"];
const ENDS: readonly Direction[] = ["output", "input"];
export const ALL: readonly Direction[] = [
  "output",
  "input",
  "local",
  "parameter",
  "structural-parameter",
  "calculated-parameter",
];

/** Endings of the files behind each key of a unit. */
const FILES: readonly (readonly [key: string, endings: readonly string[]])[] = [
  ...[...FILE_KEYS].map(
    ([key, kind]) =>
      [key, SOURCES[kind].endings.map((one) => `.${one.split(".").at(-1)}`)] as const,
  ),
  ["interface", [".mci", ".mbi"]],
];

/** Places by their keys, `*` for any key or index. The first row that fits counts. */
type Row = readonly [pattern: string, role: (path: readonly string[]) => Role];

const ROWS: readonly Row[] = [
  ["units *", () => ({ kind: "file", endings: UNIT_ENDINGS })],
  ["units * set *", ([, unit = "", , port = ""]) => ({ kind: "set", unit, port })],
  ["units * set * value", ([, unit = "", , port = ""]) => ({ kind: "set", unit, port })],
  ...FILES.map(([key, endings]): Row => [`units * ${key}`, () => ({ kind: "file", endings })]),
  ...["connections *", "structure rules * connect *", "structure rules * disconnect *"].flatMap(
    (place) => connectionRows(place),
  ),
  ...["effort", "flow"].flatMap((key) => connectionRows(`bonds * ${key}`)),
  ["constraints * constraint", ports(OUTPUTS)],
  ["constraints * rate", ports(OUTPUTS)],
  ["constraints * by", ports(TARGETS)],
  ["constraints * by *", ports(TARGETS)],
  ["events * when", ports(OUTPUTS)],
  ["events * crosses", ports(OUTPUTS)],
  ["limits * difference", ports(OUTPUTS)],
  ["ports *", ports(ENDS)],
  ["ports * *", ports(ENDS)],
  ["record", ports(ALL)],
  ["record *", ports(ALL)],
  ["record patterns *", ports(ALL)],
  ["faults *", ports(ENDS)],
  ["faults * port", ports(ENDS)],
  ["faults * on", ports(OUTPUTS)],
  ["faults * while", ports(OUTPUTS)],
  ["faults * unit", () => ({ kind: "unit" })],
  ...["requirements", "requirements *", "requirements require", "requirements * require"].map(
    (place): Row => [place, () => ({ kind: "formula" })],
  ),
  ["structure absent", () => ({ kind: "unit" })],
  ["structure absent *", () => ({ kind: "unit" })],
  ...["remove", "add", "replace", "with"].flatMap((key) =>
    ["", " *"].map((item): Row => [`structure rules * ${key}${item}`, () => ({ kind: "unit" })]),
  ),
  ["structure rules * when", ports(OUTPUTS)],
  ["structure rules * when *", ports(OUTPUTS)],
  ["structure rules * transfer *", ports(ALL)],
  ["master * *", () => ({ kind: "unit" })],
  ["master * * *", () => ({ kind: "unit" })],
];

function ports(directions: readonly Direction[]): () => Role {
  return () => ({ kind: "ports", directions });
}

function connectionRows(place: string): Row[] {
  return [
    [place, () => ({ kind: "ports", directions: OUTPUTS, isArrow: true })],
    [`${place} from`, ports(OUTPUTS)],
    [`${place} to`, ports(TARGETS)],
    [`${place} integral`, ports(OUTPUTS)],
    [`${place} when`, ports(OUTPUTS)],
  ];
}

const PATTERNS = ROWS.map(([pattern, role]) => ({ steps: pattern.split(" "), role }));

/** What a value at a place names; undefined where it names nothing. */
export function roleAt(path: readonly Step[]): Role | undefined {
  const steps = path.map(String);
  const found = PATTERNS.find(
    ({ steps: pattern }) =>
      pattern.length === steps.length &&
      pattern.every((one, i) => one === steps[i] || (one === "*" && isFree(path, pattern, i))),
  );
  return found?.role(steps);
}

/** Keys of a unit are not names of its values: `units * set` is not `units * *`. */
function isFree(path: readonly Step[], pattern: readonly string[], at: number): boolean {
  return pattern[0] !== "record" || at !== 1 || typeof path[at] === "number";
}

/** What a key at a place names: a port of a unit under `set`, a port under `transfer`. */
export function keyRoleAt(path: readonly Step[]): Role | undefined {
  const [first, unit, third] = path;
  if (first === "units" && third === "set" && path.length === 4)
    return { kind: "set", unit: String(unit) };
  if (first === "structure" && path.at(-2) === "transfer")
    return { kind: "ports", directions: ["input", "parameter", "local", "output"] };
  return undefined;
}
