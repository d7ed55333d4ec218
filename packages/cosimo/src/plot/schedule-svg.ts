/**
 * The operation schedule of a co-simulation step: a column of operations per unit, those that must
 * come earlier higher up, and an arrow wherever one must come before another. Operations that wait
 * for each other, or are repeated, are orange.
 */
import { tenth } from "./curve.ts";
import { escapeMarkup } from "./escape.ts";
import { THEMES, type ThemeName } from "./palette.ts";
import { MARGIN, MIDDLE, svgDocument, text } from "./svg-parts.ts";
import { textWidth } from "./text-width.ts";

export interface DrawnOperation {
  readonly text: string;
  readonly unit: string;
  readonly kind: "set" | "get" | "step";
  /** Part of a loop, or of what is repeated. */
  readonly isMarked: boolean;
}

export interface DrawnSchedule {
  readonly title: string;
  readonly subtitle: string;
  readonly operations: readonly DrawnOperation[];
  readonly edges: readonly { readonly from: number; readonly to: number; readonly why: string }[];
  /** Positions in the order; empty where there is none. */
  readonly order: readonly number[];
}

const SIZE = 11;
const HEIGHT = 24;
const ROW = 46;
const GAP = 34;

/** @param schedules the first one, then those inside of it. */
export function scheduleSvg(
  schedules: readonly DrawnSchedule[],
  themeName: ThemeName = "light",
): string {
  const theme = THEMES[themeName];
  const parts: string[] = [];
  let top = MARGIN;
  let width = 400;
  for (const schedule of schedules) {
    const drawn = drawOne(schedule, top, themeName);
    parts.push(...drawn.parts);
    top = drawn.bottom + MARGIN;
    width = Math.max(width, drawn.right + MARGIN);
  }
  const heading = `<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8z" fill="${theme.axis}"/></marker></defs>`;
  const title = schedules[0]?.title ?? "operation schedule";
  return svgDocument(title, Math.ceil(width), Math.ceil(top), theme, [heading, ...parts]);
}

function drawOne(
  { title, subtitle, operations, edges, order }: DrawnSchedule,
  top: number,
  themeName: ThemeName,
): { parts: string[]; bottom: number; right: number } {
  const theme = THEMES[themeName];
  const level = levels(operations.length, edges);
  const units = [...new Set(operations.map(({ unit }) => unit))];
  // Operations of one unit at one level stand side by side.
  const cells = new Map<string, number[]>();
  operations.forEach(({ unit }, i) => {
    const key = `${unit} ${level[i]}`;
    cells.set(key, [...(cells.get(key) ?? []), i]);
  });
  const box = (i: number): number => textWidth(label(i), SIZE) + 20;
  const label = (i: number): string => {
    const place = order.indexOf(i);
    return place < 0 ? operations[i].text : `${place + 1}. ${operations[i].text}`;
  };
  const lefts: number[] = [];
  let x = MARGIN;
  for (const unit of units) {
    lefts.push(x);
    const widths = [...cells]
      .filter(([key]) => key.slice(0, key.lastIndexOf(" ")) === unit)
      .map(([, members]) => members.reduce((sum, i) => sum + box(i) + 10, -10));
    x += Math.max(textWidth(unit, 12.5), ...widths) + GAP;
  }
  const headings = [
    text(title, MARGIN, top + 15, 15, theme.text, 'font-weight="bold"'),
    text(subtitle, MARGIN, top + 33, 11.5, theme.muted),
  ];
  const first = top + 62;
  const at: { x: number; y: number; width: number }[] = operations.map(() => ({
    x: 0,
    y: 0,
    width: 0,
  }));
  for (const members of cells.values()) {
    let left = lefts[units.indexOf(operations[members[0]].unit)];
    for (const i of members) {
      at[i] = { x: left, y: first + 8 + level[i] * ROW, width: box(i) };
      left += box(i) + 10;
    }
  }
  const bottom = first + 8 + (Math.max(0, ...level) + 1) * ROW;
  const right = Math.max(x - GAP, MARGIN + textWidth(title, 16), MARGIN + textWidth(subtitle, 12));
  const parts = [
    ...headings,
    ...units.map((unit, u) =>
      text(unit, lefts[u], first - 4, 12.5, theme.text, 'font-weight="bold"'),
    ),
  ];
  for (const { from, to, why } of edges) {
    const [a, b] = [at[from], at[to]];
    const [x1, x2] = [a.x + a.width / 2, b.x + b.width / 2];
    const [y1, y2] = b.y > a.y ? [a.y + HEIGHT, b.y] : [a.y, b.y + HEIGHT];
    const isBack = b.y <= a.y;
    const bend = Math.max(12, Math.abs(y2 - y1) / 2) * (isBack ? -1 : 1);
    const both = operations[from].isMarked && operations[to].isMarked;
    parts.push(
      `<path d="M${tenth(x1)} ${tenth(y1)}C${tenth(x1)} ${tenth(y1 + bend)} ${tenth(x2)} ${tenth(y2 - bend)} ${tenth(x2)} ${tenth(y2)}" fill="none" stroke="${both ? theme.colors[1] : theme.axis}" stroke-width="1.1" marker-end="url(#tip)"><title>${escapeMarkup(why)}</title></path>`,
    );
  }
  operations.forEach((operation, i) => {
    const { x: left, y, width } = at[i];
    const isStep = operation.kind === "step";
    const color = operation.isMarked ? theme.colors[1] : isStep ? theme.colors[0] : theme.axis;
    parts.push(
      `<rect x="${tenth(left)}" y="${tenth(y)}" width="${tenth(width)}" height="${HEIGHT}" rx="${isStep ? 3 : 12}" fill="${theme.background}" stroke="${color}" stroke-width="${isStep ? 2 : 1.2}"/>`,
      text(label(i), left + width / 2, y + HEIGHT / 2 + 4, SIZE, theme.text, MIDDLE),
    );
  });
  return { parts, bottom, right };
}

/**
 * How many operations must come before at least, one after the other; loops are cut where they
 * close.
 */
function levels(count: number, edges: DrawnSchedule["edges"]): number[] {
  const targets: number[][] = Array.from({ length: count }, () => []);
  for (const { from, to } of edges) targets[from].push(to);
  const state = new Int8Array(count);
  const sorted: number[] = [];
  const back = new Set<string>();
  const visit = (node: number): void => {
    state[node] = 1;
    for (const to of targets[node])
      if (state[to] === 0) visit(to);
      else if (state[to] === 1) back.add(`${node} ${to}`);
    state[node] = 2;
    sorted.unshift(node);
  };
  for (let node = 0; node < count; node++) if (state[node] === 0) visit(node);
  const level = new Array<number>(count).fill(0);
  for (const node of sorted)
    for (const to of targets[node])
      if (!back.has(`${node} ${to}`)) level[to] = Math.max(level[to], level[node] + 1);
  return level;
}
