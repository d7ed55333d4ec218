import { expect, it } from "vitest";
import { isStructuredName } from "./structured-name.ts";

it.each([
  "vehicle.engine.speed",
  "v_min",
  "robot.axis.'motor #234'",
  "der(pipe[3,4].T[14],2)",
  "der(x)",
  "a[1].b",
  "'it\\'s'",
])("[VA1] %s is a structured name", (name) => {
  expect(isStructuredName(name)).toBe(true);
});

it.each([
  "",
  "1a",
  "a b",
  "a.",
  ".a",
  "a[]",
  "a[x]",
  "'",
  "''",
  "der(x",
  "der(der(x))",
  "größe",
  "a-b",
])("[VA1] %j is not a structured name", (name) => {
  expect(isStructuredName(name)).toBe(false);
});

it("[VA4] a long name that just fails is told at once", () => {
  expect(isStructuredName(`${"a.".repeat(50_000)}-`)).toBe(false);
  expect(isStructuredName(`'${"a".repeat(100_000)}`)).toBe(false);
});
