/**
 * Binds the functions of an FMI interface from a table, so that the C signatures are written once
 * and serve the binding, the call log and the check for missing symbols.
 *
 * Notation of one function: `result: argument …`, an argument optionally with a name for the log
 * (`t=d`):
 *   c instance   s C string   p pointer   i int32   b boolean (passed as int)   d double
 *   vrs value references   n size_t; the length of the arrays before it
 *   <T in, >T out: pointer to f64 f32 i8 … u64 b8 str ptr bin; `@k` names the k-th `n` as its length
 * All pointers and sizes are declared int64 and given as plain numbers: the fastest form koffi has.
 */
import koffi, { type LibraryHandle } from "koffi";
import { floatGuard } from "./float-guard.ts";
import { type FloatGuard, type FloatState, takeChange } from "./float-state.ts";
import type { NativeFunction } from "./libc.ts";
import type { Address } from "./native-memory.ts";

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

const signatures = new Map<string, Signature>();

export function parseSignature(text: string): Signature {
  let known = signatures.get(text);
  if (known === undefined) {
    known = readSignature(text);
    signatures.set(text, known);
  }
  return known;
}

function readSignature(text: string): Signature {
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
  /**
   * Holds the running call's id (`callId`) while native code runs, else 0: a supervisor reads it
   * after a crash.
   */
  readonly lastCall?: Int32Array | undefined;
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
  /** Called after a call that left another floating-point state behind, which was restored. */
  readonly onFloatChange?: ((name: string, found: FloatState) => void) | undefined;
  /** Default: that of this thread. */
  readonly guard?: FloatGuard;
}

/**
 * An object with one function per entry of `table`, each bound when first used: a missing optional
 * symbol is an error only where it is needed.
 */
export function bindCalls<Table extends CallTable>(
  library: LibraryHandle,
  table: Table,
  options: BindOptions = {},
): Calls<Table> {
  const guard = options.guard ?? floatGuard();
  const binding: Binding = {
    bind: (name) =>
      wrap(
        name,
        table[name],
        bindOne(library, table, name, guard, options.onMissing),
        options,
        guard,
      ),
  };
  return Object.create(unboundCalls(table), { [BINDING]: { value: binding } }) as Calls<Table>;
}

interface Binding {
  readonly bind: (name: string) => NativeFunction;
}

const BINDING = Symbol("binding");
const unbound = new WeakMap<CallTable, object>();

/** What the calls of all instances inherit: each function is bound where it is first used. */
function unboundCalls(table: CallTable): object {
  let calls = unbound.get(table);
  if (calls === undefined) {
    calls = {};
    unbound.set(table, calls);
    for (const name of Object.keys(table)) {
      Object.defineProperty(calls, name, {
        get(this: { readonly [BINDING]: Binding }) {
          const value = this[BINDING].bind(name);
          Object.defineProperty(this, name, { value });
          return value;
        },
      });
    }
  }
  return calls;
}

/** Those of `names` that the library does not export. */
export function missingSymbols(library: LibraryHandle, names: readonly string[]): string[] {
  return names.filter((name) => isMissing(library, name));
}

function isMissing(library: LibraryHandle, name: string): boolean {
  return symbolIn(library, name) === undefined;
}

const symbols = new WeakMap<LibraryHandle, Map<string, Address | undefined>>();

/** Where a library has a function, looked up once; undefined: nowhere. */
export function symbolIn(library: LibraryHandle, name: string): Address | undefined {
  let known = symbols.get(library);
  if (known === undefined) {
    known = new Map();
    symbols.set(library, known);
  }
  if (!known.has(name)) known.set(name, lookUp(library, name));
  return known.get(name);
}

function lookUp(library: LibraryHandle, name: string): Address | undefined {
  try {
    return Number(library.symbol(name));
  } catch {
    return undefined;
  }
}

const RESULT_TYPE: Readonly<Record<ResultKind, string>> = {
  status: "int",
  void: "void",
  pointer: "int64_t",
  text: "int64_t",
};

/** Instances of one FMU share its bound functions: binding costs more than many calls. */
interface Bound {
  readonly functions: Map<string, NativeFunction>;
  /** Where functions are called so that the floating-point state is put back after them. */
  readonly entries: Map<string, Address>;
}

const bound = new WeakMap<LibraryHandle, Map<FloatGuard, Bound>>();

function boundTo(library: LibraryHandle, guard: FloatGuard): Bound {
  let byGuard = bound.get(library);
  if (byGuard === undefined) {
    byGuard = new Map();
    bound.set(library, byGuard);
  }
  let known = byGuard.get(guard);
  if (known === undefined) {
    known = { functions: new Map(), entries: new Map() };
    byGuard.set(guard, known);
  }
  return known;
}

