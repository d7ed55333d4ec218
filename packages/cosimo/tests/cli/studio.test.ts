/**
 * `cosimo studio` as a page meets it: the command of the package, real FMUs, real processes, over
 * loopback.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { type Columns, decodeColumns } from "../../src/serve/columns.ts";
import type {
  FmuPage,
  LiveMessage,
  LiveRequest,
  RunInfo,
  RunRequest,
  StabilityJob,
  TraceInfo,
} from "../../src/serve/protocol.ts";
import { fixture, type Running, Workplace } from "./cosimo.ts";

const place = new Workplace();
let studio: Running;
let link: { readonly link: string; readonly port: number; readonly folder: string };
let token: string;

/**
 * x' = -k x with a step of 0.1 s, which a forward Euler method takes exactly: x is multiplied by 1
 * - 0.1 k.
 */
const DECAY = `units:
  a: ${fixture("fmi2/Dahlquist")}
experiment: { stop: 1e9 s, step: 0.1 s }
`;
const MASSES = `units:
  left: ${fixture("fmi3/MassSpringDamperLeft")}
  right: ${fixture("fmi2/MassSpringDamperRight")}
connections:
  - left.x_1 -> right.x_c
  - left.v_1 -> right.v_c
  - right.F_c -> left.F_e
experiment: { stop: 10 s, step: 100 ms }
master: jacobi
`;

beforeAll(async () => {
  writeFileSync(join(place.files, "decay.yaml"), DECAY);
  writeFileSync(join(place.files, "masses.yaml"), MASSES);
  studio = place.start("studio", place.files, "--no-open", "--json");
  link = await new Promise((resolve, reject) => {
    let text = "";
    studio.process.stdout?.on("data", (bytes) => {
      text += bytes;
      if (/\}\s*$/.test(text)) resolve(JSON.parse(text));
    });
    studio.process.on("exit", (code) => reject(new Error(`the studio ended with ${code}`)));
  });
  token = new URL(link.link).hash.replace("#token=", "");
});

afterAll(async () => {
  studio.process.kill("SIGINT");
  expect((await studio.ended).code).toBe(130);
  // Runs have ended with it, and their rows are gone.
  expect(readdirSync(place.temp)).toEqual([]);
});

