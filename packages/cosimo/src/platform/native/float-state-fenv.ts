/**
 * The floating-point state by C's own fegetenv and fesetenv, where no machine code of ours can run.
 * What they fill is the system's own affair; of those listed here we know where the words lie that
 * matter.
 */
import koffi, { type LibraryHandle } from "koffi";
import { type FloatGuard, type FloatState, REGISTERS_LEFT } from "./float-state.ts";
import { cFunction, libc, type NativeFunction } from "./libc.ts";
import { Arena, bytesOf } from "./native-memory.ts";

interface Layout {
  /** Offsets in bytes; `control` is absent where there is no second word. */
  readonly mode: number;
  readonly modeBits: number;
  readonly control?: number;
  /** Which registers of the x87 unit are in use; absent where fegetenv does not say. */
  readonly tags?: number;
}

/** By platform and architecture, of glibc, musl and macOS. */
const LAYOUTS: Readonly<Record<string, Layout>> = {
  "linux x64": { mode: 28, modeBits: 0xffc0, control: 0, tags: 8 },
  "linux arm64": { mode: 0, modeBits: 0x1c09f00 },
  "darwin x64": { mode: 4, modeBits: 0xffc0, control: 0 },
  "darwin arm64": { mode: 8, modeBits: 0x1c09f00 },
};
/** Of a fenv_t, amply. */
const FENV_BYTES = 64;
const ALL_EMPTY = 0xffff;

/** Undefined on systems that are not listed. */
export function fenvGuard(): FloatGuard | undefined {
  const layout = LAYOUTS[`${process.platform} ${process.arch}`];
  const get = layout && mathFunction("int fegetenv(int64_t at)");
  const set = layout && mathFunction("int fesetenv(int64_t at)");
  if (layout === undefined || get === undefined || set === undefined) return undefined;
  const arena = new Arena();
  const [now, before] = [arena.allocate(FENV_BYTES), arena.allocate(FENV_BYTES)];
  const view = new DataView(now.buffer, now.offset, FENV_BYTES);
  const left = (): number =>
    layout.tags === undefined || view.getUint16(layout.tags, true) === ALL_EMPTY
      ? 0
      : REGISTERS_LEFT;
  const read = (): FloatState => {
    get(now.address);
    return {
      mode: view.getInt32(layout.mode, true) & layout.modeBits,
      control: (layout.control === undefined ? 0 : view.getUint16(layout.control, true)) | left(),
    };
  };
  const home = read();
  bytesOf(before).set(bytesOf(now));
  const changed = new Int32Array(3);
  return {
    home,
    changed,
    check() {
      const { mode, control } = read();
      if (mode === home.mode && control === home.control) return;
      set(before.address);
      changed.set([1, mode, control]);
    },
    set({ mode, control }) {
      bytesOf(now).set(bytesOf(before));
      view.setInt32(layout.mode, mode, true);
      if (layout.control !== undefined) view.setUint16(layout.control, control, true);
      set(now.address);
    },
  };
}

/** glibc has them in its library of mathematics, all others in the C library. */
function mathFunction(prototype: string): NativeFunction | undefined {
  try {
    if (process.platform === "linux") return mathLibrary().func(prototype) as NativeFunction;
    return cFunction(prototype);
  } catch {
    return undefined;
  }
}

function mathLibrary(): LibraryHandle {
  try {
    return koffi.load("libm.so.6");
  } catch {
    return libc().library;
  }
}
