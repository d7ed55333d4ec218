/**
 * Modules are programs: they are run only where the user has said so, and not even to learn their
 * ports otherwise.
 */
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { DiagnosticsError } from "../../src/base/diagnostic.ts";
import { openScenarioFile } from "../../src/host/scenario-file.ts";
import { type Ended, fixture, Workplace } from "./cosimo.ts";

const place = new Workplace();
const index = new URL("../../dist/index.js", import.meta.url).href;
const mark = place.path("was-run");
const wasRun = (): boolean => existsSync(mark);

const MODULE = `
import { writeFileSync } from "node:fs";
import { functionUnit } from "${index}";
writeFileSync(${JSON.stringify(mark)}, "");
export default (name) =>
  functionUnit({
    name,
    inputs: { u: {} },
    outputs: { y: { feedThrough: ["u"] } },
    evaluate: (t, [u], p, y) => { y[0] = 2 * u; },
  });
`;
const SCENARIO = `
units: { gain: gain.mjs }
experiment: { stop: 1, step: 0.5 }
record: [gain.y]
`;
const ADAPTATION = `
semantic adaptation delayed moore Around around
for inner fmu Gain gain at "gain.mjs"
`;
const HYBRID = `
name: ball
states: [x, v]
modes:
  flight: { unit: gain.mjs }
  contact: { derivatives: { x: v, v: -x } }
surface: x
delay: { section: v, along: { x: [0.2, 0.25] } }
`;

place.write("gain.mjs", MODULE);
const scenario = place.write("gain.yaml", SCENARIO);
place.write("around.sa", ADAPTATION);
place.write(
  "adapted.yaml",
  SCENARIO.replace("gain.mjs", "{ module: gain.mjs, adapt: multi-rate }"),
);
place.write("nested.yaml", SCENARIO.replace("gain.mjs", "{ scenario: gain.yaml }"));
place.write("with-sa.yaml", SCENARIO.replace("gain.mjs", "{ adaptation: around.sa }"));
place.write("hybrid.yaml", HYBRID);

const notTrusted = ({ code, stdout, stderr }: Ended): void => {
  expect(stdout + stderr).toContain("module-not-trusted");
  expect(stdout + stderr).toContain("gain.mjs");
  expect(stdout + stderr).toContain("--trust");
  expect(code).toBe(1);
  expect(wasRun()).toBe(false);
};

beforeEach(() => {
  place.trusted = "";
  rmSync(mark, { force: true });
});

describe("modules that are not trusted", () => {
  it.each([
    ["check", "gain.yaml"],
    ["check", "gain.yaml", "--json"],
    ["check", "gain.yaml", "--stability"],
    ["check", "adapted.yaml"],
    ["check", "nested.yaml"],
    ["check", "with-sa.yaml"],
    ["run", "gain.yaml"],
    ["run", "with-sa.yaml"],
    ["export", "gain.yaml", "-o", "gain.ssp"],
    ["export", "gain.yaml", "-o", "gain.fmu"],
    ["export", "around.sa", "-o", "around.fmu"],
    ["adapt", "around.sa"],
    ["stability", "spectral", "gain.yaml"],
    ["stability", "hybrid", "hybrid.yaml"],
  ])("[TR1] are not run by cosimo %s %s %s", async (...words) => {
    notTrusted(await place.run(...words));
  });

  it("[TR1] leave everything else to be told", async () => {
    const text = SCENARIO.replace(
      "gain.mjs }",
      `gain.mjs, left: ${fixture("fmi2/MassSpringDamperLeft")} }\nconnections: [left.nothing -> gain.u]`,
    );
    place.write("more.yaml", text);
    const ended = await place.run("check", "more.yaml");
    notTrusted(ended);
    expect(ended.stdout).toContain("unknown-port");
    expect(ended.stdout).toContain("more.yaml:2");
  });
});

