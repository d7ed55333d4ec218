/**
 * Where messages go. Every subject begins with the project; what a caller sends names the caller's
 * identity, so that a server can hold each user to its own name by permissions
 * (docs/spec/distributed.md):
 *
 *   cosimo.<project>.ask.<identity>                  a question to all nodes
 *   cosimo.<project>.node.<node>.<identity>          a question to one node
 *   cosimo.<project>.call.<node>.<identity>.<key>    calls of units in a session
 *   cosimo.<project>.answer.<identity>.<token>.<n>   answers to that caller: one question's, or one session's
 *   cosimo.<project>.beat.<node>                     signs of life
 *
 * Of studies whose runs wait for workers (work-queue.ts); the identity is that of the caller of the
 * study:
 *
 *   cosimo.<project>.study.<identity>.<token>        a study that has runs
 *   cosimo.<project>.runs.<identity>.<token>         its runs, a stream
 *   cosimo.<project>.rows.<identity>.<token>         what became of them, a stream
 *   cosimo.<project>.worker.<identity>.<token>       signs of life of its workers
 *
 * Of runs whose values others may watch; the identity is that of the caller of the run. Watchers
 * send nothing:
 *
 *   cosimo.<project>.live.<identity>.<run>.<id>.about    what runs, how far it is
 *   cosimo.<project>.live.<identity>.<run>.<id>.columns  names and units of its values
 *   cosimo.<project>.live.<identity>.<run>.<id>.rows     its newest values
 */
import { randomBytes } from "node:crypto";
import type { NetworkSettings } from "./network-settings.ts";

export interface Subjects {
  readonly ask: string;
  node(node: string): string;
  call(node: string, key: string): string;
  answer(token: string, number: string): string;
  beat(node: string): string;
}

/** As a caller says them. */
export function subjectsOf({ project, identity }: NetworkSettings): Subjects {
  const of = (...parts: readonly string[]): string => ["cosimo", project, ...parts].join(".");
  return {
    ask: of("ask", identity),
    node: (node) => of("node", node, identity),
    call: (node, key) => of("call", node, identity, key),
    answer: (token, number) => of("answer", identity, token, number),
    beat: (node) => of("beat", node),
  };
}

/** Of the answers to one question, or of one session: others cannot guess it. */
export function mailboxName(): string {
  return randomBytes(16).toString("hex");
}

/**
 * Where answers of the server go: who may send under an identity may read the answers to it, and
 * nothing else.
 */
export function inboxOf({ identity }: Pick<NetworkSettings, "identity">): string {
  return `_INBOX_${identity}`;
}

export interface WorkSubjects {
  readonly study: string;
  readonly runs: string;
  readonly rows: string;
  readonly worker: string;
}

export function workSubjectsOf(
  { project, identity }: Pick<NetworkSettings, "project" | "identity">,
  token: string,
): WorkSubjects {
  const of = (what: string): string => ["cosimo", project, what, identity, token].join(".");
  return { study: of("study"), runs: of("runs"), rows: of("rows"), worker: of("worker") };
}

/** What is said of a run that is watched. */
export type LiveTopic = "about" | "columns" | "rows";

/** A run as its watchers know it: two of one name have different ids. */
export interface LiveAddress {
  readonly identity: string;
  readonly run: string;
  readonly id: string;
}

/** @param address with `*` for what does not matter. */
export function liveSubject(project: string, address: LiveAddress, topic: LiveTopic | "*"): string {
  const { identity, run, id } = address;
  return ["cosimo", project, "live", identity, run, id, topic].join(".");
}

/** Whom a message is about, by its subject; undefined where it is none about a run. */
export function liveAddressOf(
  subject: string,
): (LiveAddress & { readonly topic: LiveTopic }) | undefined {
  const found = /^cosimo\.[\w-]+\.live\.([\w-]{1,64})\.([\w-]{1,64})\.([0-9a-f]{8})\.(\w+)$/.exec(
    subject,
  );
  const topic = TOPICS.find((one) => one === found?.[4]);
  if (found === null || topic === undefined) return undefined;
  const [, identity = "", run = "", id = ""] = found;
  return { identity, run, id, topic };
}

const TOPICS: readonly LiveTopic[] = ["about", "columns", "rows"];

/** The same for every caller. */
export const EVERY_IDENTITY = "*";

/** Who sent a question: the last token of its subject. */
export function askerOf(subject: string): string {
  return subject.slice(subject.lastIndexOf(".") + 1);
}

/**
 * Whether an answer to `identity` may go there: nobody makes a node send anything anywhere else.
 */
export function isAnswerTo(project: string, identity: string, subject: string): boolean {
  const start = `cosimo.${project}.answer.${identity}.`;
  return (
    subject.startsWith(start) && /^[\w-]{1,64}\.[\w-]{1,64}$/.test(subject.slice(start.length))
  );
}
