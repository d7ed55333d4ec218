/**
 * What a caller may choose about a native instance. All of it is fixed when the instance is made.
 */
import type { LibraryHandle } from "koffi";
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { FmuDescription } from "../../fmi/description.ts";
import type { FmiInterfaceName } from "../../model/integrator.ts";
import type { UnitDescription } from "../../model/unit-description.ts";

export interface NativeFmu {
  /**
   * The unpacked FMU. One folder is one set of C globals: instances that must not share any need a
   * folder each.
   */
  readonly folder: string;
  readonly description: FmuDescription;
}

/** What an instance is made from, once the binary is loaded and the capabilities are agreed. */
export interface UnitSource {
  readonly library: LibraryHandle;
  /** Where the library was loaded from. */
  readonly file: string;
  readonly fmu: NativeFmu;
  readonly description: UnitDescription;
  readonly interface: FmiInterfaceName;
  readonly onDispose: () => void;
}

export type LogStatus = "ok" | "warning" | "discard" | "error" | "fatal" | "pending";

export interface LogEntry {
  readonly status: LogStatus;
  readonly category: string;
  readonly message: string;
}

export interface NativeUnitOptions {
  /** The instance's name; default: the model's. */
  readonly name?: string;
  /**
   * True: everything the FMU logs. False: nothing. Default: enough to explain failures: FMI 2 its
   * status categories, FMI 3 what the FMU enables by itself.
   */
  readonly loggingOn?: boolean;
  readonly onLog?: (entry: LogEntry) => void;
  /** Gets what is odd about the binary, though it can be used. */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void;
  /** Gets one line per FMI call; without it calls cost nothing extra. */
  readonly callLog?: (line: string) => void;
  /** Its first word holds the id of the running call (CALL_NAMES), 0 between calls. */
  readonly lastCall?: Int32Array;
  /** Called with the file of its library before it is loaded. */
  readonly onLibrary?: (file: string) => void;
  /** Structural parameters by name (FMI 3), set in configuration mode. */
  readonly structural?: ReadonlyMap<string, number>;
  /** FMI 3: whether the caller handles events. Default: if the FMU has event mode. */
  readonly eventMode?: boolean;
  /** FMI 3: whether `advance` may stop before its time. Default: with event mode. */
  readonly earlyReturn?: boolean;
  /** FMI 3: called inside `advance`; the named ports may be read and written there. */
  readonly intermediateUpdate?: {
    readonly ports: readonly number[];
    readonly handle: (update: IntermediateUpdate) => void;
  };
  /**
   * FMI 3: inputs that take derivatives, as the FMU asks for them inside its steps; in place of
   * `intermediateUpdate`.
   */
  readonly follow?: readonly number[];
  /**
   * "callback" uses the portable logger everywhere; FMUs must not log from threads of their own
   * then.
   */
  readonly logger?: "any" | "callback";
  /**
   * A file for log messages in flight: `readLogFile` (log-ring.ts) gives the last messages to a
   * process that died.
   */
  readonly logFile?: string;
}

/** One pause inside a step. */
export interface IntermediateUpdate {
  readonly time: number;
  readonly setRequested: boolean;
  readonly getAllowed: boolean;
  readonly stepFinished: boolean;
  readonly canReturnEarly: boolean;
  /** Asks the FMU to end the step at `time` or as soon after as it can. */
  returnEarly(time: number): void;
}
