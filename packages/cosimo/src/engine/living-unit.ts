/**
 * A unit that outlives the plan it runs in: the structure of its scenario changes, and the next
 * plan finds it as it is. Every plan leads its units through initialization; one that goes on has
 * had its own, so it follows without being touched: values for before the start are dropped,
 * signals are exchanged in its present state, and ending a plan does not terminate it.
 *
 *   own life    instantiated ─▶ initialization ─▶ step | event ─────────────────────────────▶ terminated
 *   next plan                                     instantiated ─▶ initialization ─▶ step | event   (shown; the unit stays as it is)
 */
import type { Banks } from "../model/value-type.ts";
import { DelegatingUnit } from "../unit/delegating-unit.ts";
import type { Access, InitializationOptions, Phase, Unit } from "../unit/unit.ts";

export class LivingUnit extends DelegatingUnit {
  /**
   * What the next plan sees until it has initialized all units; undefined: the unit's own phase.
   */
  private shown: Phase | undefined;
  private hasEventMode = false;
  private readonly stop: number;

  /** @param stop of the run, which is later than that of the plan it begins in. */
  constructor(unit: Unit, stop: number) {
    super(unit);
    this.stop = stop;
  }

  override get phase(): Phase {
    return this.shown ?? this.unit.phase;
  }

  /** A new plan begins, and the unit is part of it. */
  goOn(): void {
    const { phase } = this.unit;
    if (phase === "event") this.unit.enterStepMode();
    if (phase === "event" || phase === "step") this.shown = "instantiated";
  }

  override enterInitialization(options: InitializationOptions): void {
    if (this.shown === undefined) super.enterInitialization({ ...options, stop: this.stop });
    else {
      // Discrete values may be given in event mode only.
      if (this.hasEventMode) this.unit.enterEventMode();
      this.shown = "initialization";
    }
  }

  override exitInitialization(): void {
    if (this.shown === undefined) {
      super.exitInitialization();
      this.hasEventMode = this.unit.phase === "event";
    }
    this.shown = undefined;
  }

  override write(access: Access, banks: Banks): void {
    if (this.shown !== "instantiated") super.write(access, banks);
  }

  /** The plan has ended; the unit may go on in the next one. */
  override terminate(): void {}

  /** The unit's own end. */
  end(): void {
    if (this.unit.phase === "step") this.unit.terminate();
  }
}
