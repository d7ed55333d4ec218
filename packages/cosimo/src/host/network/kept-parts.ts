/**
 * What the process that starts a distributed run knows of the parts that sessions keep of its cuts:
 * their names, their keys, and who had which peers. As bytes it goes to disk with a checkpoint.
 */
import { randomBytes } from "node:crypto";
import type { CutPlaces } from "../../coordinate/cuts.ts";
import type { PartStore } from "../../platform/nats/part-store.ts";
import type { InvitedCuts } from "./agreement-data.ts";
import { newMasterKey, partName, peerKey } from "./part-box.ts";

interface Address {
  readonly token: string;
  /** Base64. */
  readonly key: string;
  readonly number: number;
  /** The process of each peer. */
  readonly peers: readonly number[];
}

export class KeptParts implements CutPlaces {
  private readonly store: PartStore;
  private token = randomBytes(16).toString("hex");
  private master = newMasterKey();
  private peers: readonly number[] = [];
  /** How many processes have parts of a cut, by number. */
  private readonly known = new Map<number, number>();

  constructor(store: PartStore) {
    this.store = store;
  }

  /** @returns what the session of a process is told. */
  begin(
    peers: readonly number[],
    processes: number,
    from: Uint8Array | undefined,
  ): (process: number) => { readonly cuts: InvitedCuts } {
    const cut = from && (JSON.parse(new TextDecoder().decode(from)) as Address);
    if (cut !== undefined) {
      this.token = cut.token;
      this.master = Buffer.from(cut.key, "base64");
      this.known.set(cut.number, Math.max(...cut.peers) + 1);
    }
    this.peers = peers;
    if (cut === undefined) this.known.set(0, processes);
    const { token, master } = this;
    return (process) => {
      const own = [...peers.keys()].filter((p) => peers[p] === process);
      const keys = own.map((peer) => ({ peer, key: peerKey(master, peer).toString("hex") }));
      if (cut === undefined) return { cuts: { token, keys } };
      const processes = [...new Set(own.map((peer) => cut.peers[peer] ?? 0))];
      return { cuts: { token, keys, from: { number: cut.number, processes } } };
    };
  }

  address(number: number): Uint8Array {
    const { token, master, peers } = this;
    this.known.set(number, Math.max(...peers) + 1);
    const address: Address = { token, key: master.toString("base64"), number, peers };
    return new TextEncoder().encode(JSON.stringify(address));
  }

  forgetBefore(number: number): void {
    for (const one of [...this.known.keys()]) if (one < number) void this.remove(one);
  }

  /** The run is over. */
  async clear(): Promise<void> {
    await Promise.all([...this.known.keys()].map((number) => this.remove(number)));
  }

  /** What cannot be removed now is gone after a while. */
  private async remove(number: number): Promise<void> {
    const { token } = this;
    const processes = this.known.get(number) ?? 0;
    this.known.delete(number);
    const names = Array.from({ length: processes }, (_, p) => partName({ token, number }, p));
    await Promise.allSettled(names.map((name) => this.store.remove(name)));
  }
}
