/**
 * Input derivatives for FMI 3, which has no call for them: the FMU asks for its inputs inside the step (intermediate update) and
 * gets the polynomial's value at that time. Seen from outside the unit takes input derivatives like an FMI 2 one.
 */
import type { UnitDescription } from "../../model/unit-description.ts";
import { portSize } from "../../model/unit-description.ts";
import { makeBanks } from "../../model/value-type.ts";
import type { Access, Snapshot, Unit } from "../../unit/unit.ts";
import { followedInputs, withFollowedInputs } from "./followed-inputs.ts";
import type { IntermediateUpdate, NativeFmu, NativeUnitOptions } from "./native-options.ts";
import { openNativeUnit } from "./open-native-unit.ts";

/** A native unit whose intermediate inputs take derivatives. */
export function openFollowingUnit(fmu: NativeFmu, options: NativeUnitOptions = {}): Unit {
  const ports = followedInputs(fmu.description);
  const follower = new Follower();
  const unit = openNativeUnit(fmu, {
    ...options,
    intermediateUpdate: { ports, handle: follower.handle },
  });
  return follower.follow(unit, ports, withFollowedInputs(unit.description, fmu.description));
}

class Follower {
  private unit!: Unit;
  private access!: Access;
  private readonly banks = makeBanks({});
  private values = new Float64Array(0);
  private base = new Float64Array(0);
  private first = new Float64Array(0);
  private second = new Float64Array(0);
  private begin = 0;
  private isMoving = false;
  /** The slopes that belong to a snapshot of the unit: first derivatives, then second ones. */
  private readonly saved = new WeakMap<Snapshot, Float64Array>();

  /** Takes the place of the unit's own methods; everything else stays the unit's. */
  follow(unit: Unit, ports: readonly number[], description: UnitDescription): Unit {
    this.unit = unit;
    const offsets = new Map<number, number>();
    let size = 0;
    for (const port of ports) {
      offsets.set(port, size);
      size += portSize(description.ports[port]);
    }
    this.values = new Float64Array(size);
    this.base = new Float64Array(size);
    this.first = new Float64Array(size);
    this.second = new Float64Array(size);
    this.access = unit.bind(ports.map((port) => ({ port, slot: offsets.get(port)! })));
    const advance = unit.advance.bind(unit);
    const reset = unit.reset.bind(unit);
    const save = unit.save.bind(unit);
    const restore = unit.restore.bind(unit);
    const serialize = unit.serialize.bind(unit);
    const deserialize = unit.deserialize.bind(unit);
    const setInputDerivatives: Unit["setInputDerivatives"] = (given, orders, values) => {
      let at = 0;
      given.forEach((port, i) => {
        const offset = offsets.get(port);
        if (offset === undefined)
          throw new RangeError(`'${unit.name}' does not follow '${description.ports[port].name}'`);
        const target = orders[i] === 1 ? this.first : this.second;
        for (let k = 0; k < portSize(description.ports[port]); k++)
          target[offset + k] = values[at++];
      });
      this.look();
    };
    Object.defineProperties(unit, {
      description: { value: description },
      setInputDerivatives: { value: setInputDerivatives },
      reset: {
        value: () => {
          this.first.fill(0);
          this.second.fill(0);
          this.isMoving = false;
          reset();
        },
      },
      save: {
        value: () => {
          const snapshot = save();
          this.saved.set(snapshot, Float64Array.of(...this.first, ...this.second));
          return snapshot;
        },
      },
      restore: {
        value: (snapshot: Snapshot) => {
          restore(snapshot);
          const slopes = this.saved.get(snapshot)!;
          this.first.set(slopes.subarray(0, size));
          this.second.set(slopes.subarray(size));
          this.look();
        },
      },
      serialize: {
        value: (snapshot: Snapshot) => {
          const state = serialize(snapshot);
          const slopes = this.saved.get(snapshot)!;
          const bytes = new Uint8Array(slopes.byteLength + state.length);
          bytes.set(new Uint8Array(slopes.buffer));
          bytes.set(state, slopes.byteLength);
          return bytes;
        },
      },
      deserialize: {
        value: (bytes: Uint8Array) => {
          const slopes = new Float64Array(new Uint8Array(bytes.subarray(0, 16 * size)).buffer);
          const snapshot = deserialize(bytes.subarray(slopes.byteLength));
          this.saved.set(snapshot, slopes);
          return snapshot;
        },
      },
      advance: {
        value: (from: number, until: Parameters<Unit["advance"]>[1]) => {
          if (!this.isMoving) return advance(from, until);
          this.begin = from;
          unit.read(this.access, { ...this.banks, f64: this.base });
          const stop = advance(from, until);
          this.moveOn(stop.time - from);
          return stop;
        },
      },
    });
    return unit;
  }

  readonly handle = ({ time, setRequested }: IntermediateUpdate): void => {
    if (!this.isMoving || !setRequested) return;
    this.evaluate(time - this.begin);
    this.unit.write(this.access, { ...this.banks, f64: this.values });
  };

  private look(): void {
    this.isMoving = this.first.some((v) => v !== 0) || this.second.some((v) => v !== 0);
  }

  private evaluate(dt: number): void {
    for (let i = 0; i < this.values.length; i++) {
      this.values[i] = this.base[i] + this.first[i] * dt + this.second[i] * dt * dt * 0.5;
    }
  }

  /** The step is over: the inputs stand where the polynomial has led them, and go on from there. */
  private moveOn(dt: number): void {
    this.evaluate(dt);
    this.unit.write(this.access, { ...this.banks, f64: this.values });
    for (let i = 0; i < this.first.length; i++) this.first[i] += this.second[i] * dt;
  }
}
