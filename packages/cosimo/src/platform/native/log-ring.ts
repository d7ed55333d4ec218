/**
 * A logger that needs no JavaScript: FMUs may log from threads of their own while our thread is
 * inside their call, and a callback into JavaScript would wait for a thread that waits for it. So
 * the FMU gets a few instructions of machine code that format the message with C's own printf into
 * a ring in native memory; we read it after the call. The C varargs of FMI 2 are thereby exact:
 * only the C library reads them.
 *
 * Ring: u32 head, u32 tail, u64 id of our thread, u64 callback, then constants; slots of 4 KiB from
 * byte 64 on:
 *   u32 ticket + 1 once complete, i32 status, i32 message length, … category at 16, message at 144
 * `head` counts messages begun, `tail` messages read. When the ring fills up while our own thread
 * runs the FMU, the code calls back to have it read; messages of other threads are overwritten
 * then, oldest first.
 */
import koffi from "koffi";
import { mapCode, mapPages } from "./executable.ts";
import { inOwnState } from "./float-guard.ts";
import type { FmiVersion } from "./fmi-version.ts";
import { libc } from "./libc.ts";
import type { DeliverLog, NativeLogger } from "./logger.ts";
import { Reg } from "./machine-code/assembler.ts";
import type { Address } from "./native-memory.ts";
import { mapSharedFile } from "./shared-memory.ts";
import { X64 } from "./x64.ts";

const SLOTS = 256;
const SLOT_BYTES = 4096;
const HEADER_BYTES = 64;
export const TAIL = 4;
const THREAD = 8;
/** Reads all rings; for our own thread alone. */
export const CALLBACK = 16;
const EMPTY = 24;
const PERCENT_S = 32;
const STATUS = 4;
const LENGTH = 8;
const CATEGORY = 16;
const MESSAGE = 144;
const CATEGORY_BYTES = MESSAGE - CATEGORY;
const MESSAGE_BYTES = SLOT_BYTES - MESSAGE;
/** From this many unread messages on, our own thread reads them in between. */
export const CROWDED: number = (SLOTS * 3) / 4;

/**
 * A ring logger, or undefined where this machine has no use for our machine code.
 * @param file holds the ring, so that another process can read what was said last before this one
 * died.
 */
export function openLogRing(
  version: FmiVersion,
  deliver: DeliverLog,
  file?: string,
): NativeLogger | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const place = file === undefined ? freePlace(version) : placeInFile(version, file);
  return place && new LogRing(place, deliver);
}

/** A ring, and the function that writes to it. */
interface RingPlace {
  readonly address: Address;
  readonly entry: Address;
  /** Nobody writes to it any more. */
  release(): void;
}

const RING_BYTES = HEADER_BYTES + SLOTS * SLOT_BYTES;
/**
 * Rings that are made together: their memory is only used once it is written to, and they share the
 * code.
 */
const TOGETHER = 32;

/**
 * By whether messages are formats: rings that are not in use. They are kept, for the next
 * instances.
 */
const free: ReadonlyMap<boolean, RingPlace[]> = new Map([
  [false, []],
  [true, []],
]);

function freePlace(version: FmiVersion): RingPlace | undefined {
  const places = free.get(version.logsFormats) ?? [];
  const known = places.pop();
  if (known !== undefined) return known;
  const memory = mapPages(TOGETHER * RING_BYTES);
  if (memory === undefined) return undefined;
  const rings = Array.from({ length: TOGETHER }, (_, i) => memory.address + i * RING_BYTES);
  const { code, entries } = loggerCode(version, rings);
  const mapping = mapCode(code);
  if (mapping === undefined) {
    memory.unmap();
    return undefined;
  }
  for (const [i, address] of rings.entries()) {
    const place: RingPlace = {
      address,
      entry: mapping.address + entries[i],
      release: () => places.push(place),
    };
    places.push(place);
  }
  return places.pop();
}

function placeInFile(version: FmiVersion, file: string): RingPlace | undefined {
  const shared = mapSharedFile(file, RING_BYTES);
  if (shared === undefined) return undefined;
  const { code, entries } = loggerCode(version, [shared.address]);
  const mapping = mapCode(code);
  if (mapping === undefined) {
    shared.unmap();
    return undefined;
  }
  return {
    address: shared.address,
    entry: mapping.address + entries[0],
    release() {
      mapping.unmap();
      shared.unmap();
    },
  };
}