function bindOne(
  library: LibraryHandle,
  table: CallTable,
  name: string,
  guard: FloatGuard,
  onMissing: BindOptions["onMissing"],
): NativeFunction {
  const { functions, entries } = boundTo(library, guard);
  let bare = functions.get(name);
  if (bare === undefined) {
    if (!entries.has(name)) addEntries(entries, library, table, guard);
    bare = bindFunction(library, name, table[name], entries.get(name), guard, onMissing);
    functions.set(name, bare);
  }
  return bare;
}

/**
 * For all functions of the table that the library exports together: the code of one alone would
 * fill a page.
 */
function addEntries(
  entries: Map<string, Address>,
  library: LibraryHandle,
  table: CallTable,
  guard: FloatGuard,
): void {
  const names = Object.keys(table).filter((name) => !isMissing(library, name));
  const addresses = guard.entries?.(
    names.map((name) => ({
      address: Number(library.symbol(name)),
      stackWords: stackWordsOf(parseSignature(table[name])),
    })),
  );
  for (const [i, address] of (addresses ?? []).entries()) entries.set(names[i], address);
}

const INTEGER_REGISTERS = 6;
const DOUBLE_REGISTERS = 8;

/** Words that do not fit into registers, as System V x86-64 passes them. */
function stackWordsOf({ args }: Signature): number {
  const doubles = args.filter(({ kind }) => kind === "d").length;
  const integers = args.length - doubles;
  return Math.max(0, integers - INTEGER_REGISTERS) + Math.max(0, doubles - DOUBLE_REGISTERS);
}

function bindFunction(
  library: LibraryHandle,
  name: string,
  text: string,
  entry: Address | undefined,
  guard: FloatGuard,
  onMissing: BindOptions["onMissing"],
): NativeFunction {
  const { result, args } = parseSignature(text);
  const types = args.map(({ kind }) =>
    kind === "d" ? "double" : kind === "i" || kind === "b" ? "int32_t" : "int64_t",
  );
  if (entry !== undefined)
    return koffi.decode(BigInt(entry), koffi.proto(RESULT_TYPE[result], types)) as NativeFunction;
  const bare = bindDirectly(library, name, RESULT_TYPE[result], types, onMissing);
  return (...given) => {
    const value = bare(...given);
    guard.check();
    return value;
  };
}

function bindDirectly(
  library: LibraryHandle,
  name: string,
  result: string,
  types: readonly string[],
  onMissing: BindOptions["onMissing"],
): NativeFunction {
  try {
    return library.func(name, result, [...types]) as NativeFunction;
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
  guard: FloatGuard,
): NativeFunction {
  const { trace, lastCall, onFloatChange } = options;
  const signature = parseSignature(text);
  const watched = watch(bare, signature.args.length, {
    marker: lastCall ?? new Int32Array(1),
    id: lastCall === undefined ? 0 : (options.callId?.(name) ?? -1),
    changed: guard.changed,
    onChange: () => {
      const found = takeChange(guard);
      if (found !== undefined) onFloatChange?.(name, found);
    },
  });
  if (trace === undefined) return watched;
  return (...args) => {
    const result = watched(...args);
    trace(name, signature, args, result);
    return result;
  };
}

interface Watch {
  readonly marker: Int32Array;
  readonly id: number;
  /** The first word is not 0 when the floating-point state was changed. */
  readonly changed: Int32Array;
  readonly onChange: () => void;
}

/**
 * The arities of the hot calls are spelled out: forwarding a rest array costs more than all that is
 * done here. Calls nest (a get inside an intermediate update), so the marker before is put back.
 */
function watch(
  bare: NativeFunction,
  arity: number,
  { marker, id, changed, onChange }: Watch,
): NativeFunction {
  switch (arity) {
    case 4:
      return (a, b, c, d) => {
        const before = marker[0];
        marker[0] = id;
        const result = bare(a, b, c, d);
        marker[0] = before;
        if (changed[0] !== 0) onChange();
        return result;
      };
    case 5:
      return (a, b, c, d, e) => {
        const before = marker[0];
        marker[0] = id;
        const result = bare(a, b, c, d, e);
        marker[0] = before;
        if (changed[0] !== 0) onChange();
        return result;
      };
    case 8:
      return (a, b, c, d, e, f, g, h) => {
        const before = marker[0];
        marker[0] = id;
        const result = bare(a, b, c, d, e, f, g, h);
        marker[0] = before;
        if (changed[0] !== 0) onChange();
        return result;
      };
    default:
      return (...args) => {
        const before = marker[0];
        marker[0] = id;
        const result = bare(...args);
        marker[0] = before;
        if (changed[0] !== 0) onChange();
        return result;
      };
  }
}
