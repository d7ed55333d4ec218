/**
 * Adaptations that are deeper or longer than real ones, through every command that reads them:
 * an answer with its place, never a stack trace.
 */
import { copyFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fixture, Workplace } from "./cosimo.ts";

const place = new Workplace();
copyFileSync(fixture("fmi2/Dahlquist"), place.path("f.fmu"));

const nested = (open: string, inner: string, close: string): string =>
  `${open.repeat(2000)}${inner}${close.repeat(2000)}`;
const STEP = "return do_step(f, t, H);";
const KINDS: readonly { name: string; rules: string; found: RegExp }[] = [
  { name: "brackets", rules: `return ${nested("(", "H", ")")};`, found: /nested more than 60/ },
  { name: "ifs", rules: nested("if (true) {", STEP, "}"), found: /nested more than 60/ },
  {
    name: "terms",
    rules: `return do_step(f, t, H)${" + 0".repeat(5000)};`,
    found: /more than 1000 operators/,
  },
  {
    name: "names",
    rules: `var ${"x".repeat(100_000)} := 1.0; ${STEP}`,
    found: /more than 1000 characters/,
  },
];

function written(name: string, rules: string): (readonly string[])[] {
  const text = `semantic adaptation reactive moore A a\nfor inner fmu F f at "./f.fmu"\ncontrol rules {\n${rules}\n}\n`;
  const sa = place.write(`${name}.sa`, text);
  const scenario = place.write(
    `${name}.yaml`,
    `units:\n  a: ${name}.sa\nexperiment: { stop: 0.2 s, step: 0.1 s }\nrecord: [a.x]\n`,
  );
  return [
    ["adapt", sa],
    ["check", scenario],
    ["run", scenario, "-o", place.path(`${name}.csv`)],
    ["export", sa, "-o", place.path(`${name}-exported.fmu`)],
    ["adapt", "--format", sa],
  ];
}

describe("long adaptations", () => {
  it.each(KINDS)(
    "[SA44] $name are refused by every command",
    async ({ name, rules, found }) => {
      for (const command of written(name, rules)) {
        const { code, stdout, stderr } = await place.run(...command);
        const reported = stdout + stderr;
        expect({ command: command[0], code, reported }).toMatchObject({
          code: 1,
          reported: expect.stringMatching(new RegExp(`${name}\\.sa:4:\\d+ error sa-too-deep`)),
        });
        expect(reported).toMatch(found);
        expect(reported).not.toMatch(/^ +at /m);
        expect(reported.length).toBeLessThan(2000);
      }
      expect(place.leftovers()).toEqual([]);
    },
    120_000,
  );

  it("[SA44] thousands of statements are accepted by every command", async () => {
    const rules = `var n := 0.0;\n${"n := n + 1;\n".repeat(5000)}${STEP}`;
    for (const command of written("statements", rules)) {
      const { code, stderr } = await place.run(...command);
      expect({ command: command[0], code, stderr }).toMatchObject({ code: 0 });
    }
  }, 240_000);
});
