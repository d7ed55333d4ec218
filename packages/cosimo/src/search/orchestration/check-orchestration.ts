/**
 * Whether an orchestration algorithm is correct: it is executed with stamps in place of numbers,
 * and the first operation that cannot be right is reported with the reason.
 * docs/spec/orchestration.md numbers the rules.
 *
 * Every unit has a time, counted in steps; every value that was read, and every input that was set,
 * has the time that it belongs to. A step that may still be refused is an *attempt*: what was read
 * in an attempt that was refused is worth nothing. Loops run twice: a negotiation as if the step
 * had been refused once, an iteration as if the first round had been a guess.
 */
import { type Diagnostic, diagnose, type Place } from "../../base/diagnostic.ts";
import {
  type Operation,
  type OrchestratedSystem,
  type Orchestration,
  operationText,
  type RepeatedOperations,
} from "../../model/orchestration.ts";
import { ORCHESTRATION_RULES } from "./orchestration-diagnostics.ts";
import { System, unitName } from "./system.ts";

/** Steps that are executed: the second one begins with what the first one left. */
const STEPS = 2;

/** @returns the first wrong operation; empty: the algorithm is correct. */
export function checkOrchestration(
  system: OrchestratedSystem,
  { initialization, step }: Orchestration,
  place: Place,
): Diagnostic[] {
  const machine = new Machine(new System(system));
  try {
    if (initialization === undefined) machine.assumeInitialized();
    else machine.initialize(initialization, place);
    for (let n = 1; n <= STEPS; n++) machine.takeStep(step, place);
    return [];
  } catch (error) {
    if (error instanceof WrongOperation) return [error.diagnostic];
    throw error;
  }
}

class WrongOperation extends Error {
  readonly diagnostic: Diagnostic;
  constructor(diagnostic: Diagnostic) {
    super(diagnostic.message);
    this.diagnostic = diagnostic;
  }
}

/** What a value belongs to: a time in steps, and the attempt in which it was computed. */
interface Stamp {
  readonly time: number;
  readonly attempt: number;
}

interface UnitState {
  /** In steps. */
  time: number;
  /** By input. */
  inputs: Map<string, Stamp>;
}

interface Around {
  /** In the body of a loop that is repeated until no unit refuses. */
  readonly isNegotiated: boolean;
  /** The first round of an iteration: values may be guesses. */
  readonly isGuess: boolean;
  /** Of the iterations around it, the outermost first. */
  readonly rounds: readonly Round[];
}

/** A round of an iteration, as far as it has come. */
interface Round {
  readonly agree: readonly string[];
  /**
   * Ports that the body reads or sets, and this round has not yet: their values are of the round
   * before.
   */
  readonly late: Set<string>;
  /** Inputs that were set to a value of the round before. */
  readonly behind: Set<string>;
  /** Inputs whose values, where they are late, are older than the round before. */
  readonly old: ReadonlySet<string>;
}

const OUTSIDE: Around = { isNegotiated: false, isGuess: false, rounds: [] };

class Machine {
  private readonly system: System;
  private readonly units = new Map<string, UnitState>();
  /** By output: what was read last. */
  private readonly values = new Map<string, Stamp>();
  private readonly saved = new Map<string, UnitState>();
  /** The time at which the step at hand begins. */
  private start = 0;
  private attempt = 0;
  private isInitialization = true;

  constructor(system: System) {
    this.system = system;
    for (const name of system.units.keys()) this.units.set(name, { time: 0, inputs: new Map() });
  }

  assumeInitialized(): void {
    const stamp = { time: 0, attempt: 0 };
    for (const output of this.system.outputs()) this.values.set(output, stamp);
    for (const input of this.system.inputs())
      this.units.get(unitName(input))?.inputs.set(input, stamp);
    this.isInitialization = false;
  }

  initialize(operations: readonly Operation[], place: Place): void {
    this.run(operations, OUTSIDE);
    const open = this.system.inputs().find((input) => !this.inputStamp(input));
    if (open !== undefined)
      this.wrong(
        "the end of the initialization",
        `'${open}' has no value: nothing sets it`,
        `add: get ${this.system.sourceOf.get(open)}, then set ${open}`,
        place,
      );
    this.isInitialization = false;
  }

