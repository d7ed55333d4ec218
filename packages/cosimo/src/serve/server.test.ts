/**
 * Who is answered, and about what: a real server on loopback.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { TRUST_NOBODY } from "../host/trust.ts";
import type {
  ApiProblem,
  Described,
  EditAnswer,
  FileTree,
  Layout,
  LibraryEntry,
} from "./protocol.ts";
import { type StudioServer, startStudio } from "./server.ts";
import type { StudioServices } from "./services.ts";

const around = mkdtempSync(join(tmpdir(), "cosimo-studio-"));
const folder = join(around, "served");
const page = join(around, "page");
const failures: unknown[] = [];
let server: StudioServer;

/** Nothing is run here; that is tested with the command. */
const refuse = (): never => {
  throw new Error("not in this test");
};
const services: StudioServices = {
  startRun: refuse,
  startStability: refuse,
  startLanguageServer: refuse,
  fmuPage: refuse,
  readTrace: refuse,
};

const SCENARIO =
  "# two masses\nunits:\n  a: { table: a.csv }\nexperiment: { stop: 1 s, step: 0.1 s }\n";

beforeAll(async () => {
  for (const name of [folder, page, join(folder, "sub")]) mkdirSync(name, { recursive: true });
  writeFileSync(join(around, "secret.txt"), "secret");
  writeFileSync(join(folder, "scenario.yaml"), SCENARIO);
  writeFileSync(join(folder, "empty.yaml"), "# nothing yet\n\n");
  writeFileSync(join(folder, "runs.yaml"), "scenario: scenario.yaml\nfactors: {}\n");
  writeFileSync(join(folder, "notes.yaml"), "note: this is none\n");
  writeFileSync(join(folder, "a.csv"), "time,y\n0,1\n1,2\n");
  writeFileSync(join(folder, "sub", "c.machine.yaml"), "machine: c\n");
  writeFileSync(join(page, "index.html"), "<!doctype html><title>studio</title>");
  symlinkSync(join(around, "secret.txt"), join(folder, "link.txt"));
  symlinkSync(around, join(folder, "out"));
  server = await startStudio({
    folder,
    port: 0,
    trust: TRUST_NOBODY,
    services,
    page,
    now: () => 0,
    onFailure: (error) => failures.push(error),
  });
});