interface RingMessage {
  readonly status: number;
  readonly category: string;
  readonly message: string;
}

/** Messages in the file of a ring that its own process did not live to read, oldest first. */
export function readLogFile(bytes: Uint8Array): RingMessage[] {
  const ring = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (ring.length < HEADER_BYTES + SLOTS * SLOT_BYTES) return [];
  const head = ring.readInt32LE(0);
  const first = Math.max(ring.readInt32LE(TAIL), head - SLOTS);
  const tickets = Array.from({ length: head - first }, (_, i) => first + i);
  return tickets.flatMap((ticket) => messageOf(ring, ticket) ?? []);
}

/** Undefined while a thread of the FMU is still writing it. */
function messageOf(ring: Buffer, ticket: number): RingMessage | undefined {
  const at = HEADER_BYTES + (ticket & (SLOTS - 1)) * SLOT_BYTES;
  if (ring.readInt32LE(at) !== ((ticket + 1) | 0)) return undefined;
  const length = ring.readInt32LE(at + LENGTH);
  const text = (start: number, limit: number): string =>
    ring.toString("utf8", start, Math.min(ring.indexOf(0, start), start + limit));
  const rest = length >= MESSAGE_BYTES ? ` … (${length} bytes in all)` : "";
  return {
    status: ring.readInt32LE(at + STATUS),
    category: text(at + CATEGORY, CATEGORY_BYTES),
    message: text(at + MESSAGE, MESSAGE_BYTES) + rest,
  };
}

class LogRing implements NativeLogger {
  readonly entry: number;
  readonly words: Int32Array;
  readonly ring: Address;
  private readonly place: RingPlace;
  private readonly deliver: DeliverLog;
  private bytes: Buffer | undefined;

  constructor(place: RingPlace, deliver: DeliverLog) {
    this.place = place;
    this.deliver = deliver;
    const header = Buffer.from(koffi.view(BigInt(place.address), HEADER_BYTES));
    header.write("%s\0", PERCENT_S, "latin1");
    header.writeBigUInt64LE(BigInt(threadId()), THREAD);
    header.writeBigUInt64LE(crowdedCallback(), CALLBACK);
    this.entry = place.entry;
    this.words = new Int32Array(header.buffer, header.byteOffset, 2);
    // What the instance before left unread is nobody's.
    this.words[1] = this.words[0];
    this.ring = place.address;
    open.add(this);
  }

  drain(): void {
    const words = this.words;
    if (words[0] - words[1] > SLOTS) {
      const lost = words[0] - words[1] - SLOTS;
      words[1] = words[0] - SLOTS;
      this.deliver(1, "cosimo", `${lost} log messages came faster than they could be read`);
    }
    while (words[1] !== words[0]) {
      this.bytes ??= Buffer.from(koffi.view(BigInt(this.ring), RING_BYTES));
      const found = messageOf(this.bytes, words[1]);
      if (found === undefined) return;
      words[1] = (words[1] + 1) | 0;
      this.deliver(found.status, found.category, found.message);
    }
  }

  close(): void {
    open.delete(this);
    this.place.release();
  }
}

const open = new Set<LogRing>();
let crowded: bigint | undefined;
let thread: number | undefined;

/**
 * One callback for all rings: it is only ever called on our own thread, from inside an FMI call.
 */
function crowdedCallback(): bigint {
  crowded ??= koffi.register(
    () =>
      inOwnState(() => {
        for (const ring of open) ring.drain();
      }),
    koffi.pointer(koffi.proto("void", [])),
  );
  return crowded;
}

/**
 * What `fs:[0]` holds on this thread: the same in every call we make, another in threads of FMUs.
 */
function threadId(): number {
  if (thread !== undefined) return thread;
  const code = mapCode(new X64().raw(...READ_THREAD, 0xc3).code);
  if (code === undefined) throw new Error("internal: executable memory was refused");
  thread = Number(koffi.call(BigInt(code.address), koffi.proto("int64_t", [])));
  code.unmap();
  return thread;
}

const READ_THREAD = [0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0];

