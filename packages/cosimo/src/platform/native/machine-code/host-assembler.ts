/**
 * The back end of the machine that this runs on.
 */
import { Arm64Assembler } from "./arm64-assembler.ts";
import type { Assembler } from "./assembler.ts";
import { X64Assembler } from "./x64-assembler.ts";

export function hostAssembler(): Assembler {
  return process.arch === "arm64" ? new Arm64Assembler() : new X64Assembler();
}