describe("modules that are trusted", () => {
  it("[TR2] --trust lets one command run them", async () => {
    expect(await place.run("check", "gain.yaml", "--trust")).toMatchObject({ code: 0 });
    expect(wasRun()).toBe(true);
    expect(await place.run("run", "with-sa.yaml", "--trust")).toMatchObject({ code: 0 });
    expect(await place.run("adapt", "around.sa", "--trust")).toMatchObject({ code: 0 });
    notRunAgain();
    notTrusted(await place.run("check", "gain.yaml"));
  });

  const notRunAgain = (): void => rmSync(mark, { force: true });

  it("[TR3] COSIMO_TRUST names folders, and so does the list of 'cosimo trust'", async () => {
    place.trusted = place.files;
    expect(await place.run("run", "gain.yaml")).toMatchObject({ code: 0 });
    place.trusted = "";
    const settings = { XDG_CONFIG_HOME: place.path("settings") };
    const before = { ...process.env };
    try {
      Object.assign(process.env, settings);
      expect((await place.run("trust")).stdout).toContain("no folder is trusted");
      const added = await place.run("trust", ".");
      expect(added).toMatchObject({ code: 0, stderr: "" });
      expect(await place.run("run", "gain.yaml")).toMatchObject({ code: 0 });
      expect(await place.run("check", "gain.yaml")).toMatchObject({ code: 0 });
      expect((await place.run("trust", "gain.yaml")).code).toBe(2);
      expect((await place.run("trust", "..", "--remove")).code).toBe(2);
      expect(await place.run("trust", ".", "--remove")).toMatchObject({ code: 0 });
      notRunAgain();
      notTrusted(await place.run("run", "gain.yaml"));
      place.write("settings/cosimo/trusted.json", "{");
      const broken = await place.run("run", "gain.yaml");
      expect(broken).toMatchObject({ code: 1 });
      expect(broken.stderr).toContain("trust-settings-broken");
      expect(broken.stderr).toContain("trusted.json");
    } finally {
      process.env = before;
    }
  });

  it("[TR4] both the module and the file that names it lie in a trusted folder", async () => {
    for (const folder of ["mine", "theirs"]) mkdirSync(place.path(folder), { recursive: true });
    place.write("mine/gain.mjs", MODULE);
    place.write("mine/link-away.yaml", SCENARIO.replace("gain.mjs", "linked.mjs"));
    place.write("theirs/gain.mjs", MODULE);
    place.write("theirs/names-mine.yaml", SCENARIO.replace("gain.mjs", "../mine/gain.mjs"));
    place.write("mine/names-theirs.yaml", SCENARIO.replace("gain.mjs", "../theirs/gain.mjs"));
    place.write("mine/own.yaml", SCENARIO);
    symlinkSync(place.path("theirs/gain.mjs"), place.path("mine/linked.mjs"));
    place.trusted = place.path("mine");
    for (const file of ["theirs/names-mine", "mine/names-theirs"])
      notTrusted(await place.run("check", `${file}.yaml`));
    const linked = await place.run("check", "mine/link-away.yaml");
    expect(linked).toMatchObject({ code: 1 });
    expect(wasRun()).toBe(false);
    expect(await place.run("check", "mine/own.yaml")).toMatchObject({ code: 0 });
    // A name that only begins like a trusted folder's is another folder.
    place.trusted = place.path("min");
    expect((await place.run("check", "mine/own.yaml")).code).toBe(1);
  });

  it("[TR5] a module in a package needs --trust, wherever the package is", async () => {
    const made = await place.run("export", "gain.yaml", "--trust", "-o", "packed.ssp");
    expect(made).toMatchObject({ code: 0 });
    rmSync(mark, { force: true });
    place.write("around-package.yaml", SCENARIO.replace("gain.mjs", "{ scenario: packed.ssp }"));
    // Even where the folder for temporary files is trusted by mistake.
    place.trusted = [place.files, place.temp].join(":");
    for (const words of [
      ["check", "packed.ssp"],
      ["run", "packed.ssp"],
      ["export", "packed.ssp", "-o", "again.ssp"],
      ["check", "around-package.yaml"],
    ]) {
      const ended = await place.run(...words);
      notTrusted(ended);
      expect(ended.stdout + ended.stderr).toContain("packed.ssp");
    }
    expect(
      await place.run("run", "packed.ssp", "--trust", "--stop", "1", "--step", "0.5"),
    ).toMatchObject({
      code: 0,
    });
    expect(wasRun()).toBe(true);
  });

  it("[TR6] programs say so when they open a file, whatever the environment says", async () => {
    const before = process.env["COSIMO_TRUST"];
    process.env["COSIMO_TRUST"] = place.files;
    try {
      await expect(openScenarioFile(scenario)).rejects.toThrow(DiagnosticsError);
      await expect(
        openScenarioFile(scenario, { trust: [join(place.files, "mine")] }),
      ).rejects.toThrow("module-not-trusted");
      expect(wasRun()).toBe(false);
      const opened = await openScenarioFile(scenario, { trust: [place.files] });
      expect(opened.scenario.units).toHaveLength(1);
      expect((await openScenarioFile(scenario, { trust: true })).diagnostics).toEqual([]);
    } finally {
      if (before === undefined) delete process.env["COSIMO_TRUST"];
      else process.env["COSIMO_TRUST"] = before;
    }
  });
});
