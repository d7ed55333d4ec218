/**
 * Why a scenario cannot have checkpoints, before it is run: units that cannot save their state and
 * cannot be replayed either.
 */
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { stepCount } from "../../engine/simulate-unit.ts";
import type { Scenario } from "../../model/scenario.ts";
import { type Port, portSize } from "../../model/unit-description.ts";
import { OP_WIDTH, Op, type Plan } from "../../plan/plan.ts";
import type { RunJob } from "../protocol/protocol.ts";
import { CHECKPOINT_RUN_DIAGNOSTICS } from "./checkpoint-run-diagnostics.ts";

/** @param replayBytes how long the log of one unit may be; 0: there are none. */
export function obstacles(
  job: Pick<RunJob, "realtime">,
  scenario: Scenario,
  plan: Plan,
  stop: number,
  replayBytes: number,
): Diagnostic[] {
  return scenario.units.flatMap((unit, u) => {
    const { serialize, needsExecutionTool } = unit.description.capabilities;
    if (serialize) return [];
    const say = (why: string, fix: string): Diagnostic[] => [
      diagnose(
        CHECKPOINT_RUN_DIAGNOSTICS,
        "checkpoint-impossible",
        { unit: unit.name, why, fix },
        unit.place,
      ),
    ];
    const supplier = "ask its supplier for saved states (FMI: canSerializeFMUState)";
    if (needsExecutionTool)
      return say("it drives a tool of its own, whose state cannot be restored", supplier);
    if (scenario.structure !== undefined)
      return say("it may come and go, so that no log of its whole life can be kept", supplier);
    if (job.realtime !== undefined)
      return say(
        "the run keeps pace with the wall clock, and so may the unit",
        `run without --realtime, or ${supplier}`,
      );
    if (replayBytes === 0)
      return say("logs are switched off with replay=off", `allow logs, or ${supplier}`);
    const bytes = logBytes(scenario, plan, u, stop);
    if (bytes <= replayBytes) return [];
    return say(
      `the log of its inputs would take about ${megabytes(bytes)} MB, more than ${megabytes(replayBytes)} MB`,
      `allow more with --checkpoint replay=${Math.ceil(bytes / 1e6)}MB, or ${supplier}`,
    );
  });
}

function megabytes(bytes: number): number {
  return Number((bytes / 1e6).toPrecision(3));
}

const CALL_BYTES = 5;
const WORD_BYTES = 8;

/** What a run to `stop` logs at most for unit `u`, texts and binary values counted as one word. */
export function logBytes(scenario: Scenario, plan: Plan, u: number, stop: number): number {
  const ports = scenario.units[u]?.description.ports ?? [];
  const sizeOf = (port: Port | undefined): number => (port ? WORD_BYTES * portSize(port) : 0);
  const { step } = plan.segments;
  let perStep = 0;
  for (let pc = 0; pc < step.length; pc += OP_WIDTH) {
    const [op, a = 0] = step.subarray(pc, pc + OP_WIDTH);
    const [access, slopes] = [plan.accesses[a], plan.slopes[a]];
    if (op === Op.Advance && a === u) perStep += 1 + WORD_BYTES;
    if (op === Op.Write && access?.unit === u)
      perStep += access.slots.reduce((sum, { port }) => sum + sizeOf(ports[port]), CALL_BYTES);
    if (op === Op.Slopes && slopes?.unit === u)
      perStep += CALL_BYTES + 4 + WORD_BYTES * (slopes.ports.length + slopes.slots.length);
  }
  const ticks = stepCount(plan.start, stop, plan.step, false);
  return Math.ceil(ticks / (plan.units[u]?.ticks ?? 1)) * perStep;
}
