/**
 * Stability analyses that pages asked for: each is a process, and what is known of it is here.
 */
import { randomBytes } from "node:crypto";
import type { StudioFolder } from "./folder.ts";
import { RequestRefused } from "./problem.ts";
import type { StabilityJob, StabilityRequest } from "./protocol.ts";
import type { StudioServices } from "./services.ts";

const MAX_WORKING = 2;
const MAX_KEPT = 16;

interface Kept {
  job: StabilityJob;
  stop(): void;
}

export class StabilityBook {
  private readonly jobs = new Map<string, Kept>();
  private readonly folder: StudioFolder;
  private readonly services: StudioServices;
  private readonly tell: (job: StabilityJob) => void;

  constructor(folder: StudioFolder, services: StudioServices, tell: (job: StabilityJob) => void) {
    this.folder = folder;
    this.services = services;
    this.tell = tell;
  }

  start(request: StabilityRequest): StabilityJob {
    if (typeof request?.path !== "string")
      throw new RequestRefused("request-wrong", "the request names no scenario ('path')");
    const working = [...this.jobs.values()].filter(({ job }) => job.state === "working").length;
    if (working >= MAX_WORKING) throw new RequestRefused("runs-too-many", String(working));
    const file = this.folder.existing(request.path);
    const id = randomBytes(6).toString("hex");
    const kept: Kept = {
      job: {
        id,
        path: request.path,
        state: "working",
        fraction: 0,
        doing: "starting",
        diagnostics: [],
      },
      stop: () => undefined,
    };
    this.jobs.set(id, kept);
    const started = this.services.startStability(file, request, (event) => {
      const { kind: state, diagnostics, ...facts } = event;
      const found = diagnostics?.map((d) => ({
        ...d,
        place: { ...d.place, file: this.folder.shown(d.place.file) },
      }));
      kept.job = { ...kept.job, ...facts, state, ...(found && { diagnostics: found }) };
      this.tell(kept.job);
    });
    kept.stop = () => started.stop();
    for (const [old, { job }] of this.jobs) {
      if (this.jobs.size <= MAX_KEPT) break;
      if (job.state !== "working") this.jobs.delete(old);
    }
    return kept.job;
  }

  private kept(id: string): Kept {
    const found = this.jobs.get(id);
    if (found === undefined) throw new RequestRefused("run-unknown", id.slice(0, 40));
    return found;
  }

  find(id: string): StabilityJob {
    return this.kept(id).job;
  }

  stop(id: string): StabilityJob {
    const found = this.kept(id);
    if (found.job.state === "working") found.stop();
    return found.job;
  }

  close(): void {
    for (const { stop, job } of this.jobs.values()) if (job.state === "working") stop();
  }
}
