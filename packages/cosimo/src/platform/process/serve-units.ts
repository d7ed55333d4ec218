/**
 * The other side of `UnitProcess`: what a process that holds units does. It waits for messages and
 * answers them, until nobody is there who could send one, or nobody wants anything more.
 */
import { TO_UNIT } from "../../remote/codes.ts";
import { putAsk } from "../../remote/encode.ts";
import { Nonsense } from "../../remote/protocol.ts";
import { UnitServer, type UnitServerOptions } from "../../remote/unit-server.ts";
import { type ByteReader, ByteWriter } from "../../unit/bytes.ts";
import type { Ties } from "../../unit/ties.ts";
import { CHANNEL_BYTES, ChannelEnd, HOST, type Patience } from "./channel.ts";
import { mapMemoryFile } from "./memory-file.ts";
import { MEMORY_FD } from "./unit-process.ts";

/** How long to sleep between two looks for the caller. */
const SLICE_SECONDS = 1;

/** The caller's memory, in the process that it started. */
export function openHostEnd(patience: Patience): ChannelEnd {
  return new ChannelEnd(mapMemoryFile(MEMORY_FD, CHANNEL_BYTES), HOST, patience);
}

export async function serveUnits(
  channel: ChannelEnd,
  options: Omit<UnitServerOptions, "ties">,
  isWanted: () => boolean,
): Promise<void> {
  const answer = new ByteWriter();
  const awaitTurn = (): void => {
    while (!channel.await(SLICE_SECONDS)) if (!isWanted()) process.exit(0);
  };
  const server = new UnitServer({ ...options, ties: asking(channel, awaitTurn) });
  for (;;) {
    awaitTurn();
    const message: ByteReader = channel.take(awaitTurn);
    const promised = server.handle(message, answer);
    if (promised !== undefined) await promised;
    if (server.isOver) return;
    channel.send(answer, awaitTurn);
  }
}

/** The caller orders simultaneous events: a question in the middle of a call, and its answer. */
function asking(channel: ChannelEnd, awaitTurn: () => void): Ties {
  const question = new ByteWriter();
  return {
    choose(tie) {
      question.cut(0);
      putAsk(question, { kind: "ask", tie });
      channel.send(question, awaitTurn);
      awaitTurn();
      const reply = channel.take(awaitTurn);
      if (TO_UNIT.name(reply.u8()) !== "choice") throw new Nonsense("not a choice");
      return Math.min(reply.u32(), tie.among.length - 1);
    },
  };
}
