/**
 * Who may do what on a network: the server's configuration that `deploy/` has, with its
 * permissions; nkeys; TLS; a node that names whom it serves; and strangers who send what is not a
 * message.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nkeys } from "@nats-io/nats-core";
import { afterEach, describe, expect, it } from "vitest";
import { type NodeProcess, startNode } from "../../src/host/network/testing/node-process.ts";
import { connectNats } from "../../src/platform/nats/connect.ts";
import { FRAME, putFrame } from "../../src/platform/nats/frames.ts";
import { packJson, unpackJson } from "../../src/platform/nats/json-body.ts";
import { type NetworkSettings, networkSettings } from "../../src/platform/nats/network-settings.ts";
import {
  HAS_SERVER,
  NEEDS_SERVER,
  startServer,
  type TestServer,
} from "../../src/platform/nats/testing/server.ts";
import { BIN, type Ended, fixture, Workplace } from "./cosimo.ts";

const place = new Workplace();
const LEFT = fixture("fmi2/MassSpringDamperLeft");
const RIGHT = fixture("fmi2/MassSpringDamperRight");
const CONFIG = join(import.meta.dirname, "../../../../deploy/nats-server.conf");
let server: TestServer | undefined;
const nodes: NodeProcess[] = [];

type Environment = Readonly<Record<string, string>>;

const node = async (name: string, env: Environment, ...more: readonly string[]) => {
  const args = ["--name", name, "--offer", `left=${LEFT}`, ...more];
  const made = await startNode(args, { TMPDIR: place.temp, ...env }, BIN);
  nodes.push(made);
  return made;
};
const run = (env: Environment, ...args: readonly string[]): Promise<Ended> =>
  place.startUnder({ env }, ...args).ended;
const scenario = (name: string): string =>
  place.write(
    "far.yaml",
    `units: { left: { remote: ${name}/left } }\nexperiment: { stop: 1, step: 0.1 }\nmaster: jacobi\n`,
  );

afterEach(async () => {
  for (const one of nodes.splice(0)) await one.kill("SIGTERM");
  await server?.stop();
  server = undefined;
});

/** The users of deploy/nats-server.conf, as this server knows them. */
function users(url: string): (user: string, more?: Environment) => Environment {
  return (user, more = {}) => ({
    COSIMO_SERVER: url,
    COSIMO_PROJECT: "window",
    COSIMO_USER: user,
    COSIMO_PASSWORD: `secret of ${user}`,
    COSIMO_SILENCE: "6",
    ...more,
  });
}

/** deploy/nats-server.conf with passwords, and a folder of this test. */
function configured(): string {
  return readFileSync(CONFIG, "utf8")
    .replace(/^port: .*$/m, "")
    .replace("/var/lib/nats", place.path("jetstream"))
    .replace(/\$([A-Z_]+)_PASSWORD/g, (_, name: string) =>
      JSON.stringify(`secret of ${name.toLowerCase().replace("_", "-")}`),
    );
}

