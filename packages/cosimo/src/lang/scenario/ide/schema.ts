/**
 * What may stand where in a scenario: the published schema, walked along the path of keys that
 * leads to a place. So editors offer and explain what the schema says, and no list of keys is
 * written twice.
 */
import { SCHEMA_TEXT } from "./schema-text.ts";

/** The part of JSON Schema that ours uses. */
export interface Schema {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  /** One reference, with a description beside it. */
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
}

interface Published {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly definitions: Readonly<Record<string, Schema>>;
}

const PUBLISHED = JSON.parse(SCHEMA_TEXT) as Published;
const ROOT: Schema = { type: "object", properties: PUBLISHED.properties };

/** A key of a map, or a place in a list. */
export type Step = string | number;

/** What the schema says of a place, alternative by alternative; none where it says nothing. */
function schemasAt(path: readonly Step[]): Schema[] {
  let here: Schema[] = [ROOT];
  for (const step of path) here = here.flatMap((one) => below(one, step)).flatMap(alternatives);
  return here;
}

function below({ properties, additionalProperties, items }: Schema, step: Step): Schema[] {
  if (typeof step === "number") return items === undefined ? [] : [items];
  if (properties !== undefined && Object.hasOwn(properties, step)) return [properties[step]!];
  return typeof additionalProperties === "object" ? [additionalProperties] : [];
}

/**
 * A reference stands for its definition, and a choice for its parts; what is said beside them holds
 * for all.
 */
function alternatives(schema: Schema): Schema[] {
  const { $ref, anyOf = [], allOf = [], ...own } = schema;
  const named = $ref === undefined ? undefined : PUBLISHED.definitions[$ref.split("/").at(-1)!];
  const parts = [...(named === undefined ? [] : [named]), ...anyOf, ...allOf];
  if (parts.length === 0) return [own];
  return parts.flatMap(alternatives).map((part) => ({
    ...part,
    ...(own.description !== undefined && { description: own.description }),
    ...(own.examples !== undefined && { examples: own.examples }),
  }));
}

export interface Key {
  readonly name: string;
  readonly text: string;
}

/** The keys of a map at a place. */
export function keysAt(path: readonly Step[]): Key[] {
  const found = new Map<string, Key>();
  for (const { properties = {} } of schemasAt(path))
    for (const [name, schema] of Object.entries(properties))
      if (!found.has(name)) found.set(name, { name, text: textOf([schema]) });
  return [...found.values()];
}

/** What the schema says of a place, in words. */
export function textAt(path: readonly Step[]): string {
  return textOf(schemasAt(path));
}

function textOf(schemas: readonly Schema[]): string {
  for (const schema of schemas)
    for (const one of [schema, ...alternatives(schema)])
      if (one.description !== undefined) return one.description;
  return "";
}

/** Words that can stand at a place: those of a choice, and examples. */
export function wordsAt(path: readonly Step[]): string[] {
  const words = schemasAt(path).flatMap(
    ({ enum: choices = [], const: only, examples = [], type }) => [
      ...choices,
      ...(only === undefined ? [] : [only]),
      ...examples,
      ...(type === "boolean" ? [true, false] : []),
    ],
  );
  const texts = words.flatMap((word) => (typeof word === "object" ? [] : [String(word)]));
  return [...new Set(texts)];
}
