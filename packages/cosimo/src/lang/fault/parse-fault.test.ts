/** Faults as text: lines, files, scripts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../base/diagnostic.ts";
import { parseFaultYaml } from "../scenario/parse-faults.ts";
import { parseScenarioYaml } from "../scenario/parse-scenario.ts";
import { parseFaultFile, parseFaultLine } from "./parse-fault.ts";

const PLACE = { file: "f", line: 1, column: 1 };
const ALWAYS = Number.POSITIVE_INFINITY;
const line = (text: string) => unwrap(parseFaultLine(text, PLACE));
const mistake = (text: string) =>
  parseFaultLine(text, PLACE).diagnostics.map(({ message }) => message);

describe("a fault in a line", () => {
  it("[FA16] has a target, a kind with its argument, and says when", () => {
    expect(line("motor.speed stuck 0 at 3 s")).toEqual({
      target: "motor.speed",
      effect: { kind: "stuck", value: "0" },
      when: { kind: "time", at: 3, until: ALWAYS },
      text: "motor.speed stuck 0 at 3 s",
      place: PLACE,
    });
    expect(line("a.x offset 2 K at 500 ms for 2 s")).toMatchObject({
      effect: { kind: "offset", amount: 2, unit: "K" },
      when: { at: 0.5, until: 2.5 },
    });
    expect(line("a.x drift 6 K/min until 1 min")).toMatchObject({
      effect: { kind: "drift", amount: 0.1, unit: "K" },
      when: { at: -ALWAYS, until: 60 },
    });
    expect(line("a.x noise 0.2 seed 7 every 10 ms")).toMatchObject({
      effect: { kind: "noise", amount: 0.2, seed: 7, every: 0.01 },
    });
    expect(line("a.x drop-out")).toMatchObject({ effect: { probability: 1, seed: 1 } });
    expect(line('a.label stuck "out of order" as text')).toMatchObject({
      name: "text",
      effect: { value: "out of order" },
    });
    expect(line("motor fails on control.trip")).toMatchObject({
      target: "motor",
      effect: { kind: "fails" },
      when: { kind: "on", lasts: ALWAYS, condition: { unit: "control", name: "trip" } },
    });
    expect(line("a.x stuck while b.y > 3 and not c.z").when).toMatchObject({
      kind: "while",
      condition: { kind: "binary", operator: "and" },
    });
  });

  it("[FA17] says what is wrong and how to write it", () => {
    expect(mistake("motor.speed")).toEqual(["'motor.speed': it does not say what happens"]);
    expect(mistake("a.x stuk 0")).toEqual(["there is no fault of the kind 'stuk'"]);
    expect(mistake("a.x gain two")).toEqual(["'a.x gain two': 'two' is not a number"]);
    expect(mistake("a.x delay -1 s")[0]).toContain("not a time above 0");
    expect(mistake("a.x drop-out 2")[0]).toContain("at most 1");
    expect(mistake("a.x stuck 0 for 2 s")[0]).toContain("'for' needs a beginning");
    expect(mistake("a.x stuck 0 at 1 for 2 until 3")[0]).toContain("both say when it ends");
    expect(mistake("a.x stuck 0 at 1 at 2")[0]).toContain("is there twice");
    expect(mistake("a.x gain 2 seed 3")[0]).toContain("'seed' is for noise and drop-out");
    expect(mistake("a frozen 3")[0]).toContain("takes no value");
    expect(mistake("a.x stuck 0 while b.y = 3")[0]).toContain("the condition 'b.y = 3'");
  });

  it("[FA17] never throws, whatever the text", () => {
    const word = fc.constantFrom(
      ...'a.x stuck noise at for on while until seed every as 3 s > ( @ # " - 1e9 K/s'.split(" "),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word).map((words) => words.join(" ")),
        ),
        (text) => {
          const { value, diagnostics } = parseFaultLine(text, PLACE);
          expect(value === undefined).toBe(diagnostics.length > 0);
          parseFaultFile(text, "f");
          parseFaultYaml(text, "f");
        },
      ),
      { seed: 3 },
    );
  });
});

describe("a file of faults", () => {
  it("[FA16] reads the script of the thesis as it is", () => {
    const drafts = unwrap(parseFaultFile("@0 fanIsBroken false\n@1900 fanIsBroken true\n", "f"));
    expect(drafts).toMatchObject([
      {
        name: "fanIsBroken@0",
        target: "fanIsBroken",
        effect: { kind: "stuck", value: "false" },
        when: { at: 0, until: 1900 },
        place: { file: "f", line: 1 },
      },
      {
        effect: { kind: "stuck", value: "true" },
        when: { at: 1900, until: ALWAYS },
        place: { file: "f", line: 2 },
      },
    ]);
  });

  it("[FA16] mixes scripts, lines and comments; mistakes have their line", () => {
    const text = "# a comment\n\na.x stuck 0 at 3 s # why\n@5 a.y 2\n@soon a.y 3\n@7\n  b fals\n";
    const { value, diagnostics } = parseFaultFile(text, "f");
    expect(value?.map(({ target }) => target)).toEqual(["a.x", "a.y"]);
    expect(diagnostics.map(({ place, code }) => [place.line, code])).toEqual([
      [5, "fault-malformed"],
      [6, "fault-malformed"],
      [7, "fault-kind-unknown"],
    ]);
  });
});

describe("faults in YAML", () => {
  const faultsOf = (text: string) => unwrap(parseScenarioYaml(`units: { a: a.fmu }\n${text}`, "s"));

  it("[FA16] a map has the words of a line as its keys", () => {
    const { faults = [] } = faultsOf(`faults:
  - a.x noise 0.2 K seed 7 every 10 ms at 3 s for 2 s as hiss
  - { name: hiss, port: a.x, noise: 0.2 K, seed: 7, every: 10 ms, at: 3 s, for: 2 s }
  - { unit: a, frozen: true, at: 3 s }
  - { port: a.x, drop-out: true }
  - { port: a.x, stuck: true }
  - { port: a.x, stuck: }
`);
    const [text, map, frozen, lost, on, kept] = faults.map(
      ({ place: _, text: __, ...rest }) => rest,
    );
    expect(map).toEqual(text);
    expect(frozen).toMatchObject({ target: "a", effect: { kind: "frozen" } });
    expect(lost).toMatchObject({ effect: { kind: "drop-out", probability: 1 } });
    expect(on).toMatchObject({ effect: { kind: "stuck", value: "true" } });
    expect(kept?.effect).toEqual({ kind: "stuck" });
  });

  it("[FA16] a word alone is the path of a file, alone or in the list", () => {
    expect(faultsOf("faults: broken.faults").faultFiles).toMatchObject([{ path: "broken.faults" }]);
    const mixed = faultsOf("faults: [more.yaml, a.x stuck 0 at 3 s]");
    expect(mixed.faultFiles).toMatchObject([{ path: "more.yaml" }]);
    expect(mixed.faults).toHaveLength(1);
    expect(unwrap(parseFaultYaml("- a.x stuck 0 at 3 s\n", "f"))).toHaveLength(1);
    expect(unwrap(parseFaultYaml("faults:\n  - a.x stuck 0 at 3 s\n", "f"))).toHaveLength(1);
  });
});