describe.skipIf(!HAS_SERVER)(`strangers${NEEDS_SERVER}`, { timeout: 120_000 }, () => {
  it("[DI14] the configuration of deploy/ lets every identity do its part, and nothing else", async () => {
    server = await startServer(configured());
    const as = users(server.url);
    await node("supplier-a", as("supplier-a"), "--allow", "oem");
    const good = await run(as("oem"), "run", scenario("supplier-a"), "-o", "far.csv");
    expect(good.code, good.stderr).toBe(0);
    const wrong = await run(as("oem", { COSIMO_PASSWORD: "guess" }), "nodes");
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain("refuses the credentials");
    expect(wrong.stderr).not.toContain("guess");
    // A supplier cannot call units of another, not even under the name of who may.
    for (const identity of ["supplier-b", "oem"]) {
      const other = await run(
        as("supplier-b", { COSIMO_IDENTITY: identity }),
        "run",
        scenario("supplier-a"),
      );
      expect(other.code, other.stdout).toBe(1);
      expect(other.stderr).toContain("remote-node");
    }
    // It hears neither what others answer nor what they are asked.
    const COSIMO_PASSWORD_FILE = place.write("password.txt", "secret of supplier-b");
    const settings = networkSettings(as("supplier-b", { COSIMO_PASSWORD_FILE }));
    const spy = await connectNats(settings as NetworkSettings, "spy");
    for (const heard of ["answer.>", "answer.oem.>", "node.supplier-a.*", "call.supplier-a.>"]) {
      const refused = await new Promise((resolve) => {
        spy.subscribe(`cosimo.window.${heard}`, { callback: (error) => resolve(error) });
        setTimeout(() => resolve(null), 10_000).unref();
      });
      expect(String(refused), heard).toMatch(/permission/i);
    }
    await spy.close();
    // Nor can it take the name of another node: the server does not let it hear the questions.
    const elsewhere = await run(as("oem", { COSIMO_PROJECT: "door" }), "nodes");
    expect(elsewhere.code).toBe(1);
  });

  it("[DI17] a node cannot answer for the units of another", async () => {
    server = await startServer();
    const env = { COSIMO_SERVER: server.url, COSIMO_SILENCE: "10" };
    await node("supplier-a", env);
    await node("evil", env, "--offer", `right=${RIGHT}`);
    const masses = (left: string): string =>
      `units: { left: ${left}, right: { remote: evil/right }, late: ${left} }
connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e]
experiment: { stop: 3, step: 0.01 }
master: jacobi
record: [left.x_1, right.x_2]
`;
    const near = await run(env, "run", place.write("run.yaml", masses(LEFT)), "-o", "near.csv");
    expect(near.code, near.stderr).toBe(0);
    // The forger knows all that its own node is told, and answers for units that come before its
    // own.
    const forger = await connectNats(networkSettings(env) as NetworkSettings, "forger");
    const reported = new Set<string>();
    forger.subscribe("cosimo.default.node.evil.*", {
      callback: (_, message) => {
        // What is asked next is guessed, from what was asked before.
        const start = message.reply?.replace(/[^.]*$/, "q") ?? "";
        for (let i = 1; i < 20; i++)
          forger.publish(`${start}${i}`, packJson({ refused: "forged" }));
        const question = unpackJson(message.data) as { answers?: string };
        if (question.answers !== undefined) reported.add(question.answers);
      },
    });
    const forged = (number: number): Uint8Array =>
      putFrame({
        ...{ kind: FRAME.answer, channel: 1, number, piece: 0, pieces: 1 },
        body: new Uint8Array(64),
      });
    const timer = setInterval(() => {
      for (const subject of reported)
        for (let number = 1; number < 300; number++) forger.publish(subject, forged(number));
    }, 50);
    const text = masses("{ remote: supplier-a/left }");
    const far = await run(env, "run", place.write("run.yaml", text), "-o", "far.csv");
    clearInterval(timer);
    await forger.close();
    expect(far.code, far.stderr).toBe(0);
    expect(place.read("far.csv")).toBe(place.read("near.csv"));
    expect(far.stderr).toMatch(
      /dropped a message of 'evil' \(1 so far\): an answer for channel 1, which is not one of its own/,
    );
  });

  it("[SU20] with the configuration of deploy/ the manufacturer's studies run on its worker, and nobody else's", async () => {
    server = await startServer(configured());
    const as = users(server.url);
    const worker = await startNode(
      ["--work", "--jobs", "1", "--allow", "oem"],
      { TMPDIR: place.temp, ...as("worker") },
      BIN,
    );
    nodes.push(worker);
    place.write(
      "plain.yaml",
      `units: { left: ${LEFT} }\nconnections: []\nexperiment: { stop: 1, step: 0.1 }\nmaster: jacobi\n`,
    );
    const study = place.write(
      "study.yaml",
      "scenario: plain.yaml\nfactors: { left.c: { from: 0.5, to: 2 } }\ndesign: { method: sobol, runs: 8 }\nkeep: [left.x_1, traces]\n",
    );
    const at = ["study", study, "--workers", server.url, "--timeout", "60"];
    const good = await run(as("oem"), ...at, "-o", "far", "-q");
    expect([good.code, good.stderr]).toEqual([0, ""]);
    const near = await run({}, "study", study, "-o", "near", "-q");
    expect(near.code, near.stderr).toBe(0);
    for (const file of ["runs.parquet", "traces/run-000007.parquet"])
      expect(readFileSync(place.path(`far/${file}`)).length).toBe(
        readFileSync(place.path(`near/${file}`)).length,
      );
    for (const identity of ["supplier-b", "oem"]) {
      const other = await run(
        as("supplier-b", { COSIMO_IDENTITY: identity }),
        ...[...at, "-o", `other-${identity}`],
      );
      expect([other.code, other.stderr]).toEqual([1, expect.stringContaining("keeps no queue")]);
    }
  });

  it("[DI15] a node serves the identities that it names, and says so to others", async () => {
    server = await startServer();
    const env = { COSIMO_SERVER: server.url, COSIMO_SILENCE: "6" };
    await node("lab", env, "--allow", "oem", "--allow", "partner");
    const asked = (identity: string): Promise<Ended> =>
      run({ ...env, COSIMO_IDENTITY: identity }, "run", scenario("lab"), "-q");
    expect((await asked("partner")).code).toBe(0);
    const rival = await asked("rival");
    expect(rival.code).toBe(1);
    expect(rival.stderr).toContain("it is there, but does not serve 'rival'");
    const twice = await run(env, "node", "--name", "lab", "--offer", LEFT);
    expect(twice.stderr).toContain("node-twice");
    expect(twice.code).toBe(1);
  });

  it("[DI16] nkeys and TLS: the right key and authority get in, others do not", async () => {
    const folder = place.files;
    const openssl = (...args: readonly string[]): void =>
      void execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
    openssl(
      ...words("req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority"),
      ...words("-keyout ca.key -out ca.pem"),
    );
    openssl(
      ...words(
        "req -newkey rsa:2048 -nodes -subj /CN=127.0.0.1 -keyout server.key -out server.csr",
      ),
    );
    place.write("names.txt", "subjectAltName=DNS:localhost\n");
    openssl(
      ...words(
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names.txt -out server.pem",
      ),
    );
    const key = nkeys.createUser();
    place.write("oem.nk", new TextDecoder().decode(key.getSeed()));
    place.write("rival.nk", new TextDecoder().decode(nkeys.createUser().getSeed()));
    server = await startServer(
      `tls { cert_file: ${JSON.stringify(place.path("server.pem"))}, key_file: ${JSON.stringify(place.path("server.key"))} }
authorization { users: [ { nkey: ${key.getPublicKey()} } ] }`,
      "tls",
    );
    const env = {
      COSIMO_SERVER: server.url.replace("127.0.0.1", "localhost"),
      COSIMO_TLS_CA: place.path("ca.pem"),
      COSIMO_NKEY: place.path("oem.nk"),
    };
    await node("lab", env);
    const good = await run(env, "run", scenario("lab"), "-q");
    expect(good.code, good.stderr).toBe(0);
    const rival = await run({ ...env, COSIMO_NKEY: place.path("rival.nk") }, "nodes");
    expect(rival.stderr).toContain("refuses the credentials");
    const { COSIMO_TLS_CA: _, ...unknown } = env;
    const distrust = await run(unknown, "nodes");
    expect(distrust.code).toBe(1);
    expect(distrust.stderr).toMatch(/TLS .*certificate|certificate/);
    expect(distrust.stderr).toContain("--tls-ca");
    const missing = await run({ ...env, COSIMO_NKEY: place.path("none.nk") }, "nodes");
    expect(missing.stderr).toContain("cannot be read");
  });

  it("[DI2] what does not parse is counted and dropped with a line, and all others are served", async () => {
    server = await startServer();
    const env = { COSIMO_SERVER: server.url };
    const host = await node("lab", env);
    const connection = await connectNats(networkSettings(env) as NetworkSettings, "stranger");
    const subject = "cosimo.default.node.lab.stranger";
    const reply = "cosimo.default.answer.stranger.me.q1";
    const session = { kind: "session", answers: "cosimo.default.beat.lab", silence: 5 };
    const bad = [
      Uint8Array.of(),
      Uint8Array.of(9, 9, 9),
      new TextEncoder().encode("\0{"),
      packJson([]),
      packJson({ kind: "explode" }),
      packJson({ kind: "describe", offer: "left", given: 7 }),
      packJson({ kind: "describe", offer: 3, given: [] }),
      packJson(session),
      packJson({ ...session, answers: reply, silence: -1 }),
    ];
    for (const bytes of bad) connection.publish(subject, bytes, { reply });
    // Answers may be wanted anywhere: they go nowhere but to the one who asks.
    connection.publish(subject, packJson({ kind: "about" }), { reply: "cosimo.default.beat.lab" });
    connection.publish(subject, packJson({ kind: "about" }));
    const frame = { kind: 1, channel: 1, number: 9, piece: 0, pieces: 1, body: Uint8Array.of(1) };
    connection.publish("cosimo.default.call.lab.stranger.guess", putFrame(frame));
    await connection.flush();
    const good = await run(env, "run", scenario("lab"), "-q");
    expect(good.code, good.stderr).toBe(0);
    const listed = JSON.parse((await run(env, "nodes", "--json")).stdout) as {
      nodes: { dropped: number }[];
    };
    expect(listed.nodes[0]?.dropped).toBe(bad.length + 2);
    expect(host.said()).toContain("dropped a message of 'stranger' (1 so far)");
    await connection.close();
  });
});

const words = (text: string): string[] => text.split(" ");
