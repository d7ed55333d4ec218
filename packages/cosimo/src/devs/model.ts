/**
 * Discrete-event models as plain objects: DEVS in the words of its literature, with full types.
 *
 *   atomic   M = <X, Y, S, δext, δint, δcon, λ, ta, q(0)>      Zeigler, Theory of Modeling and Simulation; Chow & Zeigler 1994 (δcon)
 *   coupled  N = <X, Y, D, {M_d}, {I_d}, {Z_{i,d}}, Select>
 *
 * A model is a description that is never changed; any number of instances run from it. What a
 * component sees of the run is an `Instant` and, where values arrived, an `Input`; both are reused,
 * so keep what you read, not the object. Absent is `undefined`: no port ever carries it, and a
 * translation that returns it sends nothing.
 */
import type { PortSpec } from "../unit/port-spec.ts";

/** What a port is at the border of a unit; ports that stay inside a model need none of it. */
export interface BorderSpec extends Omit<PortSpec, "shape" | "variability" | "nature" | "items"> {
  /** The values that a port of strings can have: an enumeration, numbered from 1. */
  readonly items?: readonly string[];
  /**
   * Input: a value that is another than before is an event; otherwise events come with a clock.
   * Output: no clock ticks with its events, only the value shows them.
   */
  readonly held?: boolean;
}

declare const carried: unique symbol;

/** A port that carries values of type T. */
export interface EventPort<T> {
  readonly border?: BorderSpec;
  /** A type only. */
  readonly [carried]?: T;
}

/** A port for any data, or, with a border, one that units of other kinds can be connected to. */
export function port<T>(border?: BorderSpec): EventPort<T> {
  return border === undefined ? {} : { border };
}

/** A port for events that carry nothing but that they happen; the value is `true`. */
export function signal(border: Omit<BorderSpec, "type" | "items" | "start"> = {}): EventPort<true> {
  return { border: { ...border, type: "clock" } };
}

export type Ports = Readonly<Record<string, EventPort<unknown>>>;

/** No ports on that side. */
export type NoPorts = Record<never, never>;

/** What a port carries. */
export type ValueOf<P> = P extends EventPort<infer T> ? T : never;

/** A point in superdense time, as a component sees it. */
export interface Instant {
  /** Seconds. */
  readonly time: number;
  /** Position among the transitions at this time, from 0. */
  readonly index: number;
  /** Seconds since the component's last transition of any kind. */
  readonly elapsed: number;
}

/** The values that arrived at one instant: a bag per port, ordered by sender and coupling. */
export interface Input<I extends Ports> extends Instant {
  has(port: keyof I & string): boolean;
  /**
   * The one value at the port; undefined when it is absent. Throws where there are several:
   * `values` has them all.
   */
  get<K extends keyof I & string>(port: K): ValueOf<I[K]> | undefined;
  values<K extends keyof I & string>(port: K): ValueOf<I[K]>[];
}

/** Sends a value from an output port; several calls send several values at the same instant. */
export type Send<O extends Ports> = <K extends keyof O & string>(
  port: K,
  value: ValueOf<O[K]>,
) => void;

/**
 * A transition returns the next state. One that changes the state object in place may return
 * nothing: states belong to one instance, and the kernel copies them when they are saved.
 */
export type Next<S> = S | undefined;

/** What the author of an atomic model writes. */
export interface AtomicSpec<S, I extends Ports, O extends Ports> {
  readonly name?: string;
  readonly description?: string;
  readonly inputs?: I;
  readonly outputs?: O;
  /** The state at the start, or what makes it. Data. */
  readonly initial: S | (() => S);
  /** Seconds that have passed in that state before the start; default: 0. */
  readonly initialElapsed?: number;
  /**
   * ta: seconds until the next internal transition, from the last transition on. Infinity: none.
   */
  readonly timeAdvance: (state: NoInfer<S>, now: Instant) => number;
  /**
   * λ: called right before an internal or confluent transition, with the state before it, which it
   * must not change.
   */
  readonly output?: (state: NoInfer<S>, send: Send<O>, now: Instant) => void;
  /** δint. Without it the time advance must be infinite. */
  readonly internal?: (state: NoInfer<S>, now: Instant) => Next<NoInfer<S>>;
  /** δext. Without it what arrives is ignored and changes nothing. */
  readonly external?: (state: NoInfer<S>, input: Input<I>) => Next<NoInfer<S>>;
  /**
   * δcon: values arrive where an internal transition is due (parallel semantics); default: δint,
   * then δext with nothing elapsed.
   */
  readonly confluent?: (state: NoInfer<S>, input: Input<I>) => Next<NoInfer<S>>;
  /**
   * A lower bound, in seconds, of the time between a value that arrives and an output that it
   * causes. Zero-delay cycles are found with it.
   */
  readonly minimumDelay?: number;
}

