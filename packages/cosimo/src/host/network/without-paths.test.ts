/** Paths of a node's computer in what it tells its callers. */
import { describe, expect, it } from "vitest";
import { withoutPaths } from "./without-paths.ts";

const redact = withoutPaths(["/srv/an owner/models", "/tmp/cosimo-1/session-1"]);

describe("what a node tells", () => {
  it.each([
    ["'/srv/an owner/models/motor.fmu' is broken", "'motor.fmu' is broken"],
    ["ENOENT, open '/tmp/cosimo-1/session-1/a/b.so'", "ENOENT, open 'a/b.so'"],
    ["/opt/lib/libm.so: no such file", "libm.so: no such file"],
    ["in file:///srv/units/motor.mjs:3:4", "in motor.mjs:3:4"],
    ["(/srv/units/)", "(units)"],
    ["cannot load C:\\Users\\me\\motor.dll", "cannot load motor.dll"],
    ["cannot load \\\\server\\share\\motor.dll", "cannot load motor.dll"],
  ])("[DI19] %s", (text, redacted) => {
    expect(redact(text)).toBe(redacted);
  });

  it.each([
    "1 m/s is 60 m/min",
    "a rate of 1 /s",
    "binaries/linux64/motor.so is not a library",
    "see https://fmi-standard.org/docs/3.0",
    "1/2/3",
  ])("[DI19] is left as it is: %s", (text) => {
    expect(redact(text)).toBe(text);
  });
});
