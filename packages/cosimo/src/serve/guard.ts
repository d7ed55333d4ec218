/**
 * Who may talk to the studio: pages that came from it, and nobody else. A token that only its link
 * has, the Host that it was asked for (a foreign name that leads to loopback is DNS rebinding), and
 * the Origin of scripts (another page in the same browser).
 */
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { RequestRefused } from "./problem.ts";
import { TOKEN_HEADER } from "./protocol.ts";

export interface Guard {
  readonly token: string;
  /** The server's port. */
  readonly port: number;
}

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** @throws RequestRefused where the request was sent to another name, or by another page. */
export function checkSender({ headers }: IncomingMessage, { port }: Pick<Guard, "port">): void {
  const own = LOOPBACK.map((name) => `${name}:${port}`);
  const host = headers.host ?? "";
  if (!own.includes(host.toLowerCase())) throw new RequestRefused("host-foreign", shortened(host));
  const { origin } = headers;
  if (origin !== undefined && !own.some((name) => origin.toLowerCase() === `http://${name}`))
    throw new RequestRefused("origin-foreign", shortened(origin));
  // Browsers say where a request without Origin (a picture, a link) comes from.
  const site = headers["sec-fetch-site"];
  if (site !== undefined && !["same-origin", "none"].includes(String(site)))
    throw new RequestRefused("origin-foreign", String(site));
}

/** @throws RequestRefused where the token is missing or wrong. */
export function checkToken({ headers }: IncomingMessage, url: URL, { token }: Guard): void {
  const given = headers[TOKEN_HEADER] ?? url.searchParams.get("token") ?? "";
  if (!isEqual(String(given), token)) throw new RequestRefused("token-missing");
}

function isEqual(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function shortened(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
