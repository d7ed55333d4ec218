/** What `cosimo watch` prints, on a terminal and elsewhere. */
import { afterEach, expect, it, vi } from "vitest";
import type { LivePicture } from "../../host/network/live-watch.ts";
import { csvView, jsonView, type LiveState, lineView, tableView } from "./live-view.ts";
import { liveName } from "./publish-run.ts";

const COLUMNS = [
  { name: "a.x", type: "float64" as const, unit: "m" },
  { name: "a.n", type: "uint64" as const },
  { name: "b.\x1b[2J", type: "boolean" as const },
];
const state = (more: object = {}): LiveState => ({
  address: { identity: "oem", run: "lift", id: "0123abcd" },
  about: {
    title: "lift",
    version: "0",
    start: 0,
    stop: 4,
    time: 1,
    steps: 2,
    rows: 3,
    columns: 3,
    ...more,
  },
  lost: 2,
  dropped: 0,
});
const picture: LivePicture = {
  row: 7,
  chunk: {
    time: Float64Array.of(1, 1.5),
    data: [Float64Array.of(0.25, Number.NaN), BigInt64Array.of(1n, -1n), Float64Array.of(0, 1)],
  },
};

/** What is printed on standard output meanwhile. */
function printed(act: () => void): string {
  let text = "";
  vi.spyOn(process.stdout, "write").mockImplementation((piece) => {
    text += String(piece);
    return true;
  });
  act();
  vi.restoreAllMocks();
  return text;
}
afterEach(() => vi.restoreAllMocks());

it("[DI27] a table on a terminal is drawn over the one before, and a terminal that is slow sees fewer", () => {
  const written: string[] = [];
  const terminal = {
    write: (text: string) => written.push(text) > 0,
    ...{ rows: 24, columns: 80, writableNeedDrain: false },
  };
  const view = tableView(terminal as unknown as NodeJS.WriteStream);
  view.begin(COLUMNS, state());
  view.picture(picture, state());
  const [first = "", second = ""] = written;
  expect(first).toContain(
    "lift (0123abcd of oem): t = 1 s of 4 s (25 %), 2 steps, 2 pictures not seen\n",
  );
  expect(second.startsWith("\x1b[1A\x1b[2K")).toBe(true);
  expect(second).toContain("  a.x     = NaN m\n");
  expect(second).toContain("18446744073709551615");
  // No escape sequence of a stranger.
  expect(second).toContain("b.\\u001b[2J  = true");
  terminal.writableNeedDrain = true;
  view.picture(picture, state());
  expect(written).toHaveLength(2);
  terminal.rows = 5;
  view.end(state({ ended: "completed" }));
  const last = written[2] ?? "";
  expect(last.startsWith("\x1b[4A")).toBe(true);
  expect(last).toContain("completed at t = 1 s");
  expect(last.split("\n").slice(-2)).toEqual([
    expect.stringContaining("… 2 more: --record chooses"),
    "\x1b[0J",
  ]);
});

it("[DI27] lines, CSV and JSON have every row that was seen, and how it ended", () => {
  const all = (view: ReturnType<typeof lineView>): string =>
    printed(() => {
      view.begin(COLUMNS, state());
      view.picture(picture, state());
      view.progress(state());
      view.end(state({ ended: "failed" }));
    });
  expect(all(lineView()).split("\n")).toEqual([
    expect.stringMatching(/^lift .* 2 pictures not seen$/),
    "t=1  a.x = 0.25 m  a.n = 1  b.\\u001b[2J = false",
    "t=1.5  a.x = NaN m  a.n = 18446744073709551615  b.\\u001b[2J = true",
    expect.stringContaining("failed at t = 1 s"),
    "",
  ]);
  expect(all(csvView())).toBe(
    '"time","a.x","a.n","b.\x1b[2J"\n1,0.25,1,0\n1.5,NaN,18446744073709551615,1\n',
  );
  const json = all(jsonView())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(json).toEqual([
    expect.objectContaining({
      kind: "run",
      run: "lift",
      id: "0123abcd",
      identity: "oem",
      columns: COLUMNS,
    }),
    { kind: "row", row: 7, time: 1, values: { "a.x": 0.25, "a.n": 1, "b.\x1b[2J": false } },
    {
      kind: "row",
      row: 8,
      time: 1.5,
      values: { "a.x": "NaN", "a.n": "18446744073709551615", "b.\x1b[2J": true },
    },
    { kind: "end", ended: "failed", time: 1, steps: 2, rows: 3, lost: 2, dropped: 0 },
  ]);
});

it.each([
  ["plant/scenario.yaml", "plant"],
  ["/x/Window lift.fmu", "Window-lift"],
  ["door.machine.yaml", "door"],
  ["-", "run"],
])("[DI26] %s is seen as %s", (model, name) => {
  expect(liveName(model)).toBe(name);
});
