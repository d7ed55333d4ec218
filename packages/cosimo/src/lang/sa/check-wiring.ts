/**
 * Ports against ports: what the author declares of inner units, connections and bindings.
 */
import type { Diagnostic, Place } from "../../base/diagnostic.ts";
import type { AdaptationPort } from "../../model/adaptation/data.ts";
import { conversion } from "../../model/physical-unit-conversion.ts";
import type { Port } from "../../model/unit-description.ts";
import type { Scope, Type } from "./check-scope.ts";
import { fits, mismatch } from "./check-types.ts";
import { report } from "./diagnostics.ts";
import { physicalUnit } from "./inner-ports.ts";

export function checkWiring(scope: Scope): void {
  checkDeclaredPorts(scope);
  const { connections, inputs = [], outputs = [] } = scope.adaptation;
  const fed = new Map<string, number>();
  function feed(to: { readonly unit: string; readonly port: string }, place: Place): void {
    const port = `${to.unit}.${to.port}`;
    const line = fed.get(port);
    if (line !== undefined) scope.diagnostics.push(report("sa-fed-twice", { port, line }, place));
    fed.set(port, place.line ?? 0);
  }
  for (const { from, to, place } of connections) {
    const begins = "connections begin at outputs";
    const ends = "connections end at inputs";
    const source = scope.innerPort(from.unit, from.port, "outputs", from.place, begins);
    const target = scope.innerPort(to.unit, to.port, "inputs", to.place, ends);
    checkTypes(source, target, `'${from.unit}.${from.port}'`, scope, place);
    feed(to, place);
  }
  for (const { binding, type, name, place } of inputs) {
    if (binding === undefined) continue;
    const { unit, port } = binding;
    const inner = scope.innerPort(
      unit,
      port,
      "inputs",
      binding.place,
      "inputs are bound to inputs",
    );
    checkTypes(type, inner, `'${name}'`, scope, place);
    feed(binding, place);
  }
  for (const { binding, type, place } of outputs) {
    if (binding === undefined) continue;
    const { unit, port } = binding;
    const why = "outputs are bound to outputs";
    const inner = scope.innerPort(unit, port, "outputs", binding.place, why);
    checkTypes(inner, type, `'${unit}.${port}'`, scope, place);
  }
}

function checkTypes(from: Type, to: Type, what: string, scope: Scope, place: Place): void {
  if (!fits(from, to)) mismatch(scope, what, to, from, false, place);
}

/** What the author says of an inner unit's ports, against what the unit says. */
function checkDeclaredPorts({ units, diagnostics }: Scope): void {
  for (const { unit, description } of units) {
    if (description === undefined) continue;
    for (const direction of ["input", "output"] as const) {
      for (const declared of (direction === "input" ? unit.inputs : unit.outputs) ?? []) {
        const port = description.ports.find(
          (one) => one.direction === direction && one.name === declared.name,
        );
        if (port !== undefined) checkPhysicalUnit(declared, port, diagnostics);
        else {
          const params = { unit: unit.name, port: declared.name, direction };
          diagnostics.push(report("sa-declared-port", params, declared.place));
        }
      }
    }
  }
}

function checkPhysicalUnit(declared: AdaptationPort, port: Port, diagnostics: Diagnostic[]): void {
  const physical = physicalUnit(declared.unit);
  if (physical === undefined || port.unit === undefined) return;
  const by = conversion(port.unit, physical);
  if (!("error" in by) || by.kind !== "dimension") return;
  const params = { from: port.unit.name, to: physical.name, why: by.error };
  diagnostics.push(report("sa-unit", params, declared.place));
}
