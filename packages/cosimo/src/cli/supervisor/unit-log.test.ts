import { describe, expect, it } from "vitest";
import type { Outcome } from "../../base/outcome.ts";
import { UnitLog, withShortLog } from "./unit-log.ts";

function logOf(isWhole = false): { log: UnitLog; said: string[] } {
  const said: string[] = [];
  return { log: new UnitLog(isWhole, (line) => void said.push(line)), said };
}

const message = (unit: string, status = "warning", text = "odd") =>
  ({ kind: "log", unit, status, category: "", message: text }) as const;

const failed = (log: readonly string[]): Outcome => ({
  kind: "failed",
  time: 1,
  steps: 10,
  failure: { unit: "bad", call: "fmi2DoStep", status: "fmi2Error", time: 1, log },
});

describe("messages of units", () => {
  it("[CL21] are printed up to 50 of a unit and 500 of all, and the others counted", () => {
    const { log, said } = logOf();
    for (let unit = 0; unit < 12; unit++)
      for (let k = 0; k < 51; k++) log.take(message(`u${unit}`));
    log.end(true);
    expect(said).toHaveLength(512);
    expect(said[500]).toBe("… and 1 more message of 'u0'; --debug prints all of them");
    expect(said.at(-1)).toBe("… and 51 more messages of 'u11'; --debug prints all of them");
  });

  it("[CL21] are cut when they are long, and neither cut nor counted with --debug", () => {
    const long = message("bad", "warning", "x".repeat(1e5));
    const short = logOf();
    short.log.take(long);
    expect(short.said[0]!.length).toBeLessThan(1100);
    const whole = logOf(true);
    for (let k = 0; k < 600; k++) whole.log.take(k === 0 ? long : message("bad", "ok"));
    whole.log.end(true);
    expect(whole.said).toHaveLength(600);
    expect(whole.said[0]!.length).toBeGreaterThan(1e5);
  });

  it("come at the end where errors are not explained by a failure", () => {
    const { log, said } = logOf();
    log.take(message("bad", "error", "why"));
    log.take(message("bad", "ok", "fine"));
    expect(said).toEqual([]);
    log.end(false);
    expect(said).toEqual(["bad: [error] why"]);
    expect(log.newest).toHaveLength(2);
  });

  it("[CL21] of a failure are the newest fifty, each cut", () => {
    const lines = Array.from({ length: 200 }, (_, k) => `${k} ${"x".repeat(4000)}`);
    const short = withShortLog(failed(lines));
    const log = short.kind === "failed" ? short.failure.log : [];
    expect(log).toHaveLength(51);
    expect(log[0]).toBe("(150 messages before these; --debug prints all of them)");
    expect(log.at(-1)).toMatch(/^199 x+ … /);
    expect(log.join("\n").length).toBeLessThan(60_000);
    expect(withShortLog(failed(["one"]))).toEqual(failed(["one"]));
  });
});
