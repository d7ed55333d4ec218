/**
 * Damage to texts and bytes: what disks, editors, people and attackers do to files.
 */

const NASTY = [
  ..."<>&\"'{}[]()|:;,#%*?!@\\/=+-~`^$\0\ufeff\ud800\u2028\r\t",
  "/>",
  "]]>",
  "<!--",
  "<![CDATA[",
  "<!DOCTYPE a [<!ENTITY b 'c'>]>",
  "&b;",
  "&#0;",
  "&#x110000;",
  "\x1b[31m",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "true",
  "NaN",
  "INF",
  "-0",
  "-1",
  "1e999",
  "1e-999",
  "0x10",
  "4294967295",
  "4294967296",
  "9007199254740993",
  "99999999999999999999",
  "../../../../etc/passwd",
  "!!js/function",
  "&a [*a, *a]",
  "<<: *a",
  "---\n",
  "...\n",
  "- ",
  "? ",
  ": ",
  "Größe",
  "\u{1f600}",
];
const PAIRS = [
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
  ["<a>", "</a>"],
  ["-", ""],
  ["not ", ""],
  ["!", ""],
  ["if (true) { ", " }"],
  ["- ", ""],
  ["1 + ", ""],
  ["a.", ""],
  ["/* ", " */"],
];
const NUMBERS = [
  "0",
  "-1",
  "1e308",
  "-1e308",
  "1e-320",
  "NaN",
  "4294967295",
  "2147483648",
  "1e9",
  "0.1",
  "",
  "abc",
];

/** Texts are cut here: what is longer costs the script more than it tells. */
const MOST = 400_000;

/** One to five kinds of damage, one after the other. `others` are further texts to take pieces from. */
export function mutateText(text, random, others = [text]) {
  let result = text;
  for (let rounds = 1 + random.below(5); rounds > 0; rounds--)
    result = random.pick(TEXT_DAMAGE)(result, random, others).slice(0, MOST);
  return result;
}

const TEXT_DAMAGE = [
  (text, random) => splice(text, random.below(text.length + 1), 0, random.pick(NASTY)),
  (text, random) => splice(text, random.below(text.length + 1), 1 + random.below(80), ""),
  (text, random) =>
    replaceMatch(text, random, /-?\d+(\.\d+)?([eE][-+]?\d+)?/g, random.pick(NUMBERS)),
  (text, random) => replaceMatch(text, random, /"[^"\n]*"/g, `"${random.pick(NASTY)}"`),
  (text, random) => replaceMatch(text, random, /[A-Za-z_]\w*/g, random.pick(NASTY)),
  swapWords,
  swapLines,
  repeatLine,
  nest,
  (text, random) => text.slice(0, random.below(text.length + 1)),
  crossOver,
  grow,
];

function splice(text, at, count, insert) {
  return text.slice(0, at) + insert + text.slice(at + count);
}

function replaceMatch(text, random, pattern, by) {
  const found = [...text.matchAll(pattern)];
  if (found.length === 0) return text;
  const match = random.pick(found);
  return splice(text, match.index, match[0].length, by);
}

function swapWords(text, random) {
  const words = [...text.matchAll(/[A-Za-z_]\w*/g)];
  return words.length === 0
    ? text
    : replaceMatch(text, random, /[A-Za-z_]\w*/g, random.pick(words)[0]);
}

function swapLines(text, random) {
  const lines = text.split("\n");
  const [a, b] = [random.below(lines.length), random.below(lines.length)];
  [lines[a], lines[b]] = [lines[b], lines[a]];
  return lines.join("\n");
}

function repeatLine(text, random) {
  const lines = text.split("\n");
  const at = random.below(lines.length);
  const wanted = random.chance(0.1) ? 2000 : 1 + random.below(3);
  const times = Math.min(wanted, Math.ceil(MOST / (lines[at].length + 1)));
  return [...lines.slice(0, at), ...Array(times).fill(lines[at]), ...lines.slice(at)].join("\n");
}

/** Something put deep inside brackets, signs or blocks. */
function nest(text, random) {
  const [open, close] = random.pick(PAIRS);
  const depth = random.pick([3, 30, 300, 3000, 20_000]);
  const found = [...text.matchAll(/[\w.]+/g)];
  if (found.length === 0) return text;
  const match = random.pick(found);
  return splice(
    text,
    match.index,
    match[0].length,
    open.repeat(depth) + match[0] + close.repeat(depth),
  );
}

function crossOver(text, random, others) {
  const other = random.pick(others);
  const from = random.below(other.length + 1);
  const piece = other.slice(from, from + 1 + random.below(400));
  return splice(text, random.below(text.length + 1), random.below(100), piece);
}

/** One word or number becomes very long. */
function grow(text, random) {
  return replaceMatch(
    text,
    random,
    /[\w.]+/g,
    random.pick(["a", "9", "é", "a.", " "]).repeat(50_000),
  );
}

/** One to four kinds of damage to bytes; records of zip files are hit more often than chance would. */
export function mutateBytes(bytes, random) {
  let result = Buffer.from(bytes);
  for (let rounds = 1 + random.below(4); rounds > 0 && result.length > 0; rounds--)
    result = random.pick(BYTE_DAMAGE)(result, random);
  return result;
}

const FIELDS = [0, 1, 8, 20, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];

const BYTE_DAMAGE = [
  flip,
  flip,
  (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  (bytes, random) => {
    const at = random.below(bytes.length);
    const extra = Buffer.from(
      Array.from({ length: 1 + random.below(40) }, () => random.below(256)),
    );
    return Buffer.concat([bytes.subarray(0, at), extra, bytes.subarray(at)]);
  },
  (bytes, random) => {
    const at = random.below(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(60))]);
  },
  (bytes, random) => {
    const at = random.below(bytes.length);
    return Buffer.concat([bytes.subarray(0, at + 1 + random.below(200)), bytes.subarray(at)]);
  },
  field,
  field,
  field,
];

function flip(bytes, random) {
  const copy = Buffer.from(bytes);
  copy[random.below(copy.length)] ^= 1 << random.below(8);
  return copy;
}

function field(bytes, random) {
  const starts = [0];
  for (
    let at = bytes.indexOf("PK");
    at >= 0 && starts.length < 500;
    at = bytes.indexOf("PK", at + 2)
  )
    starts.push(at);
  const at = random.pick(starts) + random.below(60);
  if (at + 4 > bytes.length) return bytes;
  const copy = Buffer.from(bytes);
  copy.writeUInt32LE(random.pick(FIELDS), at);
  return copy;
}
