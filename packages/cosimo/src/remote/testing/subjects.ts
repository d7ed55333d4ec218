/** Units of known behaviour, for tests of what carries their calls elsewhere. */
import type { Unit } from "../../unit/unit.ts";
import { RemoteHost } from "../open-remote.ts";
import { RestartingTransport, type RestartOptions } from "../restarting-transport.ts";
import { MemoryTransport, type MemoryTransportOptions } from "./memory-transport.ts";

/** The unit behind a transport in memory. */
export function remote(
  make: () => Unit,
  options: MemoryTransportOptions = {},
): { readonly unit: Unit; readonly transport: MemoryTransport } {
  const transport = new MemoryTransport(make, options);
  const host = new RemoteHost(transport);
  const { description } = make();
  const unit = host.open({ name: "far", order: "", description });
  return { unit, transport };
}

/**
 * The same, started again when it is lost. `dies` counts messages of one life, and is asked for the
 * life's number.
 */
export function restarted(
  make: () => Unit,
  dies: (message: number, life: number) => boolean,
  options: Partial<
    Pick<RestartOptions, "baseEvery" | "maxAttempts" | "maxBytes" | "onForgotten">
  > = {},
): { readonly unit: Unit; readonly lives: MemoryTransport[]; readonly reports: string[] } {
  const lives: MemoryTransport[] = [];
  const reports: string[] = [];
  const transport = new RestartingTransport({
    start: () => {
      const life = lives.length;
      const made = new MemoryTransport(make, { dies: (message) => dies(message, life) });
      lives.push(made);
      return made;
    },
    onRestart: ({ why, replayed, differs }) =>
      reports.push(`${why.how}, ${replayed}${differs ? ", other answers" : ""}`),
    ...options,
  });
  const host = new RemoteHost(transport);
  const unit = host.open({ name: "far", order: "", description: make().description });
  return { unit, lives, reports };
}
