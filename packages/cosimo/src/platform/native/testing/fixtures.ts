/**
 * Fixture FMUs for tests: unpacked once per test file into a folder that goes away with it.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { unwrap } from "../../../base/diagnostic.ts";
import { type Banks, bankOf, makeBanks, type Value } from "../../../model/value-type.ts";
import type { Unit } from "../../../unit/unit.ts";
import { openFmuFile } from "../../node/fmu-file.ts";
import type { NativeFmu } from "../native-options.ts";

const BUILD = join(
  dirname(fileURLToPath(import.meta.url)),
  ...["..", "..", "..", "..", "..", "..", "fixtures", "build"],
);

const folders: string[] = [];
let hooked = false;

/** `fixture("fmi2/Dahlquist")`, `fixture("gotchas/…")`: the FMU in a folder of its own. */
export async function fixture(name: string): Promise<NativeFmu> {
  const file = join(BUILD, `${name}.fmu`);
  if (!existsSync(file)) throw new Error(`${file} is missing: run 'npm run fixtures' first`);
  if (!hooked) {
    hooked = true;
    afterAll(() => {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    });
  }
  const folder = mkdtempSync(join(tmpdir(), "cosimo-test-"));
  folders.push(folder);
  const opened = openFmuFile(file).value;
  if (opened === undefined) throw new Error(`${file} cannot be opened`);
  return {
    folder: unwrap(await opened.extract(join(folder, "fmu"))),
    description: opened.description,
  };
}

/** The present value of a scalar port. */
export function get(unit: Unit, name: string): Value {
  const port = portOf(unit, name);
  const banks = makeBanks({ f64: 1, i64: 1, obj: 1 });
  unit.read(unit.bind([{ port, slot: 0 }]), banks);
  return banks[bankOf(unit.description.ports[port]!.type)][0]!;
}

export function set(unit: Unit, name: string, value: Value): void {
  const port = portOf(unit, name);
  const banks: Banks = makeBanks({ f64: 1, i64: 1, obj: 1 });
  const bank = bankOf(unit.description.ports[port]!.type);
  (banks[bank] as { [slot: number]: Value })[0] = bank === "f64" ? Number(value) : value;
  unit.write(unit.bind([{ port, slot: 0 }]), banks);
}

export function portOf(unit: Unit, name: string): number {
  const port = unit.description.ports.find((candidate) => candidate.name === name);
  if (port === undefined) throw new Error(`no port '${name}'`);
  return port.index;
}

/** Through initialization, and out of the first event mode. */
export function start(unit: Unit, startTime = 0): void {
  unit.enterInitialization({ start: startTime });
  unit.exitInitialization();
  settleEvents(unit);
}

export function settleEvents(unit: Unit): void {
  if (unit.phase !== "event") return;
  while (unit.updateDiscreteStates().again);
  unit.enterStepMode();
}

/** To `time` in one step, going on after events. */
export function stepTo(unit: Unit, from: number, time: number): void {
  let at = from;
  while (at < time) {
    const stop = unit.advance(at, { kind: "time", time });
    at = stop.time;
    if (stop.reason === "event" && unit.description.capabilities.eventMode) {
      unit.enterEventMode();
      settleEvents(unit);
    } else if (stop.reason !== "time" && stop.reason !== "event") return;
  }
}
