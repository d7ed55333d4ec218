/**
 * The newest values of signals while a run goes on: what the wires show.
 */
class RunValues {
  private values: Readonly<Record<string, number | string>> = {};
  private readonly listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  set(values: Readonly<Record<string, number | string>>): void {
    this.values = values;
    for (const listener of [...this.listeners]) listener();
  }

  textOf(signal: string): string | undefined {
    const value = this.values[signal];
    return typeof value === "number" ? shortNumber(value) : value;
  }
}

export function shortNumber(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text =
    size >= 1e5 || size < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
  return text.replace("-", "−");
}

export const runValues = new RunValues();
