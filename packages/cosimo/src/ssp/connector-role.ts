/**
 * On which side of a connection a connector can stand. "Start" and "end" of a connection in SSP say
 * nothing about it, the kinds of the connectors do.
 */

import type { Connector } from "./structure.ts";

export type Role = "source" | "sink" | "either";

/** Seen from the system that contains the element. */
export function roleOf(connector: Connector): Role {
  switch (connector.kind) {
    case "output":
    case "calculatedParameter":
    case "constant":
    case "local":
      return "source";
    case "input":
    case "parameter":
    case "structuralParameter":
      return "sink";
    default:
      return "either";
  }
}

/** Seen from inside, what a system takes in is a source. */
export function inverse(role: Role): Role {
  if (role === "either") return role;
  return role === "source" ? "sink" : "source";
}
