/**
 * Steps in the background (fmi2Pending): hardly any FMU does it, so a library of plain functions
 * plays one.
 */
import koffi, { type LibraryHandle } from "koffi";
import { describe, expect, it, vi } from "vitest";
import { UnitError } from "../../base/outcome.ts";
import { toUnitDescription } from "../../fmi/to-unit-description.ts";
import { startUnit } from "../../unit/testing/drive.ts";
import { Fmi2Unit } from "./fmi2-unit.ts";
import { unpackFixtures } from "./testing/fixtures.ts";

// Functions that are played have no address around which code could be generated.
vi.mock(import("./float-guard.ts"), async (original) => {
  const { fenvGuard } = await import("./float-state-fenv.ts");
  return { ...(await original()), floatGuard: () => fenvGuard()! };
});

const fixture = unpackFixtures();

const OK = 0;
const DISCARD = 2;
const ERROR = 3;
const PENDING = 5;

/** A library whose doStep returns pending, and whose status is pending twice and then `end`. */
function slowLibrary(end: number, asked: string[]): LibraryHandle {
  let polls = 0;
  const functions: Record<string, (...args: number[]) => number> = {
    fmi2Instantiate: () => 1,
    fmi2DoStep: () => PENDING,
    fmi2GetStatus: (_instance, kind, value) => {
      asked.push("status");
      expect(kind).toBe(0); // fmi2DoStepStatus
      koffi.encode(value, "int", ++polls < 3 ? PENDING : end);
      return OK;
    },
    fmi2GetBooleanStatus: (_instance, _kind, value) => {
      koffi.encode(value, "int", 0);
      return OK;
    },
    fmi2GetRealStatus: (_instance, _kind, value) => {
      koffi.encode(value, "double", 0.25);
      return OK;
    },
  };
  return {
    func: (name: string) => functions[name] ?? (() => OK),
    symbol: () => 1n,
  } as unknown as LibraryHandle;
}

async function slowUnit(
  end: number,
  asked: string[] = [],
  canRunAsynchronously = true,
): Promise<Fmi2Unit> {
  const { folder, description } = await fixture("fmi2/Dahlquist");
  const coSimulation = { ...description.coSimulation!, canRunAsynchronously };
  const fmu = { folder, description: { ...description, coSimulation } };
  const source = {
    library: slowLibrary(end, asked),
    file: "slow.so",
    fmu,
    description: toUnitDescription(fmu.description),
    interface: "co-simulation" as const,
    onDispose: () => undefined,
  };
  const unit = new Fmi2Unit(source, {}).open();
  startUnit(unit);
  return unit;
}

describe("a step in the background", () => {
  const until = { kind: "time", time: 0.5 } as const;

  it("[NA34] is waited for", async () => {
    const asked: string[] = [];
    const unit = await slowUnit(OK, asked);
    expect(unit.advance(0, until)).toEqual({ reason: "time", port: -1, time: 0.5 });
    expect(asked).toHaveLength(3);
    unit.dispose();
  });

  it("[NA34] may be discarded in the end", async () => {
    const unit = await slowUnit(DISCARD);
    expect(unit.advance(0, until)).toEqual({ reason: "discarded", port: -1, time: 0.25 });
    unit.dispose();
  });

  it("[NA34] may fail in the end", async () => {
    const unit = await slowUnit(ERROR);
    expect(() => unit.advance(0, until)).toThrow(UnitError);
    unit.dispose();
  });

  it("[NA104] of an FMU that does not declare such steps is an error, and not waited for", async () => {
    const asked: string[] = [];
    const unit = await slowUnit(OK, asked, false);
    expect(() => unit.advance(0, until)).toThrow(/fmi2DoStep.*canRunAsynchronuously/);
    expect(asked).toEqual([]);
    unit.dispose();
  });
});
