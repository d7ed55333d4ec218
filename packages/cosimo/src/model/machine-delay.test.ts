import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { parseMachine } from "../lang/machine/parse-machine.ts";
import { machineDelay } from "./machine-delay.ts";

const delayOf = (text: string): number | undefined =>
  machineDelay(
    unwrap(parseMachine(`machine: m\ninputs: { in: event }\nevents: [out]\n${text}`, "m")),
  );

describe("how soon a machine answers an event", () => {
  it.each([
    ["at once", "initial: a\nstates: { a: [{ on: in, emit: out, to: a }] }", 0],
    [
      "after a time",
      "initial: a\nstates: { a: [{ on: in, to: b }], b: [{ after: 2 s, emit: out, to: a }] }",
      2,
    ],
    [
      "by the shorter of two ways",
      "initial: a\nstates: { a: [{ on: in, to: b }], b: [{ after: 2 s, to: c }, { after: 5 s, emit: out, to: a }], c: [{ after: 1 s, emit: out, to: a }] }",
      3,
    ],
    [
      "never",
      "initial: a\nstates: { a: [{ on: in, to: b }], b: [{ after: 1 s, to: a }], c: [{ after: 1 s, emit: out, to: c }] }",
      Number.POSITIVE_INFINITY,
    ],
    [
      "on entering a state",
      "initial: a\nstates: { a: [{ on: in, to: b }], b: { entry: emit out, transitions: [{ after: 1 s, to: a }] } }",
      0,
    ],
    [
      "by a timer of a state around, which may be about to end",
      "initial: o\nstates: { o: { initial: a, states: { a: [{ on: in, to: b }], b: { } }, transitions: [{ after: 9 s, emit: out, to: o }] } }",
      0,
    ],
  ])("[SI10] %s", (_, text, expected) => {
    expect(delayOf(text)).toBe(expected);
  });

  it("[SI10] is not known where only a parameter says", () => {
    const ways = (after: string) =>
      `parameters: { T: { type: real, start: 1 } }\ninitial: a\nstates: { a: [{ on: in, to: b }], b: [{ after: ${after}, emit: out, to: a }] }`;
    expect(delayOf(ways("T"))).toBeUndefined();
    expect(delayOf(ways("4 s"))).toBe(4);
  });
});
