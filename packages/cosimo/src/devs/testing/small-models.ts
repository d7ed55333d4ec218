/** Models of a few lines, for tests about instants and orders. */
import { type AtomicModel, atomic, port } from "../model.ts";

export const NEVER: number = Number.POSITIVE_INFINITY;

/** Sends its name once, at a time. */
export function sender(at: number, value: string): AtomicModel {
  return atomic({
    name: value,
    outputs: { out: port<string>() },
    initial: at,
    timeAdvance: (left) => left,
    output: (_, send) => send("out", value),
    internal: () => NEVER,
  });
}

/** Writes down every transition; sends what it wrote when it is over. */
export function recorder(ownTime: number, hasConfluent = false): AtomicModel {
  const note = (log: string, text: string): string => (log === "" ? text : `${log}; ${text}`);
  return atomic({
    name: "recorder",
    inputs: { in: port<string>() },
    outputs: { out: port<string>() },
    initial: { log: "", left: ownTime },
    timeAdvance: ({ left }) => left,
    output: ({ log }, send) => send("out", log),
    internal: ({ log }, now) => ({ log: note(log, `int e=${now.elapsed}`), left: NEVER }),
    external: ({ log, left }, input) => ({
      log: note(log, `ext e=${input.elapsed} ${input.values("in").join("+")}`),
      left: left - input.elapsed,
    }),
    ...(hasConfluent && {
      confluent: ({ log }: { log: string }, input) => ({
        log: note(log, `con e=${input.elapsed} ${input.values("in").join("+")}`),
        left: NEVER,
      }),
    }),
  });
}
