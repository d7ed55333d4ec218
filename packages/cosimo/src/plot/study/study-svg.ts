/**
 * Pictures of a study as SVG without colours of their own: classes that the page gives colours to,
 * so that it follows light and dark. Points are links to their traces.
 */
import { makeAxis } from "../axis.ts";
import { type Scale, tenth } from "../curve.ts";
import { escapeMarkup } from "../escape.ts";
import { scale } from "../svg-parts.ts";
import { fitText } from "../text-width.ts";
import type { StudyOutput, StudyPageData, StudyVariable } from "./study-data.ts";

/** More points than this hide each other. */
const MOST_POINTS = 1500;
const MOST_LINES = 600;
const MOST_VARIABLES = 8;

function titleOf({ name, unit }: Pick<StudyVariable, "name" | "unit">): string {
  return unit === undefined ? name : `${name} [${unit}]`;
}

/** Evenly thinned numbers of runs. */
function chosen(count: number, most: number): number[] {
  const every = Math.max(1, Math.ceil(count / most));
  return Array.from({ length: Math.ceil(count / every) }, (_, i) => i * every);
}

interface Drawn {
  readonly min: number;
  readonly max: number;
}

function rangeOf({ values, labels }: StudyVariable): Drawn {
  if (labels !== undefined) return { min: -0.5, max: labels.length - 0.5 };
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values)
    if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const { min, max } = makeAxis(low, high, 4, { padding: 0.05 });
  return { min, max };
}

function svg(width: number, height: number, label: string, parts: readonly string[]): string {
  return `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeMarkup(label)}">\n${parts.join("\n")}\n</svg>`;
}

function caption(content: string, x: number, y: number, more = ""): string {
  return `<text x="${tenth(x)}" y="${tenth(y)}"${more}>${escapeMarkup(content)}</text>`;
}

/** What a point says when it is pointed at. */
function hint({ runs, variables }: StudyPageData, i: number): string {
  const lines = variables.map(({ name, values, labels, unit }) => {
    const value = values[i] ?? Number.NaN;
    const shown = labels?.[value] ?? Number(value.toPrecision(5));
    return `${name} = ${shown}${unit === undefined ? "" : ` ${unit}`}`;
  });
  return escapeMarkup([`run ${runs[i]?.run}`, ...lines].join("\n"));
}

function linked({ runs }: StudyPageData, i: number, mark: string): string {
  const trace = runs[i]?.trace;
  return trace === undefined ? mark : `<a href="${escapeMarkup(trace)}">${mark}</a>`;
}

/** Every variable against every other one; histograms on the diagonal. */
export function scatterMatrix(data: StudyPageData): string {
  const shown = mostTelling(data);
  const n = shown.length;
  const cell = Math.max(90, Math.min(190, Math.floor(1000 / Math.max(n, 1))));
  const [left, top] = [28, 8];
  const runs = chosen(data.runs.length, Math.ceil(MOST_POINTS / Math.max(1, n / 3)));
  const ranges = shown.map(rangeOf);
  const parts: string[] = [];
  for (const [r, vertical] of shown.entries())
    for (const [c, horizontal] of shown.entries()) {
      const [x0, y0] = [left + c * cell, top + r * cell];
      const box = cell - 8;
      parts.push(`<rect class="box" x="${x0}" y="${y0}" width="${box}" height="${box}"/>`);
      const x = scale(ranges[c] as Drawn, x0, x0 + box);
      const y = scale(ranges[r] as Drawn, y0 + box, y0);
      if (r === c) {
        parts.push(...histogram(horizontal, ranges[c] as Drawn, x, y0, box));
        parts.push(
          caption(fitText(titleOf(horizontal), 11, box - 6), x0 + 4, y0 + 13, ' class="name"'),
        );
        continue;
      }
      for (const i of runs) {
        const [vx = Number.NaN, vy = Number.NaN] = [horizontal.values[i], vertical.values[i]];
        if (!Number.isFinite(vx) || !Number.isFinite(vy)) continue;
        const at = `cx="${tenth(x(vx))}" cy="${tenth(y(vy))}"`;
        parts.push(
          linked(
            data,
            i,
            `<circle class="dot" ${at} r="2"><title>${hint(data, i)}</title></circle>`,
          ),
        );
      }
    }
  return svg(left + n * cell, top + n * cell + 6, "scatter matrix", parts);
}

