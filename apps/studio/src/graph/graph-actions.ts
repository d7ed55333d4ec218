/**
 * What boxes can ask of the graph around them, without being drawn again when something else
 * changes.
 */
import { createContext, type DragEvent, useContext } from "react";

export interface GraphActions {
  /** Looks into a nested scenario. */
  enter(unit: string): void;
  /** Shows all ports of a box. */
  showPorts(unit: string): void;
  /** While a wire is being drawn: whether it may end here; otherwise empty. */
  offered(unit: string, port: string, side: "in" | "out"): "" | "offered" | "unfit";
  dragSignal(event: DragEvent, signal: string): void;
  /** The name of a port in runs; none where it cannot be seen from outside of its scenario. */
  signalOf(port: string): string | undefined;
}

export const GraphActionsContext = createContext<GraphActions>({
  enter: () => undefined,
  showPorts: () => undefined,
  offered: () => "",
  dragSignal: () => undefined,
  signalOf: (port) => port,
});

export function useGraphActions(): GraphActions {
  return useContext(GraphActionsContext);
}
