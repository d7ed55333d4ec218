/**
 * Cursors of the plots, and exact values of all signals at an instant. Pictures of long recordings
 * are made of lowest and highest values, so the server is asked for what was recorded there.
 */
import type { Instant } from "@cosimo/serve/protocol.ts";
import { api } from "../api/client.ts";
import { Store } from "../base/store.ts";
import { nameOf, type PlotSource } from "./source.ts";

export type CursorName = "A" | "B";

export interface CursorState {
  /** Where they are; the interval from A to B is measured where both are there. */
  readonly A?: number;
  readonly B?: number;
  /** The one that clicks and arrow keys move. */
  readonly active: CursorName;
}

/** Of each source in order; undefined where it could not be asked. */
export type Values = readonly (Instant | undefined)[];

const NONE: CursorState = { active: "A" };

export class Cursors {
  readonly state = new Store<CursorState>(NONE);
  /** Values of all signals at the cursors. */
  readonly values = new Store<Readonly<Partial<Record<CursorName, Values>>>>({});
  /** Values of what is drawn under the pointer. */
  readonly pointed = new Store<Values>([]);
  private sources: readonly PlotSource[] = [];
  private derived: readonly string[] = [];
  private shown: readonly string[] = [];
  private wanted: number | undefined;
  private isAsking = false;
  private asked = 0;

  /** Other sources or other signals: everything is asked for again. */
  look(sources: readonly PlotSource[], shown: readonly string[], derived: readonly string[]): void {
    const isSame =
      this.sources.map(keyOf).join("\n") === sources.map(keyOf).join("\n") &&
      this.derived.join("\n") === derived.join("\n");
    [this.sources, this.shown, this.derived] = [sources, shown, derived];
    if (!isSame) void this.refresh();
  }

  set(name: CursorName, time: number | undefined): void {
    const { [name]: _, ...rest } = this.state.get();
    this.state.set({ ...rest, active: name, ...(time === undefined ? {} : { [name]: time }) });
    void this.refresh();
  }

  /** Where a person clicked. */
  place(time: number): void {
    this.set(this.state.get().active, time);
  }

  /** To the row of the first source that is `by` rows further. */
  async step(name: CursorName, by: number): Promise<void> {
    const time = this.state.get()[name];
    const [first] = this.sources;
    if (time === undefined || first === undefined) return;
    const found = await api.instant(nameOf(first), time, { by, signals: [] });
    this.set(name, found.time);
  }

  private async refresh(): Promise<void> {
    const number = ++this.asked;
    const state = this.state.get();
    const found: Partial<Record<CursorName, Values>> = {};
    for (const name of ["A", "B"] as const) {
      const time = state[name];
      if (time !== undefined) found[name] = await this.at(time);
    }
    if (number === this.asked) this.values.set(found);
  }

  private at(time: number, signals?: readonly string[]): Promise<Values> {
    return Promise.all(
      this.sources.map(async (source) => {
        const has = new Set(source.columns.map(({ name }) => name));
        const own = signals?.filter((name) => has.has(name));
        const request = { derived: this.derived, ...(own === undefined ? {} : { signals: own }) };
        return api.instant(nameOf(source), time, request).catch(() => undefined);
      }),
    );
  }

  /** One question at a time: the pointer moves faster than answers come. */
  async point(time: number | undefined): Promise<void> {
    this.wanted = time;
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.wanted !== undefined) {
      const now = this.wanted;
      this.pointed.set(await this.at(now, this.shown));
      if (this.wanted === now) break;
    }
    this.isAsking = false;
  }
}

function keyOf({ kind, id, columns, isLive }: PlotSource): string {
  return `${kind} ${id} ${columns.length} ${isLive}`;
}

/** The value of a signal in one source. */
export function numberIn(values: Instant | undefined, signal: string): number | null {
  const value = values?.values[signal];
  return typeof value === "number" ? value : null;
}
