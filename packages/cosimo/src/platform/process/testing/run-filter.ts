/** The kernel's machine for filters of system calls (classic BPF), as far as ours use it. */

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const RETURN = 0x06;
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const ARGUMENTS_AT = 16;

/** What a filter decides about a call. */
export function decide(
  filter: Uint8Array,
  call: {
    readonly architecture: number;
    readonly number: number;
    readonly args?: readonly number[];
  },
): number {
  const view = new DataView(filter.buffer, filter.byteOffset, filter.byteLength);
  const word = (at: number): number => {
    if (at === NUMBER_AT) return call.number >>> 0;
    if (at === ARCHITECTURE_AT) return call.architecture >>> 0;
    return (call.args?.[(at - ARGUMENTS_AT) / 8] ?? 0) >>> 0;
  };
  let loaded = 0;
  for (let pc = 0; ; pc++) {
    const operation = view.getUint16(8 * pc, true);
    const value = view.getUint32(8 * pc + 4, true);
    if (operation === RETURN) return value;
    if (operation === LOAD) loaded = word(value);
    else {
      const holds =
        operation === JUMP_EQUAL
          ? loaded === value
          : operation === JUMP_AT_LEAST
            ? loaded >= value
            : (loaded & value) !== 0;
      pc += view.getUint8(8 * pc + (holds ? 2 : 3));
    }
  }
}
