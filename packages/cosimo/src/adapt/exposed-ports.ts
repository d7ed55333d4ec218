/**
 * Ports of inner units that an adapted unit exposes as its own: parameters, start values of states,
 * arrays and binary values.
 *
 * The language cannot refer to these, and rules do not change them. But a scenario that adapts a
 * unit must still be able to set and to connect them. So they are ports of the adapted unit, and
 * what is written to them, values and derivatives, goes to the inner unit.
 */
import { takesSlopes } from "../model/adaptation/inner-order.ts";
import {
  type Capabilities,
  type Port,
  portSize,
  type UnitDescription,
} from "../model/unit-description.ts";
import type { Banks } from "../model/value-type.ts";
import { DelegatingUnit } from "../unit/delegating-unit.ts";
import { type Access, CapabilityError, type PortSlot, type Unit } from "../unit/unit.ts";

/** A port of the adapted unit that stands for one of an inner unit. */
export interface ExposedPort {
  readonly own: number;
  readonly unit: string;
  readonly port: number;
  readonly portName: string;
  /**
   * Rules compute it, so it is read from the adaptation; only its start value is written inside.
   */
  readonly isShared: boolean;
}

export interface ExposedPorts {
  readonly description: UnitDescription;
  readonly ports: readonly ExposedPort[];
}

/**
 * The ports of `own`, and those of the inner units in `open` that rules cannot refer to: what can
 * be set, arrays and binary values. Where a name is taken, the port is called `unit_port`.
 * @param which of them; default: all.
 */
export function exposePorts(
  own: UnitDescription,
  open: ReadonlyMap<string, UnitDescription>,
  which: (port: Port) => boolean = () => true,
): ExposedPorts {
  // What rules compute cannot be set.
  const ports: Port[] = own.ports.map((port) => (port.direction === "output" ? unset(port) : port));
  const exposed: ExposedPort[] = [];
  for (const [unit, { ports: inside }] of open) {
    const ownOf = new Map<number, number>();
    for (const port of inside) {
      if (!which(port)) continue;
      const inner = { unit, port: port.index, portName: port.name };
      if (isBeyondRules(port) || (isSettable(port) && port.direction !== "output")) {
        const index = ports.length;
        ownOf.set(port.index, index);
        exposed.push({ ...inner, own: index, isShared: false });
        const { derivativeOf: _, feedThrough: __, aliases: ___, ...plain } = port;
        ports.push({ ...plain, index, name: freeName(unit, port.name, ports) });
      } else if (isSettable(port)) {
        const shared = ports.find((one) => one.name === port.name && one.direction === "output");
        if (shared?.type !== port.type || port.start === undefined) continue;
        ports[shared.index] = { ...shared, start: port.start };
        exposed.push({ ...inner, own: shared.index, isShared: true });
      }
    }
    for (const [port, index] of ownOf)
      if (ports[index].direction === "output" || ports[index].direction === "local")
        ports[index] = { ...ports[index], feedThrough: inputsBehind(inside, port, ownOf) };
  }
  const capabilities = { ...own.capabilities, ...derivativesTaken(own, open, exposed) };
  return { description: { ...own, ports, capabilities }, ports: exposed };
}

/**
 * Which input derivatives the adapted unit takes. Those of exposed arrays go to the inner units, so
 * where one of these takes fewer than the rules do for scalar inputs, arrays take none.
 */
function derivativesTaken(
  own: UnitDescription,
  open: ReadonlyMap<string, UnitDescription>,
  exposed: readonly ExposedPort[],
): Partial<Capabilities> {
  const orders = [...open].flatMap(([name, unit]) =>
    exposed
      .filter((one) => one.unit === name)
      .map(({ port }) => unit.ports[port])
      .filter(isSmoothInput)
      .map((port) => (takesSlopes(unit, port) ? unit.capabilities.inputDerivativeOrder : 0)),
  );
  if (orders.length === 0) return {};
  const ofArrays = Math.min(2, ...orders);
  const inputDerivativeOrder = own.ports.some(isSmoothInput)
    ? own.capabilities.inputDerivativeOrder
    : ofArrays;
  return {
    inputDerivativeOrder,
    ...(ofArrays < inputDerivativeOrder && { followsInputs: "scalars" }),
  };
}

function isSmoothInput({ direction, type, variability }: Port): boolean {
  const isReal = type === "float64" || type === "float32";
  return direction === "input" && isReal && variability === "continuous";
}

/**
 * Of units that an adaptation names itself: what a scenario sets. Everything else is for its rules.
 */
export function isParameter({ direction }: Pick<Port, "direction">): boolean {
  return direction === "parameter" || direction === "structural-parameter";
}

function unset({ start: _, ...port }: Port): Port {
  return port;
}

function isBeyondRules(port: Port): boolean {
  const { direction, type } = port;
  if ((direction !== "input" && direction !== "output") || type === "clock") return false;
  return portSize(port) !== 1 || type === "binary";
}

/** What has a start value. Scalar inputs are ports of the adaptation, or its rules feed them. */
function isSettable({ direction, start, type, variability }: Port): boolean {
  if (type === "clock" || variability === "constant") return false;
  if (isParameter({ direction })) return true;
  return (direction === "output" || direction === "local") && start !== undefined;
}

/**
 * Exposed inputs with direct feedthrough to an exposed output; all others act from the next step
 * on.
 */
