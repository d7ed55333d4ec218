/**
 * `cosimo stability jsr` as a user meets it: two bounds, a word, a verdict, and exit codes that a
 * script can go by.
 */
import { describe, expect, it } from "vitest";
import { Workplace } from "./cosimo.ts";

const place = new Workplace();
const GROWING = place.write(
  "growing.yaml",
  "matrices: { hold: [[-1, -1], [-4, 0]], turn: [[3, 3], [-2, 1]] }\n",
);
/**
 * A product of both is 0.5 times the identity: 1/√2 per step where they alternate, and they must.
 */
const ALTERNATING = place.write(
  "alternating.json",
  JSON.stringify({
    matrices: {
      up: [
        [2, 0],
        [0, 2],
      ],
      down: [
        [0.25, 0],
        [0, 0.25],
      ],
    },
    automaton: {
      edges: [
        ["a", "b", "up"],
        ["b", "a", "down"],
      ],
    },
  }),
);
const ONE = place.write("one.yaml", "matrices: [[[1, 0], [1, 0]], [[0, 1], [0, -1]]]\n");

describe("cosimo stability jsr", () => {
  it("[JS16] tells both bounds, what proves them, and what follows", async () => {
    const reported = await place.run("stability", "jsr", GROWING);
    expect(reported).toMatchObject({ code: 0, stderr: "" });
    expect(reported.stdout).toMatch(/2 modes of size 2, any order$/m);
    expect(reported.stdout).toMatch(
      /^ {2}at least {2}3\.91738471514\d* +by the word '(hold turn|turn hold)'$/m,
    );
    expect(reported.stdout).toMatch(/^ {2}at most +3\.91738\d+ +by invariant polytope$/m);
    expect(reported.stdout).toMatch(
      /^unstable: repeating '(hold turn|turn hold)' does not tend to zero/m,
    );
  });

  it("[JS16] follows the automaton, and answers scripts in JSON with the certificate", async () => {
    const reported = await place.run("stability", "jsr", ALTERNATING, "--json");
    expect(reported.code).toBe(0);
    const answer = JSON.parse(reported.stdout);
    expect(answer).toMatchObject({ dimension: 2, modes: ["up", "down"], verdict: "stable" });
    expect(answer.lower.word.toSorted()).toEqual(["down", "up"]);
    expect(answer.lower.value).toBeCloseTo(Math.SQRT1_2, 9);
    expect(answer.upper.value).toBeGreaterThanOrEqual(Math.SQRT1_2);
    expect(answer.upper.certificate.kind).toBe("quadratic");
    expect(answer.upper.certificate.forms).toHaveLength(2);
  });

  it("[JS16] says undecided when it is, with exit code 3", async () => {
    const reported = await place.run("stability", "jsr", ONE, "--budget", "5s");
    expect(reported.code).toBe(3);
    expect(reported.stdout).toMatch(/^undecided: 1 lies between the bounds$/m);
    expect(reported.stdout).toMatch(/^ {2}at least {2}0\.99999999/m);
    expect(reported.stdout).toMatch(/^ {2}at most +1\.0000/m);
  });

  it("[JS23] keeps to --timeout with large matrices, and says what is proved by then", async () => {
    const n = 200;
    const row = (i: number): number[] =>
      Array.from({ length: n }, (_, j) => Math.round(1e4 * Math.sin(i * n + j * j)) / 1e5);
    place.write(
      "large.json",
      JSON.stringify({ matrices: { a: Array.from({ length: n }, (_, i) => row(i)) } }),
    );
    const reported = await place.run(
      "stability",
      "jsr",
      "large.json",
      "--timeout",
      "0.001",
      "--json",
    );
    expect(reported.code).toBe(3);
    expect(JSON.parse(reported.stdout)).toMatchObject({ verdict: "undecided", timeIsUp: true });
    const words = await place.run("stability", "jsr", "large.json", "--timeout", "0.001");
    expect(words.stdout).toContain("the time was up");
    const wrong = await place.run("stability", "jsr", "large.json", "--timeout", "soon");
    expect(wrong).toMatchObject({ code: 2 });
  });

  it("[JS23] counts what reading the file takes against --budget", async () => {
    // One number that halves and a chain of 20 000 nodes: long to read, decided at once.
    const chain = Array.from({ length: 20_000 }, (_, k) => [k + 1, k + 2, 1]);
    const text = JSON.stringify({
      matrices: [[[0.5]]],
      automaton: { edges: [[1, 1, 1], ...chain] },
    });
    place.write("chain.json", text);
    const short = await place.run("stability", "jsr", "chain.json", "--budget", "40ms", "--json");
    expect(JSON.parse(short.stdout)).toMatchObject({ timeIsUp: true });
    const enough = await place.run("stability", "jsr", "chain.json", "--budget", "2min", "--json");
    expect(JSON.parse(enough.stdout)).toMatchObject({ timeIsUp: false, verdict: "stable" });
  });

  it("[JS16] uses the method that is asked for", async () => {
    const reported = await place.run(
      "stability",
      "jsr",
      ONE,
      "--method",
      "quadratic",
      "--tolerance",
      "1e-3",
    );
    expect(reported.stdout).toMatch(/^ {2}at most +1\.41\d+ +by common quadratic form$/m);
  });

  it("[JS16] checks a certificate again, and believes none that was changed", async () => {
    const { stdout } = await place.run("stability", "jsr", ALTERNATING, "--json");
    const check = (
      text: string,
    ): Promise<{ code: number | null; stdout: string; stderr: string }> =>
      place.run("stability", "jsr", ALTERNATING, "--check", place.write("answer.json", text));
    expect(await check(stdout)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^proved: /),
    });
    const answer = JSON.parse(stdout);
    const lower = { ...answer, upper: { ...answer.upper, value: 0.7 } };
    expect(await check(JSON.stringify(lower))).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/^not proved: /),
    });
    expect(await check("{}")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/jsr-no-certificate/),
    });
  });

  it("[JS16] explains what is wrong with the file or the command", async () => {
    const bad = await place.run(
      "stability",
      "jsr",
      place.write("bad.yaml", "matrices: { a: [[1, 2]] }"),
    );
    expect(bad.code).toBe(1);
    expect(bad.stderr).toMatch(/bad\.yaml:1:17 error switched-matrix: .*\n {2}fix: /);
    expect(await place.run("stability", "jsr", "nowhere.yaml")).toMatchObject({ code: 1 });
    for (const [option, value, message] of [
      ["--budget", "soon", /--budget soon is not a time/],
      ["--tolerance", "2", /--tolerance wants a part between 0 and 1/],
      ["--max-depth", "0", /--max-depth wants a whole number/],
      ["--method", "polytop", /did you mean 'polytope'/],
    ] as const) {
      const reported = await place.run("stability", "jsr", ONE, option, value);
      expect(reported.code).toBe(2);
      expect(reported.stderr).toMatch(message);
    }
  });
});
