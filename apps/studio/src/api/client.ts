/**
 * Requests to the studio's server (packages/cosimo/src/serve/protocol.ts). The token comes with the
 * link that opened the page.
 */
import { type Columns, decodeColumns } from "@cosimo/serve/columns.ts";
import {
  type ApiProblem,
  type DerivedAnswer,
  type Described,
  type DescribeRequest,
  type FileTree,
  type FmuPage,
  type Instant,
  type Layout,
  type LibraryEntry,
  type RunInfo,
  type RunRequest,
  type SavedFile,
  type StabilityJob,
  type StabilityRequest,
  TOKEN_HEADER,
  type TraceInfo,
} from "@cosimo/serve/protocol.ts";

const token =
  new URLSearchParams(location.search).get("token") ??
  new URLSearchParams(location.hash.slice(1)).get("token") ??
  "";

/** What the server refused. */
export class Refused extends Error {
  readonly problem: ApiProblem;
  readonly status: number;
  constructor(problem: ApiProblem, status: number) {
    super(problem.message);
    this.name = "Refused";
    this.problem = problem;
    this.status = status;
  }
}

export interface FileText {
  readonly text: string;
  readonly etag: string;
}

async function ask(path: string, options: RequestInit = {}): Promise<Response> {
  const headers = new Headers(options.headers);
  headers.set(TOKEN_HEADER, token);
  let response: Response;
  try {
    response = await fetch(`/api/${path}`, { ...options, headers });
  } catch {
    throw new Refused(
      {
        code: "no-server",
        message: "the studio's server does not answer",
        fix: "start 'cosimo studio' again and open its link",
      },
      0,
    );
  }
  if (response.ok) return response;
  throw new Refused(await problemOf(response), response.status);
}

async function problemOf(response: Response): Promise<ApiProblem> {
  try {
    return (await response.json()) as ApiProblem;
  } catch {
    return {
      code: `http-${response.status}`,
      message: `the server answered with status ${response.status}`,
      fix: "look at the terminal in which 'cosimo studio' runs",
    };
  }
}

async function json<T>(path: string, options?: RequestInit): Promise<T> {
  return (await (await ask(path, options)).json()) as T;
}

function post<T>(path: string, body: unknown = {}): Promise<T> {
  return json<T>(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/**
 * With its byte order mark. What is not UTF-8 would be saved as something else, so it is not
 * opened.
 */
function decoded(path: string, bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(bytes);
  } catch {
    throw new Refused(
      {
        code: "file-encoding",
        message: `'${path}' is not text in UTF-8`,
        fix: "convert it to UTF-8, or edit it with another program",
      },
      0,
    );
  }
}

const query = (path: string): string => `path=${encodeURIComponent(path)}`;

export interface ColumnsRequest {
  readonly signals: readonly string[];
  readonly from?: number;
  readonly to?: number;
  readonly points: number;
}

/** Derived signals (`= a.x * 2`) have commas of their own. */
function signalsQuery(signals: readonly string[]): URLSearchParams {
  const isDerived = (name: string): boolean => name.startsWith("=");
  const recorded = signals.filter((name) => !isDerived(name));
  const search = new URLSearchParams({ signals: recorded.join(",") });
  for (const name of signals.filter(isDerived)) search.append("derived", name);
  return search;
}

function columnsQuery({ signals, from, to, points }: ColumnsRequest): string {
  const search = signalsQuery(signals);
  search.set("points", String(points));
  if (from !== undefined) search.set("from", String(from));
  if (to !== undefined) search.set("to", String(to));
  return search.toString();
}

export interface InstantRequest {
  /** Rows to go on from there. */
  readonly by?: number;
  readonly signals?: readonly string[];
  readonly derived?: readonly string[];
}

export const api = {
  files: (): Promise<FileTree> => json("files"),
  async read(path: string): Promise<FileText> {
    const response = await ask(`file?${query(path)}`);
    return {
      text: decoded(path, await response.arrayBuffer()),
      etag: response.headers.get("etag") ?? "",
    };
  },
  write(path: string, text: string, etag: string | undefined): Promise<SavedFile> {
    const headers: Record<string, string> =
      etag === undefined ? { "if-none-match": "*" } : { "if-match": etag };
    return json(`file?${query(path)}`, { method: "PUT", headers, body: text });
  },
  info: (path: string): Promise<FmuPage> => json(`info?${query(path)}`),
  describe: (request: DescribeRequest): Promise<Described> => post("describe", request),
  layout: (path: string): Promise<Layout> => json(`layout?${query(path)}`),
  saveLayout: (path: string, layout: Layout): Promise<SavedFile> =>
    json(`layout?${query(path)}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(layout),
    }),
  library: (): Promise<LibraryEntry[]> => json("library"),
  run: (request: RunRequest): Promise<RunInfo> => post("runs", request),
  act: (run: string, action: string, body?: unknown): Promise<RunInfo> =>
    post(`runs/${encodeURIComponent(run)}/${action}`, body),
  saveRun: (run: string, path: string): Promise<SavedFile> =>
    post(`runs/${encodeURIComponent(run)}/save`, { path }),
  forget: async (run: string): Promise<void> => {
    await ask(`runs/${encodeURIComponent(run)}`, { method: "DELETE" });
  },
  trace: (path: string): Promise<TraceInfo> => json(`trace?${query(path)}`),
  async runColumns(run: string, request: ColumnsRequest): Promise<Columns> {
    const answer = await ask(`runs/${encodeURIComponent(run)}/columns?${columnsQuery(request)}`);
    return decodeColumns(await answer.arrayBuffer());
  },
  async traceColumns(path: string, request: ColumnsRequest): Promise<Columns> {
    const answer = await ask(`trace?${query(path)}&${columnsQuery(request)}`);
    return decodeColumns(await answer.arrayBuffer());
  },
  /** Sources are `run:<id>` and `trace:<path>`. */
  async difference(first: string, second: string, request: ColumnsRequest): Promise<Columns> {
    const sources = new URLSearchParams({ first, second }).toString();
    const answer = await ask(`difference?${sources}&${columnsQuery(request)}`);
    return decodeColumns(await answer.arrayBuffer());
  },
  /** @param signals all that were recorded where it is absent. */
  instant(
    of: string,
    time: number,
    { by = 0, signals, derived = [] }: InstantRequest = {},
  ): Promise<Instant> {
    const search = signalsQuery([...(signals ?? []), ...derived]);
    if (signals === undefined) search.delete("signals");
    search.set("of", of);
    search.set("time", String(time));
    search.set("by", String(by));
    return json(`instant?${search.toString()}`);
  },
  expression: (of: string, text: string): Promise<DerivedAnswer> =>
    post("expression", { of, text }),
  stability: (request: StabilityRequest): Promise<StabilityJob> => post("stability", request),
  stopStability: (id: string): Promise<StabilityJob> =>
    post(`stability/${encodeURIComponent(id)}/stop`),
};

/** The address of a WebSocket of the server. */
export function socketAddress(name: "live" | "language"): string {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return `${scheme}://${location.host}/api/${name}?token=${encodeURIComponent(token)}`;
}
