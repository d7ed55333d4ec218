/**
 * The answer to an intermediate update as machine code (input-follower.ts): the polynomials at the
 * time that the FMU is at, written to its inputs. A callback into TypeScript takes longer than most
 * steps.
 *
 *   void update(env, double time, bool setRequested, bool getAllowed, bool stepFinished, bool canReturnEarly, bool *early, double *earlyTime)
 */
import { type Mapping, mapCode } from "./executable.ts";
import type { InputFollower } from "./input-follower.ts";
import { type Assembler, If, Reg } from "./machine-code/assembler.ts";
import { hostAssembler } from "./machine-code/host-assembler.ts";
import type { Address } from "./native-memory.ts";

const { rax, rcx, rdx, rbx, rsi, rdi, r8, r9 } = Reg;

export interface FollowerCalls {
  /** The function that sets the inputs, its value references, and how many there are. */
  readonly setter: Address;
  readonly references: Address;
  readonly count: number;
  /** Where the pointer of the instance is. */
  readonly handle: Address;
  /** Where the call under way is shown, and as what. */
  readonly marker: { readonly at: Address; readonly id: number } | undefined;
}

/** Undefined where no code may run. */
export function mapFollowerCode(
  follower: InputFollower,
  calls: FollowerCalls,
): Mapping | undefined {
  return mapCode(emitUpdate(hostAssembler(), follower, calls).code);
}

/** The function, which is all there is in `code`. */
export function emitUpdate(
  code: Assembler,
  follower: Pick<InputFollower, "at" | "size">,
  calls: FollowerCalls,
): Assembler {
  const { at, size } = follower;
  const done = code.label();
  const over = code.label();
  // No early return.
  code.small(rax, 0).storeInteger("u8", r9, 0, rax);
  code.loadSeventhArgument(rax).storeDouble(rax, 0, 0);
  code.testLowByte(rsi).jumpIf(If.equal, over);
  code.constant(rax, at.moving).load32(rcx, rax, 0).test32(rcx).jumpIf(If.equal, over);
  code.constant(rax, at.status).load32(rcx, rax, 0).test32(rcx).jumpIf(If.notEqual, over);
  code.save([rbx]);
  const dt = 7;
  code.copyDouble(dt, 0).constant(rax, at.begin).loadDouble(0, rax, 0).subtract(dt, 0);
  emitPolynomials(code, follower, dt);
  if (calls.marker !== undefined)
    code.constant(rax, calls.marker.at).load32(rbx, rax, 0).put32(rax, 0, calls.marker.id);
  code.constant(rax, calls.handle).load(rdi, rax, 0).constant(rsi, calls.references);
  code.small(rdx, calls.count).constant(rcx, at.values).constant(r8, size).call(calls.setter);
  if (calls.marker !== undefined) code.constant(rcx, calls.marker.at).store32(rcx, 0, rbx);
  // Unsigned: a negative number is not a status.
  code.compare32(rax, 1).jumpIf(If.belowOrEqual, done);
  code.constant(rcx, at.status).store32(rcx, 0, rax);
  code.here(done).restore([rbx]).here(over).ret();
  return code;
}

/** values = base + first·dt + second·dt·dt·0.5, in this order. Clobbers rax, xmm0 to xmm2. */
export function emitPolynomials(
  code: Assembler,
  { at, size }: Pick<InputFollower, "at" | "size">,
  dt: number,
): void {
  for (let i = 0; i < size; i++) {
    code.constant(rax, at.base).loadDouble(0, rax, 8 * i);
    code
      .constant(rax, at.first)
      .loadDouble(1, rax, 8 * i)
      .multiply(1, dt)
      .add(0, 1);
    code
      .constant(rax, at.second)
      .loadDouble(1, rax, 8 * i)
      .multiply(1, dt)
      .multiply(1, dt);
    code.constant(rax, HALF_HIGH).shiftLeft(rax, 32);
    code.fromBits(2, rax).multiply(1, 2).add(0, 1);
    code.constant(rax, at.values).storeDouble(rax, 8 * i, 0);
  }
}

/** The upper half of the double 0.5; the lower one is 0. */
const HALF_HIGH = 0x3fe00000;
