/**
 * What `cosimo adapt` says of an adaptation, as data: the page and the JSON are printed from the
 * same facts.
 */
import { kindsOf, type UnitKinds } from "../../adapt/kinds.ts";
import { present } from "../../base/present.ts";
import type { DescribedAdaptation } from "../../host/load-adaptation.ts";
import { argumentName, openUnits, rolesOf } from "../../lang/sa/apply-arguments.ts";
import { innerPorts } from "../../lang/sa/inner-ports.ts";
import { printExpression } from "../../lang/sa/print-expression.ts";
import {
  type Adaptation,
  type AdaptationPort,
  type Declaration,
  isOpen,
  type SaType,
  saTypeOf,
} from "../../model/adaptation/data.ts";
import { portNamed, type UnitDescription } from "../../model/unit-description.ts";

export interface AdaptationFacts {
  readonly type: string;
  readonly name: string;
  /** As declared; inherited: as what ports lead to inside. */
  readonly kind: {
    readonly input: UnitKinds["input"] | "inherited";
    readonly output: UnitKinds["output"] | "inherited";
  };
  readonly target?: string;
  /** What is given where it is applied; absent where it leaves nothing open. */
  readonly arguments?: readonly ArgumentFacts[];
  readonly inner: readonly InnerFacts[];
  readonly connections: readonly { readonly from: string; readonly to: string }[];
  readonly inputs: readonly PortFacts[];
  readonly outputs: readonly PortFacts[];
  readonly parameters: readonly StoredFacts[];
  readonly storage: {
    readonly in: readonly StoredFacts[];
    readonly control: readonly StoredFacts[];
    readonly out: readonly StoredFacts[];
  };
}

export interface ArgumentFacts {
  readonly name: string;
  /** A parameter, a port of the unit that it is applied to, or the file of a further unit. */
  readonly is: "parameter" | "input" | "output" | "unit";
  /** Whose port it is. */
  readonly of?: string;
  readonly type?: SaType;
  /** What holds unless it is given. */
  readonly otherwise?: string;
}

export interface InnerFacts {
  readonly name: string;
  readonly type: string;
  /** Absent: it is open. */
  readonly source?: string;
  /** Absent: nothing is known but what the author declares. */
  readonly unit?: {
    readonly name: string;
    readonly backend: UnitDescription["backend"];
    readonly kind: UnitKinds;
    readonly rollback: boolean;
  };
}

export interface PortFacts {
  readonly name: string;
  readonly type: SaType;
  readonly unit?: string;
  /** What it is bound to; absent: rules say what becomes of it. */
  readonly binding?: {
    readonly port: string;
    /** Unit of the port inside. */
    readonly unit?: string;
  };
  /** The author omitted it, and explicit form adds it. */
  readonly added: boolean;
}

export interface StoredFacts {
  readonly name: string;
  readonly value: string;
  readonly added: boolean;
}

export function adaptationFacts(described: DescribedAdaptation): AdaptationFacts {
  const { adaptation, withPorts, inner } = described;
  const explicit = described.explicit ?? adaptation;
  const stored = (of: (adaptation: Adaptation) => readonly Declaration[]): StoredFacts[] => {
    const written = new Set(of(adaptation).map(({ name }) => name));
    return of(explicit).map(({ name, value }) => ({
      name,
      value: printExpression(value),
      added: !written.has(name),
    }));
  };
  return {
    type: adaptation.type,
    name: adaptation.name,
    kind: {
      input: adaptation.inputKind ?? "inherited",
      output: adaptation.outputKind ?? "inherited",
    },
    ...present({
      target: adaptation.target,
      arguments: adaptation.inner.some(isOpen) ? argumentsOf(adaptation) : undefined,
    }),
    inner: adaptation.inner.map(({ name, type, source }) => ({
      name,
      type,
      ...present({ source }),
      ...unitFacts(inner.get(name)),
    })),
    connections: adaptation.connections.map(({ from, to }) => ({
      from: `${from.unit}.${from.port}`,
      to: `${to.unit}.${to.port}`,
    })),
    inputs: (withPorts.inputs ?? []).map((port) => portFacts(port, "inputs", described)),
    outputs: (withPorts.outputs ?? []).map((port) => portFacts(port, "outputs", described)),
    parameters: stored(({ parameters }) => parameters),
    storage: {
      in: stored(({ inVariables }) => inVariables),
      control: stored(({ controlVariables }) => controlVariables),
      out: stored(({ outVariables }) => outVariables),
    },
  };
}

function argumentsOf(adaptation: Adaptation): ArgumentFacts[] {
  const [, ...further] = openUnits(adaptation);
  return [
    ...further.map(({ name }): ArgumentFacts => ({ name, is: "unit" })),
    ...rolesOf(adaptation).map(
      ({ unit, direction, port: { name, type } }): ArgumentFacts => ({
        name,
        is: direction,
        of: unit.name,
        ...present({ type }),
      }),
    ),
    ...adaptation.parameters.map(
      ({ name, type, value }): ArgumentFacts => ({
        name: argumentName(name),
        is: "parameter",
        ...present({ type }),
        otherwise: printExpression(value),
      }),
    ),
  ];
}

function unitFacts(unit: UnitDescription | undefined): Pick<InnerFacts, "unit"> {
  if (unit === undefined) return {};
  const { name, backend, capabilities } = unit;
  return { unit: { name, backend, kind: kindsOf(unit), rollback: capabilities.rollback } };
}

function portFacts(
  port: AdaptationPort,
  side: "inputs" | "outputs",
  { adaptation, description, inner }: DescribedAdaptation,
): PortFacts {
  const { name, binding } = port;
  const own = description && portNamed(description, name);
  const inside =
    binding &&
    innerPorts(adaptation, (unit) => inner.get(unit.name))
      .find(({ unit }) => unit.name === binding.unit)
      ?.[side].find((one) => one.name === binding.port);
  const unit = port.unit ?? own?.unit?.name;
  return {
    name,
    type: port.type ?? (own ? saTypeOf(own) : (inside?.type ?? "real")),
    ...present({
      unit,
      binding: binding && {
        port: `${binding.unit}.${binding.port}`,
        ...present({ unit: inside?.physical?.name }),
      },
    }),
    added: !adaptation[side]?.some((declared) => declared.name === name),
  };
}
