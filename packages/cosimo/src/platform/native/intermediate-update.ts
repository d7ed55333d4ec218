/**
 * Pauses inside an FMI 3 step: the FMU calls us from within doStep, on our own thread, and the
 * handler may read and write the unit's intermediate ports before it returns. What the handler
 * throws must not cross the FMU's C code: it is kept, and thrown again once the step is over.
 */
import koffi from "koffi";
import { inOwnState } from "./float-guard.ts";
import type { Address } from "./native-memory.ts";
import type { IntermediateUpdate } from "./native-options.ts";

const CALLBACK = koffi.pointer(
  koffi.proto("void", ["void *", "double", "bool", "bool", "bool", "bool", "int64_t", "int64_t"]),
);

export class IntermediateUpdates {
  readonly entry: Address;
  private readonly callback: bigint;
  private readonly handle: (update: IntermediateUpdate) => void;
  private thrown: { readonly error: unknown } | undefined;

  constructor(handle: (update: IntermediateUpdate) => void) {
    this.handle = handle;
    this.callback = koffi.register(
      (
        _environment: unknown,
        time: number,
        setRequested: boolean,
        getAllowed: boolean,
        stepFinished: boolean,
        canReturnEarly: boolean,
        requested: Address,
        requestedTime: Address,
      ) => {
        koffi.encode(requested, "bool", false);
        koffi.encode(requestedTime, "double", time);
        if (this.thrown !== undefined) return;
        const returnEarly = (at: number): void => {
          koffi.encode(requested, "bool", true);
          koffi.encode(requestedTime, "double", at);
        };
        this.call({
          time,
          setRequested,
          getAllowed,
          stepFinished,
          canReturnEarly,
          returnEarly,
        });
      },
      CALLBACK,
    );
    this.entry = Number(this.callback);
  }

  rethrow(): void {
    const thrown = this.thrown;
    this.thrown = undefined;
    if (thrown !== undefined) throw thrown.error;
  }

  close(): void {
    koffi.unregister(this.callback);
  }

  private call(update: IntermediateUpdate): void {
    try {
      inOwnState(() => this.handle(update));
    } catch (error) {
      this.thrown = { error };
    }
  }
}
