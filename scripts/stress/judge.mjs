/**
 * Decides whether what was seen of a command is what Cosimo promises whatever happens:
 * docs/spec/stress.md has the rules.
 *
 * Pure: everything it needs is in its arguments, so that tests can show it commands that lie, hang
 * or lose rows.
 */

/**
 * What `cosimo --help` and docs/spec/run.md promise: done, wrong input, usage, failed, ended by a
 * signal (128 + its number).
 */
export const CODES = [0, 1, 2, 3, 129, 130, 131, 143];

export const RULES = {
  code: "an exit code that is not documented, or not the one for this ending",
  hang: "no end within the bound",
  trace: "a stack trace",
  internal: "an internal error",
  rows: "rows lost, twice, out of order, or with other values than without the misdeed",
  blame: "another unit is named",
  silent: "the unit or the call is not named",
  leftovers: "temporary or half-written files stay behind",
  escape: "control characters of an FMU's message reach the terminal",
  length: "more text than can be read",
  resume: "a continued run differs from one that was not interrupted",
};

/** More characters than this on standard error are not report. */
const REPORT_CHARACTERS = 200_000;
const TRACE = /^\s{2,}at .*(:\d+:\d+\)?|\(native\)|<anonymous>\)?)$/m;
const SOURCE_LINE = /^(file:\/\/\S+|\/\S+|node:\S+):\d+$/m;
const INTERNAL = /\binternal(?: error)?:/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x9b]/;

/**
 * What holds for every command, whatever it was given.
 * @param seen what `runCommand` answered
 * @param options.codes those that this ending may have
 * @param options.signal sent from outside: a command that does not listen yet is ended by it, which
 * shells call 128 + its number
 * @returns rules that were broken: [{ rule, detail }]
 */
export function judgeCommand(seen, options = {}) {
  const broken = [];
  const add = (rule, detail) => broken.push({ rule, detail });
  const { codes = CODES } = options;
  if (seen.timedOut) add("hang", `no end after ${seen.seconds.toFixed(1)} s`);
  else if (seen.signal && seen.signal !== options.signal) add("code", `ended by ${seen.signal}`);
  else if (!seen.signal && !codes.includes(seen.code))
    add("code", `exit code ${seen.code}, not ${codes.join(", ")}`);
  const said = `${seen.stderr}\n${seen.stdout}`;
  const trace = TRACE.exec(said) ?? SOURCE_LINE.exec(said);
  if (trace) add("trace", shorten(trace[0].trim()));
  else if (INTERNAL.test(said)) add("internal", shorten(lineWith(said, INTERNAL)));
  if (!options.prints && CONTROL.test(seen.stderr))
    add("escape", shorten(JSON.stringify(lineWith(seen.stderr, CONTROL))));
  if (!options.prints && seen.stderr.length > REPORT_CHARACTERS)
    add("length", `${seen.stderr.length} characters on standard error`);
  if (!options.keepsTemporary && !seen.timedOut && seen.leftovers.length > 0)
    add("leftovers", shorten(seen.leftovers.join(", ")));
  return broken;
}

/**
 * Whether a recorded CSV is the beginning of the reference, row by row and bit for bit.
 * @param text the file, or undefined where there is none
 * @param expected.rows "all", a number, "some" (any number) or "begun" (at least one)
 * @param expected.values "same", or "time" where the misdeed changes the values themselves
 */
export function judgeRows(text, reference, expected) {
  const { rows, values = "same" } = expected;
  const wanted = linesOf(reference);
  if (text === undefined)
    return rows === "some" || rows === 0 ? [] : [broken(`no file; ${amount(rows, wanted)} wanted`)];
  if (!text.endsWith("\n")) return [broken("the last line is cut")];
  const got = linesOf(text);
  if (got[0] !== wanted[0]) return [broken("another header")];
  const order = times(got).findIndex((time, at, all) => at > 0 && !(time > all[at - 1]));
  if (order >= 0 && values === "same")
    return [broken(`time does not grow at row ${order}: ${got[order + 1]}`)];
  const column = values === "time" ? (line) => line.slice(0, line.indexOf(",")) : (line) => line;
  if (values !== "any")
    for (let at = 1; at < got.length; at++)
      if (wanted[at] === undefined || column(got[at]) !== column(wanted[at]))
        return [broken(`row ${at - 1} is ${got[at]}, not ${wanted[at]}`)];
  const count = got.length - 1;
  if (rows === "all" && count !== wanted.length - 1)
    return [broken(`${count} rows, not ${wanted.length - 1}`)];
  if (rows === "begun" && count === 0) return [broken("no row")];
  if (typeof rows === "number" && count !== rows) return [broken(`${count} rows, not ${rows}`)];
  return [];
}

/**
 * Whether a failure names who did it.
 * @param expected.unit the unit that misbehaves; `others` are healthy
 * @param expected.call a pattern for the call, or undefined where it does not matter
 */
export function judgeBlame(stderr, { unit, others = [], call }) {
  const found = [];
  for (const other of others) {
    const wrong = new RegExp(
      `('[^'\n]+' or )*'${other}'( or '[^'\n]+')* (failed|crashed|refused|is not)[^\n]*`,
    ).exec(stderr);
    // With several units at work at once, or files of the process lost, nobody knows which of them
    // it was; then all are named.
    if (wrong && !wrong[0].includes(`'${unit}'`))
      found.push({ rule: "blame", detail: shorten(wrong[0]) });
  }
  if (!stderr.includes(unit))
    found.push({ rule: "silent", detail: `'${unit}' is not named: ${shorten(stderr.trim())}` });
  else if (call && !call.test(stderr))
    found.push({ rule: "silent", detail: `${call} is not named: ${shorten(stderr.trim())}` });
  return found;
}

function broken(detail) {
  return { rule: "rows", detail };
}

function amount(rows, wanted) {
  return rows === "all" ? `${wanted.length - 1} rows` : `${rows} rows`;
}

function linesOf(text) {
  return text.replace(/\n$/, "").split("\n");
}

function times(lines) {
  return lines.slice(1).map((line) => Number.parseFloat(line));
}

function lineWith(text, pattern) {
  return text.split("\n").find((line) => pattern.test(line)) ?? "";
}

export function shorten(text) {
  const line = text.replace(/\s+/g, " ");
  return line.length > 160 ? `${line.slice(0, 157)}…` : line;
}
