/**
 * Steps of one size, counted from the start. What an event, a requested point or a limit cuts off
 * is made up for by a shorter step after it, so that the grid stays where it was.
 */

import type { Coupling } from "./coupling.ts";
import { DifferenceLimits, limitFactor } from "./difference-limits.ts";
import { RequestedPoints, sameInstant } from "./requested-points.ts";
import { EARLY, REACHED, type StepControl, type Taken } from "./step-control.ts";
import { type StepMethod, StepTooSmall } from "./step-method.ts";

/** A limit that asks for less than this part of the step cannot be kept. */
const SMALLEST_PART = 1e-12;

export class FixedControl implements StepControl {
  readonly needsRollback: boolean;
  private readonly coupling: Coupling;
  private readonly method: StepMethod;
  private readonly start: number;
  private readonly step: number;
  private readonly stop: number;
  private readonly requested: RequestedPoints;
  private readonly limits: DifferenceLimits;
  private point = 1;
  private requestedPoints = 0;
  private nextRequested = Number.POSITIVE_INFINITY;

  constructor(coupling: Coupling, method: StepMethod, stop: number) {
    this.coupling = coupling;
    this.method = method;
    const { start, step } = coupling.state.plan;
    this.start = start;
    this.step = step;
    this.stop = stop;
    this.requested = new RequestedPoints(coupling.plan.points, coupling.state.plan);
    this.limits = new DifferenceLimits(coupling);
    this.needsRollback = coupling.plan.limits.length > 0;
  }

  get points(): number {
    return this.point - 1 + this.requestedPoints;
  }

  propose(): number {
    this.limits.begin();
    const { time } = this.coupling;
    const grid = this.at(this.point);
    this.nextRequested = this.requested.after(time);
    // A requested point and a point of the grid that differ by rounding are one.
    const isGrid = grid < this.nextRequested - sameInstant(grid, this.step);
    return Math.min(isGrid ? grid : this.nextRequested, this.stop);
  }

  take(to: number, isEvent = false): Taken {
    const from = this.coupling.time;
    if (!this.method.step(to)) return EARLY;
    if (isEvent) return REACHED;
    const over = this.limits.check();
    if (over <= 1) return REACHED;
    const h = to - from;
    const smallest = Math.max(SMALLEST_PART * this.step, sameInstant(from, this.step));
    if (h > 1.5 * smallest)
      return {
        kind: "rejected",
        to: from + Math.max(smallest, h * limitFactor(over)),
        reason: "difference",
      };
    const { signal, unit } = this.limits.worst;
    const what = { signal, unit, reason: "difference", over, step: h, time: from } as const;
    return { kind: "rejected", to: from, reason: "difference", failure: new StepTooSmall(what) };
  }

  accepted(): void {
    const { time } = this.coupling;
    const passed = this.point;
    const now = time + sameInstant(time, this.step);
    while (this.at(this.point) <= now) this.point++;
    if (this.point === passed && this.nextRequested <= now) this.requestedPoints++;
  }

  restart(): void {
    // The grid does not care what signals do.
  }

  save(): Float64Array {
    return Float64Array.of(this.point, this.requestedPoints);
  }

  restore(saved: Float64Array): void {
    this.point = saved[0];
    this.requestedPoints = saved[1];
  }

  private at(point: number): number {
    return this.start + point * this.step;
  }
}
