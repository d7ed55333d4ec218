/**
 * The ways in which an FMU misbehaves, and what must come of each: one row a way.
 *
 * `order` is for fixtures/fmus/Saboteur (what, in which call, the how-manieth one). `ends` says how
 * the run may end:
 *   failed    exit code 3, with the unit and the call; the rows before it are there
 *   done      exit code 0, all rows, as if nothing had happened
 *   either    one of the two: what the misdeed does depends on the system, but it is never silent and no row is lost
 *   refused   exit code 1 or 3 before the first row, with the unit
 *   closing   all rows are there and the exit code is 0 or 3, as the misdeed came after the last row
 * `codes` where others are right, `quiet` where the unit need not be named (the misdeed is not seen
 * as one, or comes after everything). `rows` is how many must be recorded where that is known;
 * `values: "time"` where the misdeed changes the values themselves.
 */

/** Steps of every run, and the step in which things happen. */
export const STEPS = 200;
const AT = 150;

const STEP = /DoStep/;
const DEATH = { ends: "failed", call: STEP, rows: AT };

const step = (order, rest = {}) => ({ order: `${order} doStep ${AT}`, ...DEATH, ...rest });
const harmless = (order, place = "doStep", at = AT, rest = {}) => ({
  order: `${order} ${place} ${at}`,
  ends: "done",
  rows: "all",
  ...rest,
});
const either = (order, place = "doStep", at = AT, rest = {}) => ({
  order: `${order} ${place} ${at}`,
  ends: "either",
  rows: "some",
  ...rest,
});
const early = (order, place, call, rest = {}) => ({
  order: `${order} ${place} 1`,
  ends: "refused",
  rows: "some",
  call,
  ...rest,
});
const closing = (order, place, rest = {}) => ({
  order: `${order} ${place} 1`,
  ends: "closing",
  rows: "all",
  ...rest,
});
/** Needs a saved state: the run keeps checkpoints. */
const saved = (order, place, rest = {}) => ({
  order: `${order} ${place} 2`,
  ends: "either",
  rows: "some",
  how: ["interpreter", "machine-code", "threads"],
  options: ["--checkpoint", "every=0.5s"],
  ...rest,
});
const events = (order, rest = {}) => ({
  order,
  base: "SaboteurEvents",
  versions: [3],
  ends: "either",
  rows: "some",
  values: "any",
  ...rest,
});

const HANG = { hangs: true };
const PROMPT = { boundSeconds: 10 };

