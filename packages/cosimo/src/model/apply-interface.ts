/**
 * A unit's description with what its interface adds. Where both speak of the same, they must agree:
 * an interface that was written for another version of a unit is found here, before a run.
 */
import {
  type Diagnostic,
  type RulesFor,
  reporterFor,
  rulesFrom,
  type Texts,
} from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import {
  type Capabilities,
  type Port,
  portNamed,
  type UnitDescription,
} from "./unit-description.ts";
import {
  type InterfacePort,
  type IoEventKind,
  interfaceType,
  type UnitInterface,
  variableOf,
} from "./unit-interface.ts";

interface InterfaceParams {
  "interface-unknown-port": {
    readonly port: string;
    readonly unit: string;
    readonly nearest: string | undefined;
  };
  "interface-direction": Texts<"port" | "declared" | "is">;
  "interface-type": Texts<"port" | "declared" | "is">;
  "interface-event": Texts<"port" | "event" | "unit">;
  "interface-rollback": Texts<"unit">;
}

export const INTERFACE_RULES: RulesFor<InterfaceParams> = rulesFrom<InterfaceParams>({
  "interface-unknown-port": {
    rule: "Every port of an interface is a variable of its unit.",
    message: (p) => `'${p.unit}' has no variable '${p.port}'`,
    fix: (p) =>
      p.nearest === undefined
        ? "name the variable with 'variableName', or remove the port"
        : `did you mean '${p.nearest}'? A port with another name has 'variableName "${p.nearest}"'`,
  },
  "interface-direction": {
    rule: "Ports of an interface have the direction that they have in the unit.",
    message: (p) => `the interface says that '${p.port}' is ${p.declared}, and it is ${p.is}`,
    fix: "correct the direction, or name another variable with 'variableName'",
  },
  "interface-type": {
    rule: "Ports of an interface have the type and the shape that they have in the unit.",
    message: (p) => `the interface says that '${p.port}' is ${p.declared}, and it is ${p.is}`,
    fix: (p) => `write 'type ${p.is}'`,
  },
  "interface-event": {
    severity: "warning",
    rule: "A unit reports the events that its interface declares.",
    message: (p) =>
      `'${p.unit}' does not report ${p.event} of '${p.port}', whatever its interface says`,
    fix: "remove the event, and exchange with 'every' (FMI 2.0 has no such events)",
  },
  "interface-rollback": {
    severity: "warning",
    rule: "A unit can save its state where its interface says so.",
    message: (p) => `'${p.unit}' cannot save and restore its state, whatever its interface says`,
    fix: "remove the property, or export the unit with canGetAndSetFMUstate",
  },
});

const PREDICATES = { ReadyToRead: "ready-to-read", Triggered: "event" } as const;

const EVENT_TEXTS: Readonly<Record<IoEventKind, string>> = {
  Updated: "updates",
  ReadyToRead: "reads",
  Triggered: "events",
};

/** @param unit the name of the unit, for messages. */
export function applyInterface(
  description: UnitDescription,
  declared: UnitInterface,
  unit: string,
): { readonly description: UnitDescription; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const report = reporterFor(INTERFACE_RULES, diagnostics);
  const { capabilities } = description;
  const ports = [...description.ports];
  for (const port of declared.ports) {
    const name = variableOf(port);
    const found = portNamed(description, name);
    if (found === undefined) {
      const names = description.ports.filter(isVisible).map((one) => one.name);
      const params = { port: name, unit, nearest: nearest(name, names) };
      report("interface-unknown-port", params, port.place);
      continue;
    }
    const full = `${unit}.${found.name}`;
    if (!isDirection(port, found)) {
      const params = { port: full, declared: port.direction ?? "", is: found.direction };
      report("interface-direction", params, port.place);
    }
    if (!isType(port, found)) {
      const is = typeText(interfaceType(found.type), found.shape);
      const params = { port: full, declared: typeText(port.type ?? "", port.shape), is };
      report("interface-type", params, port.place);
    }
    for (const { kind, place } of port.events) {
      if (isReported(kind, capabilities)) continue;
      report("interface-event", { port: full, event: EVENT_TEXTS[kind], unit }, place);
    }
    ports[found.index] = {
      ...found,
      ...(port.nature !== undefined && { nature: port.nature }),
      ...(port.use !== undefined && { reactive: port.use === "interpolation" }),
    };
  }
  let rollback = capabilities.rollback;
  for (const { value, place } of declared.properties) {
    if (value && !rollback) report("interface-rollback", { unit }, place);
    else rollback = value;
  }
  return {
    description: { ...description, ports, capabilities: { ...capabilities, rollback } },
    diagnostics,
  };
}

/**
 * Updates are noticed from outside where a unit does not report them; events of event mode are seen
 * by its master.
 */
function isReported(kind: IoEventKind, { predicates, eventMode }: Capabilities): boolean {
  if (kind === "Updated" || (kind === "Triggered" && eventMode)) return true;
  return predicates.includes(PREDICATES[kind]);
}

function isVisible({ direction }: Port): boolean {
  return direction === "input" || direction === "output" || direction === "parameter";
}

/** An input that nothing may change during a run is a parameter. */
function isDirection({ direction, nature }: InterfacePort, found: Port): boolean {
  if (direction === undefined || direction === found.direction) return true;
  return direction === "input" && nature === "constant" && found.direction === "parameter";
}

/** FMI 2.0 has no other numbers than Real and Integer, so an enumeration may be an integer. */
function isType({ type, shape }: InterfacePort, found: Port): boolean {
  if (type === undefined) return true;
  const is = interfaceType(found.type);
  const fits = type === is || (type === "Integer" && is === "Enumeration");
  return fits && shape.length === found.shape.length && shape.every((n, i) => n === found.shape[i]);
}

function typeText(type: string, shape: readonly number[]): string {
  return shape.length === 0 ? type : `${type} [${shape.join(", ")}]`;
}