afterAll(async () => {
  await server.close();
  rmSync(around, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  readonly json: <T>() => T;
}

interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Without the token. */
  readonly isBare?: boolean;
}

function ask(
  path: string,
  { method = "GET", headers = {}, body, isBare }: Ask = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port: server.port,
        path,
        method,
        headers: { ...(isBare ? {} : { "x-cosimo-token": server.token }), ...headers },
      },
      (answer) => {
        const pieces: Buffer[] = [];
        answer.on("data", (piece: Buffer) => pieces.push(piece));
        answer.on("end", () => {
          const text = Buffer.concat(pieces).toString("utf8");
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text,
            json: <T>() => JSON.parse(text) as T,
          });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

const problem = async (path: string, asked?: Ask): Promise<[number, string]> => {
  const answer = await ask(path, asked);
  return [answer.status, answer.json<ApiProblem>().code];
};

describe("who is answered", () => {
  it("[SV1] listens on loopback, and its link has the token", () => {
    expect(server.link).toBe(`http://127.0.0.1:${server.port}/#token=${server.token}`);
    expect(server.token.length).toBeGreaterThanOrEqual(32);
  });

  it("[SV2] refuses requests without the token, and with another", async () => {
    expect(await problem("/api/files", { isBare: true })).toEqual([401, "token-missing"]);
    expect(await problem("/api/files?token=wrong", { isBare: true })).toEqual([
      401,
      "token-missing",
    ]);
    expect((await ask(`/api/files?token=${server.token}`, { isBare: true })).status).toBe(200);
  });

  it("[SV3] refuses other pages, and names that are led to loopback", async () => {
    const foreign = { origin: "https://example.org" };
    expect(await problem("/api/files", { headers: foreign })).toEqual([403, "origin-foreign"]);
    expect(await problem("/api/files", { headers: { origin: "null" } })).toEqual([
      403,
      "origin-foreign",
    ]);
    const port = { origin: `http://127.0.0.1:${server.port + 1}` };
    expect(await problem("/api/files", { headers: port })).toEqual([403, "origin-foreign"]);
    expect(await problem("/api/files", { headers: { "sec-fetch-site": "cross-site" } })).toEqual([
      403,
      "origin-foreign",
    ]);
    const rebound = { host: `evil.example:${server.port}` };
    expect(await problem("/api/files", { headers: rebound })).toEqual([403, "host-foreign"]);
    // The page itself is refused as well: it would have the right origin then.
    expect(await problem("/", { headers: rebound })).toEqual([403, "host-foreign"]);
    const own = { origin: `http://localhost:${server.port}`, host: `localhost:${server.port}` };
    expect((await ask("/api/files", { headers: own })).status).toBe(200);
  });

  it("[SV3] refuses sockets of other pages, and without the token", async () => {
    const opened = (path: string, headers: Record<string, string>): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, { headers });
        socket.on("open", () => {
          socket.close();
          resolve("open");
        });
        socket.on("error", ({ message }) => resolve(message));
      });
    const token = `?token=${server.token}`;
    expect(await opened(`/api/live${token}`, {})).toBe("open");
    expect(await opened("/api/live", {})).toContain("401");
    expect(await opened(`/api/live${token}`, { origin: "http://evil.example" })).toContain("403");
    expect(await opened(`/api/live${token}`, { host: "evil.example" })).toContain("403");
    expect(await opened(`/api/other${token}`, {})).toContain("404");
  });

  it("[SV4] serves and writes nothing outside of the folder", async () => {
    const outside = [
      "../secret.txt",
      "sub/../../secret.txt",
      join(around, "secret.txt"),
      "link.txt",
      "out/secret.txt",
      "..\\secret.txt",
      "out",
    ];
    for (const path of outside) {
      const query = `?path=${encodeURIComponent(path)}`;
      for (const route of ["file", "info", "describe", "trace"]) {
        const answer = await ask(`/api/${route}${query}`);
        expect([403, 404], `${route} ${path}`).toContain(answer.status);
        expect(answer.text).not.toContain("root element");
      }
      const put = { method: "PUT", headers: { "if-none-match": "*" }, body: "x" };
      expect((await ask(`/api/file${query}`, put)).status).toBe(403);
      const layout = { method: "PUT", body: JSON.stringify({ version: 1, units: {} }) };
      // That of a link is a file beside it, in the folder.
      const isBeside = path === "link.txt" || path === "out";
      expect((await ask(`/api/layout${query}`, layout)).status).toBe(isBeside ? 200 : 403);
    }
    expect(readFileSync(join(around, "secret.txt"), "utf8")).toBe("secret");
    expect(readdirSync(around).sort()).toEqual(["page", "secret.txt", "served"]);
    const raw = await ask("/../secret.txt");
    expect(raw.status).toBe(404);
    expect((await ask("/%2e%2e/secret.txt")).status).toBe(404);
  });

  it("[SV5] refuses a body of a gigabyte before it is sent, and one that does not say its size", async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(server.port, "127.0.0.1", () => {
        socket.write(
          `PUT /api/file?path=big.fmu HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nX-Cosimo-Token: ${server.token}\r\n` +
            `If-None-Match: *\r\nContent-Length: ${2 ** 30}\r\n\r\n`,
        );
      });
      let text = "";
      socket.on("data", (bytes) => {
        text += bytes;
      });
      socket.on("close", () => resolve(text));
      socket.on("error", reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain("body-too-large");
    const chunked = await new Promise<number>((resolve) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port: server.port,
          path: "/api/describe",
          method: "POST",
          headers: { "x-cosimo-token": server.token, "transfer-encoding": "chunked" },
        },
        (got) => {
          resolve(got.statusCode ?? 0);
          sent.destroy();
        },
      );
      sent.on("error", () => undefined);
      const piece = Buffer.alloc(1 << 20, "x");
      const more = (left: number): void => {
        if (left === 0) sent.end();
        else sent.write(piece, () => more(left - 1));
      };
      more(20);
    });
    expect(chunked).toBe(413);
    expect(existsSync(join(folder, "big.fmu"))).toBe(false);
  });

  it("says what is not there", async () => {
    expect(await problem("/api/nothing")).toEqual([404, "route-unknown"]);
    expect(await problem("/api/runs/abc")).toEqual([404, "run-unknown"]);
    expect(await problem("/api/file?path=no.yaml")).toEqual([404, "file-missing"]);
    expect(await problem("/api/describe", { method: "POST", body: "{" })).toEqual([
      400,
      "request-wrong",
    ]);
    expect(failures).toEqual([]);
  });
});

