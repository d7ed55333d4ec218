/** `cosimo check --confluence`: what it prints, its exit code, trust, JSON. */
import { describe, expect, it } from "vitest";
import { Workplace } from "./cosimo.ts";

const place = new Workplace();
place.trusted = "";
const DEVS = new URL("../../dist/devs.js", import.meta.url).href;

/** Two sources at t=1, and a receiver that keeps the sum or the last of what arrives together. */
function scenario(name: string, keep: string): string {
  place.write(
    `${name}.mjs`,
    `import { atomic, coupled, devsUnit, port } from ${JSON.stringify(DEVS)};
const out = port({ type: "float64", unit: "1", held: true });
const source = (value) => atomic({ outputs: { out }, initial: 1, timeAdvance: (left) => left,
  output: (_, send) => send("out", value), internal: () => Infinity });
const receiver = atomic({ inputs: { in: port() }, outputs: { out }, initial: { kept: 0, left: Infinity },
  timeAdvance: ({ left }) => left, output: ({ kept }, send) => send("out", kept),
  internal: ({ kept }) => ({ kept, left: Infinity }),
  external: (_, input) => ({ kept: ${keep}, left: 0 }) });
export default (name) => devsUnit(coupled({ name: "${name}", outputs: { out },
  components: { a: source(1), b: source(2), receiver },
  couplings: ["a.out -> receiver.in", "b.out -> receiver.in", "receiver.out -> out"] }), { name, eventMode: false });
`,
  );
  return place.write(
    `${name}.yaml`,
    `units: { model: ${name}.mjs }\nexperiment: { stop: 2 s, step: 1 s }\nmaster: event-driven\n`,
  );
}
const sum = scenario("sum", 'input.values("in").reduce((a, b) => a + b)');
const last = scenario("last", 'input.values("in").at(-1)');

describe("cosimo check --confluence", () => {
  it("[SI6] shows the first difference of two orders, and exits with 1", async () => {
    const { stdout, code } = await place.run("check", last, "--confluence", "--trust");
    expect(code).toBe(1);
    expect(stdout).toContain("t=1 'model': the order of values at 'receiver.in': 1");
    expect(stdout).toContain("- t=1 model.out 2\n    + t=1 model.out 1");
  });

  it("[SI11] says on its page that the run failed, with the cycle of units that never rest", async () => {
    const echo = (name: string, first: string): void =>
      void place.write(
        `${name}.machine.yaml`,
        `inputs: { in: event }\nevents: [out]\ninitial: w\nstates: { w: [{ ${first}, emit: out, to: x }], x: [{ on: in, emit: out, to: x }] }\n`,
      );
    echo("begins", "after: 1 s");
    echo("answers", "on: in");
    const path = place.write(
      "endless.yaml",
      "units: { a: begins.machine.yaml, b: answers.machine.yaml }\nconnections: [a.out -> b.in, b.out -> a.in]\nexperiment: { stop: 3 s, step: 1 s }\n",
    );
    const { stdout, code } = await place.run("check", path, "--confluence");
    expect(code).toBe(3);
    expect(stdout).toContain("an endless cascade a → b → a");
    expect(stdout).not.toContain("ready to run");
    expect(stdout.trimEnd()).toMatch(/it begins to run, and fails$/);
  });

  it("[SI6] exits with 0 where all orders give the same events", async () => {
    const { stdout, code } = await place.run("check", sum, "--confluence", "--trust");
    expect(stdout).toContain("all 2 orders of simultaneous events (1 tie in a run) give the same");
    expect(code).toBe(0);
  });

  it("[SI6] is data with --json, and takes --seed and --orders", async () => {
    const { stdout, code } = await place.run(
      ...["check", last, "--confluence", "--trust", "--json", "--orders", "5", "--seed", "3"],
    );
    expect(code).toBe(1);
    expect(JSON.parse(stdout).confluence).toMatchObject({
      verdict: "order-matters",
      orders: 2,
      difference: { time: 1, diff: ["- t=1 model.out 2", "+ t=1 model.out 1"] },
    });
    expect(
      (await place.run("check", last, "--confluence", "--orders", "1.5", "--trust")).code,
    ).toBe(2);
  });

  it("[SI6] runs no module that is not trusted", async () => {
    const { stdout, stderr, code } = await place.run("check", last, "--confluence");
    expect(code).toBe(1);
    expect(stdout + stderr).toContain("module-not-trusted");
    expect(stdout).not.toContain("confluence\n");
  });
});
