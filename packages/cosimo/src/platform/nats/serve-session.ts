/**
 * The other end: the units of one run on one node. Takes calls from the session's subject, answers
 * each once, and ends with the run: when the caller says so, or when nothing was heard of it for so
 * long.
 */
import { Nonsense } from "../../remote/protocol.ts";
import { UnitServer, type UnitServerOptions } from "../../remote/unit-server.ts";
import { ByteReader, ByteWriter, EndOfBytes } from "../../unit/bytes.ts";
import type { Unit } from "../../unit/unit.ts";
import { AnswerLine } from "./call-line.ts";
import type { NatsConnection } from "./connect.ts";
import { FRAME, type Frame, takeFrame } from "./frames.ts";
import { LoopLook } from "./looking.ts";
import { COORDINATE, PARTS } from "./peer-subjects.ts";

export interface SessionOptions {
  /** Where calls come from, and where answers go. */
  readonly calls: string;
  readonly answers: string;
  readonly silenceSeconds: number;
  /** Of a channel's units. */
  readonly units: (channel: number) => UnitServerOptions;
  /** A message that is none, or belongs to nothing. */
  readonly onDropped: (why: string) => void;
  /**
   * A packet of the caller about a distributed run, with the units of channels; `attempt` counts
   * how often the run was begun or went on.
   */
  readonly onCoordinate?: (
    packet: Uint8Array,
    unitOf: (channel: number) => Unit | undefined,
    attempt: number,
  ) => void;
  /** A packet of the caller about a part of a discrete-event model. */
  readonly onParts?: (packet: Uint8Array) => void;
}

interface ServedChannel {
  readonly line: AnswerLine;
  readonly server: UnitServer;
  /** Each its own: opening takes its time, and other channels are served meanwhile. */
  readonly answer: ByteWriter;
  readonly dispose: () => void;
  readonly units: readonly Unit[];
  isBroken: boolean;
}

const MAX_CHANNELS = 100_000;
const FRAME_MARGIN = 1024;
const LOOK_MS = 1000;

/** @returns why it ended, in words. */
export function serveSession(
  connection: NatsConnection,
  options: SessionOptions,
): Promise<"the caller is through" | "nothing was heard of the caller"> {
  const channels = new Map<number, ServedChannel>();
  const looking = new LoopLook();
  const limit = (connection.info?.max_payload ?? 1 << 20) - FRAME_MARGIN;
  const send = (frames: readonly Uint8Array[]): void => {
    for (const frame of frames) connection.publish(options.answers, frame);
  };
  return new Promise((resolve) => {
    let heard = performance.now();
    const subscription = connection.subscribe(options.calls, {
      callback: (error, message) => {
        if (error !== null) return;
        heard = performance.now();
        try {
          take(takeFrame(message.data));
        } catch (problem) {
          if (!(problem instanceof Nonsense || problem instanceof EndOfBytes)) throw problem;
          options.onDropped(problem.message);
        }
      },
    });
    let looked = performance.now();
    let isConnected = true;
    const look = setInterval(() => {
      const now = performance.now();
      // While a call takes its time, or the server is away, nothing can be heard.
      if (now - looked > 2 * LOOK_MS || connection.isClosed() || !isConnected) heard = now;
      looked = now;
      if (now - heard > 1000 * options.silenceSeconds) end("nothing was heard of the caller");
    }, LOOK_MS);
    void (async () => {
      for await (const { type } of connection.status()) {
        if (type === "disconnect") isConnected = false;
        if (type === "reconnect") isConnected = true;
      }
    })();

    function end(why: "the caller is through" | "nothing was heard of the caller"): void {
      clearInterval(look);
      subscription.unsubscribe();
      for (const { dispose } of channels.values()) dispose();
      channels.clear();
      resolve(why);
    }

    function take(frame: Frame): void {
      switch (frame.kind) {
        case FRAME.call:
          call(frame);
          break;
        case FRAME.keep:
          break;
        case FRAME.close:
          channels.get(frame.channel)?.dispose();
          channels.delete(frame.channel);
          break;
        case FRAME.end:
          end("the caller is through");
          break;
        case COORDINATE:
          options.onCoordinate?.(
            frame.body,
            (channel) => channels.get(channel)?.units[0],
            frame.number,
          );
          break;
        case PARTS:
          options.onParts?.(frame.body);
          break;
        default:
          throw new Nonsense(`a frame of kind ${frame.kind}`);
      }
    }

    function call(frame: Frame): void {
      const served = channels.get(frame.channel) ?? opened(frame);
      if (served.isBroken) return;
      const question = served.line.take(frame);
      if (question.kind === "repeat") send(question.frames);
      if (question.kind !== "new") return;
      const reply = (): void => {
        send(served.line.answer(served.answer.take()));
        looking.stir();
      };
      try {
        const message = new ByteReader(new Uint8Array(question.message));
        const promised = served.server.handle(message, served.answer);
        if (promised === undefined) reply();
        else void promised.then(reply);
      } catch (error) {
        // Nothing more is taken from a caller that sends what is not a message.
        served.isBroken = true;
        throw error;
      }
    }

    function opened({ channel, number }: Frame): ServedChannel {
      if (number !== 1) throw new Nonsense(`call ${number} of a channel that is not open`);
      if (channels.size >= MAX_CHANNELS) throw new Nonsense("too many channels");
      const units = options.units(channel);
      const made: Unit[] = [];
      const server = new UnitServer({
        ...units,
        open: (order, index) => {
          const keep = (unit: Unit): Unit => {
            made.push(unit);
            return unit;
          };
          const unit = units.open(order, index);
          return unit instanceof Promise ? unit.then(keep) : keep(unit);
        },
      });
      const dispose = (): void => {
        for (const unit of made.splice(0)) unit.dispose();
      };
      const line = new AnswerLine(channel, limit);
      const served = {
        line,
        server,
        answer: new ByteWriter(),
        dispose,
        units: made,
        isBroken: false,
      };
      channels.set(channel, served);
      return served;
    }
  });
}
