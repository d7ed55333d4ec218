/**
 * Modules of users, from any folder: their imports of `cosimo` and `cosimo/…` lead to the running
 * package where no other copy is installed beside them. A global install, or a scenario far away
 * from `node_modules`, needs nothing else.
 *
 * Node looks for packages in the folders above the module. What it does not find there is resolved
 * once more as if this file had asked, and a package knows itself by name. A copy that lies beside
 * the module wins, as it does without us.
 */
import * as nodeModule from "node:module";
import { pathToFileURL } from "node:url";

/** @param version makes Node load a file again that it has loaded before. */
export function loadModule(
  path: string,
  version?: string,
): Promise<Readonly<Record<string, unknown>>> {
  offerOwnPackage();
  const url = pathToFileURL(path);
  if (version !== undefined) url.search = encodeURIComponent(version);
  return import(url.href);
}

let isOffered = false;

function offerOwnPackage(): void {
  if (isOffered) return;
  isOffered = true;
  const { registerHooks, register } = nodeModule as HookFunctions;
  if (registerHooks !== undefined) {
    registerHooks({
      resolve: (specifier, context, next) =>
        withFallback(specifier, (parentURL) =>
          next(specifier, parentURL === undefined ? context : { ...context, parentURL }),
        ),
    });
  } else if (register !== undefined) {
    const source = `data:text/javascript,${encodeURIComponent(HOOK)}`;
    register(source, import.meta.url, { data: { own: import.meta.url } });
    offerToRequire();
  }
}

/** Of Node 22.15 and later, and before; other runtimes may have neither. */
interface HookFunctions {
  readonly registerHooks?: (hooks: { resolve: ResolveHook }) => unknown;
  readonly register?: (url: string, parent: string, options: { data: unknown }) => void;
}

type Context = Readonly<Record<string, unknown>>;
type ResolveHook = (
  specifier: string,
  context: Context,
  next: (specifier: string, context: Context) => unknown,
) => unknown;

const OURS = /^cosimo(\/|$)/;
const NOT_FOUND = ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"];

/** @param resolve as the module asks, then as this file asks. */
function withFallback<T>(specifier: string, resolve: (parent: string | undefined) => T): T {
  try {
    return resolve(undefined);
  } catch (error) {
    if (!OURS.test(specifier) || !NOT_FOUND.includes((error as NodeJS.ErrnoException).code ?? ""))
      throw error;
    return resolve(import.meta.url);
  }
}

/**
 * The same for hooks that run in a thread of their own, which knows nothing of this file: Node 20.
 */
const HOOK = `
let own;
export function initialize(data) { own = data.own; }
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (!${OURS}.test(specifier) || error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    return next(specifier, { ...context, parentURL: own });
  }
}`;

/** Hooks of a thread do not see `require` in CommonJS modules. */
function offerToRequire(): void {
  const loader = nodeModule.Module as unknown as {
    _resolveFilename?: (request: string, ...rest: unknown[]) => string;
  };
  const before = loader._resolveFilename;
  if (before === undefined) return;
  const own = nodeModule.createRequire(import.meta.url);
  loader._resolveFilename = (request, ...rest) =>
    withFallback(request, (parent) =>
      parent === undefined ? before.call(loader, request, ...rest) : own.resolve(request),
    );
}
