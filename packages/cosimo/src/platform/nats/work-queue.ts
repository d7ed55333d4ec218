/**
 * Runs that wait for workers: a stream of runs of which every worker takes some, a stream of what
 * became of them, and a store of files by the hash of their content. All three live on the server
 * (JetStream), so that no side has to be there when the other one is. The caller of the study
 * makes and removes them; they are named by the study's token, so that no command finds those of
 * an earlier one.
 */
import type { Consumer, JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type { ObjectStore } from "@nats-io/obj";
import { errorText } from "../../base/error-text.ts";
import { type NatsConnection, Unreachable } from "./connect.ts";
import { type WorkSubjects, workSubjectsOf } from "./subjects.ts";

export type { Consumer, JetStreamClient, JsMsg } from "@nats-io/jetstream";
export type { ObjectStore } from "@nats-io/obj";

export interface WorkQueue {
  readonly subjects: WorkSubjects;
  readonly client: JetStreamClient;
  readonly files: ObjectStore;
  /** Where runs are taken from, or rows: each side has its own. */
  readonly consumer: Consumer;
}

/** Who has the runs, and which of its studies it is. */
export interface StudyAddress {
  readonly project: string;
  readonly identity: string;
  /** Random: 32 hexadecimal digits. */
  readonly token: string;
}

/** What a command that was killed leaves on the server is gone after so long, ... */
const KEPT_MS = 24 * 3600 * 1000;
/** ... and where it was not heard while another one started and nothing was written for so long. */
const ABANDONED_MS = 3600 * 1000;
const RUNS = "work";
const ROWS = "rows";
/** Of one study, at all workers together. */
const MOST_TAKEN = 20_000;

interface Names {
  readonly runs: string;
  readonly rows: string;
  readonly bucket: string;
}

function namesOf({ project, identity, token }: StudyAddress): Names {
  const of = (what: string): string => `cosimo-${what}-${project}-${identity}-${token}`;
  return { runs: of("runs"), rows: of("rows"), bucket: of("files") };
}

/**
 * @param ackSeconds a run whose worker is not heard for so long goes to another one.
 * @throws Unreachable where the server has no streams.
 */
export async function createQueue(
  connection: NatsConnection,
  address: StudyAddress,
  ackSeconds: number,
): Promise<WorkQueue & { remove(): Promise<void> }> {
  const { AckPolicy, jetstream, jetstreamManager, RetentionPolicy, StorageType } = await import(
    "@nats-io/jetstream"
  );
  const { Objm } = await import("@nats-io/obj");
  const { nanos } = await import("@nats-io/nats-core");
  const subjects = workSubjectsOf(address, address.token);
  const names = namesOf(address);
  try {
    const manager = await jetstreamManager(connection);
    const client = jetstream(connection);
    const common = {
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.File,
      max_age: nanos(KEPT_MS),
    };
    await manager.streams.add({ ...common, name: names.runs, subjects: [subjects.runs] });
    await manager.streams.add({ ...common, name: names.rows, subjects: [subjects.rows] });
    const taken = {
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(1000 * ackSeconds),
      max_ack_pending: MOST_TAKEN,
    };
    await manager.consumers.add(names.runs, { ...taken, durable_name: RUNS });
    await manager.consumers.add(names.rows, { ...taken, durable_name: ROWS });
    const files = await new Objm(client).create(names.bucket, {
      storage: StorageType.File,
      ttl: nanos(KEPT_MS),
    });
    const consumer = await client.consumers.get(names.rows, ROWS);
    const remove = () => removeAll(manager, names);
    return { subjects, client, files, consumer, remove };
  } catch (error) {
    const [server = ""] = [connection.getServer()];
    throw new Unreachable(
      `the server at ${server} keeps no queue for a study (${errorText(error)})`,
      "start it with JetStream: 'nats-server -js', or 'jetstream {}' in its configuration, and let the user use it (deploy/nats-server.conf)",
    );
  }
}

/**
 * Removes what commands of this identity left that were killed.
 * @param isThere whether the study of a token was heard lately.
 */
export async function removeAbandoned(
  { client }: WorkQueue,
  { project, identity }: StudyAddress,
  isThere: (token: string) => boolean,
  abandonedMs: number = ABANDONED_MS,
): Promise<void> {
  const { streams } = await client.jetstreamManager(false);
  const { runs } = workSubjectsOf({ project, identity }, "*");
  for await (const name of streams.names(runs)) {
    const token = name.slice(name.lastIndexOf("-") + 1);
    if (isThere(token)) continue;
    const { created, state } = await streams.info(name);
    // The server says the year 1 where nothing was written.
    const last = Math.max(Date.parse(created), Date.parse(state.last_ts) || 0);
    if (Date.now() - last > abandonedMs)
      await removeAll({ streams }, namesOf({ project, identity, token }));
  }
}

/** @returns whether neither runs nor rows are left on the server. */
export async function isEmpty({ client }: WorkQueue, address: StudyAddress): Promise<boolean> {
  const manager = await client.jetstreamManager(false);
  const { runs, rows } = namesOf(address);
  // In this order: a row is there before its run is gone.
  for (const stream of [runs, rows])
    if ((await manager.streams.info(stream)).state.messages > 0) return false;
  return true;
}

async function removeAll(
  { streams }: Pick<JetStreamManager, "streams">,
  { runs, rows, bucket }: Names,
): Promise<void> {
  // What cannot be removed now is gone after a day.
  await Promise.allSettled([runs, rows, `OBJ_${bucket}`].map((name) => streams.delete(name)));
}

/** The same for a worker. @throws where it is gone. */
export async function joinQueue(
  connection: NatsConnection,
  address: StudyAddress,
): Promise<WorkQueue> {
  const { jetstream } = await import("@nats-io/jetstream");
  const { Objm } = await import("@nats-io/obj");
  const names = namesOf(address);
  const client = jetstream(connection);
  const consumer = await client.consumers.get(names.runs, RUNS);
  const files = await new Objm(client).open(names.bucket, false);
  return { subjects: workSubjectsOf(address, address.token), client, files, consumer };
}
