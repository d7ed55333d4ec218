import { afterEach, describe, expect, it, vi } from "vitest";
import { coloured, hasColour } from "./colour.ts";

const TERMINAL = { isTTY: true };
const PIPE = {};

describe("colours", () => {
  it.each([
    [TERMINAL, {}, true],
    [PIPE, {}, false],
    [TERMINAL, { NO_COLOR: "1" }, false],
    [TERMINAL, { NO_COLOR: "" }, true],
    [TERMINAL, { TERM: "dumb" }, false],
    [PIPE, { FORCE_COLOR: "1" }, true],
    [PIPE, { FORCE_COLOR: "3", NO_COLOR: "1" }, true],
    [TERMINAL, { FORCE_COLOR: "0" }, false],
    [TERMINAL, { FORCE_COLOR: "false" }, false],
    [TERMINAL, { FORCE_COLOR: "" }, true],
  ])("[CL43] on %j under %j: %s", (stream, environment, expected) => {
    expect(hasColour(stream, environment)).toBe(expected);
  });

  describe("of a text", () => {
    afterEach(() => void vi.unstubAllEnvs());
    const FINDING = "a.yaml:3:1 error unknown-port: 'a' has no port 'b'\n  fix: did you mean 'c'?";

    it("[CL43] mark place, severity and fix, and leave the words alone", () => {
      vi.stubEnv("FORCE_COLOR", "1");
      const text = coloured(FINDING, PIPE);
      expect(text).toContain("\x1b[31merror\x1b[0m unknown-port: ");
      expect(text).toContain("\x1b[1ma.yaml:3:1\x1b[0m ");
      expect(text).toContain("  \x1b[32mfix:\x1b[0m did");
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
      expect(text.replaceAll(/\x1b\[\d+m/g, "")).toBe(FINDING);
      expect(coloured("cosimo: no", PIPE)).toBe("\x1b[31mcosimo:\x1b[0m no");
      expect(coloured("x error = 3", PIPE)).toBe("x error = 3");
    });

    it("[CL43] are absent in a pipe", () => {
      vi.stubEnv("FORCE_COLOR", "");
      expect(coloured(FINDING, PIPE)).toBe(FINDING);
    });
  });
});
