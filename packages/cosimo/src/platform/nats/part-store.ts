/**
 * Where the processes of a distributed run keep their parts of its cuts: a bucket of JetStream's
 * object store, one per project. The process that starts the run makes it and takes parts away;
 * nodes put and get. What a server or another user of the bucket could do to a part is noticed
 * (host/network/part-box.ts).
 */
import type { ObjectStore } from "@nats-io/obj";
import { errorText } from "../../base/error-text.ts";
import { type NatsConnection, Unreachable } from "./connect.ts";

export interface PartStore {
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** @throws where it is not there, or not whole. */
  get(name: string): Promise<Uint8Array>;
  remove(name: string): Promise<void>;
}

/** A part of a run that nobody went on with is gone after so long. */
const KEPT_MS = 60 * 24 * 3600 * 1000;
/** No part is longer. */
const MAX_BYTES = 1 << 30;

/** A stream of its own name, so that permissions can name it. */
const bucketOf = (project: string): string => `cosimo-parts-${project}`;

/** @throws Unreachable where the server keeps nothing. */
export async function createPartStore(
  connection: NatsConnection,
  project: string,
): Promise<PartStore> {
  try {
    const { jetstream, StorageType } = await import("@nats-io/jetstream");
    const { Objm } = await import("@nats-io/obj");
    const { nanos } = await import("@nats-io/nats-core");
    const objects = new Objm(jetstream(connection));
    const options = { storage: StorageType.File, ttl: nanos(KEPT_MS) };
    return new ObjectParts(await objects.create(bucketOf(project), options));
  } catch (error) {
    const [server = ""] = [connection.getServer()];
    throw new Unreachable(
      `the server at ${server} keeps no checkpoints of distributed runs (${errorText(error)})`,
      "start it with JetStream: 'nats-server -js', or 'jetstream {}' in its configuration, and let the user use it (deploy/nats-server.conf)",
    );
  }
}

/** The same for a session. It asks the server nothing before it puts or gets. */
export async function openPartStore(
  connection: NatsConnection,
  project: string,
): Promise<PartStore> {
  const { jetstream } = await import("@nats-io/jetstream");
  const { Objm } = await import("@nats-io/obj");
  return new ObjectParts(await new Objm(jetstream(connection)).open(bucketOf(project), false));
}

class ObjectParts implements PartStore {
  private readonly objects: ObjectStore;

  constructor(objects: ObjectStore) {
    this.objects = objects;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await this.objects.putBlob({ name }, bytes);
  }

  async get(name: string): Promise<Uint8Array> {
    const info = await this.objects.info(name);
    if (info === null || info.deleted) throw new Error(`'${name}' is not there`);
    if (info.size > MAX_BYTES) throw new Error(`'${name}' is longer than any part`);
    const bytes = await this.objects.getBlob(name);
    if (bytes === null) throw new Error(`'${name}' is not there`);
    return bytes;
  }

  async remove(name: string): Promise<void> {
    await this.objects.delete(name);
  }
}
