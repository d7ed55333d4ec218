/**
 * Local variables and calculated parameters can be read like outputs, and SSP connects them like
 * outputs. Where a connection begins at one, it is an output of that unit, for whatever follows.
 */
import type { OpenUnit, ResolveContext } from "./resolve-scenario-context.ts";
import { elementsOf } from "./resolve-scenario-reference.ts";
import type { ConnectionDraft } from "./scenario.ts";
import type { Port } from "./unit-description.ts";

export function showSources(
  context: ResolveContext,
  connections: readonly ConnectionDraft[],
): void {
  const shown = new Map<OpenUnit, Map<number, Port>>();
  for (const { from, formula } of connections) {
    for (const source of formula?.terms ?? [from]) {
      const found = findSource(context, source);
      const output = found && asOutput(found.port);
      if (found === undefined || output === undefined) continue;
      const ports = shown.get(found.unit) ?? new Map<number, Port>();
      shown.set(found.unit, ports.set(output.index, output));
    }
  }
  for (const [unit, ports] of shown) {
    const { description } = unit;
    if (description === undefined) continue;
    const all = description.ports.map((port) => ports.get(port.index) ?? port);
    unit.description = { ...description, ports: all };
  }
}

/** Every dot may end the name of the unit. */
function findSource(
  context: ResolveContext,
  source: string,
): { readonly unit: OpenUnit; readonly port: Port } | undefined {
  for (let dot = source.lastIndexOf("."); dot > 0; dot = source.lastIndexOf(".", dot - 1)) {
    const unit = context.unitByName.get(source.slice(0, dot));
    if (unit?.description === undefined) continue;
    const ports = context.portsOf(unit.description);
    const name = source.slice(dot + 1);
    const port = ports.get(name) ?? elementsOf(ports, name)?.port;
    if (port !== undefined) return { unit, port };
  }
  return undefined;
}

function asOutput(port: Port): Port | undefined {
  if (port.direction === "local") return { ...port, direction: "output" };
  // It depends on parameters alone.
  if (port.direction === "calculated-parameter")
    return { ...port, direction: "output", feedThrough: [] };
  return undefined;
}
