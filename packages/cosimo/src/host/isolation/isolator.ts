/**
 * Opens units in processes of their own, for one run: starts the processes, tells them what to
 * open, passes on what their units say, and knows in the end what became of them.
 */
import { mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Diagnostic, DiagnosticsError, diagnose, unwrap } from "../../base/diagnostic.ts";
import { UnitLost } from "../../base/outcome.ts";
import { present } from "../../base/present.ts";
import type { Isolation } from "../../model/isolation.ts";
import type { UnitSource } from "../../model/scenario.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import type { NativeUnitOptions } from "../../platform/native/native-options.ts";
import { patienceFor } from "../../platform/process/channel.ts";
import { refusalOfProcesses } from "../../platform/process/futex.ts";
import { insideEnd, limitText } from "../../platform/process/limits.ts";
import type { ProcessEnd } from "../../platform/process/process-end.ts";
import { sandboxed, sandboxRefusal } from "../../platform/process/sandbox.ts";
import { endText, type ProcessCommand, UnitProcess } from "../../platform/process/unit-process.ts";
import { RemoteHost } from "../../remote/open-remote.ts";
import { PeerLost } from "../../remote/protocol.ts";
import { type Restart, RestartingTransport } from "../../remote/restarting-transport.ts";
import type { UnitUse } from "../../run/open-units.ts";
import type { Unit } from "../../unit/unit.ts";
import type { Files } from "../sources/files.ts";
import type { IsolatedUnit, RestartReport } from "../sources/source.ts";
import { ISOLATION_DIAGNOSTICS } from "./isolation-diagnostics.ts";
import { passNotes } from "./pass-notes.ts";
import { type UnitFiles, unitFiles } from "./unit-files.ts";
import { encodeOrder, type ProcessOrder, type UnitOrder } from "./unit-order.ts";

export interface IsolatorOptions {
  /** Of the run; processes write below it. */
  readonly folder: string;
  readonly files: Files;
  /** Listeners of a native instance, by its full name. */
  readonly native: (name: string) => NativeUnitOptions;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
  /** The program of the processes; default: that of this package. */
  readonly program?: string;
}

/** A unit that is to be opened. */
export interface IsolationRequest {
  readonly isolation: Isolation;
  readonly source: UnitSource;
  /** How the scenario asks for it: absolute path, the file that names it, adaptations around it. */
  readonly request: {
    readonly path: string;
    readonly file: string;
    readonly around: readonly string[];
  };
  readonly use: UnitUse;
  /** As the source describes it. */
  readonly description: UnitDescription;
}

interface Process {
  readonly isolation: Isolation;
  readonly host: RemoteHost;
  readonly scratch: string;
  readonly names: string[];
  readonly mirrors: Int32Array[];
  readonly restarts: RestartReport[];
}

const SETTLE_MS = 1000;
const PROGRAM = fileURLToPath(new URL("./unit-worker.js", import.meta.url));

export class Isolator {
  private readonly options: IsolatorOptions;
  private readonly processes: Process[] = [];
  private readonly groups = new Map<string, Process>();
  private readonly unpacked = new Map<string, Promise<string>>();
  private readonly started: UnitProcess[] = [];

  constructor(options: IsolatorOptions) {
    this.options = options;
  }

  /**
   * @throws DiagnosticsError where a unit cannot be isolated; UnitError when it cannot be opened.
   */
  async open(request: IsolationRequest): Promise<Unit> {
    const { source, use, description } = request;
    this.refuse(request);
    const draft = { name: use.name, values: [], place: use.place };
    const made = await unitFiles(source, draft, request.request, this.options.files);
    const unpacked = await this.unpack(made);
    const process = this.processFor(request, made, unpacked);
    const native = this.options.native(use.name);
    process.names.push(use.name);
    process.mirrors.push(native.lastCall ?? new Int32Array(1));
    const order: UnitOrder = {
      source,
      ...request.request,
      use,
      unpacked,
      scratch: process.scratch,
      loggingOn: native.loggingOn === true,
      logsCalls: native.callLog !== undefined,
    };
    try {
      return process.host.open({
        name: use.name,
        order: encodeOrder(order),
        description,
        onNotes: (notes) => passNotes(use.name, notes, this.options.native),
        onLateLoss: ({ failure }) => this.late(use, failure.status),
      });
    } catch (error) {
      if (!(error instanceof PeerLost)) throw error;
      const { how, call = "loading", problem } = error;
      throw new UnitLost({
        unit: use.name,
        call,
        status: how,
        time: use.start,
        ...present({ problem }),
        log: [],
      });
    }
  }

