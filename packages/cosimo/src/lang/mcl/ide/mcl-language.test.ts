import { describe, expect, it } from "vitest";
import { unwrap } from "../../../base/diagnostic.ts";
import { describeUnitInterface } from "../../../model/describe-unit-interface.ts";
import { parseMci } from "../../mci/parse-mci.ts";
import { atCursor, chosen, offered } from "../../text/testing/editor.ts";
import { listingsOf } from "../../text/testing/listings.ts";
import { draftOfMcl } from "../draft-of-mcl.ts";
import { parseMcl } from "../parse-mcl.ts";
import { MCL_LANGUAGE } from "./mcl-language.ts";

const declared = (text: string) => unwrap(parseMci(text, "x.mci"));
const PLANT = declared(`Interface Plant { FMUPath "plant.fmu" ports {
  Port temperature { direction OUTPUT nature continuous type Real }
  Port "der(x)" { direction OUTPUT nature continuous type Real }
  Port command { direction INPUT nature continuous type Real }
  Port isStopped { direction INPUT nature piecewise-constant type Boolean } }
  temporalreferences { ModelTemporalReference t { reference time } } }`);
const CONTROL = declared(`Interface Control { SUPath "c.machine.yaml" ports {
  Port reading { direction INPUT nature piecewise-constant type Real }
  Port state { direction OUTPUT nature piecewise-constant type Boolean }
  Port switch { direction OUTPUT nature transient type Boolean }
  Port limit { direction INPUT nature constant type Real } }
  temporalreferences { ModelTemporalReference s { reference time } } }`);
const UNITS = new Map(
  Object.entries({ plant: PLANT, control: CONTROL }).map(([name, one]) => [
    name,
    describeUnitInterface(one, undefined, () => undefined),
  ]),
);
const LOADS = 'load "plant.mci" as plant\nload "control.mci" as control\n';
const labels = (text: string, kind?: string): string[] =>
  offered(MCL_LANGUAGE, UNITS, LOADS + text)
    .filter((one) => kind === undefined || one.kind === kind)
    .map(({ label }) => label);
const ports = (text: string): string[] => labels(`Connector c ${text}`, "port");

