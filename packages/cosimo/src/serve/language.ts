/**
 * The language server over a WebSocket: one process per editor page, one JSON message per frame.
 * Pages know no absolute paths, so URIs are translated on the way: `file:///car/scenario.yaml` is
 * that file in the served folder.
 */
import type { ChildProcess } from "node:child_process";
import { pathToFileURL } from "node:url";
import type { RawData, WebSocket } from "ws";

/** What of an unfinished message is kept. */
const MAX_MESSAGE = 32 << 20;
const PAGE = "file:///";

/** @param isTrusted whether modules in the folder may be run to learn their ports. */
export function serveLanguage(
  socket: WebSocket,
  child: ChildProcess,
  root: string,
  isTrusted: boolean,
): void {
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null)
    throw new Error("internal: a language server without pipes");
  const base = `${pathToFileURL(root).href.replace(/\/$/, "")}/`;
  let received = Buffer.alloc(0);
  const end = (): void => {
    child.kill();
    socket.close();
  };
  stdin.on("error", end);
  child.on("error", end);
  child.on("exit", () => socket.close());
  stdout.on("data", (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    for (;;) {
      const head = received.indexOf("\r\n\r\n");
      if (head < 0) break;
      const length = Number(
        /content-length:\s*(\d+)/i.exec(received.toString("latin1", 0, head))?.[1],
      );
      if (!(length <= MAX_MESSAGE)) {
        end();
        return;
      }
      if (received.length < head + 4 + length) break;
      const text = received.toString("utf8", head + 4, head + 4 + length);
      received = received.subarray(head + 4 + length);
      if (socket.readyState === socket.OPEN)
        socket.send(JSON.stringify(translated(JSON.parse(text), base, PAGE)));
    }
  });
  socket.on("message", (data: RawData) => {
    const message = parsed(data.toString());
    if (message === undefined) {
      end();
      return;
    }
    const text = JSON.stringify(withTrust(translated(message, PAGE, base), base, isTrusted));
    stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  });
  socket.on("error", end);
  socket.on("close", () => child.kill());
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same message with other URIs; those that lead out of the folder by `..` lead nowhere. */
function translated(value: unknown, from: string, to: string): unknown {
  const uri = (text: string): string => {
    if (!text.startsWith(from)) return text;
    const rest = text.slice(from.length);
    return /(?:^|\/)(?:\.|%2e){2}(?:\/|$)/i.test(rest) ? `${to}nowhere` : to + rest;
  };
  if (typeof value === "string") return uri(value);
  if (Array.isArray(value)) return value.map((one) => translated(one, from, to));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [uri(key), translated(one, from, to)]),
  );
}

/** A page does not decide whose programs are run, nor which folder it is about. */
function withTrust(message: unknown, base: string, isTrusted: boolean): unknown {
  const { method, params } = message as { method?: string; params?: Record<string, unknown> };
  if (method === "cosimo/trusted") return { jsonrpc: "2.0", method: "$/none", params: {} };
  if (method !== "initialize") return message;
  const given = (params?.["initializationOptions"] ?? {}) as Record<string, unknown>;
  return {
    ...(message as object),
    params: {
      ...params,
      // The server would watch for the end of a process that it does not know.
      processId: process.pid,
      rootUri: base,
      initializationOptions: { ...given, trusted: isTrusted },
    },
  };
}