  /** Waits until processes that have ended are gone for the system as well, for a moment. */
  async settle(): Promise<void> {
    const enough = new AbortController();
    const patience = sleep(SETTLE_MS, undefined, { signal: enough.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.started.map(({ reaped }) => reaped)), patience]);
    enough.abort();
  }

  report(): IsolatedUnit[] {
    return this.processes.flatMap(({ isolation, names, restarts }) =>
      names.map((unit) => ({
        unit,
        kind: isolation.kind,
        ...present({ group: isolation.group }),
        restarts,
      })),
    );
  }

  private refuse({ isolation, source, use }: IsolationRequest): void {
    const refusal = refusalOfProcesses(process.platform, process.arch);
    if (refusal !== undefined) {
      const params = { unit: use.name, why: refusal };
      throw refused(diagnose(ISOLATION_DIAGNOSTICS, "isolation-platform", params, use.place));
    }
    if (isolation.kind !== "sandbox") return;
    if (holdsModule(source)) {
      const params = { unit: use.name };
      throw refused(diagnose(ISOLATION_DIAGNOSTICS, "sandbox-module", params, use.place));
    }
    const none = sandboxRefusal();
    if (none === undefined) return;
    const params = { unit: use.name, ...none };
    throw refused(diagnose(ISOLATION_DIAGNOSTICS, "sandbox-missing", params, use.place));
  }

  private processFor(
    { isolation, use }: IsolationRequest,
    { others }: UnitFiles,
    unpacked: ReadonlyMap<string, string>,
  ): Process {
    const { group } = isolation;
    const known = group === undefined ? undefined : this.groups.get(group);
    if (known !== undefined && !known.host.isOver) {
      if (sameProcess(known.isolation, isolation)) return known;
      const params = { unit: use.name, group: group ?? "" };
      throw refused(diagnose(ISOLATION_DIAGNOSTICS, "isolation-group", params, use.place));
    }
    const scratch = join(this.options.folder, `unit-${this.processes.length}`);
    mkdirSync(scratch, { recursive: true });
    const restarts: RestartReport[] = [];
    const [names, mirrors]: [string[], Int32Array[]] = [[], []];
    const start = (): UnitProcess =>
      this.start(isolation, { names, mirrors }, scratch, [...others, ...unpacked.values()]);
    const transport =
      isolation.onFailure === "restart"
        ? new RestartingTransport({
            start,
            onRestart: (restart) => this.restarted(use, names, restart, restarts),
            onForgotten: () => this.forgotten(use, names),
          })
        : start();
    const host = new RemoteHost(transport);
    const made: Process = { isolation, host, scratch, names, mirrors, restarts };
    this.processes.push(made);
    if (group !== undefined) this.groups.set(group, made);
    return made;
  }

  private start(
    { kind, limits = {} }: Isolation,
    units: { readonly names: readonly string[]; readonly mirrors: readonly Int32Array[] },
    scratch: string,
    readable: readonly string[],
  ): UnitProcess {
    const patience = patienceFor(availableParallelism());
    const isSandboxed = kind === "sandbox";
    const order: ProcessOrder = { patience, limits, isSandboxed };
    const args = [this.options.program ?? PROGRAM, JSON.stringify(order)];
    const command: ProcessCommand = isSandboxed
      ? sandboxed({ arguments: args, readable, scratch })
      : { program: process.execPath, arguments: args };
    const made = new UnitProcess(command, {
      ...units,
      patience,
      ...present({ callSeconds: limits.callSeconds }),
      explainEnd: (end: ProcessEnd) => {
        const inside = isSandboxed ? insideEnd(end) : end;
        return limitText(limits, inside) ?? endText(inside);
      },
    });
    this.started.push(made);
    return made;
  }

  /** Archives are unpacked once for all processes of the run. */
  private async unpack({ fmus }: UnitFiles): Promise<Map<string, string>> {
    const folders = new Map<string, string>();
    for (const [path, fmu] of fmus) {
      let folder = this.unpacked.get(path);
      if (folder === undefined) {
        const target = join(this.options.folder, `isolated-${this.unpacked.size}`);
        folder = fmu.extract(target).then(unwrap);
        this.unpacked.set(path, folder);
      }
      folders.set(path, await folder);
    }
    return folders;
  }

  private restarted(
    { place }: UnitUse,
    names: readonly string[],
    { why, replayed, differs }: Restart,
    reports: RestartReport[],
  ): void {
    const text = why.problem ?? `${why.call ?? "it"} ended with ${why.how}`;
    reports.push({ why: text, replayed, differs });
    const params = { unit: names.join("', '"), why: text };
    const { onDiagnostic } = this.options;
    onDiagnostic(diagnose(ISOLATION_DIAGNOSTICS, "unit-restarted", params, place));
    if (differs)
      onDiagnostic(
        diagnose(ISOLATION_DIAGNOSTICS, "restart-differs", { unit: params.unit }, place),
      );
  }

  private forgotten({ place }: UnitUse, names: readonly string[]): void {
    const params = { unit: names.join("', '") };
    this.options.onDiagnostic(diagnose(ISOLATION_DIAGNOSTICS, "restart-forgotten", params, place));
  }

  private late({ name: unit, place }: UnitUse, how: string): void {
    const { onDiagnostic } = this.options;
    onDiagnostic(diagnose(ISOLATION_DIAGNOSTICS, "unit-lost-late", { unit, how }, place));
  }
}

function refused(diagnostic: Diagnostic): DiagnosticsError {
  return new DiagnosticsError([diagnostic]);
}

/** Whether two units that name one group want the same process. */
function sameProcess(a: Isolation, b: Isolation): boolean {
  const key = ({ kind, onFailure = "end", limits = {} }: Isolation): string =>
    JSON.stringify([kind, onFailure, Object.entries(limits).sort()]);
  return key(a) === key(b) && a.kind !== "sandbox";
}

/** A module is run by the run itself, to learn what it makes. */
function holdsModule(source: UnitSource): boolean {
  if (source.kind === "adapted") return holdsModule(source.inner);
  return source.kind === "module";
}
