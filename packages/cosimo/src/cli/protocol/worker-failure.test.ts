import { describe, expect, it } from "vitest";
import { failureText, workerFailure } from "./worker-failure.ts";

/** As if it had been thrown at this place. */
function thrownAt(place: string, message = "no luck"): Error {
  const error = new Error(message);
  error.stack = `Error: ${message}\n    at run (${place}:12:34)\n    at node:internal/timers:5:6`;
  return error;
}

describe("what went wrong in the worker", () => {
  it("[CL13] is an internal error where the mistake is ours", () => {
    const failure = workerFailure(new Error("first line\nsecond line"));
    expect(failure).toMatchObject({ cause: "ours", reason: "first line" });
    expect(failureText(failure)).toBe("internal error: first line; run with --debug for the trace");
    for (const place of [
      import.meta.url,
      "node:internal/fs",
      "file:///users/me/node_modules/yaml/dist/parse.js",
    ])
      expect(workerFailure(thrownAt(place)).cause).toBe("ours");
    expect(workerFailure("a text")).toMatchObject({ cause: "ours", reason: "a text" });
    expect(workerFailure(null)).toMatchObject({ cause: "ours", reason: "null" });
  });

  it("[CL28] is said of the module that threw outside of all calls, with its line", () => {
    const failure = workerFailure(thrownAt("file:///users/me/units/motor.mjs"));
    expect(failure.cause).toBe("module");
    expect(failureText(failure)).toBe(
      "a module threw outside of the calls of its unit: no luck (motor.mjs:12)",
    );
  });

  it("[CL13] is called a refusal of the system where it is one, wherever it was thrown", () => {
    const error = Object.assign(thrownAt("file:///users/me/units/motor.mjs", "EMFILE: too many"), {
      code: "EMFILE",
      syscall: "open",
    });
    expect(workerFailure(error)).toMatchObject({ cause: "system", reason: "EMFILE: too many" });
    expect(failureText(workerFailure(error))).toContain("'ulimit -n'");
    expect(workerFailure(new RangeError("Array buffer allocation failed"))).toMatchObject({
      cause: "system",
      reason: "ENOMEM: Array buffer allocation failed",
    });
  });
});