describe("files", () => {
  it("[SV8] lists what is in the folder by kind, and links that lead out are not in it", async () => {
    const tree = (await ask("/api/files")).json<FileTree>();
    expect(tree.name).toBe("served");
    const kinds = tree.files.map(({ path, kind }) => [path, kind]);
    expect(kinds).toContainEqual(["scenario.yaml", "scenario"]);
    expect(kinds).toContainEqual(["a.csv", "trace"]);
    expect(kinds).not.toContainEqual(["link.txt", "other"]);
    expect(kinds).toContainEqual(["empty.yaml", "scenario"]);
    expect(kinds).toContainEqual(["runs.yaml", "study"]);
    expect(kinds).toContainEqual(["notes.yaml", "other"]);
    expect(kinds[0]).toEqual(["sub", "folder"]);
    expect(tree.files[0]?.files?.[0]).toMatchObject({
      path: "sub/c.machine.yaml",
      kind: "machine",
    });
  });

  it("[SV6] writes a file whole, and not over what was written elsewhere", async () => {
    const { headers, text } = await ask("/api/file?path=scenario.yaml");
    expect(text).toBe(SCENARIO);
    const etag = String(headers.etag);
    const put = (body: string, condition: Record<string, string>, path = "scenario.yaml") =>
      ask(`/api/file?path=${path}`, { method: "PUT", headers: condition, body });
    const changed = `${SCENARIO}# more\n`;
    const saved = await put(changed, { "if-match": etag });
    expect(saved.status).toBe(200);
    expect(readFileSync(join(folder, "scenario.yaml"), "utf8")).toBe(changed);
    expect((await put("lost", { "if-match": etag })).json<ApiProblem>().code).toBe("file-changed");
    expect((await put("lost", { "if-none-match": "*" })).status).toBe(412);
    expect((await put("lost", {})).status).toBe(428);
    expect((await put("new", { "if-none-match": "*" }, "deep/er/new.yaml")).status).toBe(200);
    expect(readFileSync(join(folder, "deep/er/new.yaml"), "utf8")).toBe("new");
    const now = saved.json<{ etag: string }>().etag;
    await put(SCENARIO, { "if-match": now });
    expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  it("[SV10] keeps the layout beside the scenario, and the scenario as it is", async () => {
    const layout: Layout = { version: 1, units: { a: { x: 10, y: 20 } } };
    expect((await ask("/api/layout?path=sub/other.yaml")).json()).toEqual({
      version: 1,
      units: {},
    });
    const put = { method: "PUT", body: JSON.stringify(layout) };
    expect((await ask("/api/layout?path=scenario.yaml", put)).status).toBe(200);
    expect((await ask("/api/layout?path=scenario.yaml", put)).status).toBe(200);
    expect(JSON.parse(readFileSync(join(folder, "scenario.layout.json"), "utf8"))).toEqual(layout);
    expect((await ask("/api/layout?path=scenario.yaml")).json()).toEqual(layout);
    expect(readFileSync(join(folder, "scenario.yaml"), "utf8")).toBe(SCENARIO);
    // Each file has its own, and one that is damaged is as none.
    const other: Layout = { version: 1, units: { a: { x: 1, y: 2 } } };
    const second = { method: "PUT", body: JSON.stringify(other) };
    expect((await ask("/api/layout?path=scenario.ssp", second)).status).toBe(200);
    expect((await ask("/api/layout?path=scenario.ssp")).json()).toEqual(other);
    expect((await ask("/api/layout?path=scenario.yaml")).json()).toEqual(layout);
    expect((await ask("/api/layout?path=scenario.yml")).json()).toEqual({ version: 1, units: {} });
    for (const damaged of ["{}", "[]", "{", '{"version":1,"units":{"a":{}}}']) {
      writeFileSync(join(folder, "damaged.layout.json"), damaged);
      expect((await ask("/api/layout?path=damaged.yaml")).json()).toEqual({
        version: 1,
        units: {},
      });
      const wrong = { method: "PUT", body: damaged };
      expect((await ask("/api/layout?path=damaged.yaml", wrong)).status).toBe(400);
    }
    writeFileSync(join(folder, "damaged.layout.json"), JSON.stringify(other));
    expect((await ask("/api/layout?path=damaged.ssp")).json()).toEqual(other);
  });

  it("serves the page with nothing from elsewhere", async () => {
    const answer = await ask("/", { isBare: true });
    expect(answer.status).toBe(200);
    expect(answer.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(answer.headers["x-frame-options"]).toBe("DENY");
    // As the package has it: compressed.
    const script = "console.log(1);\n";
    writeFileSync(join(page, "a.js.br"), brotliCompressSync(script));
    expect((await ask("/a.js", { isBare: true })).text).toBe(script);
    const packed = await ask("/a.js", { isBare: true, headers: { "accept-encoding": "gzip" } });
    expect(packed.headers["content-encoding"]).toBe("gzip");
  });
});

describe("scenarios", () => {
  it("[SV9] explains a text that is not saved, with the findings of a check", async () => {
    const saved = (await ask("/api/describe?path=scenario.yaml")).json<Described>();
    expect(saved.scenario?.units[0]).toMatchObject({ name: "a", line: 3, sourceKind: "table" });
    expect(saved.scenario?.units[0]?.ports.map(({ name }) => name)).toEqual(["y"]);
    expect(saved.plan?.text).toContain("a");
    expect(saved.explanation?.master.name).toBe(saved.scenario?.master);
    const text = `${SCENARIO}connections:\n  - a.y -> b.u\n`;
    const body = JSON.stringify({ path: "scenario.yaml", text });
    const wrong = (await ask("/api/describe", { method: "POST", body })).json<Described>();
    expect(wrong.diagnostics[0]).toMatchObject({
      severity: "error",
      place: { file: "scenario.yaml", line: 6 },
    });
    expect(wrong.scenario?.units[0]?.ports).toHaveLength(1);
    expect(wrong.scenario?.connections[0]).toMatchObject({ from: "a.y", to: "b.u", wires: [] });
    expect(wrong.plan).toBeUndefined();
  });

  it("[SV28] a brief description leaves out what is read by people alone", async () => {
    const body = JSON.stringify({ path: "scenario.yaml", isBrief: true });
    const brief = (await ask("/api/describe", { method: "POST", body })).json<Described>();
    const whole = (await ask("/api/describe?path=scenario.yaml")).json<Described>();
    expect(brief.scenario).toEqual(whole.scenario);
    expect(brief.diagnostics).toEqual(whole.diagnostics);
    const { loops, master, recommendation } = whole.explanation ?? {};
    expect(brief.explanation).toEqual({ loops, master, recommendation });
    expect(whole.explanation?.connections).toBeDefined();
    expect(whole.explanationText).toContain("a");
    expect([brief.plan, brief.explanationText]).toEqual([undefined, undefined]);
  });

  it("[SV24] a connection from several ports leads from each of them to its target", async () => {
    writeFileSync(join(folder, "b.csv"), "time,u,v\n0,1,2\n1,2,3\n");
    writeFileSync(
      join(folder, "gain.machine.yaml"),
      "machine: gain\ninputs: { u: { start: 0 } }\nevents: { high: it is high }\ninitial: low\nstates:\n  low:\n    - { when: u >= 9, emit: high, to: low }\n",
    );
    const text =
      "units:\n  a: { table: a.csv }\n  b: { table: b.csv }\n  c: gain.machine.yaml\nconnections:\n  - a.y + 2 * b.v -> c.u\nexperiment: { stop: 1 s, step: 0.1 s }\n";
    const body = JSON.stringify({ path: "scenario.yaml", text });
    const made = (await ask("/api/describe", { method: "POST", body })).json<Described>();
    expect(made.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(made.scenario?.units.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    const formula = "a.y + 2 * b.v";
    expect(made.scenario?.connections).toMatchObject([
      {
        from: formula,
        to: "c.u",
        wires: [
          { fromUnit: "a", fromPort: "y", toUnit: "c", toPort: "u", formula },
          { fromUnit: "b", fromPort: "v", toUnit: "c", toPort: "u", formula },
        ],
      },
    ]);
  });

  it("lists adaptations with what they take", async () => {
    const library = (await ask("/api/library")).json<LibraryEntry[]>();
    expect(library.find(({ name }) => name === "multi-rate")?.options).toEqual([
      { name: "rate", type: "integer", value: "10" },
    ]);
    expect(library.find(({ name }) => name === "hold")?.options[0]).toEqual({
      name: "signal",
      type: "port",
    });
  });

  it("[SV20] edits a text and explains what it became", async () => {
    const edit = { kind: "set-experiment", key: "stop", value: "2 s" };
    const body = JSON.stringify({ path: "scenario.yaml", text: SCENARIO, edit });
    const made = (await ask("/api/edit", { method: "POST", body })).json<EditAnswer>();
    expect(made.text).toBe(SCENARIO.replace("stop: 1 s", "stop: 2 s"));
    expect(made.described.scenario?.experiment.stop).toBe(2);
  });
});
