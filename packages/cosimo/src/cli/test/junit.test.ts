/** Results of tests as JUnit XML, held to what readers of it count. */
import { describe, expect, it } from "vitest";
import { junitXml } from "./junit.ts";
import type { TestCase } from "./test-scenario.ts";

const one = (state: TestCase["state"], name: string = state, detail = ""): TestCase => ({
  name,
  state,
  detail,
});
const attributesOf = (xml: string, element: string): Record<string, string>[] =>
  [...xml.matchAll(new RegExp(`<${element}\\b([^>]*)>`, "g"))].map(([, text = ""]) =>
    Object.fromEntries(
      [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
    ),
  );

describe("JUnit XML", () => {
  const xml = junitXml([
    { path: "a.yaml", seconds: 1.5, cases: [one("passed"), one("failed", "x < 5", "7 at 2 s")] },
    { path: "b.yaml", seconds: 0.25, cases: [one("error"), one("open"), one("open")] },
  ]);

  it("counts cases by what became of them, per scenario and in all", () => {
    expect(attributesOf(xml, "testsuites")).toEqual([
      {
        name: "cosimo test",
        tests: "5",
        failures: "1",
        errors: "1",
        skipped: "2",
        time: "1.750",
      },
    ]);
    expect(
      attributesOf(xml, "testsuite").map(({ name, tests, time }) => [name, tests, time]),
    ).toEqual([
      ["a.yaml", "2", "1.500"],
      ["b.yaml", "3", "0.250"],
    ]);
  });

  it("gives the time of a run to its first case, so that the sum is right", () => {
    const times = attributesOf(xml, "testcase").map(({ time }) => Number(time));
    expect(times).toEqual([1.5, 0, 0.25, 0, 0]);
  });

  it("says why, in the element that readers expect", () => {
    expect(attributesOf(xml, "failure")).toEqual([{ message: "7 at 2 s" }]);
    expect(attributesOf(xml, "error")).toHaveLength(1);
    expect(attributesOf(xml, "skipped")).toHaveLength(2);
  });

  it("is XML whatever scenarios, requirements and messages are called", () => {
    const odd = junitXml([
      { path: 'a&"b".yaml', seconds: 0, cases: [one("failed", "x < 5 & y", "\u001b[2J<\u0000>")] },
    ]);
    expect(attributesOf(odd, "testcase")[0]).toMatchObject({
      classname: "a&amp;&quot;b&quot;.yaml",
      name: "x &lt; 5 &amp; y",
    });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what XML does not have
    expect(odd).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/);
    expect(odd).toContain("\\u001b[2J");
  });
});
