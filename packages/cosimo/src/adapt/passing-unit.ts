/**
 * An adapted unit through which ports of inner units show: their parameters, start values of their states, arrays and binary values.
 *
 * The language has no word for these, and rules do not change them. But who puts an adaptation around a unit in a scenario still has
 * to give that unit its values, and to connect all of it. So these ports are ports of the adapted unit, and what is written goes inside.
 */
import { type Port, portSize, type UnitDescription } from "../model/unit-description.ts";
import type { Banks } from "../model/value-type.ts";
import { DelegatingUnit } from "../unit/delegating-unit.ts";
import type { Access, PortSlot, Unit } from "../unit/unit.ts";

/** A port that stands for one of an inner unit. */
export interface PassedPort {
  readonly own: number;
  readonly unit: string;
  readonly port: number;
  readonly portName: string;
  /** It is a port of the adaptation too, which says what is read; only start values go inside. */
  readonly isShared: boolean;
}

export interface PassedPorts {
  readonly description: UnitDescription;
  readonly ports: readonly PassedPort[];
}

/**
 * The ports of `own`, and those of the inner units in `open` that rules cannot speak of: what can be set, and arrays and binary
 * values, which pass by them. They are called `unit_port` where a name is taken.
 */
export function passPorts(
  own: UnitDescription,
  open: ReadonlyMap<string, UnitDescription>,
): PassedPorts {
  // What rules compute cannot be set.
  const ports: Port[] = own.ports.map((port) => (port.direction === "output" ? unset(port) : port));
  const passed: PassedPort[] = [];
  for (const [unit, { ports: inside }] of open) {
    const ownOf = new Map<number, number>();
    for (const port of inside) {
      const inner = { unit, port: port.index, portName: port.name };
      if (isBeyondRules(port) || (isSettable(port) && port.direction !== "output")) {
        const index = ports.length;
        ownOf.set(port.index, index);
        passed.push({ ...inner, own: index, isShared: false });
        const { derivativeOf: _, feedThrough: __, aliases: ___, ...plain } = port;
        ports.push({ ...plain, index, name: freeName(unit, port.name, ports) });
      } else if (isSettable(port)) {
        const shared = ports.find((one) => one.name === port.name && one.direction === "output");
        if (shared?.type !== port.type) continue;
        ports[shared.index] = { ...shared, start: port.start! };
        passed.push({ ...inner, own: shared.index, isShared: true });
      }
    }
    for (const [port, index] of ownOf)
      if (ports[index].direction === "output" || ports[index].direction === "local")
        ports[index] = { ...ports[index], feedThrough: inputsBehind(inside, port, ownOf) };
  }
  // Slopes are the business of rules, and these inputs pass by them.
  const isHeld = passed.some(({ own: index }) => ports[index].direction === "input");
  const capabilities = isHeld ? { ...own.capabilities, inputDerivativeOrder: 0 } : own.capabilities;
  return { description: { ...own, ports, capabilities }, ports: passed };
}

function unset({ start: _, ...port }: Port): Port {
  return port;
}

function isBeyondRules(port: Port): boolean {
  const { direction, type } = port;
  if ((direction !== "input" && direction !== "output") || type === "clock") return false;
  return portSize(port) !== 1 || type === "binary";
}

/** What has a value before it is computed; scalar inputs are ports of the adaptation, or its rules feed them. */
function isSettable({ direction, start, type, variability }: Port): boolean {
  if (type === "clock" || variability === "constant") return false;
  if (direction === "parameter" || direction === "structural-parameter") return true;
  return (direction === "output" || direction === "local") && start !== undefined;
}

/** Inputs that pass by the rules and act at once on an output that does; all others wait for the next step. */
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

/** @param inner the units inside of `adapted`, which owns them. */
export function passingUnit(
  adapted: Unit,
  inner: ReadonlyMap<string, Unit>,
  passing: PassedPorts,
): Unit {
  return new PassingUnit(adapted, inner, passing);
}

interface InnerAccess {
  readonly unit: Unit;
  readonly access: Access;
}

interface PassedAccess extends Access {
  /** Ports of the adaptation as they are read, and as they are written. */
  readonly read: Access;
  readonly write: Access;
  readonly readInside: readonly InnerAccess[];
  readonly writeInside: readonly InnerAccess[];
}

class PassingUnit extends DelegatingUnit {
  private readonly inner: ReadonlyMap<string, Unit>;
  private readonly passed: ReadonlyMap<number, PassedPort>;

  constructor(adapted: Unit, inner: ReadonlyMap<string, Unit>, passing: PassedPorts) {
    super(adapted, passing.description);
    this.inner = inner;
    this.passed = new Map(passing.ports.map((port) => [port.own, port]));
  }

  override bind(slots: readonly PortSlot[]): PassedAccess {
    const reads = slots.filter(({ port }) => this.passed.get(port)?.isShared !== false);
    const writes = slots.filter(({ port }) => !this.passed.has(port));
    const inside = (isWritten: boolean): InnerAccess[] =>
      [...this.inner].flatMap(([name, unit]) => {
        const own = slots.flatMap(({ port, slot }): PortSlot[] => {
          const passed = this.passed.get(port);
          if (passed?.unit !== name || (passed.isShared && !isWritten)) return [];
          return [{ port: passed.port, slot }];
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
    const { read, readInside } = access as PassedAccess;
    this.unit.read(read, banks);
    for (let i = 0; i < readInside.length; i++)
      readInside[i].unit.read(readInside[i].access, banks);
  }

  override write(access: Access, banks: Banks): void {
    const { write, writeInside } = access as PassedAccess;
    for (let i = 0; i < writeInside.length; i++)
      writeInside[i].unit.write(writeInside[i].access, banks);
    // Also where nothing is left to write: outputs of the adaptation may follow from what is inside.
    this.unit.write(write, banks);
  }
}
