/**
 * `cosimo stability hybrid` as people meet it.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Workplace } from "./cosimo.ts";

const place = new Workplace();
const BALL = readFileSync(
  new URL("../../../../examples/hybrid-ball/hybrid.yaml", import.meta.url),
  "utf8",
)
  .replace("[0.2, 0.2498]", "[0.244, 0.246]")
  .replace("  try: [0.002]               # the delay of the first figures in the literature\n", "");

/** The analysis follows thousands of trajectories. */
const PATIENCE = { timeout: 120_000 };

describe("cosimo stability hybrid", PATIENCE, () => {
  it("[HY13] answers in words and as JSON", async () => {
    place.write("ball.yaml", BALL);
    const words = await place.run("stability", "hybrid", "ball.yaml", "--no-run");
    expect(words).toMatchObject({ code: 0, stderr: "" });
    expect(words.stdout).toContain("maximum stable delay: 0.00166774448 s");
    expect(words.stdout).toContain("through x = 0.2449571, v = 0");
    const json = JSON.parse(
      (await place.run("stability", "hybrid", "ball.yaml", "--no-run", "--json")).stdout,
    );
    expect(json.delay.bound).toBeCloseTo(0.00166774448, 11);
    expect(json.delay.assumptions).toHaveLength(5);
    expect(json.delay.trials).toEqual([]);
  });

  it("[HY16] ends with --timeout and says what is missing", async () => {
    place.write("timed.yaml", BALL);
    const { code, stdout } = await place.run(
      "stability",
      "hybrid",
      "timed.yaml",
      "--timeout",
      "0.001",
    );
    expect(code).toBe(3);
    expect(stdout).toContain("undecided: the time was up while looking for closed orbits");
    const json = await place.run(
      "stability",
      "hybrid",
      "timed.yaml",
      "--timeout",
      "0.001",
      "--json",
    );
    expect(JSON.parse(json.stdout)).toMatchObject({ timeIsUp: "looking for closed orbits" });
  });

  it("[HY13] puts the answer to the test and draws it; a run that does not come to rest below the bound is exit code 3", async () => {
    // Too short a time for the ball to settle.
    place.write("short.yaml", BALL.replace("stop: 15", "stop: 0.3"));
    const { code, stdout } = await place.run(
      "stability",
      "hybrid",
      "short.yaml",
      "--plot",
      "p.svg",
    );
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /delays up to 0.001584 s, just below: does not come to rest: \d+ switches/,
    );
    const svg = place.read("p.svg");
    expect(svg).toContain("delay 0.001751 s: does not come to rest");
  });

  it("[HY9] ends with 1 where no step is safe, and says which condition fails from 0 s on", async () => {
    const cart = readFileSync(
      new URL("../../../../examples/hybrid-cart/hybrid.yaml", import.meta.url),
      "utf8",
    );
    const pushed = cart.replace("ds: 0.5", "ds: -0.5");
    expect(pushed).not.toBe(cart);
    place.write("pushed.yaml", pushed);
    const { code, stdout } = await place.run("stability", "hybrid", "pushed.yaml", "--no-run");
    expect(stdout).toContain("safe communication step by energies: none");
    expect(stdout).toContain("does not grow in the danger zone: fails from 0 s on");
    expect(code).toBe(1);
  });

  it("[HY7] ends with 1 when an assumption fails, and says which", async () => {
    place.write("wrong.yaml", BALL.replace("[0.244, 0.246]", "[0.24, 0.27]"));
    const { code, stdout } = await place.run("stability", "hybrid", "wrong.yaml", "--no-run");
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAILED 3: the section does not serve: .*surface/);
  });

  it.each([
    [
      "surface: x - r ",
      "surface: x - R ",
      /bad\.yaml:6:14 error hybrid-formula: .*'R'.*\n {2}fix: did you mean 'r'/,
    ],
    ["g: 9.81", "g: -9.81", /bad\.yaml:13:1 error hybrid-no-equilibrium/],
    ["simulate", "simulaet", /error scenario-unknown-key: .*\n {2}fix: did you mean 'simulate'/],
  ])(
    "[HY13] '%s' written as '%s' ends with 1, the place and the fix",
    async (right, wrong, remark) => {
      expect(BALL).toContain(right);
      place.write("bad.yaml", BALL.replace(right, wrong));
      const { code, stderr } = await place.run("stability", "hybrid", "bad.yaml", "--no-run");
      expect(code).toBe(1);
      expect(stderr).toMatch(remark);
    },
  );

  it("[HY14] takes modes from modules that make units", async () => {
    const cosimo = new URL("../../dist/index.js", import.meta.url).href;
    place.write(
      "flight.js",
      `import { odeUnit } from ${JSON.stringify(cosimo)};
      export default (name) => odeUnit({
        name, states: { x: {}, v: {} }, parameters: { k: { start: 0.0136 / 0.65 } },
        derivatives: (t, [x, v], u, [k], dx) => { dx[0] = v; dx[1] = -k * v * Math.abs(v) - 9.81; },
      });`,
    );
    place.write("package.json", '{ "type": "module" }');
    const flight = "    derivatives: { x: v, v: -da/m*v*abs(v) - g }\n";
    expect(BALL).toContain(flight);
    place.write("units.yaml", BALL.replace(flight, "    unit: flight.js\n"));
    const { code, stdout } = await place.run("stability", "hybrid", "units.yaml", "--no-run");
    expect(code).toBe(0);
    expect(stdout).toContain("maximum stable delay: 0.00166774448 s");
  });

  it.each([
    ["none.js", "", /hybrid-unit: 'none\.js' does not make the unit of mode 'flight': .*none\.js/],
    ["empty.js", "export const x = 1;", /it has no default export that is a function/],
  ])("[HY14] says why '%s' makes no unit", async (name, content, remark) => {
    if (content !== "") place.write(name, content);
    place.write("package.json", '{ "type": "module" }');
    const flight = "    derivatives: { x: v, v: -da/m*v*abs(v) - g }\n";
    place.write("units.yaml", BALL.replace(flight, `    unit: ${name}\n`));
    const { code, stderr } = await place.run("stability", "hybrid", "units.yaml", "--no-run");
    expect(code).toBe(1);
    expect(stderr).toMatch(remark);
  });

  it("[HY13] a file that is not there, and a picture of no known format or in no folder, are said at once", async () => {
    const missing = await place.run("stability", "hybrid", "none.yaml");
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain("there is no such file");
    const format = await place.run("stability", "hybrid", "ball.yaml", "--plot", "p.gif");
    expect(format.code).toBe(2);
    const folder = place.write("file", "");
    const unwritable = await place.run(
      "stability",
      "hybrid",
      "ball.yaml",
      "--plot",
      `${folder}/p.svg`,
    );
    expect(unwritable.code).toBe(1);
    expect(unwritable.stderr).toContain("error file-unwritable");
  });
});