/** An atomic model whose types no longer matter: what couplings and the kernel work on. */
export interface AtomicModel {
  readonly kind: "atomic";
  readonly name: string;
  readonly description?: string;
  readonly inputs: Ports;
  readonly outputs: Ports;
  readonly initial: () => unknown;
  readonly initialElapsed: number;
  readonly timeAdvance: (state: unknown, now: Instant) => number;
  readonly output: ((state: unknown, send: AnySend, now: Instant) => void) | undefined;
  readonly internal: ((state: unknown, now: Instant) => unknown) | undefined;
  readonly external: ((state: unknown, input: Input<Ports>) => unknown) | undefined;
  readonly confluent: ((state: unknown, input: Input<Ports>) => unknown) | undefined;
  readonly minimumDelay: number | undefined;
}

export type AnySend = (port: string, value: unknown) => void;

/** An atomic model with the types of its ports, so that what is connected to it can be checked. */
export interface Atomic<I extends Ports, O extends Ports> extends AtomicModel {
  readonly inputs: I;
  readonly outputs: O;
}

export type Semantics = "parallel" | "classic";

/** From and to are `component.port`, or `port` for the coupled model's own ports. */
export interface Coupling {
  readonly from: string;
  readonly to: string;
  /** Z: what the receiver gets of a value; undefined: nothing. */
  map?(value: unknown): unknown;
}

/**
 * Who comes first of components that are imminent together: an order of all of them, or a function
 * of their names.
 */
export type Select = readonly string[] | ((imminent: readonly string[]) => string);

export interface CoupledSpec<I extends Ports, O extends Ports> {
  readonly name?: string;
  readonly description?: string;
  readonly inputs?: I;
  readonly outputs?: O;
  readonly components: Readonly<Record<string, Component>>;
  /** `"a.y -> b.u"`, or an object where values are translated on the way. */
  readonly couplings: readonly (string | Coupling)[];
  /**
   * parallel: all imminent components go at once, what arrives together arrives as a bag; classic:
   * one after the other, by `select`. The outermost model decides for all inside it. Default:
   * parallel.
   */
  readonly semantics?: Semantics;
  /** Classic semantics only. Default: the order of `components`. */
  readonly select?: Select;
}

export interface CoupledModel {
  readonly kind: "coupled";
  readonly name: string;
  readonly description?: string;
  readonly inputs: Ports;
  readonly outputs: Ports;
  readonly components: Readonly<Record<string, Component>>;
  readonly couplings: readonly Coupling[];
  readonly semantics: Semantics | undefined;
  readonly select: Select | undefined;
}

export interface Coupled<I extends Ports, O extends Ports> extends CoupledModel {
  readonly inputs: I;
  readonly outputs: O;
}

/** Closure under coupling: a coupled model is a component like an atomic one. */
export type Component = AtomicModel | CoupledModel;

const NO_PORTS = {};

export function atomic<S, I extends Ports = NoPorts, O extends Ports = NoPorts>(
  spec: AtomicSpec<S, I, O>,
): Atomic<I, O> {
  const { initial } = spec;
  return {
    kind: "atomic",
    name: spec.name ?? "atomic",
    ...(spec.description !== undefined && { description: spec.description }),
    inputs: spec.inputs ?? (NO_PORTS as I),
    outputs: spec.outputs ?? (NO_PORTS as O),
    initial: typeof initial === "function" ? (initial as () => S) : () => initial,
    initialElapsed: spec.initialElapsed ?? 0,
    // The kernel hands every model its own states and ports, which it got from this very object.
    timeAdvance: spec.timeAdvance as AtomicModel["timeAdvance"],
    output: spec.output as AtomicModel["output"],
    internal: spec.internal as AtomicModel["internal"],
    external: spec.external as AtomicModel["external"],
    confluent: spec.confluent as AtomicModel["confluent"],
    minimumDelay: spec.minimumDelay,
  };
}

export function coupled<I extends Ports = NoPorts, O extends Ports = NoPorts>(
  spec: CoupledSpec<I, O>,
): Coupled<I, O> {
  return {
    kind: "coupled",
    name: spec.name ?? "coupled",
    ...(spec.description !== undefined && { description: spec.description }),
    inputs: spec.inputs ?? (NO_PORTS as I),
    outputs: spec.outputs ?? (NO_PORTS as O),
    components: spec.components,
    couplings: spec.couplings.map((coupling) =>
      typeof coupling === "string" ? parseCoupling(coupling) : coupling,
    ),
    semantics: spec.semantics,
    select: spec.select,
  };
}

/** `"a.y -> b.u"`; what has no arrow is kept whole as `from`, for the check to report. */
function parseCoupling(text: string): Coupling {
  const [from = "", to = "", ...more] = text.split("->").map((part) => part.trim());
  return more.length > 0 || to === "" ? { from: text, to: "" } : { from, to };
}
