/**
 * What findings about a YAML text are about: the key or value that begins at their place, and the
 * edit that they suggest.
 */
import type { Diagnostic } from "../../../base/diagnostic.ts";
import { nearest } from "../../../base/nearest.ts";
import type { QuickFix } from "../../text/editor-language.ts";
import { meantWord } from "../../text/named-things.ts";
import { lineEnd, offsetOf, type Span, wordEnd } from "../../text/span.ts";
import type { WrittenScalar } from "./yaml-context.ts";

/** The key or value that begins there, as far as its line goes; else the word. */
export function findingSpan(
  text: string,
  scalars: readonly WrittenScalar[],
  { place: { line, column = 1 } }: Diagnostic,
): Span {
  if (line === undefined) return { offset: 0, end: lineEnd(text, 0) };
  const offset = Math.min(offsetOf(text, line, column), text.length);
  const scalar = scalars.find((one) => one.offset === offset);
  const end =
    scalar === undefined ? wordEnd(text, offset) : Math.min(scalar.end, lineEnd(text, offset));
  return { offset, end: Math.max(end, offset + 1) };
}

export function findingFix(
  text: string,
  scalars: readonly WrittenScalar[],
  finding: Diagnostic,
): QuickFix | undefined {
  const span = findingSpan(text, scalars, finding);
  const word = quotedIn(text, span, finding) ?? span;
  return meantWord(text, word, finding, true, (name) => name);
}

/**
 * Of several names the one that the message quotes: in the text that is marked, or else behind its
 * begin in the same line. Where it quotes several ('power' has no port 'omgea'), the one that
 * resembles what is suggested.
 */
function quotedIn(
  text: string,
  { offset, end }: Span,
  { message, fix }: Diagnostic,
): Span | undefined {
  const quoted = Array.from(message.matchAll(/'([^']+)'/g), ([, name = ""]) => name);
  const meant = /^did you mean '(.+?)'\?/.exec(fix)?.[1] ?? "";
  for (const until of [end, lineEnd(text, offset)]) {
    const written = text.slice(offset, until);
    const found = quoted.filter((name) => written.includes(name));
    const name = nearest(meant, found) ?? found[0];
    const at = name === undefined ? -1 : written.indexOf(name);
    if (name !== undefined) return { offset: offset + at, end: offset + at + name.length };
  }
  return undefined;
}
