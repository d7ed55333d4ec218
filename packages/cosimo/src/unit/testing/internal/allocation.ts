/**
 * Whether stepping a unit allocates: one step of write, advance and read, many times, against a
 * step that keeps a snapshot.
 */
import { expect } from "vitest";
import { makeBanks } from "../../../model/value-type.ts";
import { bytesPerCall } from "../../../numerics/testing/bytes-per-call.ts";
import type { Unit } from "../../unit.ts";
import { indexOf, startUnit } from "../drive.ts";

export interface SteppingPorts {
  readonly input?: string;
  readonly output: string;
  readonly step: number;
}

/** `most`: bytes per step that the JavaScript engine may take for boxed numbers. */
export function expectNoAllocation(unit: Unit, ports: SteppingPorts, most: number): void {
  startUnit(unit);
  const bound = (port: string | undefined, slot: number) =>
    unit.bind(port === undefined ? [] : [{ port: indexOf(unit, port), slot }]);
  const input = bound(ports.input, 0);
  const output = bound(ports.output, 1);
  const banks = makeBanks({ f64: 2 });
  const until = { kind: "time" as const, time: 0 };
  let step = 0;
  const call = (): void => {
    unit.write(input, banks);
    until.time = (step + 1) * ports.step;
    unit.advance(step * ports.step, until);
    unit.read(output, banks);
    step++;
  };
  expect(bytesPerCall(call)).toBeLessThan(most);
  const kept: unknown[] = [];
  expect(
    bytesPerCall(() => {
      call();
      kept[0] = unit.save();
    }),
  ).toBeGreaterThan(400);
}
