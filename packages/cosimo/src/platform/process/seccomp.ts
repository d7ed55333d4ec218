/**
 * A filter of system calls, as the program that the Linux kernel runs before each of them (classic
 * BPF). Namespaces take away what there is to reach; this takes away the calls that reach for it
 * all the same, and those through which kernels have been attacked.
 *
 * What is refused answers EPERM, so that a library can go on without it. Calls of another
 * architecture's table end the process: they would pass by the numbers below.
 */

/** Numbers of calls, x86-64 and ARM64; undefined where an architecture has no such call. */
type CallNumbers = readonly [x64: number | undefined, arm64: number | undefined];

/** Everything that opens, uses or passes sockets. */
const NETWORK: Readonly<Record<string, CallNumbers>> = {
  socket: [41, 198],
  connect: [42, 203],
  accept: [43, 202],
  sendto: [44, 206],
  recvfrom: [45, 207],
  sendmsg: [46, 211],
  recvmsg: [47, 212],
  bind: [49, 200],
  listen: [50, 201],
  socketpair: [53, 199],
  accept4: [288, 242],
  recvmmsg: [299, 243],
  sendmmsg: [307, 269],
};

/** Other processes: making them, signalling them, looking into them. */
const PROCESSES: Readonly<Record<string, CallNumbers>> = {
  fork: [57, undefined],
  vfork: [58, undefined],
  kill: [62, 129],
  tkill: [200, 130],
  rt_sigqueueinfo: [129, 138],
  rt_tgsigqueueinfo: [297, 240],
  pidfd_send_signal: [424, 424],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  process_madvise: [440, 440],
};

/** The machine and the kernel: mounts, namespaces, modules, keys, programs in the kernel. */
const KERNEL: Readonly<Record<string, CallNumbers>> = {
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  unshare: [272, 97],
  setns: [308, 268],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  syslog: [103, 116],
  quotactl: [179, 60],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  personality: [135, 92],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  modify_ldt: [154, undefined],
  vhangup: [153, 58],
};

/** Starting another program. */
const PROGRAMS: Readonly<Record<string, CallNumbers>> = {
  execve: [59, 221],
  execveat: [322, 281],
};

const CLONE: CallNumbers = [56, 220];
const CLONE3 = 435;
const IOCTL: CallNumbers = [16, 29];
/** Types into the terminal as if the user had. */
const TIOCSTI = 0x5412;
const CLONE_THREAD = 0x10000;

const ARCHITECTURES: Readonly<Record<string, { readonly column: 0 | 1; readonly audit: number }>> =
  {
    x64: { column: 0, audit: 0xc000003e },
    arm64: { column: 1, audit: 0xc00000b7 },
  };

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const ARGUMENTS_AT = 16;
const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const EPERM = 0x00050000 | 1;
const ENOSYS = 0x00050000 | 38;
/** Calls of the x32 table on x86-64 have this bit. */
const X32 = 0x40000000;

export interface FilterOptions {
  /**
   * Whether another program may be started: setting up a sandbox ends in starting what is inside.
   */
  readonly mayStartProgram: boolean;
}

/**
 * @returns the program as the kernel takes it, eight bytes per instruction; undefined for an
 * architecture without numbers.
 */
export function syscallFilter(
  architecture: string,
  { mayStartProgram }: FilterOptions,
): Uint8Array | undefined {
  const known = ARCHITECTURES[architecture];
  if (known === undefined) return undefined;
  const { column, audit } = known;
  const code: number[][] = [];
  const emit = (operation: number, value: number, whenTrue = 0, whenFalse = 0): void =>
    void code.push([operation, whenTrue, whenFalse, value]);
  /** The next instruction is passed by unless the loaded word is `value`. */
  const whenEqual = (value: number, then: number): void => {
    emit(JUMP_EQUAL, value, 0, 1);
    emit(RETURN, then);
  };
  emit(LOAD, ARCHITECTURE_AT);
  emit(JUMP_EQUAL, audit, 1, 0);
  emit(RETURN, KILL);
  emit(LOAD, NUMBER_AT);
  if (architecture === "x64") {
    emit(JUMP_AT_LEAST, X32, 0, 1);
    emit(RETURN, KILL);
  }
  const refused = { ...NETWORK, ...PROCESSES, ...KERNEL, ...(mayStartProgram ? {} : PROGRAMS) };
  for (const numbers of Object.values(refused)) {
    const number = numbers[column];
    if (number !== undefined) whenEqual(number, EPERM);
  }
  // Threads are made by clone as well; what cannot be seen through falls back to it.
  whenEqual(CLONE3, ENOSYS);
  emit(JUMP_EQUAL, CLONE[column] ?? 0, 0, 4);
  emit(LOAD, ARGUMENTS_AT);
  emit(JUMP_ANY_BIT, CLONE_THREAD, 0, 1);
  emit(RETURN, ALLOW);
  emit(RETURN, EPERM);
  emit(JUMP_EQUAL, IOCTL[column] ?? 0, 0, 3);
  emit(LOAD, ARGUMENTS_AT + 8);
  emit(JUMP_EQUAL, TIOCSTI, 0, 1);
  emit(RETURN, EPERM);
  emit(RETURN, ALLOW);
  const bytes = new Uint8Array(8 * code.length);
  const view = new DataView(bytes.buffer);
  for (const [i, [operation = 0, whenTrue = 0, whenFalse = 0, value = 0]] of code.entries()) {
    view.setUint16(8 * i, operation, true);
    view.setUint8(8 * i + 2, whenTrue);
    view.setUint8(8 * i + 3, whenFalse);
    view.setUint32(8 * i + 4, value >>> 0, true);
  }
  return bytes;
}