describe("a specification in an editor", () => {
  it("[LS44] offers units, and behind their dot the ports that fit", () => {
    expect(labels("Connector c do ‸", "unit")).toEqual(["plant", "control"]);
    expect(ports("do plant.‸")).toEqual(["temperature", "der(x)"]);
    expect(ports("do plant.temperature -> control.‸")).toEqual(["reading"]);
    expect(ports("do control.switch -> plant.‸")).toEqual(["isStopped"]);
    expect(ports("(from plant.‸")).toEqual(["temperature", "der(x)"]);
    expect(ports("(from plant.temperature to plant.‸")).toEqual(["command", "isStopped"]);
  });

  it("[LS44] offers what a connector can wait for, and temporal references", () => {
    expect(ports("when event on control.‸")).toEqual(["switch"]);
    expect(ports("when value on control.‸ has been Updated")).toEqual(["state"]);
    expect(ports("when value on control.‸ is ReadyToRead")).toEqual(["reading"]);
    expect(ports("when value on control.‸")).toEqual(["reading", "state"]);
    expect(ports("when value on plant.‸ rises above 3")).toEqual(["temperature", "der(x)"]);
    expect(labels("Connector c when value on plant.temperature ‸", "keyword")).toEqual([
      "has been Updated",
      "is ReadyToRead",
      "rises above",
      "falls below",
    ]);
    expect(labels("Connector c when every 5 plant.‸", "variable")).toEqual(["t"]);
    expect(labels("Connector c when every 5 sync plant.t = control.‸", "variable")).toEqual(["s"]);
  });

  it("[LS44] says what is offered, with quotes where a name needs them", () => {
    const text = `${LOADS}Connector c do plant.‸ -> control.reading`;
    const [first] = offered(MCL_LANGUAGE, UNITS, text);
    expect(first?.detail).toBe("output, float64, continuous");
    expect(chosen(MCL_LANGUAGE, UNITS, text, "der(x)")).toContain('plant."der(x)" -> control');
  });

  it("[LS44] offers words where the grammar takes them", () => {
    const words = (text: string): string[] => labels(text, "keyword").sort();
    expect(words("‸")).toEqual(["Connector", "experiment", "load"]);
    expect(words("Connector c ‸")).toEqual(["do", "sync", "when"]);
    expect(words("Connector c when ‸")).toEqual(["event on", "every", "value on"]);
    expect(words("experiment { ‸ }")).toEqual(["start", "step", "stop"]);
    expect(words("// ‸")).toEqual([]);
  });

  it("[LS45] explains units, ports and temporal references", () => {
    const hover = (text: string): string | undefined => {
      const { document, offset } = atCursor(MCL_LANGUAGE, LOADS + text);
      return document.hover(UNITS, offset)?.markdown;
    };
    expect(hover("Connector c do plant.temper‸ature -> control.reading")).toContain(
      "**plant.temperature**: output, float64, continuous",
    );
    expect(hover("Connector c do pl‸ant.temperature -> control.reading")).toContain("plant.mci");
    expect(hover("Connector c when every 5 plant.‸t do")).toContain("temporal reference");
  });

  it("[LS46] goes to interfaces and their ports, finds uses and renames", () => {
    const text = `${LOADS}Connector c do plant.‸temperature -> control.reading`;
    const { document, offset } = atCursor(MCL_LANGUAGE, text);
    expect(document.definition(offset)).toMatchObject({
      kind: "there",
      source: "plant.mci",
      port: "temperature",
    });
    const path = document.text.indexOf("plant.mci");
    expect(document.definition(path)).toMatchObject({ kind: "there", source: "plant.mci" });
    expect(document.insideText(path)).toMatchObject({ endings: [".mci", ".mbi"] });
    const unit = document.text.indexOf("as plant") + 3;
    expect(document.uses(unit)).toHaveLength(2);
    expect(document.rename(UNITS, unit, "box")).toHaveLength(2);
    expect(document.rename(UNITS, unit, "control")).toEqual({
      refused: "'control' is the name of another unit.",
    });
    expect(document.rename(UNITS, offset, "x")).toHaveProperty("refused");
    expect(document.outline().map(({ name, kind }) => [name, kind])).toEqual([
      ["plant", "unit"],
      ["control", "unit"],
      ["c", "connector"],
    ]);
  });

  it("[LS47] marks what a finding is about, and writes what was meant", () => {
    const text = `${LOADS}Connector c do plant.temperatur -> contrl.reading`;
    const document = MCL_LANGUAGE.open(text, "x.mcl");
    const interfaces = new Map([
      ["plant.mci", PLANT],
      ["control.mci", CONTROL],
    ]);
    const { diagnostics } = draftOfMcl(unwrap(parseMcl(text, "x.mcl")), "x.mcl", ({ path }) =>
      interfaces.get(path),
    );
    const marked = diagnostics.map((one) => {
      const { offset, end } = document.spanOf(one);
      return text.slice(offset, end);
    });
    expect(marked).toEqual(["plant.temperatur", "contrl.reading"]);
    expect(diagnostics.map((one) => document.fix(one)?.title)).toEqual([
      "Write 'temperature' in place of 'temperatur'",
      "Write 'control' in place of 'contrl'",
    ]);
  });

  it.each(listingsOf("mcl"))(
    "[LS5] answers at any place of $name, whole or cut off",
    ({ text }) => {
      for (let at = 0; at < text.length; at += 13)
        for (const one of [text, text.slice(0, at)]) {
          const document = MCL_LANGUAGE.open(one, "x.mcl");
          document.complete(UNITS, Math.min(at, one.length));
          document.hover(UNITS, at);
          document.definition(at);
          document.uses(at);
          document.outline();
          document.insideText(Math.min(at, one.length));
        }
    },
    60_000,
  );
});
