/**
 * Columns of numbers as one message of bytes: what is drawn of a run or a trace, for many signals
 * over one time axis.
 *
 * Layout, little-endian: uint32 length of the head in bytes; the head, JSON in ASCII, padded with
 * spaces so that what follows begins at a multiple of 8; the times as float64; then one block of
 * float64 per signal, each as long as the times. NaN where a signal has no number. Where rows were
 * put together (`isDecimated`), every two points stand for a range of rows: the lowest and the
 * highest value of each signal, in the order in which they occur.
 */

export interface ColumnsHead {
  /** Identity of the run, or path of the trace. */
  readonly of: string;
  /** The page's number of the plot, in frames of `/api/live`. */
  readonly plot?: number;
  readonly signals: readonly string[];
  /** Length of the times and of every signal. */
  readonly length: number;
  /** Rows that there are in all, and in what was asked for. */
  readonly rows: number;
  readonly rowsInRange: number;
  readonly isDecimated: boolean;
  /** Of signals of texts: what their numbers mean. */
  readonly texts?: Readonly<Record<string, readonly string[]>>;
}

export interface Columns {
  readonly head: ColumnsHead;
  readonly time: Float64Array;
  readonly values: readonly Float64Array[];
}

export function encodeColumns({ head, time, values }: Columns): Uint8Array<ArrayBuffer> {
  const text = asciiJson(head);
  const offset = 8 * Math.ceil((4 + text.length) / 8);
  const bytes = new Uint8Array(offset + 8 * head.length * (1 + values.length));
  new DataView(bytes.buffer).setUint32(0, offset - 4, true);
  bytes.fill(SPACE, 4, offset);
  for (let i = 0; i < text.length; i++) bytes[4 + i] = text.charCodeAt(i);
  [time, ...values].forEach((column, c) => {
    new Float64Array(bytes.buffer, offset + 8 * head.length * c, head.length).set(column);
  });
  return bytes;
}

/** @throws RangeError or SyntaxError where `bytes` are not columns. */
export function decodeColumns(bytes: ArrayBuffer): Columns {
  const headBytes = new DataView(bytes).getUint32(0, true);
  let text = "";
  for (const code of new Uint8Array(bytes, 4, headBytes)) text += String.fromCharCode(code);
  const head = JSON.parse(text) as ColumnsHead;
  const column = (c: number): Float64Array =>
    new Float64Array(bytes, 4 + headBytes + 8 * head.length * c, head.length);
  return { head, time: column(0), values: head.signals.map((_, s) => column(1 + s)) };
}

const SPACE = 0x20;

/** One byte per character: other characters are escaped. */
function asciiJson(value: unknown): string {
  const escaped = (c: string): string => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(/[\u0080-\uffff]/g, escaped);
}
