/**
 * What a person does to a run while it goes on, inside the worker: it waits, takes single steps,
 * and values of units are set between steps. Only parameters that may change and inputs that
 * nothing feeds can be set.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../../base/error-text.ts";
import type { Scenario } from "../../model/scenario.ts";
import type { ScenarioPorts } from "../../model/scenario-ports.ts";
import { type Port, portSize } from "../../model/unit-description.ts";
import { type Banks, bankOf, makeBanks, type Value } from "../../model/value-type.ts";
import type { Unit } from "../../unit/unit.ts";
import { NO_CONTROL, type RunControl, readControl } from "../protocol/control-file.ts";
import type { Execution, WorkerHost } from "../protocol/protocol.ts";
import { assignedValues, findAssignments } from "./assignments.ts";
import type { RunSession } from "./session.ts";

/** How often a waiting run looks whether it may go on. */
const WAIT_MS = 10;
/** How often a running one looks whether it is to wait. */
const LOOK_MS = 50;
/** How often it is said where the time goes. */
const PROFILE_MS = 500;

export interface Interactive {
  readonly scenario: Scenario;
  readonly ports: ScenarioPorts;
  /** By index of the scenario's units. */
  readonly units: readonly Unit[];
  /** Nothing can be set. */
  readonly isFixed: boolean;
}

export class Interaction {
  private readonly folder: string;
  private readonly host: WorkerHost;
  private readonly on: Interactive;
  private readonly settable: ReadonlyMap<string, Port>;
  private control: RunControl = NO_CONTROL;
  private stepsTaken = 0;
  private lastSteps = 0;
  private setDone = 0;
  private lastLook = 0;
  private lastProfile = performance.now();
  private isHeld = false;

  constructor(folder: string, host: WorkerHost, on: Interactive) {
    this.folder = folder;
    this.host = host;
    this.on = on;
    this.settable = new Map(
      on.ports.description.ports
        .filter((port) => !on.isFixed && isSettable(on, port))
        .map((port) => [port.name, port]),
    );
    host.say({ kind: "tunable", names: [...this.settable.keys()] });
    this.look();
  }

  /** Steps until the person is to be asked; undefined: as many as the run likes. */
  readonly limit: () => number | undefined = () =>
    this.control.isPaused ? Math.max(1, this.control.steps - this.stepsTaken) : undefined;

  /** What a run asks between its steps: the person first, then whatever else may end it. */
  shouldStop(
    { shouldStop, restartClock }: Pick<RunSession, "shouldStop" | "restartClock">,
    execution: () => Execution | undefined,
  ): RunSession["shouldStop"] {
    return (time, steps) => {
      const asked = this.between(time, steps);
      this.sayProfile(execution);
      if (asked === false) return shouldStop(time, steps);
      return Promise.resolve(asked).then((isOver) => {
        restartClock();
        return isOver || shouldStop(time, steps);
      });
    };
  }

  private sayProfile(execution: () => Execution | undefined): void {
    const now = performance.now();
    if (now - this.lastProfile < PROFILE_MS) return;
    this.lastProfile = now;
    const profile = execution()?.profile;
    if (profile !== undefined) this.host.say({ kind: "profile", profile });
  }

  /** Called between steps. @returns a promise where the run has to wait; true ends it. */
  private between(time: number, steps: number): boolean | Promise<boolean> {
    if (this.control.isPaused) this.stepsTaken += steps - this.lastSteps;
    this.lastSteps = steps;
    const now = performance.now();
    if (now - this.lastLook < LOOK_MS && !this.control.isPaused) return false;
    this.lastLook = now;
    this.look();
    this.setValues(time);
    return this.mustWait() ? this.hold(time, steps) : false;
  }

  private mustWait(): boolean {
    return this.control.isPaused && this.stepsTaken >= this.control.steps;
  }

  private async hold(time: number, steps: number): Promise<boolean> {
    this.say(true, time, steps);
    // Whatever was taken beyond what was asked for is not owed.
    this.stepsTaken = this.control.steps;
    while (this.mustWait()) {
      await sleep(WAIT_MS);
      if (this.host.isCancelled()) return true;
      this.look();
      this.setValues(time);
    }
    if (!this.control.isPaused) this.say(false, time, steps);
    return false;
  }

  private say(isHeld: boolean, time: number, steps: number): void {
    // Each step of a run that is stepped through is reported.
    if (isHeld || this.isHeld) this.host.say({ kind: "held", isHeld, time, steps });
    this.isHeld = isHeld;
  }

  private look(): void {
    const found = readControl(this.folder);
    if (found === undefined) return;
    // What was taken while it ran is not owed to a person who steps.
    if (found.isPaused && !this.control.isPaused) this.stepsTaken = this.control.steps;
    this.control = found;
  }

  private setValues(time: number): void {
    for (; this.setDone < this.control.set.length; this.setDone++) {
      const text = this.control.set[this.setDone] ?? "";
      const problem = this.setValue(text);
      this.host.say({
        kind: "changed",
        time,
        text,
        ...(problem === undefined ? {} : { problem }),
      });
    }
  }

  /** @returns why it was not set. */
  private setValue(text: string): string | undefined {
    const problems: string[] = [];
    const { ports } = this.on;
    const report = ({ message, fix }: { message: string; fix: string }): void =>
      void problems.push(`${message}; ${fix}`);
    const found = findAssignments([text], ports.description, report);
    for (const { port } of found)
      if (!this.settable.has(port.name))
        problems.push(
          `'${port.name}' cannot be set while the run goes on: only tunable parameters and inputs that nothing feeds can`,
        );
    const values = problems.length === 0 ? assignedValues(found, report) : new Map();
    if (problems.length > 0) return problems.join("; ");
    try {
      for (const [index, given] of values as Map<number, readonly Value[]>) {
        const { unit, port } = ports.origin(index);
        const target = this.on.units[unit];
        const its = target?.description.ports[port];
        if (target === undefined || its === undefined) return `there is no unit for '${text}'`;
        const access = target.bind([{ port, slot: 0 }]);
        target.write(access, banksOf(its, given));
      }
    } catch (error) {
      return errorText(error);
    }
    return undefined;
  }
}

function banksOf(port: Port, values: readonly Value[]): Banks {
  const bank = bankOf(port.type);
  const size = portSize(port);
  const banks = makeBanks({ f64: 0, i64: 0, obj: 0, [bank]: size });
  for (let i = 0; i < size; i++) {
    const value = values[values.length === 1 ? 0 : i];
    if (bank === "f64") banks.f64[i] = Number(value);
    else if (bank === "i64") banks.i64[i] = BigInt(value as bigint);
    else banks.obj[i] = value as Banks["obj"][number];
  }
  return banks;
}

function isSettable(
  { scenario, ports }: Interactive,
  { index, direction, variability }: Port,
): boolean {
  if (direction === "parameter") return variability === "tunable";
  if (direction !== "input") return false;
  const { unit, port } = ports.origin(index);
  return !scenario.connections.some(({ to }) => to.unit === unit && to.port === port);
}
