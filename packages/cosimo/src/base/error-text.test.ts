import { describe, expect, it } from "vitest";
import { errorText } from "./error-text.ts";

describe("what was thrown, as text", () => {
  it.each([
    [new Error("a reason"), "a reason"],
    ["a text", "a text"],
    [null, "null"],
    [undefined, "undefined"],
    [Symbol("s"), "Symbol(s)"],
    [Object.create(null), "something that has no text"],
  ])("is there for all that can be thrown", (thrown, text) => {
    expect(errorText(thrown)).toBe(text);
  });
});