export const WAYS = {
  // It crashes in a step.
  "null pointer": step("segv"),
  "jump to nowhere": step("jump"),
  "write to code": step("write-code"),
  abort: step("abort"),
  "division by zero": step("divide"),
  "illegal instruction": step("illegal"),
  "endless recursion": step("recurse"),
  "heap smashed": step("smash-heap"),
  "memory without end": step("devour"),
  "free twice": either("free-twice"),
  "own code unmapped": either("unmap"),
  longjmp: step("longjmp"),
  // It ends the process, or has it ended.
  "exit(0)": step("exit:0"),
  "exit(7)": step("exit:7"),
  "_exit(0)": step("_exit:0"),
  "_exit(3)": step("_exit:3"),
  exec: step("exec"),
  SIGKILL: step("raise:9"),
  SIGTERM: either("raise:15"),
  SIGINT: either("raise:2"),
  SIGHUP: either("raise:1"),
  SIGQUIT: either("raise:3"),
  SIGPIPE: either("raise:13"),
  SIGBUS: step("raise:7"),
  SIGXCPU: step("raise:24"),
  SIGSYS: step("raise:31"),
  alarm: step("alarm"),
  // It does not come back.
  "endless loop": step("spin", HANG),
  "waits for nothing": step("pause", HANG),
  "dead lock": step("deadlock", HANG),
  SIGSTOP: step("raise:19", HANG),
  "thread ends in the call": step("end-thread", HANG),
  "a slow step": harmless("nap:300"),
  // In other calls than a step.
  "crash while loaded": early("segv", "load"),
  "exit while loaded": early("exit:0", "load"),
  "hang while loaded": early("spin", "load", undefined, HANG),
  "crash in instantiate": early("segv", "instantiate", /Instantiate/),
  "hang in instantiate": early("pause", "instantiate", /Instantiate/, HANG),
  "no instance": early("null", "instantiate", /Instantiate|instantiat/),
  "crash in setup": early("abort", "setup", /SetupExperiment/, { versions: [2] }),
  "crash in enterInit": early("segv", "enterInit", /EnterInitializationMode/),
  "error in enterInit": early("status:3", "enterInit", /EnterInitializationMode/),
  "hang in enterInit": early("spin", "enterInit", /EnterInitializationMode/, HANG),
  "crash in exitInit": early("divide", "exitInit", /ExitInitializationMode/),
  "fatal in exitInit": early("status:4", "exitInit", /ExitInitializationMode/),
  "crash in get": either("segv", "get", AT, { ends: "failed", call: /Get(Real|Float64)/ }),
  "error in get": either("status:3", "get", AT, { ends: "failed", call: /Get(Real|Float64)/ }),
  "hang in get": either("spin", "get", AT, { ends: "failed", call: /Get(Real|Float64)/, ...HANG }),
  "exit in get": either("exit:0", "get", AT, { ends: "failed", call: /Get(Real|Float64)/ }),
  "crash in set": either("segv", "set", AT, {
    ends: "failed",
    call: /Set(Real|Float64)/,
    how: ["interpreter", "machine-code", "threads"],
  }),
  "error in set": either("status:3", "set", AT, {
    ends: "failed",
    call: /Set(Real|Float64)/,
    how: ["interpreter", "machine-code", "threads"],
  }),
  "crash in terminate": closing("segv", "terminate"),
  "error in terminate": closing("status:3", "terminate"),
  "hang in terminate": closing("spin", "terminate", HANG),
  "crash in free": closing("abort", "free"),
  "exit in free": closing("exit:5", "free"),
  "hang in free": closing("pause", "free", HANG),
  "crash while unloaded": closing("segv", "unload", { quiet: true }),
  "hang while unloaded": closing("spin", "unload", { ...HANG, quiet: true }),
  "crash at exit": closing("segv", "atexit", { quiet: true }),
  "hang at exit": closing("spin", "atexit", { ...HANG, quiet: true }),
  // What it answers.
  "status warning": harmless("status:1", "exitInit", 1),
  "status discard": step("status:2", { order: `status:2 doStep ${AT} on`, call: undefined }),
  "status error": step("status:3"),
  "status fatal": step("status:4"),
  "status pending": step("status:5"),
  "status -1": step("status:-1"),
  "status 99": step("status:99"),
  "status -2147483648": step("status:-2147483648"),
  "discards for ever": step("discard", { order: `discard doStep ${AT} on`, call: undefined }),
  "discards once": either("discard", "doStep", AT, { values: "any" }),
  "discards, nothing written": either("discard-unwritten", "doStep", AT, { values: "any" }),
  "discards at NaN": either("discard-nan", "doStep", AT, { values: "any" }),
  "discards before the start": either("discard-back", "doStep", AT, { values: "any" }),
  "discards beyond the end": either("discard-beyond", "doStep", AT, { values: "any" }),
  "discards at the end": harmless("discard-end", "doStep", `${AT} on`),
  "discards at the end, rounded": harmless("discard-end-rounded", "doStep", `${AT} on`),
  NaN: either("nan", "get", AT, { values: "time", rows: "begun" }),
  infinity: either("inf", "get", AT, { values: "time", rows: "begun" }),
  "outputs not written": either("unwritten", "get", AT, { values: "time", rows: "begun" }),
  "inputs overwritten": either("overwrite", "set", AT, {
    values: "time",
    how: ["interpreter", "machine-code", "threads"],
  }),
  "texts overwritten": harmless("overwrite", "setString", 1, { set: { label: "hello" } }),
  "no version": either("null", "version", 1),
  "no saved state": saved("null", "getState"),
  "saved state of 2^60 bytes": saved("huge", "stateSize"),
  "saved state of 0 bytes": saved("nothing", "stateSize"),
  "error in serialize": saved("status:3", "serialize"),
  "crash in serialize": saved("segv", "serialize"),
  "early return to NaN": events(`early-nan doStep ${AT}`),
  "early return to the past": events(`early-back doStep ${AT}`),
  "early return beyond": events(`early-beyond doStep ${AT}`),
  "early returns for ever": events(`early doStep ${AT} on`),
  "early return not allowed": events(`early doStep ${AT}`, { base: "Saboteur" }),
  "odd booleans": events(`odd-booleans doStep ${AT}`, { base: "Saboteur" }),
  "events for ever": events(`events doStep ${AT} on`),
  "endless updates": events("endless update 2 on"),
  "next event in the past": events("next-past update 1 on"),
  "next event at NaN": events("next-nan update 1 on"),
  "next event now, for ever": events("next-now update 1 on"),
  // What it does to the process that it lives in.
  fork: harmless("fork", "doStep", AT, PROMPT),
  "fork in the initialization": harmless("fork", "exitInit", 1, PROMPT),
  "fork twice": harmless("fork-twice", "doStep", AT, PROMPT),
  "child that exits": harmless("fork-exit"),
  "child that crashes": harmless("fork-crash"),
  "own session": harmless("setsid"),
  "asks to be traced": either("ptrace", "doStep", AT, HANG),
  "closes all files": either("close-from:3"),
  "closes standard files": either("close-standard"),
  "opens files without end": either("leak-descriptors"),
  "garbage to all files": either("write-garbage", "doStep", AT, { prints: true }),
  "prints a lot": harmless("print-much", "doStep", AT, { prints: true }),
  "prints escape sequences": harmless("print-escapes", "doStep", AT, { prints: true }),
  "blocks signals": harmless("block-signals"),
  "ignores signals": harmless("ignore-signals"),
  "handles signals": harmless("handle-signals"),
  "interrupts every call": harmless("interrupt"),
  "leaves the folder": harmless("chdir"),
  "leaves the folder while loaded": harmless("chdir", "load", 1),
  "a folder that is gone": harmless("chdir:gone"),
  "leaves the folder, with checkpoints": saved("chdir", "doStep", {
    order: `chdir doStep ${AT >> 1}`,
    ends: "done",
    rows: "all",
  }),
  umask: either("umask", "instantiate", 1),
  "no environment": harmless("clearenv", "instantiate", 1),
  "another locale": harmless("locale", "instantiate", 1),
  "no files may grow": either("limit-files"),
  "no more files": either("limit-descriptors"),
  "no more memory": either("limit-memory"),
  "no more processor time": either("limit-processor", "doStep", AT),
  "low priority": harmless("nice"),
  "rounds upwards": harmless("round-up"),
  "flushes to zero while loaded": harmless("flush-to-zero", "load", 1),
  "traps floating-point errors": either("trap-exceptions"),
  "removes its own files": either("remove-own-files", "instantiate", 1, {
    codes: [0, 1, 3],
    quiet: true,
  }),
  "empties the temporary folder": either("empty-temporary", "doStep", AT, {
    mark: true,
    quiet: true,
  }),
  "closes its own library": harmless("dlclose"),
  // What it says.
  "a message of 4 MiB": harmless("log-huge"),
  "messages with formats": harmless("log-formats"),
  "messages with escape sequences": harmless("log-escapes"),
  "messages in broken UTF-8": harmless("log-broken-text"),
  "messages without text": harmless("log-nothing"),
  "100 000 messages": harmless("log-often:100000"),
  "messages from a thread": harmless("log-from-thread"),
  "a thread that stays": closing("thread-stays", "free", { quiet: true }),
  "a thread that talks on": closing("thread-talks-on", "free", { quiet: true }),
  "a message at the very end": closing("log-late", "free", { quiet: true }),
};
