/**
 * Makes the processor see new instructions on ARM64, where data and instructions have caches of
 * their own that nobody keeps the same (Arm Architecture Reference Manual, B2.7.4). The compilers'
 * own __clear_cache does this, but is not to be found in every process.
 */

/** void flush(begin, end), as code that runs wherever it is put. */
export function cacheCode(): Uint8Array {
  return new Uint8Array(
    Int32Array.of(
      0xd53b0022, // mrs x2, ctr_el0: log2 of words per line, of data in bits 16 to 19, of instructions in bits 0 to 3
      0xd2800085, // mov x5, 4
      ...lines(0xd3504c43, 0xd50b7b26), // ubfx x3, x2, 16, 4; dc cvau, x6
      0xd5033b9f, // dsb ish
      ...lines(0xd3400c43, 0xd50b7526), // ubfx x3, x2, 0, 4; ic ivau, x6
      0xd5033b9f, // dsb ish
      0xd5033fdf, // isb
      0xd65f03c0, // ret
    ).buffer,
  );
}

/** x3 = log2 of a line's words; then `operation` on x6, line by line. */
function lines(size: number, operation: number): number[] {
  return [
    size,
    0x9ac320a3, // lsl x3, x5, x3
    0xd1000466, // sub x6, x3, 1
    0x8a260006, // bic x6, x0, x6
    operation,
    0x8b0300c6, // add x6, x6, x3
    0xeb0100df, // cmp x6, x1
    0x54ffffa3, // b.lo: to the operation
  ];
}
