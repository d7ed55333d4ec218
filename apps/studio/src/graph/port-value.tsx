/**
 * The newest value of an output while a run goes on, where its wire begins.
 */
import { useSyncExternalStore } from "react";
import { runValues } from "../run/run-values.ts";

export function PortValue({ signal }: { signal: string }) {
  const text = useSyncExternalStore(runValues.subscribe, () => runValues.textOf(signal));
  if (text === undefined) return null;
  return (
    <output className="value" data-value={signal}>
      {text}
    </output>
  );
}
