/**
 * What FMUs say reaches people unchanged, through machine code of ours and through the portable
 * callback alike.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { advanceTo, startUnit } from "../../unit/testing/drive.ts";
import { versionOf } from "./fmi-version.ts";
import { namesInMessage } from "./log-text.ts";
import type { LogEntry, NativeFmu, NativeUnitOptions } from "./native-options.ts";
import { openNativeUnit } from "./open-native-unit.ts";
import { printfKinds } from "./printf-kinds.ts";
import { unpackFixtures, VERSIONS } from "./testing/fixtures.ts";

const fixture = unpackFixtures();

const SPOKEN = [
  "integers -1    42|42   |00042|+42 4000000000 ff FF 010 !",
  "wide -5 -9007199254740993 5 18446744073709551615 7 -3 -4",
  "reals 1.500000 3.142       2.50|2.50      |1.234568e+04 0.0001 1E+20 1.00",
  "text plain|     right|left      |cut 100%     42",
  "nine reals 1 2 3 4 5 6 7 8 9 and nine integers 1 2 3 4 5 6 7 8 9",
];

/** How much of its long text each build hands to the logger. */
const LONG_BYTES = { fmi2: 2999, fmi3: 1023 };

function said(fmu: NativeFmu, options: NativeUnitOptions): LogEntry[] {
  const log: LogEntry[] = [];
  openNativeUnit(fmu, { loggingOn: true, ...options, onLog: (entry) => log.push(entry) }).dispose();
  return log.filter(({ message }) => !message.startsWith("fmi"));
}

describe.each(VERSIONS)("the log of %s FMUs", (version) => {
  const talkative = fixture(`gotchas/${version}/Talkative`);

  it.each(["any", "callback"] as const)(
    "[NA40] is what printf makes of it (logger: %s)",
    async (logger) => {
      const log = said(await talkative, { logger });
      expect(log.map(({ message }) => message).slice(0, 5)).toEqual(SPOKEN);
      expect(log.map(({ message }) => message)).toContain("x".repeat(LONG_BYTES[version]));
      const last = log.at(-1)!;
      expect(last.category).toBe("");
      expect(last.message).toMatch(/^no (name and no )?category$/);
    },
  );

  it("[NA41] has names for value references", async () => {
    const fmu = await talkative;
    const message = said(fmu, {}).find((entry) => entry.message.startsWith("umlauts"))!.message;
    const { variables } = fmu.description;
    const name = variables.find(({ valueReference }) => valueReference === 1)!.name;
    expect(message).toBe(
      version === "fmi2" ? `umlauts äöü and ${name} and #` : "umlauts äöü and #r1# and #",
    );
  });

  it("[NA44] is silent when asked to be", async () => {
    const unit = openNativeUnit(await talkative, {
      loggingOn: false,
      onLog: ({ category }) => expect(category).toBe(""),
    });
    unit.dispose();
  });

  it.each(["any", "callback"] as const)(
    "[NA43] loses nothing when one call says a lot (logger: %s)",
    async (logger) => {
      const counted: string[] = [];
      const unit = openNativeUnit(await fixture(`${version}/Stair`), {
        loggingOn: true,
        eventMode: false,
        logger,
        onLog: ({ message }) => {
          const count = /^counter is (\d+)/.exec(message)?.[1];
          if (count !== undefined) counted.push(count);
        },
      });
      startUnit(unit, { start: 0 }, { period: 0.001 });
      advanceTo(unit, 0, 2);
      expect(counted).toEqual(Array.from({ length: 2000 }, (_, i) => String(i + 2)));
      unit.dispose();
    },
  );
});

describe("instances one after the other", () => {
  it.each(VERSIONS)("[NA112] hear nothing of each other (%s)", async (version) => {
    const fmu = await fixture(`gotchas/${version}/Talkative`);
    const before = said(fmu, {});
    const heard: LogEntry[][] = [];
    // More than are made at a time, half of them gone before the others come.
    const units = Array.from({ length: 40 }, (_, i) => {
      const own: LogEntry[] = [];
      heard.push(own);
      const unit = openNativeUnit(fmu, { loggingOn: true, onLog: (entry) => own.push(entry) });
      if (i % 2 === 0) unit.dispose();
      return unit;
    });
    for (const unit of units) unit.dispose();
    const isOwn = ({ message }: LogEntry): boolean => !message.startsWith("fmi");
    for (const own of heard) expect(own.filter(isOwn)).toEqual(before);
  });
});

describe("value references in messages", () => {
  const name = (family: string, reference: number): string | undefined =>
    reference === 12 ? `${family || "any"} twelve` : undefined;

  it.each([
    [2, "#r12# and #i12#", "Real twelve and Integer twelve"],
    [2, "##12# #b99# # 100%", "#12# #b99# # 100%"],
    [
      3,
      "#12# must be larger than zero (channel ##4)",
      "any twelve must be larger than zero (channel #4)",
    ],
    [3, "#r12#", "#r12#"],
  ] as const)("[NA41] FMI %i: %s", (major, message, expected) => {
    expect(namesInMessage(message, versionOf({ major }).referenceInMessage, name)).toBe(expected);
  });
});

describe("the arguments of a printf format", () => {
  it.each([
    ["100%% of nothing", []],
    ["%d %5.2f %s %p", ["int", "double", "pointer", "pointer"]],
    ["%*d %.*f", ["int", "int", "int", "double"]],
    ["%ld %lld %zu %hhd %lf", ["long", "long", "long", "int", "double"]],
    ["%-08.3Lg|%+x|% o", ["double", "int", "int"]],
  ] as const)("%s", (format, kinds) => {
    expect(printfKinds(format)).toEqual(kinds);
  });

  it("are as many as there are conversions, whatever lies between them", () => {
    const conversion = fc.constantFrom("%d", "%g", "%s", "%lu", "%5.1f", "%-3c");
    const text = fc.string().map((t) => t.replaceAll("%", "%%"));
    fc.assert(
      fc.property(fc.array(fc.tuple(text, conversion)), (parts) => {
        expect(printfKinds(parts.flat().join(""))).toHaveLength(parts.length);
      }),
      { seed: 20240601 },
    );
  });
});
