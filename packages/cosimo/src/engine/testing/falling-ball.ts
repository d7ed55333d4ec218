/**
 * A ball that falls freely, exactly, and loses part of its speed where an event finds it on the
 * floor. It does not look for the floor itself: that is the master's part. Its bounces accumulate
 * at the Zeno time t1 (1 + e) / (1 - e), with t1 = √(2 h / g).
 */
import { describeUnit, makePorts } from "../../unit/port-spec.ts";
import type { Stop } from "../../unit/predicate.ts";
import type { Unit } from "../../unit/unit.ts";
import { EventModeUnit } from "./event-mode-unit.ts";

export interface BallNumbers {
  readonly height: number;
  readonly gravity: number;
  /** Coefficient of restitution. */
  readonly e: number;
}

export const FALLING_HEIGHT = 0;

export function zenoTime({ height, gravity, e }: BallNumbers): number {
  return (Math.sqrt((2 * height) / gravity) * (1 + e)) / (1 - e);
}

export function fallingBall(name: string, numbers: BallNumbers): Unit {
  return new FallingBall(name, numbers);
}

/** Store: h, v. */
class FallingBall extends EventModeUnit {
  private readonly numbers: BallNumbers;

  constructor(name: string, numbers: BallNumbers) {
    const ports = makePorts(name, [
      {
        direction: "output",
        ports: {
          h: { start: numbers.height, feedThrough: [] },
          v: { start: 0, feedThrough: [] },
          bounces: { start: 0, feedThrough: [] },
        },
      },
    ]);
    super(name, describeUnit({ name }, ports, { eventMode: true }));
    this.numbers = numbers;
  }

  protected override proceed(from: number, bound: number): Stop {
    const { f64 } = this.store;
    const time = bound - from;
    f64[0] += time * (f64[1] - (this.numbers.gravity * time) / 2);
    f64[1] -= this.numbers.gravity * time;
    return this.stopAt("time", -1, bound);
  }

  protected override update(): void {
    const { f64 } = this.store;
    if (f64[0] > 1e-6 || f64[1] >= 0) return;
    f64[1] *= -this.numbers.e;
    f64[2]++;
  }
}
