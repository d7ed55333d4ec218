/**
 * Code for FMI 3 units whose inputs follow polynomials inside their steps (input-follower.ts):
 * derivatives are stored, and around a step the inputs are read and moved on, as `Fmi3Unit` does.
 */

import { portSize } from "../../../model/unit-description.ts";
import type { SlopeGroup } from "../../../plan/plan.ts";
import { exchangeCall } from "../fmi-version.ts";
import { emitPolynomials } from "../follower-code.ts";
import type { InputFollower } from "../input-follower.ts";
import type { Address } from "../native-memory.ts";
import { If, type Label, Reg } from "./assembler.ts";
import { MEMORY, type Program, type Settle } from "./program.ts";

const { rax, rcx, rdx, rsi, rdi, r8 } = Reg;
const FAMILY = "Float64";

/** Derivatives of inputs to where the follower has them; it moves while one is not 0. */
export function emitFollowedSlopes(
  program: Program,
  follower: InputFollower,
  { unit, ports, orders, slots }: SlopeGroup,
): void {
  const { code, state } = program;
  const { at, size } = follower;
  const described = state.units[unit].description.ports;
  let from = 0;
  for (const [i, port] of ports.entries()) {
    const offset = follower.offsetOf(port);
    if (offset === undefined) throw new Error("internal: an input that is not followed");
    for (let k = 0; k < portSize(described[port]); k++) {
      code.load(rax, ...program.f64(slots[from++]));
      code.constant(rcx, orders[i] === 1 ? at.first : at.second);
      code.store(rcx, 8 * (offset + k), rax);
    }
  }
  // All bits but signs, together.
  code.small(rdx, 0);
  for (const array of [at.first, at.second])
    for (let i = 0; i < size; i++)
      code
        .constant(rcx, array)
        .load(rax, rcx, 8 * i)
        .double(rax)
        .or(rdx, rax);
  const still = code.label();
  code.constant(rcx, at.moving).put32(rcx, 0, 0);
  code.test(rdx).jumpIf(If.equal, still).put32(rcx, 0, 1).here(still);
}

/** Before a step that begins at [MEMORY + from]. */
export function emitFollow(
  program: Program,
  unit: number,
  follower: InputFollower,
  from: number,
): void {
  const { code } = program;
  const { at } = follower;
  const still = emitIfMoving(program, follower);
  code.loadDouble(0, MEMORY, from).constant(rax, at.begin).storeDouble(rax, 0, 0);
  const machine = program.machine(unit);
  const name = exchangeCall(machine.version, "Get", FAMILY);
  emitExchange(program, unit, follower, name, at.base, (status) => machine.settle(name, status));
  code.here(still);
}

/** After a step of the size at [MEMORY + size] that came to its end. */
export function emitMoveOn(
  program: Program,
  unit: number,
  follower: InputFollower,
  size: number,
  endAt: (tick: number) => number,
): void {
  const { code } = program;
  const { at } = follower;
  const dt = 7;
  const still = emitIfMoving(program, follower);
  code.loadDouble(dt, MEMORY, size);
  emitPolynomials(code, follower, dt);
  for (let i = 0; i < follower.size; i++) {
    code
      .constant(rax, at.second)
      .loadDouble(0, rax, 8 * i)
      .multiply(0, dt);
    code
      .constant(rax, at.first)
      .addMemory(0, rax, 8 * i)
      .storeDouble(rax, 8 * i, 0);
  }
  const machine = program.machine(unit);
  const name = exchangeCall(machine.version, "Set", FAMILY);
  emitExchange(program, unit, follower, name, at.values, (status, tick) => {
    machine.moveTo(endAt(tick));
    machine.settle(name, status);
  });
  code.here(still);
}

/** @returns where to go on when nothing moves. */
function emitIfMoving({ code }: Program, { at }: InputFollower): Label {
  const still = code.label();
  code.constant(rax, at.moving).load32(rcx, rax, 0).test32(rcx).jumpIf(If.equal, still);
  return still;
}

function emitExchange(
  program: Program,
  unit: number,
  { ports, size }: InputFollower,
  name: string,
  values: Address,
  settle: Settle,
): void {
  const { code, memory } = program;
  const machine = program.machine(unit);
  const references = memory.integers(ports.map((port) => machine.referenceOf(port)));
  code.constant(rdi, machine.handle).address(rsi, MEMORY, references).small(rdx, ports.length);
  code.constant(rcx, values).constant(r8, size);
  program.call(unit, name, settle);
}
