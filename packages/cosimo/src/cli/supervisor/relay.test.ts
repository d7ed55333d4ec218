import { PassThrough } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Relay } from "./relay.ts";

const GIVES_UP = "\n<--- Last few GCs --->\n\nFATAL ERROR: no memory\n";

afterEach(() => {
  vi.restoreAllMocks();
});

/** What is printed when a worker writes `pieces`, and what is kept. */
async function relayed(
  pieces: readonly string[],
  hasGivenUp = true,
): Promise<{ readonly printed: string; readonly lastWords: string }> {
  let printed = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    printed += text;
    return true;
  });
  const stream = new PassThrough();
  const relay = new Relay([stream]);
  for (const piece of pieces) {
    stream.write(piece);
    await new Promise((turn) => setImmediate(turn));
  }
  relay.end(hasGivenUp);
  return { printed, lastWords: relay.lastWords };
}

describe("what a worker prints", () => {
  it("is passed on as it comes, with control characters spelled out", async () => {
    expect(await relayed(["a\u001b[2J", "b\r", "\nc", "d\re"])).toEqual({
      printed: "a\\u001b[2Jb\ncd\\u000de",
      lastWords: "",
    });
  });

  it("[CL24] is kept from where Node gives up", async () => {
    const { printed, lastWords } = await relayed(["unit says\n", GIVES_UP, " 1: 0x7f node::Abort"]);
    expect(printed).toBe("unit says\n");
    expect(lastWords).toMatch(/^<--- Last.*no memory\n 1: 0x7f node::Abort$/s);
  });

  it("[CL24] is printed after all when the process has not given up", async () => {
    const { printed, lastWords } = await relayed(["x\nFATAL ERROR: of a unit\n"], false);
    expect(printed).toBe("x\nFATAL ERROR: of a unit\n");
    expect(lastWords).toBe("");
  });

  it("[CL24] is not kept without end", async () => {
    const { lastWords } = await relayed([GIVES_UP, "x".repeat(1 << 20), "y"]);
    expect(lastWords.length).toBe(1 << 16);
  });
});
