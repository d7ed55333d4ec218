/**
 * Libraries that could close files of the process. Rules: docs/spec/native.md.
 */
import { describe, expect, it } from "vitest";
import { mayCloseFiles, noteLibrary } from "./closes-files.ts";
import { binaryOf, openNativeUnit } from "./open-native-unit.ts";
import { unpackFixtures, VERSIONS } from "./testing/fixtures.ts";

const fixture = unpackFixtures();

describe.skipIf(process.platform !== "linux")("files of the process", () => {
  it.each(VERSIONS)("[NA106] could be closed by an %s FMU that imports close", async (version) => {
    for (const [name, may] of [
      ["Dahlquist", false],
      ["Heavy", false],
      ["Saboteur", true],
    ] as const) {
      const lastCall = new Int32Array(1);
      openNativeUnit(await fixture(`${version}/${name}`), { lastCall }).dispose();
      expect(mayCloseFiles(lastCall), name).toBe(may);
    }
  });

  it("[NA106] could be closed by a unit of which nothing is known", async () => {
    expect(mayCloseFiles(new Int32Array(1))).toBe(true);
    const lastCall = new Int32Array(1);
    noteLibrary(lastCall, "missing.so");
    expect(mayCloseFiles(lastCall)).toBe(true);
    noteLibrary(lastCall, binaryOf(await fixture("fmi2/Dahlquist")).file);
    expect(mayCloseFiles(lastCall)).toBe(false);
  });
});
