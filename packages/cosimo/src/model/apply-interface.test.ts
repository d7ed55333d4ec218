import { describe, expect, it } from "vitest";
import { formatPlace, unwrap } from "../base/diagnostic.ts";
import { interfaceOf } from "../lang/mci/describe-mci.ts";
import { parseMci } from "../lang/mci/parse-mci.ts";
import { printMci } from "../lang/mci/print-mci.ts";
import { describedUnit } from "../plan/testing/described-unit.ts";
import { applyInterface } from "./apply-interface.ts";
import { natureProblem } from "./natures.ts";
import type { Nature } from "./unit-description.ts";

const UNIT = describedUnit("u, v -> y, z", { capabilities: { rollback: true } });

const applied = (text: string, unit = UNIT) =>
  applyInterface(unit, unwrap(parseMci(text, "a.mci")), "plant");
const found = (text: string, unit = UNIT): string[] =>
  applied(text, unit).diagnostics.map(
    ({ severity, code, message, fix, place }) =>
      `${formatPlace(place)} ${severity} ${code}: ${message} / ${fix}`,
  );
const port = (attributes: string, name = "y"): string =>
  `Interface A { ports {\n  Port ${name} { ${attributes} } } }`;

describe("an interface beside its unit", () => {
  it.each([
    [
      "[MI6] a variable that there is not",
      port("", "yy"),
      "a.mci:2:3 error interface-unknown-port: 'plant' has no variable 'yy' / did you mean 'y'? A port with another name has 'variableName \"y\"'",
    ],
    [
      "[MI6] another direction",
      port("direction INPUT"),
      "a.mci:2:3 error interface-direction: the interface says that 'plant.y' is input, and it is output / correct the direction, or name another variable with 'variableName'",
    ],
    [
      "[MI6] another type",
      port("type Boolean"),
      "a.mci:2:3 error interface-type: the interface says that 'plant.y' is Boolean, and it is Real / write 'type Real'",
    ],
    [
      "[MI6] another shape",
      port("type Real [2]"),
      "a.mci:2:3 error interface-type: the interface says that 'plant.y' is Real [2], and it is Real / write 'type Real'",
    ],
    [
      "[MI6] reads that are not reported",
      port("direction INPUT nature piecewise-constant ioevents { ReadyToRead }", "u"),
      "a.mci:2:65 warning interface-event: 'plant' does not report reads of 'plant.u', whatever its interface says / remove the event, and exchange with 'every' (FMI 2.0 has no such events)",
    ],
  ])("%s", (_, text, expected) => {
    expect(found(text)).toEqual([expected]);
  });

  it("[MI6] rollback that the unit does not have", () => {
    const bare = describedUnit("u -> y");
    expect(found("Interface A { properties { rollback } }", bare)[0]).toContain(
      "interface-rollback",
    );
    expect(found("Interface A { properties { rollback } }")).toEqual([]);
  });

  it("[MI6] finds the variable behind '::'", () => {
    const { description, diagnostics } = applied(
      port('variableName "M::z" nature constant', "other"),
    );
    expect(diagnostics).toEqual([]);
    expect(description.ports.map(({ name, nature }) => `${name} ${nature}`)).toEqual([
      "u continuous",
      "v continuous",
      "y continuous",
      "z constant",
    ]);
  });

  it("[MI7] counts where the description says something else", () => {
    const { description } = applied(`Interface A { ports {
      Port y { nature piecewise-constant }
      Port u { properties { interpolation } }
      Port v { properties { extrapolation } } }
      properties { rollback false } }`);
    const of = (name: string) => description.ports.find((one) => one.name === name);
    expect(of("y")?.nature).toBe("piecewise-constant");
    expect([of("u")?.reactive, of("v")?.reactive]).toEqual([true, false]);
    expect(description.capabilities.rollback).toBe(false);
    expect(description.ports.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  });

  it("[MI9] that is made from the description fits it", () => {
    const text = printMci(interfaceOf(UNIT, "plant.fmu"));
    expect(applied(text)).toMatchObject({ diagnostics: [], description: UNIT });
  });
});

describe("natures", () => {
  const ALL: readonly Nature[] = [
    "continuous",
    "piecewise-continuous",
    "piecewise-constant",
    "constant",
    "transient",
  ];
  it("[ML8] go together unless events meet signals, or something drives what is constant", () => {
    const fits = ALL.map((to) => ALL.filter((from) => natureProblem(from, to) === undefined));
    const signals = ALL.filter((one) => one !== "transient");
    expect(fits).toEqual([signals, signals, ALL, ["constant"], ["transient"]]);
  });
});
