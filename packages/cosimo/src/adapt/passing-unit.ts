/**
 * An adapted unit through which inner units can be set: their parameters, and start values of their states.
 *
 * The language has no word for parameters of inner units, and needs none: rules do not change them. But who puts an adaptation around
 * a unit in a scenario still has to give that unit its values. So its ports show through, and what is written to them goes inside.
 */
import type { Port, UnitDescription } from "../model/unit-description.ts";
import type { Banks } from "../model/value-type.ts";
import type { Predicate, Stop } from "../unit/predicate.ts";
import type {
  Access,
  DiscreteUpdate,
  InitializationOptions,
  Phase,
  PortSlot,
  Snapshot,
  Unit,
} from "../unit/unit.ts";

/** A port that stands for one of an inner unit. */
export interface PassedPort {
  readonly own: number;
  readonly unit: string;
  readonly port: number;
  readonly portName: string;
  /** It is a port of the adaptation too, which says what is read; only start values go inside. */
  readonly isShared: boolean;
}

export interface Passing {
  readonly description: UnitDescription;
  readonly ports: readonly PassedPort[];
}

/** The ports of `own`, and those of the inner units in `open` that can be set, as `unit_port` where a name is taken. */
export function passPorts(
  own: UnitDescription,
  open: ReadonlyMap<string, UnitDescription>,
): Passing {
  const ports: Port[] = [...own.ports];
  const passed: PassedPort[] = [];
  for (const [unit, { ports: inside }] of open) {
    for (const port of inside) {
      if (!isSettable(port)) continue;
      const inner = { unit, port: port.index, portName: port.name };
      const shared = ports.find(
        ({ name, direction }) => name === port.name && direction === "output",
      );
      if (port.direction === "output") {
        if (shared?.type !== port.type || port.shape.length > 0) continue;
        ports[shared.index] = { ...shared, start: port.start! };
        passed.push({ ...inner, own: shared.index, isShared: true });
        continue;
      }
      const { derivativeOf: _, feedThrough: __, aliases: ___, ...plain } = port;
      const name = freeName(unit, port.name, ports);
      passed.push({ ...inner, own: ports.length, isShared: false });
      ports.push({
        ...plain,
        index: ports.length,
        name,
        ...(port.direction === "local" && { feedThrough: [] }),
      });
    }
  }
  return { description: { ...own, ports }, ports: passed };
}

/** What has a value before it is computed; inputs are ports of the adaptation, or its rules feed them. */
function isSettable({ direction, start, type, variability }: Port): boolean {
  if (type === "clock" || variability === "constant") return false;
  if (direction === "parameter" || direction === "structural-parameter") return true;
  return (direction === "output" || direction === "local") && start !== undefined;
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
  passing: Passing,
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

class PassingUnit implements Unit {
  readonly name: string;
  readonly description: UnitDescription;
  private readonly adapted: Unit;
  private readonly inner: ReadonlyMap<string, Unit>;
  private readonly passed: ReadonlyMap<number, PassedPort>;

  constructor(adapted: Unit, inner: ReadonlyMap<string, Unit>, passing: Passing) {
    this.name = adapted.name;
    this.description = passing.description;
    this.adapted = adapted;
    this.inner = inner;
    this.passed = new Map(passing.ports.map((port) => [port.own, port]));
  }

  get phase(): Phase {
    return this.adapted.phase;
  }

  // ---- values -------------------------------------------------------------------------------------------------

  bind(slots: readonly PortSlot[]): PassedAccess {
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
      read: this.adapted.bind(reads),
      write: this.adapted.bind(writes),
      readInside: inside(false),
      writeInside: inside(true),
    };
  }

  read(access: Access, banks: Banks): void {
    const { read, readInside } = access as PassedAccess;
    this.adapted.read(read, banks);
    for (let i = 0; i < readInside.length; i++)
      readInside[i]!.unit.read(readInside[i]!.access, banks);
  }

  write(access: Access, banks: Banks): void {
    const { write, writeInside } = access as PassedAccess;
    for (let i = 0; i < writeInside.length; i++)
      writeInside[i]!.unit.write(writeInside[i]!.access, banks);
    // Also where nothing is left to write: outputs of the adaptation may follow from what is inside.
    this.adapted.write(write, banks);
  }

  // ---- everything else is the adaptation's --------------------------------------------------------------------

  enterInitialization(options: InitializationOptions): void {
    this.adapted.enterInitialization(options);
  }
  exitInitialization(): void {
    this.adapted.exitInitialization();
  }
  advance(from: number, until: Predicate): Stop {
    return this.adapted.advance(from, until);
  }
  enterEventMode(): void {
    this.adapted.enterEventMode();
  }
  updateDiscreteStates(): DiscreteUpdate {
    return this.adapted.updateDiscreteStates();
  }
  enterStepMode(): void {
    this.adapted.enterStepMode();
  }
  terminate(): void {
    this.adapted.terminate();
  }
  reset(): void {
    this.adapted.reset();
  }
  dispose(): void {
    this.adapted.dispose();
  }
  save(): Snapshot {
    return this.adapted.save();
  }
  restore(snapshot: Snapshot): void {
    this.adapted.restore(snapshot);
  }
  release(snapshot: Snapshot): void {
    this.adapted.release(snapshot);
  }
  serialize(snapshot: Snapshot): Uint8Array {
    return this.adapted.serialize(snapshot);
  }
  deserialize(bytes: Uint8Array): Snapshot {
    return this.adapted.deserialize(bytes);
  }
  directionalDerivative(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): void {
    this.adapted.directionalDerivative(unknowns, knowns, seed, out);
  }
  adjointDerivative(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): void {
    this.adapted.adjointDerivative(unknowns, knowns, seed, out);
  }
  setInputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    values: Float64Array,
  ): void {
    this.adapted.setInputDerivatives(ports, orders, values);
  }
  getOutputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    out: Float64Array,
  ): void {
    this.adapted.getOutputDerivatives(ports, orders, out);
  }
}