  takeStep(operations: readonly Operation[], place: Place): void {
    this.attempt++;
    this.saved.clear();
    this.run(operations, OUTSIDE);
    for (const [name, { time }] of this.units)
      if (time !== this.start + 1)
        this.wrong(
          "the end of the step",
          `'${name}' ${time > this.start ? "took more than one step" : "took no step"}`,
          `step it once: step ${name}`,
          place,
        );
    // What was read in an attempt that was refused does not become true by waiting.
    const isDead = ({ time, attempt }: Stamp): boolean =>
      time === this.start + 1 && attempt !== this.attempt;
    for (const [output, stamp] of this.values) if (isDead(stamp)) this.values.delete(output);
    for (const { inputs } of this.units.values())
      for (const [input, stamp] of inputs) if (isDead(stamp)) inputs.delete(input);
    this.start++;
  }

  private run(operations: readonly Operation[], around: Around): void {
    for (const operation of operations) this.perform(operation, around);
  }

  private perform(operation: Operation, around: Around): void {
    switch (operation.kind) {
      case "get":
        this.get(operation, around);
        break;
      case "set":
        this.set(operation, around);
        break;
      case "step":
        this.advance(operation, around);
        break;
      case "save":
        this.save(operation);
        break;
      case "restore":
        this.restore(operation);
        break;
      case "repeat":
        if (operation.until === "accepted") this.negotiate(operation, around);
        else this.iterate(operation, operation.until.agree, around);
        break;
    }
  }

  // ---- values --------------------------------------------------------------------------------

  /** [OR2] */
  private get(operation: Extract<Operation, { kind: "get" }>, around: Around): void {
    const { port } = operation;
    const { isGuess } = around;
    if (!this.system.isOutput(port))
      this.wrongAt(operation, `there is no output '${port}'`, "name an output of a unit");
    const unit = this.stateOf(port, operation);
    for (const input of this.system.needsOf(port)) {
      if (isGuess) continue;
      const stamp = this.inputStamp(input);
      const isThere = stamp !== undefined && stamp.time === unit.time && this.isAlive(stamp);
      if (!isThere)
        this.wrongAt(
          operation,
          `'${port}' depends on '${input}' at the same instant, which ${this.ageText(stamp, unit.time)}`,
          `set ${input} before`,
        );
      this.checkWatched(operation, input, around);
    }
    this.values.set(port, this.stampOf(unit));
    for (const { late } of around.rounds) late.delete(port);
  }

  /** [OR3] */
  private set(operation: Extract<Operation, { kind: "set" }>, around: Around): void {
    const { port } = operation;
    const { isGuess } = around;
    const source = this.system.sourceOf.get(port);
    if (source === undefined)
      this.wrongAt(
        operation,
        `nothing is connected to '${port}'`,
        "name an input that has a source",
      );
    const unit = this.stateOf(port, operation);
    const value = this.values.get(source);
    if (!isGuess) this.checkWatched(operation, source, around);
    for (const { late, behind } of around.rounds) {
      late.delete(port);
      if (late.has(source)) behind.add(port);
    }
    if (value === undefined) {
      if (isGuess) {
        unit.inputs.set(port, this.stampOf(unit));
        return;
      }
      this.wrongAt(operation, `its source '${source}' was not read yet`, `get ${source} before`);
    }
    const kind = this.system.kindOf(port);
    const isAhead = value.time === unit.time + 1 && !this.isInitialization;
    const fits = value.time === unit.time || (isAhead && kind !== "delayed");
    if (!isGuess && !this.isAlive(value))
      this.wrongAt(
        operation,
        `'${source}' was read in an attempt that was refused`,
        `get ${source} again in the loop`,
      );
    if (!isGuess && !fits)
      this.wrongAt(
        operation,
        isAhead
          ? `'${port}' is delayed: it takes the value of the start of the step, and '${source}' was read at its end`
          : `the value of '${source}' is ${value.time < unit.time ? "older" : "newer"} than '${unitName(port)}'`,
        isAhead ? `get ${source} before step ${unitName(source)}` : `get ${source} before`,
      );
    // A guess stands for the value that is needed.
    const needed = kind === "reactive" ? unit.time + 1 : unit.time;
    unit.inputs.set(port, isGuess && !fits ? { time: needed, attempt: this.attempt } : value);
  }

  // ---- steps ---------------------------------------------------------------------------------

