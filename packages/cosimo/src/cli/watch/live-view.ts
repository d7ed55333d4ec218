/**
 * What `cosimo watch` prints of a run: a table that is drawn again and again on a terminal, a line
 * a row elsewhere, and for programs CSV or JSON.
 */
import type { LiveAbout, LiveColumn } from "../../host/network/live-messages.ts";
import type { LivePicture } from "../../host/network/live-watch.ts";
import type { ObjectValue } from "../../model/value-type.ts";
import type { LiveAddress } from "../../platform/nats/subjects.ts";
import { csvHeader, csvRows } from "../../record/csv.ts";
import { counted } from "../findings.ts";
import { textTable } from "../info/text-table.ts";
import { valueText } from "../supervisor/last-row.ts";
import { print, printFile, printPlain, visibleText } from "../terminal.ts";

/** Where the run is, for the line above its values. */
export interface LiveState {
  readonly address: LiveAddress;
  readonly about: LiveAbout;
  readonly lost: number;
  readonly dropped: number;
}

export interface LiveView {
  begin(columns: readonly LiveColumn[], state: LiveState): void;
  picture(picture: LivePicture, state: LiveState): void;
  /** Nothing is new but where the run is. */
  progress(state: LiveState): void;
  end(state: LiveState): void;
}

/** Values of a line; a table has as many as the terminal has lines. */
const MAX_ON_LINE = 8;

/** `left.x = 0.25 m`, of row `row` of a picture. */
function cells(
  columns: readonly LiveColumn[],
  { chunk }: LivePicture,
  row: number,
  most: number,
): [string, string][] {
  return columns.slice(0, most).map(({ name, type, unit }, c) => {
    const text = valueText(type, chunk.data[c]?.[row] ?? "");
    return [name, `= ${text}${unit ? ` ${unit}` : ""}`];
  });
}

/** `lift (0123abcd of oem): t = 1.25 s of 10 s (12 %), 125 steps`. */
export function stateText({ address, about, lost, dropped }: LiveState): string {
  const { run, id, identity } = address;
  const { time, start, stop, steps, ended } = about;
  const part = Math.floor((100 * (time - start)) / (stop - start));
  const facts = [
    `${ended === undefined ? "" : `${ended} at `}t = ${Number(time.toPrecision(7))} s of ${stop} s${Number.isFinite(part) ? ` (${part} %)` : ""}`,
    counted(steps, "step"),
    ...(lost > 0 ? [`${counted(lost, "picture")} not seen`] : []),
    ...(dropped > 0 ? [counted(dropped, "dropped message")] : []),
  ];
  return `${run} (${id} of ${identity}): ${facts.join(", ")}`;
}

/** A line per row, for logs. */
export function lineView(): LiveView {
  let shown: readonly LiveColumn[] = [];
  return {
    begin(columns, state) {
      shown = columns;
      print(stateText(state));
    },
    picture(picture) {
      const more = shown.length > MAX_ON_LINE ? [`… ${shown.length - MAX_ON_LINE} more`] : [];
      const lines = Array.from(picture.chunk.time, (time, row) =>
        [
          `t=${Number(time.toPrecision(7))}`,
          ...cells(shown, picture, row, MAX_ON_LINE).map((cell) => cell.join(" ")),
          ...more,
        ].join("  "),
      );
      print(lines.join("\n"));
    },
    progress: () => undefined,
    end: (state) => print(stateText(state)),
  };
}

/** A table that stays where it is. */
export function tableView(
  stream: Pick<NodeJS.WriteStream, "write" | "rows" | "columns" | "writableNeedDrain">,
): LiveView {
  let shown: readonly LiveColumn[] = [];
  let newest: LivePicture | undefined;
  let height = 0;
  const draw = (state: LiveState): void => {
    // A terminal that is slow sees fewer pictures.
    if (stream.writableNeedDrain && state.about.ended === undefined) return;
    const width = stream.columns || 80;
    const room = Math.max(1, (stream.rows || 24) - 3);
    const isCut = shown.length > room;
    const most = isCut ? room - 1 : room;
    const last = (newest?.chunk.time.length ?? 0) - 1;
    const lines = [
      stateText(state).slice(0, width - 1),
      ...(newest === undefined ? [] : textTable(cells(shown, newest, last, most), "  ", width - 1)),
      ...(isCut ? [`  … ${shown.length - most} more: --record chooses`] : []),
    ];
    const up = height > 0 ? `\x1b[${height}A` : "";
    const text = lines.map((line) => `\x1b[2K${visibleText(line).slice(0, width - 1)}\n`).join("");
    // What is left of a longer picture goes.
    stream.write(`${up}${text}\x1b[0J`);
    height = lines.length;
  };
  return {
    begin(columns, state) {
      shown = columns;
      draw(state);
    },
    picture(picture, state) {
      newest = picture;
      draw(state);
    },
    progress: draw,
    end: draw,
  };
}

/** The rows as `cosimo run -o file.csv` has them. */
export function csvView(): LiveView {
  let shown: readonly LiveColumn[] = [];
  return {
    begin(columns) {
      shown = columns;
      printFile(csvHeader(columns));
    },
    picture: ({ chunk }) => printFile(csvRows(shown, chunk)),
    progress: () => undefined,
    end: () => undefined,
  };
}

/** An object a line: what runs, its rows, how it ended. */
export function jsonView(): LiveView {
  let shown: readonly LiveColumn[] = [];
  const say = (value: object): void => printPlain(`${JSON.stringify(value)}\n`);
  return {
    begin(columns, { address, about }) {
      shown = columns;
      const { run, id, identity } = address;
      const { title, version, start, stop } = about;
      say({ kind: "run", run, id, identity, title, version, start, stop, columns });
    },
    picture({ row, chunk }) {
      for (const [r, time] of chunk.time.entries()) {
        const values = shown.map(({ name, type }, c) => [
          name,
          jsonValue(type, chunk.data[c]?.[r] ?? ""),
        ]);
        say({
          kind: "row",
          row: row + r,
          time: jsonValue("float64", time),
          values: Object.fromEntries(values),
        });
      }
    },
    progress: () => undefined,
    end({ about, lost, dropped }) {
      const { ended, time, steps, rows } = about;
      say({ kind: "end", ended, time, steps, rows, lost, dropped });
    },
  };
}

/** What JSON has no number for is a text. */
function jsonValue(
  type: LiveColumn["type"],
  value: number | bigint | ObjectValue,
): number | string | boolean {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (typeof value === "string") return value;
  if (typeof value === "bigint") {
    const whole = type === "uint64" ? BigInt.asUintN(64, value) : value;
    return Number.isSafeInteger(Number(whole)) ? Number(whole) : String(whole);
  }
  if (type === "boolean") return value !== 0;
  return Number.isFinite(value) ? value : String(value);
}
