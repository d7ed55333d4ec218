/**
 * Draws picture.svg of the README: a text with the colours of the highlighting, the finding that
 * the checks have about it and what is offered at the cursor. All three are computed, so that the
 * picture shows what people will see. Needs the build, the fixtures and `npm run build -w
 * apps/vscode`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const HERE = join(dirname(fileURLToPath(import.meta.url)), "..");
const ROOT = join(HERE, "..", "..");
const load = (path) =>
  import(pathToFileURL(join(ROOT, "packages", "cosimo", "dist", ...path.split("/"))).href);

const { checkSa } = await load("lang/sa/check-sa.js");
const { spanOfFinding } = await load("lang/sa/ide/findings.js");
const { completionsAt } = await load("lang/sa/ide/complete.js");
const { saDocument } = await load("lang/sa/ide/sa-document.js");
const { describeInnerUnit } = await load("host/describe-adaptation-file.js");
const { patterns } = JSON.parse(readFileSync(join(HERE, "dist", "sa.tmLanguage.json"), "utf8"));

const FMU = join(ROOT, "fixtures", "build", "fmi2", "PowerWindowWindow.fmu");
const whole = `// What the others want to know of the window.
semantic adaptation reactive mealy WindowSA window_sa

for inner fmu Window window
  at "./Window.fmu"

output ports
  disp (kg) <- window.height,
  tau (N.m)

out rules {
  true -> {} --> {
    window_sa.tau := -window.‸reaction_torque;
  };
}`;
const cursor = whole.indexOf("‸");
const unfinished = whole.replace("‸reaction_torque;", "");
const unit = { name: "window", source: FMU, place: { file: FMU } };
const inner = new Map([["window", await describeInnerUnit(unit, FMU, HERE)]]);
const checked = saDocument(whole.replace("‸", ""), "window.sa");
const [finding] = checkSa(checked.adaptation, ({ name }) => inner.get(name));
const underlined = spanOfFinding(checked, finding);
const offered = completionsAt(saDocument(unfinished, "window.sa"), inner, cursor);

const COLOURS = [
  [/^comment/, "#6a9955"],
  [/^string/, "#ce9178"],
  [/^constant/, "#b5cea8"],
  [/^storage/, "#569cd6"],
  [/^keyword\.operator/, "#d4d4d4"],
  [/^keyword/, "#c586c0"],
  [/^support/, "#dcdcaa"],
  [/^entity/, "#4ec9b0"],
  [/^variable/, "#9cdcfe"],
];
const [WIDTH, LINE, CHARACTER, LEFT, TOP] = [760, 22, 8.43, 52, 34];

function coloured(line) {
  const spans = [];
  let at = 0;
  while (at < line.length) {
    let best;
    for (const pattern of patterns) {
      const expression = new RegExp(pattern.match ?? pattern.begin, "dg");
      expression.lastIndex = at;
      const found = expression.exec(line);
      if (found !== null && (best === undefined || found.index < best.found.index))
        best = { found, pattern };
    }
    if (best === undefined) break;
    const { found, pattern } = best;
    const parts = pattern.captures
      ? Object.entries(pattern.captures).map(([n, { name }]) => [...found.indices[n], name])
      : [[found.index, found.index + found[0].length, pattern.name]];
    spans.push(...parts);
    at = Math.max(found.index + found[0].length, at + 1);
  }
  return spans;
}

const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const colourOf = (scope) => COLOURS.find(([pattern]) => pattern.test(scope))?.[1] ?? "#d4d4d4";

function text(x, y, content, colour, size = 14) {
  return `<text x="${x.toFixed(1)}" y="${y}" fill="${colour}" font-size="${size}" xml:space="preserve">${escaped(content)}</text>`;
}

const lines = unfinished.split("\n");
const parts = lines.flatMap((line, row) => {
  const y = TOP + row * LINE;
  const number = text(18, y, String(row + 1).padStart(2), "#858585", 12);
  let at = 0;
  const pieces = [number];
  for (const [from, to, scope] of [...coloured(line), [line.length, line.length, ""]]) {
    if (from > at) pieces.push(text(LEFT + at * CHARACTER, y, line.slice(at, from), "#d4d4d4"));
    if (to > from)
      pieces.push(text(LEFT + from * CHARACTER, y, line.slice(from, to), colourOf(scope)));
    at = to;
  }
  return pieces;
});

function place(offset) {
  const before = unfinished.slice(0, offset).split("\n");
  return { row: before.length - 1, column: before.at(-1).length };
}

const from = place(underlined.offset);
const y = TOP + from.row * LINE + 4;
const waves = Array.from({ length: (underlined.end - underlined.offset) * 2 }, (_, i) => {
  const x = LEFT + from.column * CHARACTER + (i * CHARACTER) / 2;
  return `${x.toFixed(1)},${y + (i % 2) * 3}`;
});
parts.push(`<polyline points="${waves.join(" ")}" fill="none" stroke="#f14c4c"/>`);

const message = [`${finding.code}: ${finding.message}`, `fix: ${finding.fix}`];
const messageY = TOP + (from.row + 1) * LINE - 8;
parts.push(
  `<rect x="${LEFT + 120}" y="${messageY}" width="560" height="46" rx="3" fill="#252526" stroke="#454545"/>`,
);
for (const [i, line] of message.entries())
  parts.push(text(LEFT + 130, messageY + 18 + i * 19, line, "#cccccc", 12));

const here = place(cursor);
const listX = LEFT + here.column * CHARACTER;
const listY = TOP + here.row * LINE + 7;
parts.push(
  `<rect x="${listX}" y="${listY}" width="330" height="${offered.length * 22 + 6}" rx="3" fill="#252526" stroke="#454545"/>`,
);
for (const [i, { label, detail }] of offered.entries()) {
  if (i === 0)
    parts.push(`<rect x="${listX + 1}" y="${listY + 3}" width="328" height="22" fill="#04395e"/>`);
  parts.push(text(listX + 10, listY + 18 + i * 22, label, "#d4d4d4", 13));
  parts.push(text(listX + 170, listY + 18 + i * 22, detail, "#9d9d9d", 12));
}

const height = TOP + lines.length * LINE + 4;
writeFileSync(
  join(HERE, "picture.svg"),
  [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace">`,
    `<rect width="${WIDTH}" height="${height}" rx="6" fill="#1e1e1e"/>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n"),
);