  /** [OR4], [OR5] */
  private advance(operation: Extract<Operation, { kind: "step" }>, around: Around): void {
    const { unit: name } = operation;
    if (this.isInitialization)
      this.wrongAt(operation, "units do not step while they are initialized", "move it to 'step'");
    const unit = this.stateOf(`${name}.`, operation);
    if (unit.time > this.start)
      this.wrongAt(
        operation,
        `'${name}' has taken this step already`,
        `remove it, or restore ${name} before`,
      );
    for (const input of this.system.inputsOf(name)) {
      if (around.isGuess) break;
      const stamp = this.inputStamp(input);
      const kind = this.system.kindOf(input);
      const wanted =
        kind === "reactive"
          ? [unit.time + 1]
          : kind === "delayed"
            ? [unit.time]
            : [unit.time, unit.time + 1];
      if (stamp !== undefined && wanted.includes(stamp.time) && this.isAlive(stamp)) continue;
      const source = this.system.sourceOf.get(input);
      const what = `'${input}' is ${kind === "undeclared" ? "connected" : kind}, and ${this.ageText(stamp, wanted[0] ?? 0)}`;
      this.wrongAt(
        operation,
        what,
        kind === "reactive"
          ? `step ${unitName(source ?? "")}, get ${source}, set ${input} before`
          : `get ${source}, set ${input} before`,
      );
    }
    if (this.system.units.get(name)?.mayRefuse && !around.isNegotiated)
      this.wrongAt(
        operation,
        `'${name}' may refuse the step, and nothing would take the others back`,
        "put it into a loop: repeat until accepted",
      );
    unit.time++;
  }

  // ---- states --------------------------------------------------------------------------------

  /** [OR6] */
  private save(operation: Extract<Operation, { kind: "save" }>): void {
    const { unit: name } = operation;
    const unit = this.stateOf(`${name}.`, operation);
    if (this.system.units.get(name)?.canRollBack === false)
      this.wrongAt(operation, `'${name}' cannot save its state`, "do not step it in a loop");
    this.saved.set(name, { time: unit.time, inputs: new Map(unit.inputs) });
  }

  private restore(operation: Extract<Operation, { kind: "restore" }>): void {
    const { unit: name } = operation;
    const unit = this.stateOf(`${name}.`, operation);
    const saved = this.saved.get(name);
    if (saved === undefined)
      this.wrongAt(
        operation,
        `the state of '${name}' was not saved`,
        `save ${name} before the loop`,
      );
    unit.time = saved.time;
    unit.inputs = new Map(saved.inputs);
  }

  // ---- loops ---------------------------------------------------------------------------------

  /** [OR7] As if the step had been refused once. */
  private negotiate(loop: RepeatedOperations, { isGuess, rounds }: Around): void {
    if (this.isInitialization)
      this.wrong(
        "repeat until accepted",
        "there is no step in the initialization",
        "move it to 'step'",
        loop.place,
      );
    const early = [...this.units].find(([, { time }]) => time > this.start);
    if (early !== undefined)
      this.wrong(
        "repeat until accepted",
        `'${early[0]}' has taken the whole step already, which may still get shorter`,
        `step ${early[0]} in the loop or behind it`,
        loop.place,
      );
    const around = { isNegotiated: true, isGuess, rounds };
    this.run(loop.body, around);
    if (this.refusing(loop.body) === undefined)
      this.wrong(
        "repeat until accepted",
        "no unit in it may refuse a step",
        "remove the loop",
        loop.place,
      );
    this.attempt++;
    this.run(loop.retry, OUTSIDE);
    this.checkBack(loop, "the step gets shorter");
    this.run(loop.body, around);
  }

  /** [OR8] The first round is a guess, the second one has to fit. */
  private iterate(loop: RepeatedOperations, agree: readonly string[], around: Around): void {
    const ports = readIn(loop.body);
    for (const port of agree)
      if (!ports.has(port))
        this.wrong(
          "repeat until agree",
          `'${port}' is not read in the loop, so it cannot agree`,
          `get ${port} in it`,
          loop.place,
        );
    const run = (isGuess: boolean, old: ReadonlySet<string>): ReadonlySet<string> => {
      const late = new Set([...ports, ...setIn(loop.body)]);
      const round = { agree, late, behind: new Set<string>(), old };
      this.run(loop.body, { ...around, isGuess, rounds: [...around.rounds, round] });
      return round.behind;
    };
    const behind = run(true, new Set());
    this.run(loop.retry, OUTSIDE);
    this.checkBack(loop, "the loop repeats its step");
    const restored = loop.retry.flatMap((one) =>
      one.kind === "restore" ? this.system.inputsOf(one.unit) : [],
    );
    run(around.isGuess, new Set([...behind, ...restored]));
  }