/** Factors first, then outputs, no more than fit. */
function mostTelling({ variables }: StudyPageData): StudyVariable[] {
  const factors = variables.filter(({ isFactor }) => isFactor);
  const outputs = variables.filter(({ isFactor }) => !isFactor);
  const room = Math.max(2, MOST_VARIABLES - Math.min(factors.length, MOST_VARIABLES - 3));
  return [
    ...factors.slice(0, MOST_VARIABLES - Math.min(room, outputs.length)),
    ...outputs.slice(0, room),
  ];
}

function histogram(
  { values, labels }: StudyVariable,
  { min, max }: Drawn,
  x: Scale,
  top: number,
  box: number,
): string[] {
  const bins = labels?.length ?? 14;
  const counts = new Array<number>(bins).fill(0);
  for (const value of values)
    if (Number.isFinite(value)) {
      const b = Math.min(bins - 1, Math.max(0, Math.floor((bins * (value - min)) / (max - min))));
      counts[b] = (counts[b] ?? 0) + 1;
    }
  const most = Math.max(...counts, 1);
  return counts.map((count, b) => {
    const width = (max - min) / bins;
    const height = ((box - 22) * count) / most;
    const [from, to] = [x(min + b * width), x(min + (b + 1) * width)];
    return `<rect class="bar" x="${tenth(from + 0.5)}" y="${tenth(top + box - height)}" width="${tenth(Math.max(0.5, to - from - 1))}" height="${tenth(height)}"/>`;
  });
}

/** A line per run across an axis per variable; coloured by the last output. */
export function parallelCoordinates(data: StudyPageData): string {
  const shown = mostTelling(data);
  const [width, height, top] = [1000, 300, 34];
  const gap = shown.length > 1 ? (width - 120) / (shown.length - 1) : 0;
  const ranges = shown.map(rangeOf);
  const scales = ranges.map((range) => scale(range, top + height, top));
  const parts: string[] = [];
  const last = shown.at(-1);
  const lastRange = ranges.at(-1) ?? { min: 0, max: 1 };
  for (const i of chosen(data.runs.length, MOST_LINES)) {
    const values = shown.map(({ values: all }) => all[i] ?? Number.NaN);
    if (!values.every(Number.isFinite)) continue;
    const path = values
      .map(
        (value, v) =>
          `${v === 0 ? "M" : "L"}${tenth(60 + v * gap)} ${tenth((scales[v] as Scale)(value))}`,
      )
      .join("");
    const share = ((last?.values[i] ?? 0) - lastRange.min) / (lastRange.max - lastRange.min);
    const shade = Math.min(4, Math.max(0, Math.floor(5 * share)));
    parts.push(
      linked(
        data,
        i,
        `<path class="line s${shade}" d="${path}"><title>${hint(data, i)}</title></path>`,
      ),
    );
  }
  for (const [v, variable] of shown.entries()) {
    const x = 60 + v * gap;
    const { min, max } = ranges[v] as Drawn;
    parts.push(`<path class="axis" d="M${tenth(x)} ${top}V${top + height}"/>`);
    parts.push(
      caption(
        fitText(titleOf(variable), 11.5, Math.max(70, Math.min(112, gap - 6))),
        x,
        14,
        ' class="name" text-anchor="middle"',
      ),
    );
    const { labels } = variable;
    if (labels === undefined) {
      for (const [value, y] of [
        [max, top - 5],
        [min, top + height + 14],
      ] as const)
        parts.push(caption(String(Number(value.toPrecision(4))), x, y, ' text-anchor="middle"'));
    } else
      for (const [l, label] of labels.entries())
        parts.push(caption(fitText(label, 10.5, 110), x + 5, (scales[v] as Scale)(l) + 4));
  }
  return svg(width, top + height + 24, "parallel coordinates", parts);
}

