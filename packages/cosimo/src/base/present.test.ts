import { describe, expect, it } from "vitest";
import { present } from "./present.ts";

describe("present", () => {
  it("drops undefined fields and keeps everything else, falsy values included", () => {
    const absent: number | undefined = undefined;
    const fields = present({ absent, zero: 0, none: null, no: false, text: "" });
    expect(fields).toEqual({ zero: 0, none: null, no: false, text: "" });
    expect(Object.keys(fields)).not.toContain("absent");
  });

  it("gives optional fields that an exact type takes", () => {
    const step: number | undefined = Math.random() < 2 ? 0.1 : undefined;
    const options: { readonly start: number; readonly step?: number } = present({ start: 1, step });
    expect(options).toEqual({ start: 1, step: 0.1 });
  });
});
