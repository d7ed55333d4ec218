/**
 * Colours of our languages with a grammar: comments, strings, numbers and their words. The grammars
 * themselves stay with the language server; colours need no more than this.
 */
import type { StreamParser } from "@codemirror/language";

const WORDS: Readonly<Record<string, string>> = {
  sa: "above adaptation and at below boolean break control delay delayed discrete else false fmu for if implied import in inner input integer max mealy min module moore multiply not or otherwise out output param ports reactive real return rules semantic string true var while with",
  mci: "constant continuous direction extrapolation false interpolation ioevents monitored nature ports properties reference rollback temporalreference temporalreferences time transient true type",
  mcl: "above as been below do event every experiment falls from has is load not occurs on rises start step stop sync to value when within",
  hint: "after always and between description end eventually every for globally historically holds if iff implies never not once or pattern scope since statements then until val with within",
};

/** @returns undefined where the file is of none of these languages. */
export function wordsOf(path: string): StreamParser<{ inComment: boolean }> | undefined {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  const list = WORDS[ending === "mbi" ? "mci" : ending];
  if (list === undefined) return undefined;
  const words = new Set(list.split(" "));
  return {
    startState: () => ({ inComment: false }),
    token(stream, state) {
      if (state.inComment || stream.match("/*")) {
        state.inComment = !stream.match(/^.*?\*\//);
        if (state.inComment) stream.skipToEnd();
        return "comment";
      }
      if (stream.match(/^(\/\/|#).*/)) return "comment";
      if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return "string";
      if (stream.match(/^\d+\.?\d*(?:[eE][+-]?\d+)?/)) return "number";
      const word = stream.match(/^[A-Za-z_][\w-]*/);
      if (word && typeof word === "object") return words.has(word[0]) ? "keyword" : null;
      stream.next();
      return null;
    },
  };
}
