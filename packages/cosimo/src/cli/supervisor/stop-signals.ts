/**
 * Requests to stop from outside: Ctrl-C, a closing terminal, a scheduler. They end a run and keep
 * its rows; the exit code says which it was, as shells have it: 128 and the number of the signal.
 */

export const STOP_CODES = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 } as const;

export type StopSignal = keyof typeof STOP_CODES;

/** While it is open, stop signals do not end this process. */
export class StopRequests {
  /** The first of them. */
  signal: StopSignal | undefined;
  /** What to do about each. */
  onStop: (signal: StopSignal) => void = () => undefined;
  private readonly listeners: readonly (readonly [StopSignal, () => void])[];

  constructor() {
    this.listeners = (Object.keys(STOP_CODES) as StopSignal[]).map((signal) => [
      signal,
      () => {
        this.signal ??= signal;
        this.onStop(signal);
      },
    ]);
    for (const [signal, listener] of this.listeners) process.on(signal, listener);
  }

  close(): void {
    for (const [signal, listener] of this.listeners) process.off(signal, listener);
  }
}
