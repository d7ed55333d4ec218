/**
 * A discrete-event model from a module: what it exports under a name, or what the function that it
 * exports makes.
 */
import type { Component } from "../../devs/model.ts";
import { loadModule } from "../../platform/node/load-module.ts";

/** @throws RangeError where the module has no model of this name. */
export async function loadDevsModel(path: string, name: string): Promise<Component> {
  const exported = (await loadModule(path))[name];
  const made: unknown = typeof exported === "function" ? await exported() : exported;
  const kind = (made as { kind?: unknown } | undefined | null)?.kind;
  if (kind === "atomic" || kind === "coupled") return made as Component;
  throw new RangeError(
    `'${path}' has no discrete-event model as its export '${name}'; export what atomic() or coupled() makes, or a function that returns it`,
  );
}
