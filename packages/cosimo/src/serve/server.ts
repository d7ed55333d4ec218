/**
 * The studio's server: loopback only, one folder, one token. It decides who may ask (guard.ts) and
 * hands on to routes, pages and sockets.
 */
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { notTrusted, type Trust } from "../host/trust.ts";
import { StudioFolder } from "./folder.ts";
import { checkSender, checkToken } from "./guard.ts";
import { findRoute, MAX_JSON_BYTES, readBody, send, sendProblem } from "./http.ts";
import { serveLanguage } from "./language.ts";
import { LiveHub } from "./live.ts";
import { StudioPage } from "./page.ts";
import { PlotSources } from "./plot-sources.ts";
import { RequestRefused } from "./problem.ts";
import { type Studio, studioRoutes } from "./routes.ts";
import { RunBook } from "./runs.ts";
import type { StudioServices } from "./services.ts";
import { StabilityBook } from "./stability-jobs.ts";
import { TraceShelf } from "./trace-shelf.ts";

export interface StudioOptions {
  /** The folder to work on. */
  readonly folder: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly trust: Trust;
  readonly services: StudioServices;
  /** Where the built page is. */
  readonly page: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Gets what failed inside of the server. */
  readonly onFailure: (error: unknown) => void;
}

export interface StudioServer {
  readonly port: number;
  readonly token: string;
  /** What people open. */
  readonly link: string;
  readonly hasPage: boolean;
  /** Ends all runs and connections. */
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
const MAX_SOCKET_MESSAGE = 4 << 20;

/** @throws the system's error where the port cannot be had. */
export async function startStudio(options: StudioOptions): Promise<StudioServer> {
  const folder = new StudioFolder(options.folder);
  const { services, trust } = options;
  const runs = new RunBook(folder, services, options.now);
  const live = new LiveHub(runs, folder.root);
  const stability = new StabilityBook(folder, services, (job) => live.stability(job));
  const sources = new PlotSources(folder, runs, new TraceShelf(services));
  const studio: Studio = { folder, services, trust, runs, sources, stability };
  const routes = studioRoutes(studio);
  const page = new StudioPage(options.page);
  const token = randomBytes(24).toString("base64url");
  const guard = { token, port: options.port };
  const isTrusted = isFolderTrusted(trust, folder.root);

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      checkSender(request, guard);
      const url = new URL(request.url ?? "/", `http://${HOST}`);
      if (!url.pathname.startsWith("/api/")) {
        if (request.method !== "GET") throw new RequestRefused("route-unknown", url.pathname);
        const acceptsGzip = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
        send(response, page.answer(url.pathname, acceptsGzip));
        return;
      }
      checkToken(request, url, guard);
      const { route, parts } = findRoute(routes, request.method, url.pathname);
      const bytes = (): Promise<Buffer> => readBody(request, route.maxBytes ?? MAX_JSON_BYTES);
      const json = async <T>(): Promise<T> => {
        const text = (await bytes()).toString("utf8");
        try {
          return (text === "" ? {} : JSON.parse(text)) as T;
        } catch {
          throw new RequestRefused("request-wrong", "the body is not JSON");
        }
      };
      send(response, await route.answer({ url, headers: request.headers, parts, bytes, json }));
    } catch (error) {
      if (!(error instanceof RequestRefused)) options.onFailure(error);
      sendProblem(request, response, error);
    }
  };

  const server = createServer((request, response) => void answer(request, response));
  // A page that opens a connection and says nothing is not waited for.
  server.headersTimeout = 10_000;
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_SOCKET_MESSAGE,
    perMessageDeflate: false,
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    try {
      checkSender(request, guard);
      // Scripts of pages always say where they come from.
      const url = new URL(request.url ?? "/", `http://${HOST}`);
      checkToken(request, url, guard);
      const { pathname } = url;
      if (pathname !== "/api/live" && pathname !== "/api/language")
        throw new RequestRefused("route-unknown", pathname);
      sockets.handleUpgrade(request, socket as Socket, head, (opened) => {
        if (pathname === "/api/live") live.add(opened);
        else serveLanguage(opened, services.startLanguageServer(), folder.root, isTrusted);
      });
    } catch (error) {
      refuseUpgrade(socket, error);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, HOST, () => resolve());
  });
  server.on("error", options.onFailure);
  const address = server.address();
  guard.port = typeof address === "object" && address !== null ? address.port : options.port;
  return {
    port: guard.port,
    token,
    link: `http://${HOST}:${guard.port}/#token=${token}`,
    hasPage: page.isBuilt,
    async close() {
      live.close();
      stability.close();
      runs.close();
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function refuseUpgrade(socket: Duplex, error: unknown): void {
  const status = error instanceof RequestRefused ? error.status : 500;
  socket.on("error", () => undefined);
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** Whether a module in the folder would be run. */
function isFolderTrusted(trust: Trust, root: string): boolean {
  return notTrusted(trust, root, { name: "", place: { file: root } }) === undefined;
}