const call = (path: string, body?: unknown, method?: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${link.port}${path}`, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: { "x-cosimo-token": token },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const ask = async <T>(path: string, body?: unknown): Promise<T> => {
  const answer = await call(path, body);
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return (await answer.json()) as T;
};
const start = (request: RunRequest): Promise<RunInfo> => ask<RunInfo>("/api/runs", request);
const columns = async (path: string): Promise<Columns> =>
  decodeColumns(await (await call(path)).arrayBuffer());

/** Asks until it is so; how long that may take is the test's time-out. */
async function until(id: string, isSo: (run: RunInfo) => boolean): Promise<RunInfo> {
  for (;;) {
    const run = await ask<RunInfo>(`/api/runs/${id}`);
    if (isSo(run)) return run;
    if (run.state === "ended") throw new Error(`it ended: ${run.ending}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const ended = (id: string): Promise<RunInfo> => until(id, ({ state }) => state === "ended");

/** A page's socket, and what came on it. */
function listen(): Promise<{
  readonly messages: LiveMessage[];
  readonly frames: Columns[];
  say(request: LiveRequest): void;
  when(isSo: () => boolean): Promise<void>;
  close(): void;
}> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${link.port}/api/live?token=${token}`);
    const messages: LiveMessage[] = [];
    const frames: Columns[] = [];
    const waiting = new Set<() => void>();
    socket.on("message", (data, isBinary) => {
      const bytes = data as Buffer;
      if (isBinary) frames.push(decodeColumns(new Uint8Array(bytes).buffer));
      else messages.push(JSON.parse(bytes.toString("utf8")));
      for (const look of waiting) look();
    });
    socket.on("error", reject);
    socket.on("open", () =>
      resolve({
        messages,
        frames,
        say: (request) => socket.send(JSON.stringify(request)),
        when: (isSo) =>
          new Promise((done) => {
            const look = (): void => {
              if (!isSo()) return;
              waiting.delete(look);
              done();
            };
            waiting.add(look);
            look();
          }),
        close: () => socket.close(),
      }),
    );
  });
}

describe("cosimo studio", () => {
  it("[SV7] says which port is in use, and that a folder is none", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.on("listening", resolve));
    const { port } = taken.address() as { port: number };
    const used = await place.run("studio", place.files, "--no-open", "--port", String(port));
    taken.close();
    expect(used.code).toBe(1);
    expect(used.stderr).toContain("studio-port");
    expect(used.stderr).toContain("another program uses it");
    const nowhere = await place.run("studio", join(place.files, "nowhere"));
    expect([nowhere.code, nowhere.stderr.includes("studio-folder")]).toEqual([1, true]);
    expect((await place.run("studio", "--port", "70000")).code).toBe(2);
  });

  it("[SV8] shows an FMU as 'cosimo info' and 'cosimo validate' do", async () => {
    const name = "ball.fmu";
    writeFileSync(join(place.files, name), readFileSync(fixture("fmi3/BouncingBall")));
    const page = await ask<FmuPage>(`/api/info?path=${name}`);
    const info = await place.run("info", name, "--json");
    const given = JSON.parse(info.stdout);
    expect({ ...(page.info as object), path: name }).toEqual({ ...given, path: name });
    expect(page.text).toContain("BouncingBall");
    expect(page.findings).toEqual(
      JSON.parse((await place.run("validate", name, "--json")).stdout).findings,
    );
  });

  it("[SV11] a run of the studio is a run of the command, row by row, and is found again", async () => {
    const { id } = await start({ path: "masses.yaml" });
    const run = await ended(id);
    expect(run.outcome?.kind).toBe("completed");
    expect(run.rows).toBe(101);
    expect(run.times?.units.map(({ unit }) => unit)).toEqual(["left", "right"]);
    expect((await ask<RunInfo[]>("/api/runs")).map((one) => one.id)).toContain(id);
    await place.run("run", "masses.yaml", "-o", "command.csv");
    const saved = await call(`/api/runs/${id}/save`, { path: "studio.csv" });
    expect(saved.status).toBe(200);
    const read = (name: string): string => readFileSync(join(place.files, name), "utf8");
    expect(read("studio.csv")).toBe(read("command.csv"));
    const names = run.columns.map(({ name }) => name);
    const drawn = await columns(`/api/runs/${id}/columns?signals=${names.join(",")}&points=1000`);
    const trace = await columns(
      `/api/trace?path=command.csv&signals=${names.join(",")}&points=1000`,
    );
    expect(drawn.head.length).toBe(101);
    expect(drawn.values).toEqual(trace.values);
    const info = await ask<TraceInfo>("/api/trace?path=command.csv");
    expect([info.rows, info.from, info.to]).toEqual([101, 0, 10]);
    expect((await call(`/api/runs/${id}`, undefined, "DELETE")).status).toBe(204);
    expect((await call(`/api/runs/${id}`)).status).toBe(404);
  });

  it("[SV11] a run that is refused, and one that fails, say why", async () => {
    const refused = await start({ path: "masses.yaml", options: { master: "nobody" } });
    const run = await ended(refused.id);
    expect(run.diagnostics.length).toBeGreaterThan(0);
    expect(run.outcome).toBeUndefined();
    expect((await call(`/api/runs/${refused.id}/pause`, {})).status).toBe(409);
    expect((await call("/api/runs", { path: "nothing.yaml" })).status).toBe(404);
  });

  it.each(["machine-code", "interpreter"] as const)(
    "[SV12] pauses, takes single steps and goes on (%s)",
    async (executor) => {
      const { id } = await start({ path: "decay.yaml", options: { paused: true, executor } });
      const first = await until(id, ({ state }) => state === "paused");
      await ask(`/api/runs/${id}/step`, { steps: 3 });
      const stepped = await until(id, ({ steps }) => steps > first.steps);
      const rested = await until(id, ({ steps }) => steps === first.steps + 3);
      expect(stepped.state).toBe("paused");
      expect(rested.time).toBeCloseTo(0.1 * (first.steps + 3), 12);
      await ask(`/api/runs/${id}/resume`, {});
      await until(id, ({ steps }) => steps > 1000);
      await ask(`/api/runs/${id}/pause`, {});
      const again = await until(id, ({ state }) => state === "paused");
      expect((await ask<RunInfo>(`/api/runs/${id}`)).steps).toBe(again.steps);
      await ask(`/api/runs/${id}/stop`, {});
      expect((await ended(id)).outcome?.kind).toBe("cancelled");
    },
  );

  it.each(["machine-code", "interpreter"] as const)(
    "[SV13] sets a tunable parameter between steps, and says what cannot be set (%s)",
    async (executor) => {
      const { id } = await start({
        path: "decay.yaml",
        options: { paused: true, executor, record: ["a.x"] },
      });
      const { tunable } = await until(id, ({ state }) => state === "paused");
      expect(tunable).toEqual(["a.k"]);
      await ask(`/api/runs/${id}/set`, { set: "a.k=0" });
      await ask(`/api/runs/${id}/set`, { set: "a.x=7" });
      await ask(`/api/runs/${id}/step`, { steps: 2 });
      const run = await until(id, ({ steps }) => steps === 3);
      expect(run.changes).toEqual([{ time: 0.1, text: "a.k=0" }]);
      expect(run.log.at(-1)?.message).toContain("cannot be set while the run goes on");
      const { values } = await columns(`/api/runs/${id}/columns?signals=a.x`);
      const [x] = values;
      expect(x?.[1]).toBeCloseTo(0.9, 12);
      expect([x?.[2], x?.[3]]).toEqual([x?.[1], x?.[1]]);
      await ask(`/api/runs/${id}/stop`, {});
      await ended(id);
    },
  );

  it("[SV14] a fault from now on is a run that is the same up to now", async () => {
    const { id } = await start({ path: "masses.yaml", options: { paused: true, stop: 5 } });
    await until(id, ({ state }) => state === "paused");
    await ask(`/api/runs/${id}/step`, { steps: 9 });
    const now = await until(id, ({ steps }) => steps === 10);
    const faulty = await ask<RunInfo>(`/api/runs/${id}/fault`, {
      fault: "left.x_1 stuck 0 for 2 s",
    });
    expect(faulty.options.faults).toEqual([`left.x_1 stuck 0 at ${now.time} s for 2 s`]);
    await ended(id);
    const run = await ended(faulty.id);
    expect(run.outcome?.kind).toBe("completed");
    const before = await columns(`/api/runs/${id}/columns?signals=right.x_2`);
    const after = await columns(`/api/runs/${faulty.id}/columns?signals=right.x_2`);
    expect([...(after.values[0] ?? [])].slice(0, 11)).toEqual([...(before.values[0] ?? [])]);
  });

  it("[SV16] shows a run while it goes on, and a page that comes later finds it", async () => {
    const first = await listen();
    const { id } = await start({ path: "decay.yaml", options: { record: ["a.x"] } });
    first.say({ kind: "watch", run: id, plot: 7, signals: ["a.x"], points: 200 });
    first.say({ kind: "values", run: id, signals: ["a.x"] });
    await first.when(() => first.frames.some(({ head }) => head.rows > 1000));
    const { head, time } = first.frames.at(-1) as Columns;
    expect([head.of, head.plot, head.signals]).toEqual([id, 7, ["a.x"]]);
    expect(head.length).toBeLessThanOrEqual(800);
    expect(time[0]).toBe(0);
    await first.when(() => first.messages.some(({ kind }) => kind === "values"));
    first.close();
    const second = await listen();
    await second.when(() => second.messages.length > 0);
    const [hello] = second.messages;
    expect(hello?.kind === "hello" && hello.runs.map((run) => [run.id, run.state])).toContainEqual([
      id,
      "running",
    ]);
    second.say({ kind: "watch", run: "none", plot: 1, signals: [], points: 10 });
    await second.when(() => second.messages.some(({ kind }) => kind === "problem"));
    await ask(`/api/runs/${id}/stop`, {});
    await second.when(() =>
      second.messages.some((said) => said.kind === "run" && said.run.state === "ended"),
    );
    second.close();
  });

  it("[SV17] speaks the language server protocol about files of the folder", async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${link.port}/api/language?token=${token}`);
    const uri = "file:///wrong.yaml";
    const findings = await new Promise<{ uri: string; diagnostics: { message: string }[] }>(
      (resolve, reject) => {
        const say = (message: object): void =>
          socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
        socket.on("error", reject);
        socket.on("open", () =>
          say({ id: 1, method: "initialize", params: { capabilities: {}, processId: null } }),
        );
        socket.on("message", (data) => {
          const message = JSON.parse(data.toString());
          if (message.id === 1) {
            say({ method: "initialized", params: {} });
            const text = `${MASSES}  wrong: true\n`;
            const textDocument = { uri, languageId: "yaml", version: 1, text };
            say({ method: "textDocument/didOpen", params: { textDocument } });
          }
          if (message.method === "textDocument/publishDiagnostics") resolve(message.params);
        });
      },
    );
    socket.close();
    expect(findings.uri).toBe(uri);
    expect(findings.diagnostics.length).toBeGreaterThan(0);
  });

  it("[SV18] analyses stability as a job, of a text that is not saved too", async () => {
    const text = MASSES.replace("100 ms", "50 ms");
    const job = await ask<StabilityJob>("/api/stability", { path: "masses.yaml", text });
    expect(job.state).toBe("working");
    let now = job;
    while (now.state === "working") {
      await new Promise((resolve) => setTimeout(resolve, 50));
      now = await ask<StabilityJob>(`/api/stability/${job.id}`);
    }
    expect(now.failure).toBeUndefined();
    expect(now.state).toBe("done");
    expect((now.report as { step: number }).step).toBe(0.05);
    expect(now.advice?.length).toBeGreaterThan(0);
    expect(now.picture).toContain("<svg");
  });

  it("[SV18] an analysis that is refused says why", async () => {
    const text = MASSES.replace("right.F_c", "right.F_x");
    const { id } = await ask<StabilityJob>("/api/stability", { path: "masses.yaml", text });
    let job = await ask<StabilityJob>(`/api/stability/${id}`);
    while (job.state === "working") {
      await new Promise((resolve) => setTimeout(resolve, 50));
      job = await ask<StabilityJob>(`/api/stability/${id}`);
    }
    expect(job.state).toBe("failed");
    expect(job.failure).toMatch(/line 7: .*F_x.*; /);
  });

  it("[SV19] writes traces that a run was asked for into the folder, and nowhere else", async () => {
    const { id } = await start({ path: "masses.yaml", options: { out: ["results/run.parquet"] } });
    const run = await ended(id);
    expect(run.files).toEqual(["results/run.parquet"]);
    expect(existsSync(join(place.files, "results", "run.parquet"))).toBe(true);
    const out = { path: "masses.yaml", options: { out: ["../run.csv"] } };
    expect((await call("/api/runs", out)).status).toBe(403);
    expect((await call(`/api/runs/${id}/save`, { path: "/tmp/run.csv" })).status).toBe(403);
  });

  it("[SV23] rows are written into new traces, and over the one that the request names", async () => {
    const { id } = await start({ path: "masses.yaml", options: { stop: 1 } });
    await until(id, ({ state }) => state === "ended");
    const save = async (path: string, etag?: string): Promise<[number, string]> => {
      const answer = await fetch(`http://127.0.0.1:${link.port}/api/runs/${id}/save`, {
        method: "POST",
        headers: { "x-cosimo-token": token, ...(etag === undefined ? {} : { "if-match": etag }) },
        body: JSON.stringify({ path }),
      });
      const said = (await answer.json()) as { code?: string; etag?: string };
      return [answer.status, said.code ?? said.etag ?? ""];
    };
    const scenario = readFileSync(join(place.files, "masses.yaml"), "utf8");
    expect(await save("masses.yaml")).toEqual([422, "trace-ending"]);
    expect(readFileSync(join(place.files, "masses.yaml"), "utf8")).toBe(scenario);
    const [status, etag] = await save("kept.csv");
    expect(status).toBe(200);
    expect(await save("kept.csv")).toEqual([412, "file-changed"]);
    expect(await save("kept.csv", '"other"')).toEqual([412, "file-changed"]);
    expect(await save("kept.csv", etag)).toEqual([200, etag]);
    const out = (path: string, replaces?: Record<string, string>): Promise<Response> =>
      call("/api/runs", { path: "masses.yaml", options: { stop: 1, out: [path] }, replaces });
    expect((await out("masses.yaml")).status).toBe(422);
    expect((await out("kept.csv")).status).toBe(412);
    const replaced = await out("kept.csv", { "kept.csv": etag });
    expect(replaced.status).toBe(201);
    await until(((await replaced.json()) as RunInfo).id, ({ state }) => state === "ended");
  });
});
