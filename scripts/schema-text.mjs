/**
 * The published schema of scenarios as a module of the library, for editors: keys, what they mean, and which words may stand where.
 * `npm run reference` writes it; a test compares.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SCHEMA = ["docs", "reference", "scenario.schema.json"];
const MODULE = ["packages", "cosimo", "src", "lang", "scenario", "ide", "schema-text.ts"];

export function writeSchemaText(root) {
  writeFileSync(join(root, ...MODULE), schemaModule(readFileSync(join(root, ...SCHEMA), "utf8")));
}

/** One line per property and definition, so that changes are seen where they are. */
export function schemaModule(json) {
  const { properties, definitions, ...rest } = JSON.parse(json);
  const lines = (map) =>
    Object.entries(map)
      .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
      .join(",\n");
  const text = `{"rest":${JSON.stringify(rest)},\n"properties":{\n${lines(properties)}\n},\n"definitions":{\n${lines(definitions)}\n}}`;
  if (/`|\$\{/.test(text)) throw new Error("the schema has signs that a template cannot hold");
  return `/**
 * The published schema of scenarios (docs/reference/scenario.schema.json), for editors. Written by 'npm run reference'.
 */
export const SCHEMA_TEXT: string = String.raw\`${text}\`;
`;
}
