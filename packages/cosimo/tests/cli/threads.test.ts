/**
 * Threads and profiles at the command line.
 */
import { copyFileSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../src/base/diagnostic.ts";
import { parseParquet } from "../../src/record/parquet-read.ts";
import { fixture, Workplace } from "./cosimo.ts";

const place = new Workplace();
for (const name of ["Heavy", "Misbehaving"])
  copyFileSync(fixture(`fmi2/${name}`), place.path(`${name}.fmu`));

const heavy = place.write(
  "heavy.yaml",
  `name: heavy
units:
  a: { fmu: Heavy.fmu, set: { work: 2000 } }
  b: { fmu: Heavy.fmu, set: { work: 2000 } }
connections:
  - a.x -> b.u
  - { from: b.x, to: a.u, factor: 0.5 }
experiment: { stop: 3, step: 10 ms }
`,
);

/** Two units that are worth a thread each; the third, on one of them, misbehaves at 0.405 s. */
const broken = (behaviour: string): string =>
  place.write(
    `${behaviour}.yaml`,
    `name: broken
units:
  good: { fmu: Heavy.fmu, set: { work: 4000 } }
  other: { fmu: Heavy.fmu, set: { work: 4000 } }
  bad: { fmu: Misbehaving.fmu, set: { behaviour: ${behaviour}, at: 0.405 } }
connections:
  - bad.x -> good.u
experiment: { stop: 1, step: 10 ms }
`,
  );

describe("cosimo run --threads", () => {
  it("[PA1] gives the same file, and says who ran where", async () => {
    const one = await place.run("run", heavy, "-o", "one.csv");
    const two = await place.run("run", heavy, "-o", "two.csv", "--threads", "2");
    expect([one.code, two.code]).toEqual([0, 0]);
    expect(place.read("two.csv")).toBe(place.read("one.csv"));
    expect(one.stdout).not.toContain("threads:");
    expect(two.stdout).toMatch(/ {2}threads: [12].*: \w+/);
  });

  it("[EN18] puts the profile into the summary and into the metadata", async () => {
    const options = ["--threads", "auto", "--profile"];
    const { stdout } = await place.run("run", heavy, "-o", "heavy.parquet", ...options);
    expect(stdout).toMatch(/ {2}time: [ab] \d+ %, [ab] \d+ %, between them/);
    const bytes = readFileSync(place.path("heavy.parquet"));
    const { meta } = unwrap(await parseParquet(bytes, "heavy.parquet"));
    expect(meta.entries["profile"]).toMatch(/^[ab] \d+ %/);
    expect(meta.entries["threads"]).toMatch(/^[12]/);
  });

  it("[EN18] gives both as data with --json", async () => {
    const { stdout } = await place.run("run", heavy, "--json", "--threads", "1");
    const report = JSON.parse(stdout) as Record<string, unknown>;
    expect(report).toMatchObject({
      executor: "machine-code",
      threads: { groups: [["a", "b"]], why: "one thread was requested" },
      profile: { units: [{ unit: "a" }, { unit: "b" }] },
    });
  });

  it.each([[["--threads", "1"]], [["--threads", "2"]]])(
    "[PA7] [MC7] blames a crash on the unit that was at work: %j",
    async (options) => {
      const ended = await place.run("run", broken("segfault"), "-o", "crash.csv", ...options);
      expect(ended.code).toBe(3);
      expect(ended.stderr).toMatch(/'bad' failed.*SIGSEGV|SIGSEGV.*'bad' ran at the same time/s);
      expect(place.trace("crash.csv").time.length).toBeGreaterThan(6);
    },
  );

  it("[PA7] ends an FMU that hangs on a thread", async () => {
    const options = ["--threads", "2", "--timeout", "3", "-o", "hang.csv"];
    const ended = await place.run("run", broken("hang"), ...options);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain("no answer within --timeout");
    expect(place.trace("hang.csv").time.length).toBeGreaterThan(6);
  });

  it.each(["0", "1.5", "many"])("refuses --threads %s", async (count) => {
    const ended = await place.run("run", heavy, "--threads", count);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("--threads wants a positive whole number or auto");
  });
});
