/**
 * Shapes of data that comes from a process we do not trust: a value that fits is what its type
 * says, all others are refused before anything is done with them.
 */
export type Shape = (value: unknown) => boolean;

export const isText: Shape = (value) => typeof value === "string";
export const isNumber: Shape = (value) => typeof value === "number";
export const isBoolean: Shape = (value) => typeof value === "boolean";
export const isCount: Shape = (value) => Number.isSafeInteger(value) && (value as number) >= 0;

export function isOneOf(...values: readonly unknown[]): Shape {
  return (value) => values.includes(value);
}

export function isOptional(shape: Shape): Shape {
  return (value) => value === undefined || shape(value);
}

export function isListOf(shape: Shape): Shape {
  return (value) => Array.isArray(value) && value.every(shape);
}

/** Any names, values of one shape. */
export function isRecordOf(shape: Shape): Shape {
  return (value) => isPlainObject(value) && Object.values(value).every(shape);
}

/**
 * A shape for every property of `Type`, so that an interface that grows does not compile until the
 * new property is checked.
 */
export type ShapesOf<Type> = { readonly [Name in keyof Type]-?: Shape };

/** An object of type `Type`: name it. Properties beyond `shapes` are ignored. */
export function isObject<Type>(shapes: ShapesOf<Type>): Shape {
  const entries = Object.entries<Shape>(shapes);
  return (value) => isPlainObject(value) && entries.every(([name, shape]) => shape(value[name]));
}

/** Several properties of one shape. */
export function each<Name extends string>(
  shape: Shape,
  ...names: readonly Name[]
): Readonly<Record<Name, Shape>> {
  return Object.fromEntries(names.map((name) => [name, shape])) as Record<Name, Shape>;
}

/**
 * One of several objects, told apart by their property `kind`: a union that grows does not compile
 * until its shape is here.
 */
export function isKindOf<Kind extends string>(shapes: Readonly<Record<Kind, Shape>>): Shape {
  return (value) => {
    if (!isPlainObject(value)) return false;
    const { kind } = value;
    return typeof kind === "string" && Object.hasOwn(shapes, kind) && shapes[kind as Kind](value);
  };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
