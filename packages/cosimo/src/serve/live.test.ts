/**
 * Pages that do not read: a run whose rows come as fast as they can, and a socket that is paused.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { TRUST_NOBODY } from "../host/trust.ts";
import { decodeColumns } from "./columns.ts";
import { startStudio } from "./server.ts";
import type { RunEvent, StudioServices } from "./services.ts";

const folder = mkdtempSync(join(tmpdir(), "cosimo-live-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ROWS = 200_000;
const COLUMNS = 64;

it("[SV16] a page that does not read gets fewer pictures, and the newest when it reads again", async () => {
  writeFileSync(join(folder, "a.yaml"), "units: {}\n");
  let there = 0;
  let hear: (event: RunEvent) => void = () => undefined;
  const names = Array.from({ length: COLUMNS }, (_, c) => `c${c}`);
  const services = {
    startRun(_: unknown, listener: (event: RunEvent) => void) {
      hear = listener;
      return { kill: () => undefined };
    },
  } as unknown as StudioServices;
  const server = await startStudio({
    folder,
    port: 0,
    trust: TRUST_NOBODY,
    services,
    page: folder,
    now: () => 0,
    onFailure: (error) => {
      throw error;
    },
  });
  try {
    const base = `127.0.0.1:${server.port}/api`;
    const answer = await fetch(`http://${base}/runs`, {
      method: "POST",
      headers: { "x-cosimo-token": server.token },
      body: JSON.stringify({ path: "a.yaml" }),
    });
    const { id } = (await answer.json()) as { id: string };
    hear({
      kind: "plan",
      title: "a",
      units: [],
      columns: names.map((name) => ({ name, type: "float64" })),
      experiment: { start: 0, stop: ROWS, step: 1 },
      rows: {
        names,
        count: () => there,
        read: (_, first, target) => {
          for (let i = 0; i < target.length; i++) target[i] = first + i;
        },
      },
    });
    const socket = new WebSocket(`ws://${base}/live?token=${server.token}`);
    let frames = 0;
    let newest = 0;
    let bytes = 0;
    const reached = new Promise<void>((resolve) => {
      socket.on("message", (data, isBinary) => {
        bytes += (data as Buffer).length;
        if (!isBinary) return;
        frames++;
        newest = decodeColumns(new Uint8Array(data as Buffer).buffer).head.rows;
        if (newest === ROWS) resolve();
      });
    });
    await new Promise((resolve) => socket.on("open", resolve));
    for (let plot = 0; plot < 2; plot++)
      socket.send(JSON.stringify({ kind: "watch", run: id, plot, signals: names, points: 2000 }));
    // Nothing is read while rows come; each picture has 2 × 64 signals, 2 MB.
    socket.pause();
    for (let turn = 1; turn <= 40; turn++) {
      there = (ROWS * turn) / 40;
      hear({ kind: "progress", time: there, steps: there });
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    socket.resume();
    hear({ kind: "progress", time: there, steps: there });
    await reached;
    expect(newest).toBe(ROWS);
    // What waited is what the system and the server hold back for a page, and not a picture per
    // turn.
    expect(frames).toBeLessThan(20);
    expect(bytes).toBeLessThan(24 << 20);
    socket.terminate();
  } finally {
    await server.close();
  }
});
