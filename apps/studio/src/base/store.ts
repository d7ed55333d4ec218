/**
 * State that components read and that changes tell them about: the smallest thing that React can
 * subscribe to. What changes often (values of a run, positions of the pointer) has a store of its
 * own, so that nothing else is drawn again.
 */
import { useSyncExternalStore } from "react";

export class Store<T> {
  private value: T;
  private readonly listeners = new Set<() => void>();

  constructor(value: T) {
    this.value = value;
  }

  get(): T {
    return this.value;
  }

  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const listener of [...this.listeners]) listener();
  }

  update(change: Partial<T>): void {
    this.set({ ...this.value, ...change });
  }

  /** @returns what ends the subscription. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly snapshot = (): T => this.value;
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.snapshot);
}
