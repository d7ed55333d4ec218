/**
 * The data flow inside one system: from which port each input gets its value in the end.
 *
 * SSP connects connectors of elements, of the system itself and of signal dictionaries; a scenario
 * connects ports of units. So connections are followed backwards from every real sink, through
 * dictionaries and through systems that only pass a value on, to the port that makes the value;
 * transformations on the way become one.
 */

import type { InputKind } from "../model/adaptation/data.ts";
import type { Approximation } from "../model/scenario.ts";
import type { SspReporter } from "./ssp-diagnostics.ts";
import { compose, type Transformation } from "./transformation.ts";

/** What happens to a value on a piece of its way. */
export interface Link {
  readonly transformation?: Transformation;
  readonly suppress: boolean;
  readonly approximation?: Approximation;
  readonly kind?: InputKind;
  /** Unit that the SSD declares at the end of this piece. */
  readonly unit?: string;
  readonly line: number;
}

/** A signal of a dictionary; the same object for all references to it. */
export interface Signal {
  readonly name: string;
}

export type FlowNode =
  /** Connector of a unit or of a nested system. */
  | { readonly kind: "port"; readonly element: string; readonly port: string }
  /** Port of a nested scenario that carries a signal of a dictionary up here. */
  | { readonly kind: "exposed"; readonly element: string; readonly port: string }
  /** Connector of the system itself. */
  | { readonly kind: "boundary"; readonly connector: string }
  | { readonly kind: "signal"; readonly signal: Signal };

export interface Edge extends Link {
  readonly from: FlowNode;
  readonly to: FlowNode;
}

/** Where a value comes from in the end, and what happens to it on the way. */
export interface Origin {
  readonly source:
    | { readonly kind: "port"; readonly reference: string }
    | { readonly kind: "boundary"; readonly connector: string }
    /** Nothing in this system writes it. */
    | { readonly kind: "signal"; readonly signal: Signal };
  readonly link: Link;
}

/**
 * How a nested system makes an output: from a port of its scenario, or by passing on one of its
 * inputs.
 */
export type OutputEnd = { readonly link: Link } & (
  | { readonly port: string }
  | { readonly through: string }
);

export class Flow {
  private readonly reporter: SspReporter;
  private readonly outputsOf: (
    element: string,
    connector: string,
  ) => readonly OutputEnd[] | undefined;
  private readonly incoming = new Map<string, Edge[]>();
  private readonly signalKeys = new Map<Signal, string>();
  /** Where loops were reported: many inputs can hang on one. */
  private readonly reported = new Set<Edge>();
  readonly edges: Edge[] = [];

  /**
   * `outputsOf` answers for nested systems; undefined: the element is a unit, and its ports are
   * real.
   */
  constructor(
    reporter: SspReporter,
    outputsOf: (element: string, connector: string) => readonly OutputEnd[] | undefined,
  ) {
    this.reporter = reporter;
    this.outputsOf = outputsOf;
  }

  add(edge: Edge): void {
    this.edges.push(edge);
    const key = this.key(edge.to);
    const list = this.incoming.get(key);
    if (list === undefined) this.incoming.set(key, [edge]);
    else list.push(edge);
  }

  into(node: FlowNode): readonly Edge[] {
    return this.incoming.get(this.key(node)) ?? [];
  }

  /** All origins of what `edge` carries; more than one only where the file connects too much. */
  origins(edge: Edge): readonly Origin[] {
    return this.trace(edge, new Set());
  }

  private trace(edge: Edge, seen: ReadonlySet<string>): readonly Origin[] {
    const { from } = edge;
    const key = this.key(from);
    if (seen.has(key)) {
      if (!this.reported.has(edge))
        this.reporter.report("ssp-connection-loop", { at: describe(edge.to) }, edge.line);
      this.reported.add(edge);
      return [];
    }
    const further = new Set(seen).add(key);
    switch (from.kind) {
      case "boundary":
        return [{ source: { kind: "boundary", connector: from.connector }, link: edge }];
      case "exposed":
        return [portOrigin(`${from.element}.${from.port}`, edge)];
      case "signal": {
        const writers = this.into(from);
        if (writers.length === 0)
          return [{ source: { kind: "signal", signal: from.signal }, link: edge }];
        return writers.flatMap((writer) => this.extended(this.trace(writer, further), edge));
      }
      case "port": {
        const ends = this.outputsOf(from.element, from.port);
        if (ends === undefined) return [portOrigin(`${from.element}.${from.port}`, edge)];
        return ends.flatMap((end) => {
          if ("port" in end)
            return this.extended([portOrigin(`${from.element}.${end.port}`, end.link)], edge);
          const inner = this.into({ kind: "port", element: from.element, port: end.through });
          const inside = inner.flatMap((e) => this.extended(this.trace(e, further), end.link));
          return this.extended(inside, edge);
        });
      }
    }
  }

  private extended(origins: readonly Origin[], next: Link): readonly Origin[] {
    return origins.flatMap((origin) => {
      const link = this.chain(origin.link, next);
      return link === undefined ? [] : [{ ...origin, link }];
    });
  }

  /** The two pieces as one; undefined after reporting that they do not combine. */
  chain(first: Link, second: Link): Link | undefined {
    const why = offsetBeforeConversion(first, second);
    const composed =
      why === undefined ? compose(first.transformation, second.transformation) : { why };
    if ("why" in composed) {
      this.reporter.report("ssp-transformation-chain", { why: composed.why }, second.line);
      return undefined;
    }
    const approximation = second.approximation ?? first.approximation;
    const kind = second.kind ?? first.kind;
    return {
      ...(composed.value !== undefined && { transformation: composed.value }),
      suppress: first.suppress || second.suppress,
      ...(approximation !== undefined && { approximation }),
      ...(kind !== undefined && { kind }),
      ...(second.unit !== undefined && { unit: second.unit }),
      line: second.line,
    };
  }

  private key(node: FlowNode): string {
    switch (node.kind) {
      case "boundary":
        return `b\0${node.connector}`;
      case "signal": {
        const known = this.signalKeys.get(node.signal) ?? `s\0${this.signalKeys.size}`;
        this.signalKeys.set(node.signal, known);
        return known;
      }
      default:
        return `${node.kind}\0${node.element}\0${node.port}`;
    }
  }
}

function portOrigin(
  reference: string,
  { from: _from, ...link }: Link & { from?: FlowNode },
): Origin {
  return { source: { kind: "port", reference }, link };
}

/**
 * An offset counts in the unit of its end; once the value is converted again, it would have to be
 * converted alone.
 */
function offsetBeforeConversion(first: Link, second: Link): string | undefined {
  const offset = first.transformation?.kind === "linear" ? first.transformation.offset : undefined;
  if (offset === undefined || offset === 0 || second.suppress) return undefined;
  if (first.unit === undefined || second.unit === undefined || first.unit === second.unit)
    return undefined;
  return `an offset is added in '${first.unit}' before the value is converted to '${second.unit}'`;
}

export function describe(node: FlowNode): string {
  switch (node.kind) {
    case "boundary":
      return `the connector '${node.connector}'`;
    case "signal":
      return `the signal '${node.signal.name}'`;
    default:
      return `'${node.element}.${node.port}'`;
  }
}

/** True when a value passes a link unchanged and without remarks. */
export function isPlain(link: Link): boolean {
  const { transformation, suppress, approximation, kind } = link;
  return (
    transformation === undefined && !suppress && approximation === undefined && kind === undefined
  );
}
