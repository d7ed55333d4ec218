/**
 * Where sessions of a distributed run speak to each other: subjects that name the run, the node
 * that hears and the node that speaks, so that a server can hold each node to its own name by
 * permissions (docs/spec/distributed.md). A caller speaks to sessions on the subjects of their
 * calls, with frames of a kind of their own.
 */

/** The kind of a frame that carries a packet of the caller's link (coordinate/carrier.ts). */
export const COORDINATE = 7;
/** The same for a part of a discrete-event model (host/network/part-session.ts). */
export const PARTS = 8;

/** @param to, from names of nodes, or `*`. */
export function peerSubject(project: string, run: string, to: string, from: string): string {
  return ["cosimo", project, "peer", run, to, from].join(".");
}

/** Bytes of a packet besides its payload, and what the server adds. */
const MARGIN = 2048;
const MAX_PIECE = 256 * 1024;

/** So that a packet is no longer than the server allows. */
export function pieceBytes(maxPayload: number | undefined): number {
  return Math.max(1024, Math.min(MAX_PIECE, (maxPayload ?? 1 << 20) - MARGIN));
}