  /**
   * A value of the round before is right only where it is watched: then it is that of this round as
   * well.
   */
  private checkWatched(
    operation: Exclude<Operation, RepeatedOperations>,
    port: string,
    { rounds }: Around,
  ): void {
    const output = this.system.sourceOf.get(port) ?? port;
    for (const { agree, late, old } of rounds) {
      if (!late.has(port)) continue;
      if (old.has(port))
        this.wrongAt(
          operation,
          `it takes a value of '${port}' that is older than the round before`,
          `get ${output}, set ${port} before`,
        );
      if (!agree.includes(output))
        this.wrongAt(
          operation,
          `it takes '${output}' of the round before, and nothing says when that agrees`,
          `name it: until: { agree: [${[...agree, output].join(", ")}] }`,
        );
    }
  }

  /** Units that step in the body are back where the step begins. */
  private checkBack(loop: RepeatedOperations, why: string): void {
    for (const name of steppedIn(loop.body))
      if ((this.units.get(name)?.time ?? 0) > this.start)
        this.wrong(
          `repeat until ${loop.until === "accepted" ? "accepted" : "agree"}`,
          `'${name}' is not restored before ${why}`,
          `save ${name} before the loop, and add to 'retry': restore ${name}`,
          loop.place,
        );
  }

  private refusing(operations: readonly Operation[]): string | undefined {
    return [...steppedIn(operations)].find((name) => this.system.units.get(name)?.mayRefuse);
  }

  // ---- helpers -------------------------------------------------------------------------------

  private stateOf(port: string, operation: Exclude<Operation, RepeatedOperations>): UnitState {
    const unit = this.units.get(unitName(port));
    if (unit === undefined)
      this.wrongAt(operation, `there is no unit '${unitName(port)}'`, "name a unit of the system");
    return unit;
  }

  private stampOf({ time }: UnitState): Stamp {
    return { time, attempt: this.attempt };
  }

  private inputStamp(input: string): Stamp | undefined {
    return this.units.get(unitName(input))?.inputs.get(input);
  }

  /**
   * What belongs to the end of a step that was refused is worth nothing; what came before it stays.
   */
  private isAlive({ time, attempt }: Stamp): boolean {
    return time <= this.start || attempt === this.attempt;
  }

  private ageText(stamp: Stamp | undefined, wanted: number): string {
    if (stamp === undefined) return "has no value yet";
    if (!this.isAlive(stamp)) return "has a value of an attempt that was refused";
    return `has a value of the ${stamp.time > this.start ? "end" : stamp.time === this.start ? "start" : "last step"}${
      wanted > this.start ? ", not of the end, of the step" : ", not of the start, of the step"
    }`;
  }

  private wrongAt(
    operation: Exclude<Operation, RepeatedOperations>,
    why: string,
    fix: string,
  ): never {
    return this.wrong(operationText(operation), why, fix, operation.place);
  }

  private wrong(what: string, why: string, fix: string, place: Place): never {
    const params = { what, why, fix };
    throw new WrongOperation(diagnose(ORCHESTRATION_RULES, "orchestration-wrong", params, place));
  }
}

function* flat(
  operations: readonly Operation[],
): Generator<Exclude<Operation, RepeatedOperations>> {
  for (const operation of operations)
    if (operation.kind === "repeat") yield* flat(operation.body);
    else yield operation;
}

function steppedIn(operations: readonly Operation[]): Set<string> {
  return new Set([...flat(operations)].flatMap((one) => (one.kind === "step" ? [one.unit] : [])));
}

function readIn(operations: readonly Operation[]): Set<string> {
  return new Set([...flat(operations)].flatMap((one) => (one.kind === "get" ? [one.port] : [])));
}

function setIn(operations: readonly Operation[]): string[] {
  return [...flat(operations)].flatMap((one) => (one.kind === "set" ? [one.port] : []));
}