/**
 * FMI 2: void log(env, instance, status, category, format, …)   FMI 3: void log(env, status, category, message)
 * The stack frame holds what C's va_list describes: six integer and eight vector registers, then
 * the list itself.
 *
 * One function for all rings, and for each of them an entry that names it in r11.
 */
function loggerCode(
  { logsFormats }: FmiVersion,
  rings: readonly Address[],
): { readonly code: Uint8Array; readonly entries: readonly number[] } {
  const { rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r11, r12, r13, r14 } = Reg;
  const [status, category, message] = logsFormats ? [rdx, rcx, r8] : [rsi, rdx, rcx];
  const LIST = 176;
  const SAVED_STATUS = 200;
  const TICKET = 208;
  const FRAME = 224;
  const c = new X64();
  c.push(rbp).move(rbp, rsp).push(rbx).push(r12).push(r13).push(r14);
  c.raw(0x48, 0x81, 0xec).int32(FRAME);
  [rdi, rsi, rdx, rcx, r8, r9].forEach((reg, i) => {
    c.store(rsp, 8 * i, reg);
  });
  for (let i = 0; i < 8; i++) c.storeVector(rsp, 48 + 16 * i, i);
  // va_list: five named integer arguments are behind us, no vector register is; the rest is above
  // our frame.
  c.put32(rsp, LIST, 5 * 8).put32(rsp, LIST + 4, 48);
  c.address(rax, rbp, 16)
    .store(rsp, LIST + 8, rax)
    .store(rsp, LIST + 16, rsp);
  c.store32(rsp, SAVED_STATUS, status).move(r13, category).move(r14, message);
  // A ticket is a slot: lock xadd [head], 1.
  c.move(rbx, r11).small(rax, 1).raw(0xf0, 0x0f, 0xc1, 0x03).store32(rsp, TICKET, rax);
  c.raw(0x25).int32(SLOTS - 1); // and eax, SLOTS - 1
  c.raw(0x48, 0xc1, 0xe0, Math.log2(SLOT_BYTES)); // shl rax, 12
  c.raw(0x4c, 0x8d, 0x64, 0x03, HEADER_BYTES); // lea r12, [rbx + rax + 64]
  c.put32(r12, 0, 0).load32(rax, rsp, SAVED_STATUS).store32(r12, STATUS, rax);
  // NULL is the empty text.
  c.raw(0x4d, 0x85, 0xed).skip(0x75, (then) => then.address(r13, rbx, EMPTY));
  c.raw(0x4d, 0x85, 0xf6).skip(0x75, (then) => then.address(r14, rbx, EMPTY));
  c.address(rdi, r12, CATEGORY).small(rsi, CATEGORY_BYTES).address(rdx, rbx, PERCENT_S);
  c.move(rcx, r13).small(rax, 0).call(libc().snprintf);
  c.address(rdi, r12, MESSAGE).small(rsi, MESSAGE_BYTES);
  if (logsFormats) c.move(rdx, r14).address(rcx, rsp, LIST).call(libc().vsnprintf);
  else c.address(rdx, rbx, PERCENT_S).move(rcx, r14).small(rax, 0).call(libc().snprintf);
  c.store32(r12, LENGTH, rax);
  c.load32(rax, rsp, TICKET).raw(0x8d, 0x48, 0x01).store32(r12, 0, rcx); // lea ecx, [rax + 1]
  // Our own thread in a crowded ring: have it read.
  c.raw(0x2b, 0x43, TAIL, 0x3d).int32(CROWDED); // sub eax, [tail]; cmp eax, CROWDED
  c.skip(0x72, (busy) => {
    busy.raw(...READ_THREAD, 0x48, 0x3b, 0x43, THREAD); // cmp rax, [thread]
    busy.skip(0x75, (ours) => ours.load(rax, rbx, CALLBACK).raw(0xff, 0xd0));
  });
  c.raw(0x48, 0x81, 0xc4).int32(FRAME);
  c.pop(r14).pop(r13).pop(r12).pop(rbx).pop(rbp).raw(0xc3);
  const entries = rings.map((ring) => {
    const entry = c.length;
    c.constant(r11, ring).raw(0xe9); // jmp to the beginning
    c.int32(-(c.length + 4));
    return entry;
  });
  return { code: c.code, entries };
}