function inputsBehind(
  ports: readonly Port[],
  output: number,
  ownOf: ReadonlyMap<number, number>,
): number[] {
  const all = ports.filter(({ direction }) => direction === "input").map(({ index }) => index);
  const behind = ports[output].feedThrough ?? all;
  return behind.flatMap((index) => ownOf.get(index) ?? []);
}

function freeName(unit: string, wanted: string, ports: readonly Port[]): string {
  const isTaken = (name: string): boolean => ports.some((port) => port.name === name);
  if (!isTaken(wanted)) return wanted;
  let name = `${unit}_${wanted}`;
  for (let n = 2; isTaken(name); n++) name = `${unit}_${wanted}_${n}`;
  return name;
}

/**
 * The adapted unit with the ports that `exposed` describes.
 * @param inner the units inside of `adapted`, which owns them.
 */
export function withExposedPorts(
  adapted: Unit,
  inner: ReadonlyMap<string, Unit>,
  exposed: ExposedPorts,
): Unit {
  return new ExposingUnit(adapted, inner, exposed);
}

interface InnerAccess {
  readonly unit: Unit;
  readonly access: Access;
}

interface ExposedAccess extends Access {
  /** Ports of the adaptation as they are read, and as they are written. */
  readonly read: Access;
  readonly write: Access;
  readonly readInside: readonly InnerAccess[];
  readonly writeInside: readonly InnerAccess[];
}

/** Derivatives for one unit: its ports, and which of all orders and values are theirs. */
interface DerivativeGroup {
  readonly unit: Unit;
  readonly ports: number[];
  readonly orders: number[];
  readonly ordersFrom: number[];
  readonly valuesFrom: number[];
  readonly values: Float64Array;
}

class ExposingUnit extends DelegatingUnit {
  private readonly inner: ReadonlyMap<string, Unit>;
  private readonly exposed: ReadonlyMap<number, ExposedPort>;
  /** How derivatives are divided, by the list of ports that they are given for. */
  private readonly groups = new WeakMap<readonly number[], readonly DerivativeGroup[]>();

  constructor(adapted: Unit, inner: ReadonlyMap<string, Unit>, exposed: ExposedPorts) {
    super(adapted, exposed.description);
    this.inner = inner;
    this.exposed = new Map(exposed.ports.map((port) => [port.own, port]));
  }

  override bind(slots: readonly PortSlot[]): ExposedAccess {
    const reads = slots.filter(({ port }) => this.exposed.get(port)?.isShared !== false);
    const writes = slots.filter(({ port }) => !this.exposed.has(port));
    const inside = (isWritten: boolean): InnerAccess[] =>
      [...this.inner].flatMap(([name, unit]) => {
        const own = slots.flatMap(({ port, slot }): PortSlot[] => {
          const exposed = this.exposed.get(port);
          if (exposed?.unit !== name || (exposed.isShared && !isWritten)) return [];
          return [{ port: exposed.port, slot }];
        });
        return own.length === 0 ? [] : [{ unit, access: unit.bind(own) }];
      });
    return {
      slots,
      read: this.unit.bind(reads),
      write: this.unit.bind(writes),
      readInside: inside(false),
      writeInside: inside(true),
    };
  }

  override read(access: Access, banks: Banks): void {
    const { read, readInside } = access as ExposedAccess;
    this.unit.read(read, banks);
    for (let i = 0; i < readInside.length; i++)
      readInside[i].unit.read(readInside[i].access, banks);
  }

  override write(access: Access, banks: Banks): void {
    const { write, writeInside } = access as ExposedAccess;
    for (let i = 0; i < writeInside.length; i++)
      writeInside[i].unit.write(writeInside[i].access, banks);
    // Even where nothing is left to write: outputs of the adaptation may depend on what is inside.
    this.unit.write(write, banks);
  }

  override setInputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    values: Float64Array,
  ): void {
    if (this.description.capabilities.inputDerivativeOrder === 0)
      throw new CapabilityError(this.name, "input derivatives");
    let groups = this.groups.get(ports);
    if (groups === undefined) {
      groups = this.divide(ports);
      this.groups.set(ports, groups);
    }
    for (let g = 0; g < groups.length; g++) {
      const group = groups[g];
      const { ordersFrom, valuesFrom } = group;
      for (let k = 0; k < ordersFrom.length; k++) group.orders[k] = orders[ordersFrom[k]];
      for (let k = 0; k < valuesFrom.length; k++) group.values[k] = values[valuesFrom[k]];
      group.unit.setInputDerivatives(group.ports, group.orders, group.values);
    }
  }

  private divide(ports: readonly number[]): DerivativeGroup[] {
    const groups = new Map<Unit, Omit<DerivativeGroup, "values">>();
    let at = 0;
    ports.forEach((port, i) => {
      const exposed = this.exposed.get(port);
      const unit = exposed === undefined ? this.unit : this.inner.get(exposed.unit);
      if (unit === undefined) throw new Error(`internal: no inner unit '${exposed?.unit}'`);
      const group = groups.get(unit) ?? {
        unit,
        ports: [],
        orders: [],
        ordersFrom: [],
        valuesFrom: [],
      };
      groups.set(unit, group);
      group.ports.push(exposed?.port ?? port);
      group.ordersFrom.push(i);
      const size = portSize(this.description.ports[port]);
      for (let k = 0; k < size; k++) group.valuesFrom.push(at++);
    });
    return [...groups.values()].map((group) => ({
      ...group,
      values: new Float64Array(group.valuesFrom.length),
    }));
  }
}
