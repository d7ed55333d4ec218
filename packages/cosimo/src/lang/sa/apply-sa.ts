/**
 * Applies an open adaptation to units: names are put in for what it leaves open, and what is left
 * is an adaptation like any other.
 *
 * Roles become ports of the units, in rules, bindings and connections; a port of the adaptation
 * that has the name of a role is called like the port that plays it, and measured in its physical
 * unit. Outputs that nothing mentions are passed on, as inputs always are. Parameters get the
 * values that are given.
 */
import type { Checked, Diagnostic, Place } from "../../base/diagnostic.ts";
import { hasErrors } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import {
  type Adaptation,
  type AdaptationArgument,
  type AdaptationPort,
  type InnerUnit,
  isOpen,
  type PortName,
  type Reference,
  type Statement,
  saTypeOf,
} from "../../model/adaptation/data.ts";
import { takesSlopes } from "../../model/adaptation/inner-order.ts";
import type { Port } from "../../model/unit-description.ts";
import { matchArguments, type Role, rolesOf, withValue } from "./apply-arguments.ts";
import { reportApply } from "./apply-diagnostics.ts";
import { fits } from "./check-types.ts";
import { passOutputs } from "./explicit-ports.ts";
import { type Describe, innerPorts, isScalar } from "./inner-ports.ts";
import { keyOf, rewriteExpression, rewriteStatements } from "./rewrite.ts";

/** Which port plays a role. */
type Cast = ReadonlyMap<Role, Port>;

/**
 * @param describe knows all inner units, the open ones included.
 * @param place where the adaptation is applied.
 * @returns no value where something is wrong with what is given.
 */
export function applySa(
  adaptation: Adaptation,
  given: readonly AdaptationArgument[],
  describe: Describe,
  place: Place,
): Checked<Adaptation> {
  const matched = matchArguments(adaptation, given);
  const diagnostics: Diagnostic[] = [...matched.diagnostics];
  const cast = castRoles(adaptation, matched.value.roles, describe, place, diagnostics);
  const parameters = adaptation.parameters.map((one) => {
    const argument = matched.value.parameters.get(one);
    return argument === undefined ? one : withValue(one, argument, diagnostics);
  });
  if (hasErrors(diagnostics)) return { diagnostics };
  return { value: substitute({ ...adaptation, parameters }, cast, describe), diagnostics };
}

/**
 * A role is played by the port that is given, else by the one of its name, else by the only one
 * that can.
 */
function castRoles(
  adaptation: Adaptation,
  given: ReadonlyMap<AdaptationPort, AdaptationArgument>,
  describe: Describe,
  place: Place,
  diagnostics: Diagnostic[],
): Cast {
  const roles = rolesOf(adaptation);
  const cast = new Map<Role, Port>();
  const playedBy = (port: Port, { unit }: Role): Role | undefined =>
    [...cast].find(([role, one]) => role.unit === unit && one === port)?.[0];
  for (const role of roles) {
    const argument = given.get(role.port);
    const found = argument
      ? givenPort(role, argument, describe, playedBy, diagnostics)
      : candidates(role, describe).find(({ name }) => name === role.port.name);
    if (found !== undefined) cast.set(role, found);
  }
  const open = roles.filter((role) => !cast.has(role) && !given.has(role.port));
  for (const role of open) {
    const left = candidates(role, describe).filter((port) => !playedBy(port, role));
    const rivals = open.filter(
      ({ unit, direction }) => unit === role.unit && direction === role.direction,
    );
    const [only, ...others] = left;
    if (only !== undefined && others.length === 0 && rivals.length === 1) cast.set(role, only);
    else {
      const known = left.map(({ name }) => name);
      const params = { role: role.port.name, direction: role.direction, known };
      diagnostics.push(reportApply("sa-role-missing", params, place));
    }
  }
  return cast;
}

function candidates(role: Role, describe: Describe): readonly Port[] {
  return (describe(role.unit)?.ports ?? []).filter((port) => whyNot(role, port) === undefined);
}

function whyNot({ direction, port: { type } }: Role, port: Port): string | undefined {
  if (port.direction !== direction) return `it is no ${direction}`;
  if (!isScalar(port)) return "it is an array, binary or a clock";
  const own = saTypeOf(port);
  const can = direction === "input" ? fits(type, own) : fits(own, type);
  return can ? undefined : `it is ${own}, not ${type}`;
}

function givenPort(
  role: Role,
  { value, place }: AdaptationArgument,
  describe: Describe,
  playedBy: (port: Port, role: Role) => Role | undefined,
  diagnostics: Diagnostic[],
): Port | undefined {
  const name = String(value);
  const port = describe(role.unit)?.ports.find((one) => one.name === name);
  const other = port && playedBy(port, role);
  const why =
    port === undefined
      ? "the unit has no such port"
      : (whyNot(role, port) ?? (other && `it is '${other.port.name}' already`));
  if (why === undefined) return port;
  const known = candidates(role, describe)
    .filter((one) => !playedBy(one, role))
    .map((one) => one.name);
  const close = port === undefined ? nearest(name, known) : undefined;
  const params = { role: role.port.name, port: name, why, nearest: close, known };
  diagnostics.push(reportApply("sa-role-port", params, place));
  return undefined;
}

