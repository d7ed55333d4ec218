/**
 * What a value becomes on its way through a connection: the moves that a plan would make of it
 * (plan/emit-moves.ts), for one connection and one exchange at a time.
 */
import { Interpreter } from "../engine/interpreter.ts";
import type { Connection, Scenario } from "../model/scenario.ts";
import { portAt } from "../model/scenario-ports.ts";
import { portSize } from "../model/unit-description.ts";
import { type Banks, makeBanks } from "../model/value-type.ts";
import { MoveEmitter } from "../plan/emit-moves.ts";
import { OpWriter } from "../plan/op-writer.ts";
import type { Plan } from "../plan/plan.ts";
import { SignalLayout } from "../plan/signal-layout.ts";

/** Writes what `source` holds into the place of the connection in `target`; both hold one port. */
export type Transfer = (source: Banks, target: Banks) => void;

export function transfersOf(scenario: Scenario): Transfer[] {
  return scenario.connections.map((connection) => transferOf(scenario, connection));
}

function transferOf(scenario: Scenario, connection: Connection): Transfer {
  const { from, to, toElement, count, interaction } = connection;
  const layout = new SignalLayout(scenario);
  const places = [from, to].map((end) => ({
    bank: layout.bank(end.unit, end.port),
    slot: layout.signal(end.unit, end.port),
    size: portSize(portAt(scenario, end)),
  }));
  const [source, target] = places;
  const writer = new OpWriter();
  // What cannot be converted was reported when the plan was made.
  const moves = new MoveEmitter(layout, () => undefined);
  moves.emit(writer, connection);
  const ops = writer.done();
  const banks = makeBanks(layout.sizes);
  const plan = { ...NO_PLAN, constants: Float64Array.from(moves.constants), maps: moves.maps };
  const interpreter = new Interpreter({ plan, units: [], accesses: [], banks });
  return (given, taken) => {
    copy(given, 0, banks, source.slot, source);
    // A connection to elements leaves the others, and 'toggle' needs what was there.
    copy(taken, 0, banks, target.slot, target);
    const first = target.slot + toElement;
    const before = interaction === "toggle" ? banks.f64.slice(first, first + count) : undefined;
    interpreter.run(ops, 0);
    if (interaction !== undefined)
      for (let i = 0; i < count; i++)
        banks.f64[first + i] = (before?.[i] ?? banks.f64[first + i]) === 0 ? 1 : 0;
    copy(banks, target.slot, taken, 0, target);
  };
}

function copy(
  from: Banks,
  fromSlot: number,
  to: Banks,
  toSlot: number,
  { bank, size }: { readonly bank: keyof Banks; readonly size: number },
): void {
  for (let i = 0; i < size; i++) to[bank][toSlot + i] = from[bank][fromSlot + i] as never;
}

const NO_OPS = new Int32Array(0);

/** Moves need constants and value tables, and nothing else of a plan. */
const NO_PLAN: Plan = {
  name: "",
  master: "event-driven",
  start: 0,
  step: 1,
  units: [],
  sizes: { f64: 0, i64: 0, obj: 0 },
  accesses: [],
  slopes: [],
  tracks: [],
  constants: new Float64Array(0),
  maps: [],
  loops: [],
  segments: { initial: [], start: NO_OPS, resolve: NO_OPS, inputs: NO_OPS, step: NO_OPS },
  record: { columns: [], every: 1 },
};
