/**
 * Input derivatives for FMI 3, which has no call for them: the FMU asks for its inputs inside the
 * step and gets the polynomial's value at that time (input-follower.ts). Seen from outside the unit
 * takes input derivatives like an FMI 2 one.
 */
import type { Unit } from "../../unit/unit.ts";
import { followedInputs } from "./followed-inputs.ts";
import type { NativeFmu, NativeUnitOptions } from "./native-options.ts";
import { openNativeUnit } from "./open-native-unit.ts";

/** A native unit whose intermediate inputs take derivatives. */
export function openFollowingUnit(fmu: NativeFmu, options: NativeUnitOptions = {}): Unit {
  return openNativeUnit(fmu, { ...options, follow: followedInputs(fmu.description) });
}
