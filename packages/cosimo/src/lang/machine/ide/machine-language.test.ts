import { describe, expect, it } from "vitest";
import { applyEdits } from "../../text/span.ts";
import { atCursor, offered } from "../../text/testing/editor.ts";
import { parseMachine } from "../parse-machine.ts";
import { MACHINE_LANGUAGE } from "./machine-language.ts";

const TEXT = `machine: light
inputs: { toOff: event }
outputs: { lamp: { type: integer, start: 1 } }
events: { changed: the light changed }
initial: on
states:
  on:
    initial: red
    states:
      red: [{ after: 60 s, emit: changed, to: green }]
      green: [{ after: 50 s, to: red }]
    transitions: [{ on: toOff, to: off }]
  off: []
`;
const NONE = new Map();
const labels = (marked: string): string[] =>
  offered(MACHINE_LANGUAGE, NONE, marked).map(({ label }) => label);
const cut = (find: string, by = ""): string => TEXT.replace(find, `${find.slice(0, -by.length)}‸`);

describe("a state machine in an editor", () => {
  it("[LS79] offers states, events and inputs where they can stand", () => {
    expect(labels(cut("to: off", "off"))).toEqual(["on", "red", "green", "off"]);
    expect(labels(cut("emit: changed", "changed"))).toEqual(["changed"]);
    expect(labels(cut("on: toOff", "toOff"))).toEqual(["toOff"]);
    expect(labels(cut("machine: light", "light"))).toEqual([]);
  });

  it("[LS79] goes to states, and renames them", () => {
    const { document, offset } = atCursor(MACHINE_LANGUAGE, TEXT.replace("to: red", "to: ‸red"));
    expect(document.definition(offset)).toMatchObject({
      kind: "here",
      span: { offset: TEXT.indexOf("red: [") },
    });
    const edits = document.rename(NONE, offset, "stop");
    if ("refused" in edits) throw new Error(edits.refused);
    const renamed = applyEdits(document.text, edits);
    expect(edits).toHaveLength(3);
    const dotted = atCursor(MACHINE_LANGUAGE, TEXT.replace("to: off", "to: on.‸red"));
    expect(dotted.document.uses(dotted.offset)).toHaveLength(4);
    expect(parseMachine(renamed, "x.machine.yaml").diagnostics).toEqual([]);
    expect(document.rename(NONE, offset, "green")).toHaveProperty("refused");
    expect(document.rename(NONE, offset, "a b")).toHaveProperty("refused");
  });

  it("[LS79] marks what a finding is about, and writes what was meant", () => {
    const text = TEXT.replace("to: off", "to: offf");
    const document = MACHINE_LANGUAGE.open(text, "x.machine.yaml");
    const [finding] = parseMachine(text, "x.machine.yaml").diagnostics;
    const fix = document.fix(finding!);
    expect(applyEdits(text, fix ? [fix.edit] : [])).toBe(TEXT);
    expect(document.outline().map(({ name }) => name)).toEqual([
      "toOff",
      "lamp",
      "changed",
      "on",
      "red",
      "green",
      "off",
    ]);
    expect(document.declarationOf("lamp")).toMatchObject({ offset: TEXT.indexOf("lamp") });
  });
});
