/**
 * The hot path of a native unit makes no garbage but boxed numbers. Rules: docs/spec/native.md.
 */
import { describe, expect, it } from "vitest";
import { makeBanks } from "../../model/value-type.ts";
import { bytesPerCall } from "../../numerics/testing/bytes-per-call.ts";
import { indexOf, startUnit } from "../../unit/testing/drive.ts";
import { openNativeUnit } from "./open-native-unit.ts";
import { unpackFixtures, VERSIONS } from "./testing/fixtures.ts";

const fixture = unpackFixtures();

describe.each(VERSIONS)("a step of an %s FMU", (version) => {
  it("[NA53] allocates no objects in write, advance and read", async () => {
    const unit = openNativeUnit(await fixture(`${version}/Dahlquist`));
    startUnit(unit);
    const banks = makeBanks({ f64: 2 });
    banks.f64[0] = 0.5;
    const inputs = unit.bind([{ port: indexOf(unit, "k"), slot: 0 }]);
    const outputs = unit.bind([{ port: indexOf(unit, "x"), slot: 1 }]);
    const until = { kind: "time" as const, time: 0 };
    let steps = 0;
    const step = (): void => {
      unit.write(inputs, banks);
      until.time = (steps + 1) / 8;
      unit.advance(steps / 8, until);
      steps++;
      unit.read(outputs, banks);
    };
    const kept: unknown[] = [];
    expect(bytesPerCall(() => kept.push(unit.bind([])))).toBeGreaterThan(100);
    kept.length = 0;
    // Measured 44: numbers that do not fit into 31 bits, boxed on their way to native code.
    expect(bytesPerCall(step)).toBeLessThan(100);
    unit.dispose();
  });
});
