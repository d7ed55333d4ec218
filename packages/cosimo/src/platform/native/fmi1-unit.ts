/**
 * An FMI 1.0 Co-Simulation instance ("slave") as a unit.
 *
 * FMI 1.0 has no initialization mode: one call initializes, after all start values, those of inputs
 * included, were set. In the unit's phase "initialization" the instance is initialized already;
 * outputs that depend on inputs directly follow with the first step. It cannot save its state, so
 * that every step is a new one: the flag for that is the one that later versions have for "no
 * rollback".
 */
import { pathToFileURL } from "node:url";
import type { InitializationOptions } from "../../unit/unit.ts";
import { FMI1, type FMI1_CALLS, PASSES_CALLBACKS_BY_ADDRESS } from "./fmi1-version.ts";
import { libc } from "./libc.ts";
import type { NativeUnitOptions, UnitSource } from "./native-options.ts";
import { type PollCalls, PollingUnit } from "./polling-unit.ts";

type Table = typeof FMI1_CALLS;

const MIME_TYPE = "application/x-fmu-sharedlibrary";
/** It may take its time. */
const NO_TIMEOUT = 0;
const POLLS: PollCalls<Table> = { status: "fmiGetStatus", realStatus: "fmiGetRealStatus" };

export class Fmi1Unit extends PollingUnit<Table> {
  private readonly loggingOn: boolean | undefined;

  constructor(source: UnitSource, options: NativeUnitOptions) {
    super(source, FMI1, options, POLLS);
    this.loggingOn = options.loggingOn;
  }

  protected instantiate(): void {
    const { arena, calls, fmu, logger } = this.fmi;
    // logger, allocateMemory, freeMemory, stepFinished
    const callbacks = [logger.entry, libc().calloc, libc().free, 0];
    const block = arena.allocate(32);
    new BigInt64Array(block.buffer, block.offset, 4).set(callbacks.map(BigInt));
    this.fmi.handle = calls.fmiInstantiateSlave(
      arena.string(this.name),
      arena.string(fmu.description.instantiationToken),
      arena.string(pathToFileURL(fmu.folder).href),
      arena.string(MIME_TYPE),
      NO_TIMEOUT,
      0,
      0,
      ...(PASSES_CALLBACKS_BY_ADDRESS ? [block.address] : callbacks),
      // There are no categories to choose from: failures are to explain themselves.
      this.loggingOn === false ? 0 : 1,
    );
    if (this.fmi.handle === 0) this.fmi.fail("fmiInstantiateSlave", "NULL");
  }

  protected callEnterInitialization({ start, stop }: InitializationOptions): void {
    this.fmi.invoke("fmiInitializeSlave", start, stop === undefined ? 0 : 1, stop ?? 0);
  }
}
