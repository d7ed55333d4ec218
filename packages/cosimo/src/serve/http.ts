/**
 * Requests and answers of the studio: routes by method and path, bodies of bounded size, JSON, and
 * problems as JSON.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { RequestRefused } from "./problem.ts";

export interface ApiRequest {
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  /** Parts of the path that the route leaves open. */
  readonly parts: readonly string[];
  /** The body, at most as long as the route takes. */
  readonly bytes: () => Promise<Buffer>;
  readonly json: <T>() => Promise<T>;
}

export interface ApiAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bytes?: Uint8Array;
  readonly json?: unknown;
}

export interface Route {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** `/api/runs/*`: a star is one part of the path. */
  readonly path: string;
  /** Bytes that its body may have; default: `MAX_JSON_BYTES`. */
  readonly maxBytes?: number;
  readonly answer: (request: ApiRequest) => ApiAnswer | Promise<ApiAnswer>;
}

export const MAX_JSON_BYTES: number = 16 << 20;
/** FMUs are files too; what is larger is copied by other means. */
export const MAX_FILE_BYTES: number = 256 << 20;

export const json = (value: unknown, status = 200): ApiAnswer => ({ json: value, status });

export function findRoute(
  routes: readonly Route[],
  method: string | undefined,
  path: string,
): { readonly route: Route; readonly parts: readonly string[] } {
  const given = path.split("/");
  for (const route of routes) {
    if (route.method !== method) continue;
    const wanted = route.path.split("/");
    if (wanted.length !== given.length) continue;
    if (!wanted.every((part, i) => part === "*" || part === given[i])) continue;
    const parts = given.filter((_, i) => wanted[i] === "*").map(decoded);
    return { route, parts };
  }
  throw new RequestRefused("route-unknown", `'${method} ${path.slice(0, 200)}'`);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new RequestRefused("request-wrong", "the path of the request is not valid");
  }
}

/** @throws RequestRefused as soon as it is known that there is more. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = (): RequestRefused =>
    new RequestRefused("body-too-large", `${Math.round(maxBytes / (1 << 20))} MB`);
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > maxBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    request.on("data", (piece: Buffer) => {
      size += piece.length;
      if (size > maxBytes) {
        request.pause();
        reject(tooLarge());
      } else pieces.push(piece);
    });
    request.on("end", () => resolve(Buffer.concat(pieces)));
    request.on("error", reject);
    request.on("close", () => {
      if (!request.complete) reject(new RequestRefused("request-wrong", "the request was cut off"));
    });
  });
}

/** Nothing of the studio may be shown inside of other pages, guessed at, or kept. */
const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};

export function send(response: ServerResponse, answer: ApiAnswer): void {
  const { status = 200, headers = {} } = answer;
  const body =
    answer.bytes ?? (answer.json === undefined ? new Uint8Array() : jsonBytes(answer.json));
  response.writeHead(status, {
    ...SAFE_HEADERS,
    ...(answer.json === undefined ? {} : { "content-type": "application/json; charset=utf-8" }),
    "content-length": String(body.length),
    ...headers,
  });
  response.end(body);
}

/** 64-bit integers and bytes have no JSON form: decimal text and hexadecimal text. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => {
    if (typeof one === "bigint") return one.toString();
    if (one instanceof Uint8Array) return Buffer.from(one).toString("hex");
    if (one instanceof Map) return Object.fromEntries(one);
    if (one instanceof Int32Array || one instanceof Float64Array) return [...one];
    return one;
  });
}

function jsonBytes(value: unknown): Buffer {
  return Buffer.from(jsonText(value), "utf8");
}

/** Sends what was thrown; a request whose body was not read is not used again. */
export function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  const refused =
    error instanceof RequestRefused
      ? error
      : new RequestRefused("server-failed", error instanceof Error ? error.message : String(error));
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (request.complete) send(response, { status: refused.status, json: refused.problem });
  else refuseUnread(request, response, refused);
}

/** How long the rest of a body is thrown away. */
const LINGER_MS = 1000;

/**
 * A connection that is closed while the other side still sends is reset, and the answer lost: the
 * rest is read for a while, and dropped.
 */
function refuseUnread(
  request: IncomingMessage,
  response: ServerResponse,
  { status, problem }: RequestRefused,
): void {
  const body = jsonBytes(problem);
  response.writeHead(status, {
    ...SAFE_HEADERS,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(body.length),
    connection: "close",
  });
  response.write(body);
  const end = (): void => {
    clearTimeout(timer);
    response.end();
    request.destroy();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.removeAllListeners("data");
  request.once("end", end).once("error", end).resume();
}
