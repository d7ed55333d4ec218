/**
 * Binds the functions of an FMI interface from a table, so that the C signatures are written once and serve the
 * binding, the call log and the check for missing symbols.
 *
 * Notation of one function: `result: argument …`, an argument optionally with a name for the log (`t=d`):
 *   c instance   s C string   p pointer   i int32   b boolean (passed as int)   d double
 *   vrs value references   n size_t; the length of the arrays before it
 *   <T in, >T out: pointer to f64 f32 i8 … u64 b8 str ptr bin; `@k` names the k-th `n` as its length
 * All pointers and sizes are declared int64 and given as plain numbers: the fastest form koffi has.
 */
import type { LibraryHandle } from "koffi";
import type { NativeFunction } from "./libc.ts";

export type CallTable = Readonly<Record<string, string>>;
export type Calls<Table extends CallTable> = { readonly [Name in keyof Table]: NativeFunction };

export type ResultKind = "status" | "void" | "pointer" | "text";

export interface Argument {
  readonly name: string;
  readonly kind: "c" | "s" | "p" | "i" | "b" | "d" | "n" | "vrs" | "in" | "out";
  /** Of arrays: element type, and which `n` counts them (-1: one element). */
  readonly element: string;
  readonly length: number;
}

export interface Signature {
  readonly result: ResultKind;
  readonly args: readonly Argument[];
}

export function parseSignature(text: string): Signature {
  const [result, rest] = text.split(":") as [ResultKind, string];
  const tokens = rest.split(" ").filter((token) => token !== "");
  const counts = tokens.flatMap((token, position) => (token === "n" ? [position] : []));
  return { result, args: tokens.map((token, position) => parseArgument(token, position, counts)) };
}

function parseArgument(token: string, position: number, counts: readonly number[]): Argument {
  const [name, kind] = token.includes("=") ? (token.split("=") as [string, string]) : ["", token];
  if (kind === "vrs") return { name, kind, element: "u32", length: counts.indexOf(position + 1) };
  if (!kind.startsWith("<") && !kind.startsWith(">"))
    return { name, kind: kind as Argument["kind"], element: "", length: -1 };
  const [element, explicit] = kind.slice(1).split("@") as [string, string | undefined];
  return {
    name,
    kind: kind.startsWith("<") ? "in" : "out",
    element,
    length: explicit === undefined ? lengthOf(element, position, counts) : Number(explicit),
  };
}

/** An array is counted by the `n` right after it, else by the last one before it. */
function lengthOf(element: string, position: number, counts: readonly number[]): number {
  if (element === "ptr") return -1;
  const after = counts.indexOf(position + 1);
  if (after >= 0) return after;
  return counts.filter((count) => count < position).length - 1;
}

export interface BindOptions {
  /** Holds the running call's id (`callId`) while native code runs, else 0: a supervisor reads it after a crash. */
  readonly breadcrumb?: Int32Array | undefined;
  readonly callId?: (name: string) => number;
  /** Throws what is wrong when a function that is needed does not exist. */
  readonly onMissing?: (name: string) => never;
  /** Sees every call after it returned. */
  readonly trace?: (
    name: string,
    signature: Signature,
    args: readonly (number | bigint)[],
    result: number,
  ) => void;
}

/**
 * An object with one function per entry of `table`, each bound when first asked for: a missing optional symbol is an
 * error only for who needs it. Without trace and breadcrumb the functions are koffi's own.
 */
export function bindCalls<Table extends CallTable>(
  library: LibraryHandle,
  table: Table,
  options: BindOptions = {},
): Calls<Table> {
  const calls = {};
  for (const [name, text] of Object.entries(table)) {
    Object.defineProperty(calls, name, {
      configurable: true,
      enumerable: true,
      get() {
        const value = wrap(name, text, bindOne(library, name, text, options.onMissing), options);
        Object.defineProperty(calls, name, { value });
        return value;
      },
    });
  }
  return calls as Calls<Table>;
}

/** Those of `names` that the library does not export. */
export function missingSymbols(library: LibraryHandle, names: readonly string[]): string[] {
  return names.filter((name) => {
    try {
      library.symbol(name);
      return false;
    } catch {
      return true;
    }
  });
}

const RESULT_TYPE: Readonly<Record<ResultKind, string>> = {
  status: "int",
  void: "void",
  pointer: "int64_t",
  text: "int64_t",
};

/** Instances of one FMU share its bound functions: binding costs more than many calls. */
const bound = new WeakMap<LibraryHandle, Map<string, NativeFunction>>();

function bindOne(
  library: LibraryHandle,
  name: string,
  text: string,
  onMissing: BindOptions["onMissing"],
): NativeFunction {
  let known = bound.get(library);
  if (known === undefined) {
    known = new Map();
    bound.set(library, known);
  }
  let bare = known.get(name);
  if (bare === undefined) {
    bare = bindAnew(library, name, text, onMissing);
    known.set(name, bare);
  }
  return bare;
}

function bindAnew(
  library: LibraryHandle,
  name: string,
  text: string,
  onMissing: BindOptions["onMissing"],
): NativeFunction {
  const { result, args } = parseSignature(text);
  const types = args.map(({ kind }) =>
    kind === "d" ? "double" : kind === "i" || kind === "b" ? "int32_t" : "int64_t",
  );
  try {
    return library.func(name, RESULT_TYPE[result], types) as NativeFunction;
  } catch {
    onMissing?.(name);
    throw new Error(
      `the FMU's binary does not export ${name}; 'cosimo validate --run' lists all that is missing`,
    );
  }
}

function wrap(
  name: string,
  text: string,
  bare: NativeFunction,
  options: BindOptions,
): NativeFunction {
  const { trace, breadcrumb } = options;
  if (trace === undefined && breadcrumb === undefined) return bare;
  const signature = parseSignature(text);
  const marked =
    breadcrumb === undefined
      ? bare
      : mark(bare, signature.args.length, breadcrumb, options.callId?.(name) ?? -1);
  if (trace === undefined) return marked;
  return (...args) => {
    const result = marked(...args);
    trace(name, signature, args, result);
    return result;
  };
}

/**
 * The arities of the hot calls are spelled out: forwarding a rest array costs more than the breadcrumb itself.
 * Calls nest (a get inside an intermediate update), so the crumb before is put back.
 */
function mark(bare: NativeFunction, arity: number, crumb: Int32Array, id: number): NativeFunction {
  switch (arity) {
    case 4:
      return (a, b, c, d) => {
        const before = crumb[0]!;
        crumb[0] = id;
        const result = bare(a!, b!, c!, d!);
        crumb[0] = before;
        return result;
      };
    case 5:
      return (a, b, c, d, e) => {
        const before = crumb[0]!;
        crumb[0] = id;
        const result = bare(a!, b!, c!, d!, e!);
        crumb[0] = before;
        return result;
      };
    case 8:
      return (a, b, c, d, e, f, g, h) => {
        const before = crumb[0]!;
        crumb[0] = id;
        const result = bare(a!, b!, c!, d!, e!, f!, g!, h!);
        crumb[0] = before;
        return result;
      };
    default:
      return (...args) => {
        const before = crumb[0]!;
        crumb[0] = id;
        const result = bare(...args);
        crumb[0] = before;
        return result;
      };
  }
}
