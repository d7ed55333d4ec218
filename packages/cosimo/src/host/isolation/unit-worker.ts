/**
 * The program of a process that holds units of a run (isolator.ts starts it). Opens what it is
 * asked to, answers calls, ends with the run.
 */
import { DiagnosticsError } from "../../base/diagnostic.ts";
import type { UnitDraft } from "../../model/scenario.ts";
import { dieWithParent } from "../../platform/native/die-with-parent.ts";
import type { NativeUnitOptions } from "../../platform/native/native-options.ts";
import { limitProcess } from "../../platform/process/limits.ts";
import { lockDoor } from "../../platform/process/lock-door.ts";
import { openHostEnd, serveUnits } from "../../platform/process/serve-units.ts";
import type { Note } from "../../remote/protocol.ts";
import type { Unit } from "../../unit/unit.ts";
import { diskFiles, type Files } from "../sources/files.ts";
import { openContext } from "../sources/open-context.ts";
import { SourceTree } from "../sources/tree.ts";
import { TRUST_ALL } from "../trust.ts";
import { decodeOrder, type ProcessOrder, type UnitOrder } from "./unit-order.ts";

// The run decides when we end.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const)
  process.on(signal, () => undefined);

const order = JSON.parse(process.argv[2] ?? "{}") as ProcessOrder;
dieWithParent();
const parent = process.ppid;
const channel = openHostEnd(order.patience);
const notes: Note[] = [];
let isLimited = false;

await serveUnits(
  channel,
  {
    open: (text, index) => openOrdered(decodeOrder(text), index),
    takeNotes: () => (notes.length === 0 ? notes : notes.splice(0)),
  },
  () => process.ppid === parent,
);
process.exit(0);

async function openOrdered(ordered: UnitOrder, index: number): Promise<Unit> {
  const { source, file, around, use, unpacked, scratch } = ordered;
  const tree = new SourceTree(filesFor(unpacked), scratch);
  const values = [...use.structural].map(([port, value]) => ({ port, value, place: use.place }));
  const draft: UnitDraft = { name: use.name, source, values, place: use.place };
  // From here on foreign code may run: reading a module runs it.
  if (!isLimited && order.isSandboxed) lockDoor();
  if (!isLimited) {
    if (order.limits.openFiles !== undefined) await loadOpeners();
    limitProcess(order.limits);
  }
  isLimited = true;
  const read = await tree.read(draft, file, around);
  if (read === undefined) throw new DiagnosticsError(tree.diagnostics);
  return read.open(
    use,
    openContext(tree, {
      folder: scratch,
      native: (name) => nativeOptions(ordered, name, channel.callWord(index)),
    }),
  );
}

/**
 * What sources load when they need it, loaded before files are counted: an import opens the files
 * of all that it imports at once, dozens on a slow disk, and these are not the unit's.
 */
function loadOpeners(): Promise<unknown> {
  return Promise.all([
    import("../../devs/devs-unit.ts"),
    import("../../devs/library/counters.ts"),
    import("../../engine/masters/run-master.ts"),
    import("../../exchange/group-ode.ts"),
    import("../../exchange/integrating-unit.ts"),
    import("../../faults/faulty-unit.ts"),
    import("../../lang/sa/imports.ts"),
    import("../../lang/sa/parse-sa.ts"),
    import("../../platform/native/following-unit.ts"),
    import("../../platform/native/open-exchange-unit.ts"),
    import("../../platform/native/open-native-unit.ts"),
    import("../sources/adaptation.ts"),
    import("../sources/adapted.ts"),
  ]);
}

/** What the unit says goes with the next answer. */
function nativeOptions(
  { loggingOn, logsCalls }: UnitOrder,
  unit: string,
  lastCall: Int32Array,
): NativeUnitOptions {
  return {
    ...(loggingOn && { loggingOn }),
    lastCall,
    onLog: ({ status, category, message }) =>
      void notes.push({ kind: "log", unit, status, category, message }),
    onDiagnostic: (diagnostic) => void notes.push({ kind: "diagnostic", unit, diagnostic }),
    ...(logsCalls && { callLog: (line: string) => void notes.push({ kind: "call", unit, line }) }),
  };
}

/**
 * Modules were trusted by the run; FMUs lie where it has unpacked them, under the names that they
 * had.
 */
function filesFor(unpacked: UnitOrder["unpacked"]): Files {
  const files = diskFiles(TRUST_ALL);
  return {
    ...files,
    exists: (path) => unpacked.has(path) || files.exists(path),
    fmu(path) {
      const folder = unpacked.get(path);
      const found = files.fmu(folder ?? path);
      return folder === undefined || found.value === undefined
        ? found
        : { ...found, value: { ...found.value, path } };
    },
  };
}
