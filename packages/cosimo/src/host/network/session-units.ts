/**
 * The units of one session: opened as a run on the node's own computer would open them, in this
 * process where they can be. FMUs that may be instantiated once per process get processes of their
 * own from the second on (host/isolation), and so does what an offered scenario isolates. What
 * units say goes with the next answer to their caller, without paths.
 */
import { homedir, tmpdir } from "node:os";
import { dirname } from "node:path";
import { type Diagnostic, DiagnosticsError } from "../../base/diagnostic.ts";
import type { NativeUnitOptions } from "../../platform/native/native-options.ts";
import { Nonsense, type Note } from "../../remote/protocol.ts";
import type { Redact } from "../../remote/redact.ts";
import type { UnitServerOptions } from "../../remote/unit-server.ts";
import type { Unit } from "../../unit/unit.ts";
import { openingOf } from "../load-scenario.ts";
import type { Trust } from "../trust.ts";
import { type Offer, OfferedUnits } from "./offers.ts";
import { takeRequest, type UnitRequest } from "./unit-request.ts";
import { withoutPaths } from "./without-paths.ts";

/** Who gets the notes of a unit. */
interface Listener {
  readonly request: UnitRequest;
  readonly notes: Note[];
}

export class SessionUnits {
  private readonly offered: OfferedUnits;
  private readonly opening: ReturnType<typeof openingOf>;
  private readonly redact: Redact;
  /** By the name of the unit. */
  private readonly listeners = new Map<string, Listener>();
  private readonly common: Note[] = [];

  constructor(offers: readonly Offer[], trust: Trust, folder: string) {
    this.offered = new OfferedUnits(offers, trust, folder);
    this.opening = openingOf(this.offered.tree, {
      folder,
      native: (name) => this.native(name),
      isolation: { onDiagnostic: (diagnostic) => this.note(diagnostic) },
    });
    this.redact = redactionFor(offers, folder);
  }

  channel(): UnitServerOptions {
    const notes: Note[] = [];
    return {
      open: (text) => this.open(takeRequest(text), notes),
      takeNotes: () =>
        notes.length + this.common.length === 0
          ? notes
          : [...notes.splice(0), ...this.common.splice(0)],
      redact: this.redact,
    };
  }

  private async open(request: UnitRequest, notes: Note[]): Promise<Unit> {
    const read = await this.offered.read(request.offer);
    if (read === undefined) throw new Nonsense(`'${request.offer}' is not offered`);
    const { diagnostics } = this.offered.tree;
    const place = { file: request.offer };
    const use = { ...request.use, place };
    const before = diagnostics.length;
    const description = read.source.describe(use.structural, { name: use.name, place });
    if (description === undefined) throw new DiagnosticsError(diagnostics.slice(before));
    this.listeners.set(use.name, { request, notes });
    const { source } = read.draft;
    const { open, context } = this.opening;
    // What is inside of a scenario is opened unit by unit.
    if (source.kind === "scenario-file") return read.source.open(use, context);
    return open({ name: use.name, source, description, values: [], place }, use);
  }

  private native(unit: string): NativeUnitOptions {
    const [listener] = [...this.listeners]
      .filter(([name]) => unit === name || unit.startsWith(`${name}.`))
      .sort(([a], [b]) => b.length - a.length)
      .map(([, one]) => one);
    if (listener === undefined) return {};
    const { notes, request } = listener;
    return {
      ...(request.loggingOn && { loggingOn: true }),
      onLog: ({ status, category, message }) =>
        void notes.push({ kind: "log", unit, status, category, message }),
      onDiagnostic: (diagnostic) => void notes.push({ kind: "diagnostic", unit, diagnostic }),
      ...(request.logsCalls && {
        callLog: (line: string) => void notes.push({ kind: "call", unit, line }),
      }),
    };
  }

  /** Of a process, which may have several units: the next answer reports it. */
  private note(diagnostic: Diagnostic): void {
    this.common.push({ kind: "diagnostic", unit: "", diagnostic });
  }
}

/** A text without the paths of this computer. */
export function redactionFor(offers: readonly Offer[], folder: string): Redact {
  const folders = offers.map(({ path }) => dirname(path));
  return withoutPaths([...folders, folder, dirname(folder), homedir(), tmpdir(), process.cwd()]);
}
