import { describe, expect, it } from "vitest";
import { checkpointRequest } from "./checkpoint-options.ts";

describe("--checkpoint", () => {
  it("is not there unless it is requested", () => {
    expect(checkpointRequest([], false, ["a.csv"])).toBe(undefined);
  });

  it("takes simulated and wall times in ms, s, min and h, in one option or several", () => {
    expect(checkpointRequest(["every=60s"], false, ["a.csv"])).toEqual({
      folder: "a.csv.checkpoint",
      resume: false,
      rhythm: { every: 60, replayBytes: 256e6 },
    });
    const both = { folder: "k", resume: true, rhythm: { every: 0.25, wall: 5400, replayBytes: 0 } };
    expect(checkpointRequest(["every=250ms,wall=1.5h", "dir=k, replay=off"], true, [])).toEqual(
      both,
    );
    expect(checkpointRequest(["every=2min,replay=1.5GB,dir=k"], false, [])?.rhythm).toEqual({
      every: 120,
      replayBytes: 1.5e9,
    });
    expect(checkpointRequest(["every=7", "dir=k"], false, [])?.rhythm?.every).toBe(7);
  });

  it("leaves the rhythm to the interrupted run when nothing else is said", () => {
    const request = { folder: "a.csv.checkpoint", resume: true };
    expect(checkpointRequest([], true, ["a.csv", "b.svg"])).toEqual(request);
    expect(checkpointRequest(["dir=k"], true, [])).toEqual({ folder: "k", resume: true });
  });

  it.each<[string[], boolean, RegExp]>([
    [["every=60s"], false, /--checkpoint does not know the folder/],
    [[], true, /--resume does not know the folder/],
    [["dir=k"], false, /does not say when/],
    [["dir=k,replay=off"], true, /does not say when/],
    [["evry=60s,dir=k"], false, /not 'evry'/],
    [["60s,dir=k"], false, /not '60s'/],
    [["every=1s,every=2s,dir=k"], false, /'every' twice/],
    [["every=0,dir=k"], false, /every=0 is not a time/],
    [["wall=-1s,dir=k"], false, /wall=-1s is not a time/],
    [["every=soon,dir=k"], false, /every=soon is not a time/],
    [["every=1s,replay=1,dir=k"], false, /replay=1 is neither off nor a size/],
  ])("refuses %j", (texts, resume, why) => {
    expect(() => checkpointRequest(texts, resume, [])).toThrow(why);
  });
});
