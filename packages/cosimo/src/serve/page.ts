/**
 * The built page, from the package's own folder; the published package has its files compressed
 * (`index.html.br`). It holds nothing of the user, so it needs no token; everything that it asks
 * for does.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { extname, join, normalize, sep } from "node:path";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import type { ApiAnswer } from "./http.ts";
import { RequestRefused } from "./problem.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
  ".woff2": "font/woff2",
  ".map": "application/json",
};
const TEXTS = [".html", ".js", ".css", ".svg", ".json", ".map"];

/** Files of the published package end so: smaller than what browsers take over plain HTTP. */
const SHIPPED = ".br";

/** Scripts of the page and nothing else, from here and nowhere else. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self' blob:",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

export class StudioPage {
  private readonly folder: string;
  private readonly sent = new Map<string, { bytes: Buffer; packed: Buffer | undefined }>();

  constructor(folder: string) {
    this.folder = folder;
  }

  get isBuilt(): boolean {
    const index = join(this.folder, "index.html");
    return existsSync(index) || existsSync(`${index}${SHIPPED}`);
  }

  answer(path: string, acceptsGzip: boolean): ApiAnswer {
    const name = path === "/" ? "index.html" : normalize(decoded(path)).replace(/^[\\/]+/, "");
    const file = join(this.folder, name);
    const isInside = file.startsWith(this.folder + sep) && !name.split(/[\\/]/).includes("..");
    const isThere = isInside && (isFile(file) || isFile(`${file}${SHIPPED}`));
    if (!isThere) throw new RequestRefused("route-unknown", `'${path}'`);
    const { bytes, packed } = this.load(file);
    const body = acceptsGzip ? (packed ?? bytes) : bytes;
    return {
      bytes: body,
      headers: {
        "content-type": TYPES[extname(file).toLowerCase()] ?? "application/octet-stream",
        "content-security-policy": POLICY,
        ...(body === packed ? { "content-encoding": "gzip" } : {}),
        vary: "accept-encoding",
      },
    };
  }

  private load(file: string): { bytes: Buffer; packed: Buffer | undefined } {
    const known = this.sent.get(file);
    if (known !== undefined) return known;
    const bytes = isFile(file)
      ? readFileSync(file)
      : brotliDecompressSync(readFileSync(`${file}${SHIPPED}`));
    const isText = TEXTS.includes(extname(file).toLowerCase());
    const loaded = { bytes, packed: isText ? gzipSync(bytes) : undefined };
    this.sent.set(file, loaded);
    return loaded;
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "/";
  }
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}