/** Means of an output by level of each factor, on one scale. */
export function mainEffects(output: StudyOutput, factors: readonly StudyVariable[]): string {
  const [cell, height, left, top] = [170, 120, 62, 30];
  const means = output.effects
    .flatMap(({ bins }) => bins.map(({ mean }) => mean))
    .filter(Number.isFinite);
  const axis = makeAxis(Math.min(...means), Math.max(...means), 4, { padding: 0.08 });
  const y = scale(axis, top + height, top);
  const parts: string[] = axis.ticks.map(
    (tick) =>
      `<path class="grid" d="M${left} ${tenth(y(tick))}H${left + factors.length * cell - 14}"/>${caption(String(Number(tick.toPrecision(6))), left - 6, y(tick) + 4, ' text-anchor="end"')}`,
  );
  for (const [f, factor] of factors.entries()) {
    const bins = output.effects[f]?.bins ?? [];
    const x0 = left + f * cell;
    const range = rangeOf(factor);
    const x = scale(range, x0, x0 + cell - 14);
    const explained = output.effects[f]?.explained ?? Number.NaN;
    const part = Number.isFinite(explained) ? ` (${Math.round(100 * explained)} %)` : "";
    parts.push(caption(fitText(titleOf(factor) + part, 11, cell - 16), x0, 14, ' class="name"'));
    const points = bins.map(({ level, mean }) => [tenth(x(level)), tenth(y(mean))] as const);
    if (factor.labels === undefined && points.length > 1)
      parts.push(`<path class="curve" d="M${points.map(([px, py]) => `${px} ${py}`).join("L")}"/>`);
    for (const [px, py] of points) parts.push(`<circle class="dot" cx="${px}" cy="${py}" r="3"/>`);
    const ends =
      factor.labels ?? [range.min, range.max].map((value) => String(Number(value.toPrecision(3))));
    for (const [e, end] of ends.entries()) {
      const at = factor.labels === undefined ? (e === 0 ? x0 : x0 + cell - 14) : x(e);
      const anchor = factor.labels !== undefined ? "middle" : e === 0 ? "start" : "end";
      parts.push(
        caption(
          fitText(end, 10.5, cell / ends.length),
          at,
          top + height + 15,
          ` text-anchor="${anchor}"`,
        ),
      );
    }
  }
  return svg(
    left + factors.length * cell,
    top + height + 24,
    `main effects on ${output.name}`,
    parts,
  );
}

/** First-order and total indices of each factor, side by side. */
export function indexBars(output: StudyOutput, factors: readonly StudyVariable[]): string {
  const { first = [], total = [] } = output.indices ?? {};
  const [row, left, width] = [30, 170, 560];
  const x = scale({ min: 0, max: Math.max(1, ...total, ...first) }, left, left + width);
  const bars = factors.flatMap(({ name }, f) => {
    const top = 6 + f * row;
    const one = (value: number, y: number, kind: string): string =>
      `<rect class="${kind}" x="${left}" y="${y}" width="${tenth(Math.max(0, x(Math.max(0, value)) - left))}" height="10"/>${caption(value.toFixed(3), x(Math.max(0, value)) + 5, y + 9)}`;
    return [
      caption(
        fitText(name, 11.5, left - 10),
        left - 8,
        top + 14,
        ' class="name" text-anchor="end"',
      ),
      one(first[f] ?? Number.NaN, top, "bar"),
      one(total[f] ?? Number.NaN, top + 12, "bar total"),
    ];
  });
  return svg(left + width + 60, 14 + factors.length * row, `Sobol indices of ${output.name}`, bars);
}