function substitute(adaptation: Adaptation, cast: Cast, describe: Describe): Adaptation {
  const names = new Names(adaptation, cast, describe);
  const ports = (list: readonly AdaptationPort[]): AdaptationPort[] =>
    list.map((port) => names.ownPort(port));
  const block = (statements: readonly Statement[]): Statement[] =>
    rewriteStatements(statements, names.reference, new Set(), names.reference);
  const rules = (list: Adaptation["inRules"]): Adaptation["inRules"] =>
    list.map((rule) => ({
      ...rule,
      condition: rewriteExpression(rule.condition, names.reference),
      first: block(rule.first),
      second: block(rule.second),
    }));
  const renamed: Adaptation = {
    ...adaptation,
    inner: adaptation.inner.map((unit) => withAllPorts(unit, cast, describe)),
    connections: adaptation.connections.map((one) => ({
      ...one,
      from: names.portName(one.from),
      to: names.portName(one.to),
    })),
    ...(adaptation.inputs && { inputs: ports(adaptation.inputs) }),
    ...(adaptation.outputs && { outputs: ports(adaptation.outputs) }),
    ...(adaptation.controlRules && { controlRules: block(adaptation.controlRules) }),
    inRules: rules(adaptation.inRules),
    outRules: rules(adaptation.outRules),
  };
  if (adaptation.outputs === undefined) return renamed;
  const replaced = [...cast].filter(([role]) =>
    adaptation.outputs?.some(({ name }) => name === role.port.name),
  );
  const keys = new Set(replaced.map(([role, port]) => keyOf(role.unit.name, port.name)));
  return { ...renamed, outputs: passOutputs(renamed, innerPorts(renamed, describe), keys) };
}

/**
 * Lists of ports say which ports there are: roles under the names of those who play them, and all
 * others.
 */
function withAllPorts(unit: InnerUnit, cast: Cast, describe: Describe): InnerUnit {
  if (!isOpen(unit)) return unit;
  const played = new Map(
    [...cast].flatMap(([role, port]) => (role.unit === unit ? [[port, role.port] as const] : [])),
  );
  const all = (direction: Role["direction"]): AdaptationPort[] =>
    (describe(unit)?.ports ?? [])
      .filter((port) => port.direction === direction && isScalar(port))
      .map((port) => ({ ...(played.get(port) ?? { place: unit.place }), name: port.name }));
  return {
    ...unit,
    ...(unit.inputs && { inputs: all("input") }),
    ...(unit.outputs && { outputs: all("output") }),
  };
}

interface OwnRole {
  readonly role: Role;
  readonly port: Port;
  /** The unit takes derivatives of its input. */
  readonly isFollowed: boolean;
}

/** What the names of an open adaptation become. */
class Names {
  private readonly sa: string;
  private readonly variables: ReadonlySet<string>;
  private readonly inner = new Map<string, string>();
  private readonly own = new Map<string, OwnRole>();

  constructor(adaptation: Adaptation, cast: Cast, describe: Describe) {
    this.sa = adaptation.name;
    const { parameters, controlVariables, inVariables, outVariables } = adaptation;
    this.variables = new Set(
      [parameters, controlVariables, inVariables, outVariables].flat().map(({ name }) => name),
    );
    for (const [role, port] of cast) {
      this.inner.set(keyOf(role.unit.name, role.port.name), port.name);
      if (this.own.has(role.port.name)) continue;
      const unit = describe(role.unit);
      const isFollowed = port.reactive === true && unit !== undefined && takesSlopes(unit, port);
      this.own.set(role.port.name, { role, port, isFollowed });
    }
  }

  /**
   * A bare name is a variable before it is a port; a port that changes its name might meet a
   * variable, so it gets its owner.
   */
  readonly reference = (reference: Reference): Reference => {
    const { unit, name } = reference;
    if (unit === undefined && this.variables.has(name)) return reference;
    if (unit === undefined || unit === this.sa) {
      const own = this.own.get(name);
      return own === undefined ? reference : { ...reference, unit: this.sa, name: own.port.name };
    }
    return { ...reference, name: this.inner.get(keyOf(unit, name)) ?? name };
  };

  portName(name: PortName): PortName {
    return { ...name, port: this.inner.get(keyOf(name.unit, name.port)) ?? name.port };
  }

  ownPort(declared: AdaptationPort): AdaptationPort {
    const { binding } = declared;
    const bound = { ...declared, ...(binding && { binding: this.portName(binding) }) };
    const own = this.own.get(declared.name);
    if (own === undefined) return bound;
    const type = declared.type ?? own.role.port.type;
    const unit = declared.unit ?? own.role.port.unit ?? own.port.unit?.name;
    return {
      ...bound,
      name: own.port.name,
      ...(type === undefined ? {} : { type }),
      ...(unit === undefined || unit === "" ? {} : { unit }),
      // A unit that follows an input goes on doing so.
      ...(own.isFollowed && { inheritsKind: "followed" as const }),
    };
  }
}
