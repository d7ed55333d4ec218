/**
 * The published schema and the parser are two descriptions of one format; these tests keep them
 * one.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { INTEGRATION_METHODS } from "../../model/integrator.ts";
import { COUPLING_SCHEMES, MASTER_NAMES } from "../../model/masters.ts";
import { ESTIMATOR_NAMES } from "../../plan/estimators.ts";
import { ITERATION_METHODS, readMasterSettings } from "../../plan/master-settings.ts";
import {
  APPROXIMATIONS,
  BOND_KEYS,
  CONNECTION_KEYS,
  CONSTRAINT_KEYS,
  DIRECTIONS,
  EVENT_KEYS,
  EXPERIMENT_KEYS,
  FAULT_KEYS,
  INTEGRATOR_KEYS,
  KINDS,
  LIMIT_KEYS,
  PRESERVABLE,
  RECORD_KEYS,
  REGULARIZATION_KEYS,
  REQUIREMENT_KEYS,
  SCENARIO_KEYS,
  STRUCTURE_KEYS,
  STRUCTURE_RULE_KEYS,
  SUPPRESSIBLE,
  UNIT_KEYS,
  VALUE_KEYS,
} from "./keys.ts";
import { parseScenarioYaml } from "./parse-scenario.ts";

const ROOT = join(import.meta.dirname, "../../../../..");
const schema = JSON.parse(readFileSync(join(ROOT, "docs/reference/scenario.schema.json"), "utf8"));
const accepts = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);

interface ObjectSchema {
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The alternative of a definition that is a map. */
function mapOf(name: string): ObjectSchema {
  const definition = schema.definitions[name];
  return definition.properties
    ? definition
    : definition.anyOf.find((one: ObjectSchema) => one.properties);
}

function schemaAccepts(text: string): boolean {
  return accepts(parse(text, { merge: true }));
}

const BROKEN = join(ROOT, "packages/cosimo/tests/broken-scenarios/yaml");
const broken = readdirSync(BROKEN).map((file) => ({
  file,
  text: readFileSync(join(BROKEN, file), "utf8"),
}));

function guideExamples(): string[] {
  const guide = readFileSync(join(ROOT, "docs/guide/scenario.md"), "utf8");
  return [...guide.matchAll(/^```yaml file=\S+\n([\s\S]*?)^```$/gm)].map((match) => match[1]!);
}

describe("the published schema", () => {
  it.each([
    ["scenario", SCENARIO_KEYS, schema],
    ["unit", UNIT_KEYS, mapOf("unit")],
    ["integrator", INTEGRATOR_KEYS, mapOf("integrator")],
    ["value", VALUE_KEYS, mapOf("value")],
    ["connection", CONNECTION_KEYS, mapOf("connection")],
    ["bond", BOND_KEYS, mapOf("bond")],
    ["constraint", CONSTRAINT_KEYS, mapOf("constraint")],
    ["event", EVENT_KEYS, mapOf("event")],
    ["limit", LIMIT_KEYS, mapOf("limit")],
    ["fault", FAULT_KEYS, mapOf("fault")],
    ["requirement", REQUIREMENT_KEYS, mapOf("requirement")],
    ["structure", STRUCTURE_KEYS, mapOf("structure")],
    ["rule of the structure", STRUCTURE_RULE_KEYS, mapOf("structureRule")],
    ["regularization", REGULARIZATION_KEYS, mapOf("event").properties["regularization"]],
    ["experiment", EXPERIMENT_KEYS, mapOf("experiment")],
    ["record", RECORD_KEYS, mapOf("record")],
  ])("[SC8] has the keys of a %s that the parser knows, and no others", (_, keys, map) => {
    expect(Object.keys((map as ObjectSchema).properties).sort()).toEqual([...keys].sort());
  });

  it("[SC8] has the choices that the parser knows", () => {
    const { approximation, kind, suppress } = mapOf("connection").properties as Record<
      string,
      never
    >;
    expect((approximation as { enum: string[] }).enum).toEqual(APPROXIMATIONS);
    expect((kind as { enum: string[] }).enum).toEqual(KINDS);
    const choices = (map: string, key: string) =>
      (mapOf(map).properties[key] as { readonly enum: readonly string[] }).enum;
    expect(choices("bond", "preserve")).toEqual(PRESERVABLE);
    expect(choices("event", "direction")).toEqual(DIRECTIONS);
    expect(choices("integrator", "method")).toEqual(INTEGRATION_METHODS);
    expect((suppress as { anyOf: [{ enum: string[] }] }).anyOf[0].enum).toEqual(SUPPRESSIBLE);
  });

  it("[SC8] completes the options that masters read, and no others", () => {
    const read = new Set(["name", "order"]);
    const options = new Proxy({}, { get: (_, key) => void read.add(String(key)) });
    for (const name of MASTER_NAMES)
      readMasterSettings(name, { name, options, place: { file: "s" } }, 1, () => undefined);
    const { properties } = schema.properties.master.anyOf[1];
    expect(Object.keys(properties).sort()).toEqual([...read].sort());
    expect(properties.method.examples).toEqual(ITERATION_METHODS);
    expect(properties.coupling.examples).toEqual(COUPLING_SCHEMES);
    expect(properties.estimator.examples).toEqual(ESTIMATOR_NAMES);
  });

  it("[SC8] describes every property", () => {
    const bare: string[] = [];
    const walk = (node: unknown, path: string): void => {
      if (typeof node !== "object" || node === null) return;
      for (const [key, value] of Object.entries(node)) {
        if (key === "properties")
          for (const [name, property] of Object.entries(value as Record<string, unknown>)) {
            const { description, $ref } = property as { description?: string; $ref?: string };
            const target = schema.definitions[$ref?.split("/").at(-1) ?? ""];
            if (!description && !target?.description) bare.push(`${path}.${name}`);
          }
        walk(value, `${path}.${key}`);
      }
    };
    walk(schema, "");
    expect(bare).toEqual([]);
  });

  it("[SC8] accepts the examples of the guide, and so does the parser", () => {
    const examples = guideExamples();
    expect(examples.length).toBeGreaterThanOrEqual(4);
    for (const text of examples) {
      expect(parseScenarioYaml(text, "x.yaml").diagnostics, text).toEqual([]);
      expect(schemaAccepts(text), `${text}\n${JSON.stringify(accepts.errors)}`).toBe(true);
    }
  });

  it("[SC8] accepts whatever the parser accepts", () => {
    const fine = broken.filter(
      ({ text, file }) => parseScenarioYaml(text, file).diagnostics.length === 0,
    );
    expect(fine.length).toBeGreaterThan(40);
    for (const { text, file } of fine) expect(schemaAccepts(text), file).toBe(true);
  });

  /**
   * Mistakes that a schema cannot see: they need YAML's lines, arithmetic or the names of other
   * parts.
   */
  const BEYOND =
    /yaml-|scenario-ragged|fault-malformed|fault-condition|requirement-|scenario-formula|later than|time above/;

  it("[SC8] refuses what the parser refuses, as far as a schema can tell", () => {
    const wrong = broken.filter(({ text, file }) => {
      const { diagnostics } = parseScenarioYaml(text, file);
      return (
        diagnostics.length > 0 &&
        !diagnostics.some(({ code, message }) => BEYOND.test(code + message))
      );
    });
    expect(wrong.length).toBeGreaterThan(25);
    for (const { text, file } of wrong) expect(schemaAccepts(text), file).toBe(false);
  });
});
