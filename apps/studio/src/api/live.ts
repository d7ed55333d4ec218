/**
 * What the server says by itself: runs, their progress, values and rows, files that changed. The
 * connection comes back after it was lost; every message stands for itself, so nothing has to be
 * made up for, and what is watched is asked for again.
 */
import { type Columns, decodeColumns } from "@cosimo/serve/columns.ts";
import type { LiveMessage, LiveRequest } from "@cosimo/serve/protocol.ts";
import { Store } from "../base/store.ts";
import { socketAddress } from "./client.ts";

class Live {
  readonly isConnected = new Store(false);
  private socket: WebSocket | undefined;
  private readonly watches = new Map<string, LiveRequest>();
  private readonly listeners = new Set<(message: LiveMessage) => void>();
  private readonly plots = new Map<number, (columns: Columns) => void>();
  private delayMs = 250;

  connect(): void {
    const socket = new WebSocket(socketAddress("live"));
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.addEventListener("open", () => {
      this.delayMs = 250;
      this.isConnected.set(true);
      for (const request of this.watches.values()) socket.send(JSON.stringify(request));
    });
    socket.addEventListener("message", ({ data }) => this.received(data));
    socket.addEventListener("close", () => {
      this.isConnected.set(false);
      setTimeout(() => this.connect(), this.delayMs);
      this.delayMs = Math.min(5000, this.delayMs * 2);
    });
  }

  /** @returns what ends it. */
  listen(listener: (message: LiveMessage) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  watch(
    request: Extract<LiveRequest, { kind: "watch" }>,
    receive: (columns: Columns) => void,
  ): void {
    this.plots.set(request.plot, receive);
    this.watches.set(`watch ${request.plot}`, request);
    this.send(request);
  }

  unwatch(run: string, plot: number): void {
    if (!this.plots.delete(plot)) return;
    this.watches.delete(`watch ${plot}`);
    this.send({ kind: "unwatch", run, plot });
  }

  values(run: string, signals: readonly string[]): void {
    const request: LiveRequest = { kind: "values", run, signals };
    if (signals.length === 0) this.watches.delete("values");
    else this.watches.set("values", request);
    this.send(request);
  }

  private send(request: LiveRequest): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(request));
  }

  private received(data: unknown): void {
    if (data instanceof ArrayBuffer) {
      const columns = decodeColumns(data);
      if (columns.head.plot !== undefined) this.plots.get(columns.head.plot)?.(columns);
      return;
    }
    const message = JSON.parse(String(data)) as LiveMessage;
    for (const listener of [...this.listeners]) listener(message);
  }
}

export const live = new Live();
