/**
 * Programs (step-program.ts) drive units whose events are counted (event-counts.ts) without asking
 * them: behind every read and write of a counted port the program keeps its value, and when code
 * has run, the units get what was done to them, in its order.
 */
import { OP_WIDTH, Op } from "../../plan/plan.ts";
import { type CountedPort, CountedUnit } from "../event-counts.ts";
import type { Coupling } from "./coupling.ts";
import type { KeptValues, StepCode, StepItem } from "./step-program.ts";
import { partEnd } from "./unit-items.ts";

interface Note {
  /** Told when so many items were done. */
  readonly after: number;
  readonly tell: (run: StepCode, from: number, to: number) => void;
}

export class ProgramNotes {
  /** Those given, and what keeps values. */
  readonly items: readonly StepItem[];
  private readonly coupling: Coupling;
  private readonly notes: Note[] = [];

  constructor(coupling: Coupling, given: readonly StepItem[]) {
    this.coupling = coupling;
    const looks = given.map((item) => this.lookOf(item));
    const words = looks.reduce((sum, { ports }) => sum + wordsOf(ports), 0);
    const f64 = new Float64Array(words);
    const banks = { f64, i64: new BigInt64Array(f64.buffer), obj: [] };
    const items: StepItem[] = [];
    let at = 0;
    for (const [i, item] of given.entries()) {
      items.push(item);
      const after = items.length;
      this.addCalls(item, after);
      const { unit, ports } = looks[i];
      for (const port of ports) {
        items.push(keep(port, f64, at));
        const kept = { ...port, slot: at };
        const needed = items.length;
        // Code that made the call and was left behind it has not kept the value: it is still in the
        // signals.
        this.notes.push({
          after,
          tell: ({ done }) => {
            if (done < needed) unit?.lookAt(port, coupling.state.banks);
            else unit?.lookAt(kept, banks);
          },
        });
        at += port.size;
      }
    }
    this.items = items;
  }

  get isEmpty(): boolean {
    return this.notes.length === 0;
  }

  /** After code, whether it came to its end or not. */
  tell(code: StepCode, from: number, to: number): void {
    const { notes } = this;
    for (let i = 0; i < notes.length; i++) {
      if (notes[i].after > code.done) return;
      notes[i].tell(code, from, to);
    }
  }

  /** @param after how many items there are with this one. */
  private addCalls(item: StepItem, after: number): void {
    const { coupling } = this;
    if (item.kind !== "restore" && item.kind !== "advance") return;
    const unit = coupling.units[item.unit];
    if (!(unit instanceof CountedUnit)) return;
    if (item.kind === "restore") {
      const tell = (): void => {
        const snapshot = coupling.startSnapshots[item.unit];
        if (snapshot !== undefined) unit.wasRestored(snapshot);
      };
      this.notes.push({ after, tell });
    } else {
      const { part, parts } = item;
      this.notes.push({
        after,
        tell({ done, stop }, from, to) {
          const end = partEnd(from, to, part + 1, parts);
          unit.cameTo(done === after && stop !== undefined ? stop.time : end);
        },
      });
    }
  }

  private lookOf(item: StepItem): Look {
    if (item.kind !== "op" || item.op.length !== OP_WIDTH) return NOTHING;
    const [opcode, a] = item.op;
    if (opcode !== Op.Read && opcode !== Op.Write) return NOTHING;
    const { plan, accesses } = this.coupling.state;
    const unit = this.coupling.units[plan.accesses[a].unit];
    if (!(unit instanceof CountedUnit)) return NOTHING;
    const counted = unit.countedOf(accesses[a], opcode === Op.Read ? "output" : "input");
    // What gives or takes texts is never code.
    return { unit, ports: counted.filter(isWords) };
  }
}

interface Look {
  readonly unit: CountedUnit | undefined;
  readonly ports: readonly WordsPort[];
}

type WordsPort = CountedPort & { readonly bank: "f64" | "i64" };

function isWords(port: CountedPort): port is WordsPort {
  return port.bank !== "obj";
}

const NOTHING: Look = { unit: undefined, ports: [] };

function wordsOf(ports: readonly WordsPort[]): number {
  return ports.reduce((sum, { size }) => sum + size, 0);
}

function keep({ bank, slot, size }: WordsPort, into: Float64Array, at: number): KeptValues {
  return { kind: "keep", bank, slot, size, into, at };
}
