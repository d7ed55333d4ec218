import { describe, expect, it } from "vitest";
import { standIn } from "../../../model/testing/stand-in-units.ts";
import { applyEdits } from "../../text/span.ts";
import { atCursor, chosen, offered } from "../../text/testing/editor.ts";
import { readHints } from "../meaning.ts";
import { HINT_LANGUAGE } from "./hint-language.ts";

const UNITS = new Map([
  ["plant", standIn("Plant", "out speed @rad/s; out der_x; in u @V; out on :boolean")],
  ["load", standIn("Load", "out torque @N.m")],
]);
const HEAD = 'for "s.yaml"\nHint h {\n  statements {\n    Property small := plant.speed < 3\n';
const TAIL = "\n  }\n  scope Globally\n  pattern Existence: small eventually-holds\n}\n";
const labels = (text: string, kind?: string): string[] =>
  offered(HINT_LANGUAGE, UNITS, text)
    .filter((one) => kind === undefined || one.kind === kind)
    .map(({ label }) => label);

describe("hints in an editor", () => {
  it("[LS90] offers units, their ports behind a dot, functions, and statements of the hint", () => {
    const inside = `${HEAD}    Property two := ‸${TAIL}`;
    expect(labels(inside, "unit")).toEqual(["plant", "load"]);
    expect(labels(inside, "variable")).toContain("small");
    expect(labels(inside, "function")).toEqual(
      expect.arrayContaining(["derivative", "settling", "energy"]),
    );
    const ports = `${HEAD}    Property two := plant.‸${TAIL}`;
    expect(labels(ports)).toEqual(["plant.speed", "plant.der_x", "plant.u", "plant.on"]);
    expect(chosen(HINT_LANGUAGE, UNITS, ports, "plant.speed")).toContain(
      "Property two := plant.speed\n",
    );
    expect(labels(`${HEAD}    Property two := abs(plant.sp‸) < 3${TAIL}`)).toContain("plant.speed");
  });

  it("[LS90] offers patterns, scopes and words where they can stand", () => {
    expect(labels(`Hint h { scope Globally pattern ‸ }`)).toEqual(
      expect.arrayContaining(["Universality", "Response", "MinimumDuration"]),
    );
    expect(labels(`Hint h { scope ‸ pattern Existence: a.b eventually-holds }`, "keyword")).toEqual(
      expect.arrayContaining(["Globally", "Before", "After", "Between"]),
    );
    expect(labels(`${HEAD}  }\n  ‸`, "keyword")).toEqual(["scope"]);
  });

  it("[LS90] explains ports, statements, functions and patterns", () => {
    const about = (marked: string): string => {
      const { document, offset } = atCursor(HINT_LANGUAGE, marked);
      return document.hover(UNITS, offset)?.markdown ?? "nothing";
    };
    expect(about(`${HEAD.replace("plant.speed", "plant.sp‸eed")}${TAIL}`)).toContain(
      "**plant.speed**: output, float64 (rad/s)",
    );
    expect(about(`${HEAD}${TAIL.replace("small", "sm‸all")}`)).toBe(
      "`Property small := plant.speed < 3`",
    );
    expect(about(`${HEAD}${TAIL.replace("Existence", "Exis‸tence")}`)).toContain(
      "P holds at some time of the scope.",
    );
    expect(about(`${HEAD}    Property two := deri‸vative(plant.speed) < 2${TAIL}`)).toContain(
      "the slope since the row before",
    );
  });

  it("[LS90] goes to statements, finds their uses and renames them in their hint", () => {
    const text = `${HEAD}${TAIL.replace("small", "sm‸all")}${HEAD.slice(13)}${TAIL}`;
    const { document, offset } = atCursor(HINT_LANGUAGE, text);
    const target = document.definition(offset);
    expect(
      target?.kind === "here" && document.text.slice(target.span.offset, target.span.end),
    ).toBe("small");
    expect(document.uses(offset)).toHaveLength(2);
    const edits = document.rename(UNITS, offset, "slow");
    if ("refused" in edits) throw new Error(edits.refused);
    const renamed = applyEdits(document.text, edits);
    expect(renamed.match(/slow/g)).toHaveLength(2);
    expect(renamed.match(/small/g)).toHaveLength(2);
    expect(
      document.outline().map(({ name, detail, children }) => [name, detail, children.length]),
    ).toEqual([
      ["h", "Existence", 1],
      ["h", "Existence", 1],
    ]);
  });

  it("[LS90] mends what was meant, and names the scenario that it is about", () => {
    const text = `${HEAD}${TAIL.replace("small", "smal")}`;
    const document = HINT_LANGUAGE.open(text, "f.hint");
    const [finding] = readHints(text, "f.hint").diagnostics;
    const fix = finding && document.fix(finding);
    expect(fix && applyEdits(text, [fix.edit])).toBe(`${HEAD}${TAIL}`);
    expect(document.names).toBe('"s.yaml"');
    const { document: quoted, offset } = atCursor(HINT_LANGUAGE, 'for "s‸" ');
    expect(quoted.insideText(offset)?.endings).toContain(".yaml");
  });
});
