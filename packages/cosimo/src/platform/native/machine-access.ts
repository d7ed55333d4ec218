/**
 * What generated code has to know of a native instance to make the calls of a step by itself, and
 * how the instance takes over again: its time, and what follows from a status, are decided in one
 * place, for calls from code and from TypeScript.
 */
import type { Stop } from "../../unit/predicate.ts";
import type { Access, Snapshot } from "../../unit/unit.ts";
import type { FloatState } from "./float-state.ts";
import type { FmiVersion } from "./fmi-version.ts";
import type { InputFollower } from "./input-follower.ts";
import type { Address } from "./native-memory.ts";
import type { NativeFmu } from "./native-options.ts";
import type { Group } from "./transfer.ts";

/** How far step sizes may differ, relatively, and still be meant to be the same. */
export const ROUNDING = 1e-9;

export interface MachineAccess {
  readonly fmu: NativeFmu;
  readonly version: FmiVersion;
  /** Where what the FMU says waits (log-ring.ts); undefined: it must not speak on other threads. */
  readonly logRing: Address | undefined;
  /** Why generated code must leave this instance alone; undefined: it need not. */
  readonly refusal: string | undefined;
  /** First argument of every call. */
  readonly handle: Address;
  /**
   * Eight words for results; the step of FMI 3 has its flags in bytes 0 to 2 and a time in bytes 8
   * to 15.
   */
  readonly results: Address;
  readonly lastCall: Int32Array | undefined;
  /** FMI 3: a step that asks for event mode ends the `advance`. */
  readonly endsStepOnEvent: boolean;
  /** @throws when the binary does not export it. */
  addressOf(call: string): Address;
  referenceOf(port: number): number;
  groupsToRead(access: Access): readonly Group[];
  /** @throws when a port of the access cannot be written in the present phase. */
  groupsToWrite(access: Access): readonly Group[];
  /** Whether it can take steps now. */
  isReady(): boolean;
  time(): number;
  /** Generated code advanced the FMU to `time`. */
  moveTo(time: number): void;
  /**
   * Of FMUs that want constant steps: their size, NaN before the first; undefined for FMUs that
   * take any.
   */
  constantStep(): number | undefined;
  noRollback(): 0 | 1;
  /**
   * Everything that going back to a snapshot means beside the call. @returns the state that the
   * call goes back to.
   */
  beginRestore(snapshot: Snapshot): Address;
  /** @throws UnitError unless the status of that call is fine. */
  settleRestore(status: number): void;
  /** The FMU handed out a state. @throws UnitError when that is NULL. */
  keepState(state: Address): Snapshot;
  /** The state that the FMU is about to free. */
  stateOf(snapshot: Snapshot): Address;
  /** The FMU freed the state of a snapshot. */
  dropState(snapshot: Snapshot): void;
  /** @throws UnitError unless the status lets the run go on. Logs what the FMU said. */
  settle(call: string, status: number): void;
  settleStep(from: number, to: number, status: number): Stop;
  /** Inputs that follow polynomials inside its steps. */
  readonly follower: InputFollower | undefined;
  /**
   * None of its calls can change the floating-point state (float-proof.ts): code need not check
   * after them.
   */
  isSteady(): boolean;
  /** A call left another floating-point state behind; code put it back. */
  floatStateLeft(call: string, found: FloatState): void;
}
