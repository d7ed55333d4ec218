/**
 * A process that holds units, seen from the one that started it: starts it, carries messages to it,
 * notices when it is gone or silent, and ends it. What it inherits is its memory and the standard
 * output; everything else is said in messages.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { putMessage } from "../../remote/encode.ts";
import { Nonsense, PeerLost } from "../../remote/protocol.ts";
import type { Transport } from "../../remote/transport.ts";
import { type ByteReader, ByteWriter, EndOfBytes } from "../../unit/bytes.ts";
import { CALL_NAMES } from "../native/call-names.ts";
import { CALLER, CHANNEL_BYTES, ChannelEnd, type Patience } from "./channel.ts";
import { makeMemoryFile, mapMemoryFile } from "./memory-file.ts";
import { type ProcessEnd, unreapedEnd } from "./process-end.ts";

/** The descriptor under which the process finds the memory. */
export const MEMORY_FD = 3;

export interface ProcessCommand {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Descriptors that it inherits behind the memory, from MEMORY_FD + 1 on; closed here once it has
   * them.
   */
  readonly files?: readonly number[];
}

export interface UnitProcessOptions {
  /** Of its units, as they are opened. */
  readonly names: readonly string[];
  /** By unit: gets the call that it is in, in long waits. */
  readonly mirrors?: readonly Int32Array[];
  readonly patience: Patience;
  /** How long a call may take; default: as long as it takes. */
  readonly callSeconds?: number;
  /** In words what an end means, where a limit of ours caused it. */
  readonly explainEnd?: (end: ProcessEnd) => string | undefined;
  /**
   * Called when it ended otherwise than it should after its units were freed; undefined: it did not
   * end.
   */
  readonly onBadEnd?: (how: string | undefined) => void;
}

/** How long to sleep between two looks at the process. */
const SLICE_SECONDS = 0.02;
/** Until its program is loaded it does not answer. */
const START_SECONDS = 60;
/** How long units may take to be freed. */
const END_SECONDS = 5;
const EXIT_SLICE_SECONDS = 0.002;

export class UnitProcess implements Transport {
  private readonly child: ChildProcess;
  private readonly channel: ChannelEnd;
  private readonly options: UnitProcessOptions;
  private isAnswering = false;
  /** A message was not answered yet. */
  private isWaiting = false;
  private isClosed = false;
  private readonly awaitTurn = (): void => this.await();

  constructor(command: ProcessCommand, options: UnitProcessOptions) {
    this.options = options;
    const file = makeMemoryFile(CHANNEL_BYTES);
    const { files = [] } = command;
    try {
      this.channel = new ChannelEnd(mapMemoryFile(file, CHANNEL_BYTES), CALLER, options.patience);
      this.child = spawn(command.program, [...command.arguments], {
        stdio: ["ignore", "inherit", "inherit", file, ...files],
        ...(command.environment && { env: command.environment }),
      });
    } finally {
      for (const one of [file, ...files]) closeSync(one);
    }
    // A program that cannot be started is noticed as one that is not there.
    this.reaped = new Promise((resolve) => {
      this.child.on("error", () => resolve()).on("exit", () => resolve());
    });
    this.child.unref();
  }

  /** When the system learned that its end was noticed: until then it counts as a process. */
  readonly reaped: Promise<void>;

  send(message: ByteWriter): void {
    this.isWaiting = true;
    this.channel.send(message, this.awaitTurn);
  }

  receive(): ByteReader {
    try {
      this.await();
      const answer = this.channel.take(this.awaitTurn);
      this.isAnswering = true;
      this.isWaiting = false;
      return answer;
    } catch (error) {
      if (!(error instanceof Nonsense || error instanceof EndOfBytes)) throw error;
      throw new PeerLost("an answer that is not one", {
        problem: `what came from its process is not an answer (${error.message}): its memory may be damaged`,
      });
    }
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    if (!this.isWaiting && this.isAnswering) this.letEnd();
    this.kill();
    this.channel.close();
  }

  /**
   * What libraries do at the end of their process belongs to the run, if it does not take for ever.
   */
  private letEnd(): void {
    const last = new ByteWriter();
    putMessage(last, { kind: "close" });
    this.channel.send(last, this.awaitTurn);
    const end = performance.now() + 1000 * END_SECONDS;
    while (this.endOfProcess() === undefined && performance.now() < end)
      this.channel.await(EXIT_SLICE_SECONDS);
    const how = this.endOfProcess();
    if (how?.code !== 0) this.options.onBadEnd?.(how && endText(how));
  }

  private kill(): void {
    if (this.endOfProcess() === undefined) this.child.kill("SIGKILL");
  }

  private await(): void {
    const { channel, options } = this;
    if (channel.await(SLICE_SECONDS)) return;
    const { callSeconds } = options;
    const bound = this.isAnswering
      ? (callSeconds ?? Number.POSITIVE_INFINITY)
      : Math.max(callSeconds ?? START_SECONDS, START_SECONDS);
    const begun = performance.now();
    for (;;) {
      this.mirrorCalls();
      if (channel.await(SLICE_SECONDS)) {
        for (const mirror of options.mirrors ?? []) mirror[0] = 0;
        return;
      }
      const end = this.endOfProcess();
      // It may have answered and ended since we looked.
      if (end !== undefined && !channel.await(0)) throw this.gone(end);
      const seconds = (performance.now() - begun) / 1000;
      if (seconds > bound) throw this.silent(bound);
    }
  }

  private endOfProcess(): ProcessEnd | undefined {
    const { pid, exitCode: code, signalCode: signal } = this.child;
    if (pid === undefined) return { code: NOT_STARTED, signal: null };
    if (code !== null || signal !== null) return { code, signal };
    return unreapedEnd(pid);
  }

  private gone(end: ProcessEnd): PeerLost {
    const how = this.options.explainEnd?.(end) ?? endText(end);
    const [call] = this.callsUnderWay();
    if (call !== undefined) return new PeerLost(how, { call });
    const problem = `its process could not be started: it ended with ${how}`;
    return new PeerLost(how, this.isAnswering ? {} : { problem });
  }

  private silent(seconds: number): PeerLost {
    const [call = "its process"] = this.callsUnderWay();
    this.kill();
    const how = `no answer within ${seconds} s`;
    return new PeerLost(how, {
      call,
      problem: `${call} did not return within ${seconds} s, and was ended`,
    });
  }

  /** For the message when we are ended while we wait. */
  private mirrorCalls(): void {
    const { mirrors = [] } = this.options;
    for (let unit = 0; unit < mirrors.length; unit++) {
      const mirror = mirrors[unit];
      if (mirror !== undefined) mirror[0] = this.channel.callWord(unit)[0] ?? 0;
    }
  }

  /**
   * The calls that its units are in, by the words that they left; a unit that wrote wildly may have
   * overwritten its own.
   */
  private callsUnderWay(): string[] {
    return this.options.names.flatMap(
      (_, unit) => CALL_NAMES[this.channel.callWord(unit)[0] ?? 0] || [],
    );
  }
}

const NOT_STARTED = 127;

export function endText({ code, signal }: ProcessEnd): string {
  switch (signal) {
    case null:
      return `exit code ${code} (it ended its process)`;
    case "SIGSEGV":
    case "SIGBUS":
      return `${signal} (it touched memory that is not its own)`;
    case "SIGABRT":
      return "SIGABRT (it gave up: a failed assertion or a corrupted heap)";
    case "SIGFPE":
      return "SIGFPE (it divided an integer by zero)";
    default:
      return signal;
  }
}
