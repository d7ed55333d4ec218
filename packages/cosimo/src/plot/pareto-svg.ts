/**
 * Robustness against cost of the variants that a search ran: a point each, those that nothing beats
 * joined by a line. The cost axis is logarithmic; what satisfies its requirements lies above the
 * line at 0.
 */
import { makeAxis } from "./axis.ts";
import { tenth } from "./curve.ts";
import { escapeMarkup } from "./escape.ts";
import { colorOf, THEMES, type ThemeName } from "./palette.ts";
import { END, MARGIN, MIDDLE, scale, svgDocument, text } from "./svg-parts.ts";
import { fitText } from "./text-width.ts";

export interface ParetoPoint {
  readonly label: string;
  readonly cost: number;
  /** From -1 to 1; not negative: everything is satisfied. */
  readonly score: number;
  readonly isOnFront: boolean;
  readonly isWinner: boolean;
}

export interface ParetoPlot {
  readonly title: string;
  readonly costTitle: string;
  readonly points: readonly ParetoPoint[];
}

const WIDTH = 860;
const HEIGHT = 380;

export function paretoSvg(plot: ParetoPlot, themeName: ThemeName = "light"): string {
  const theme = THEMES[themeName];
  const { points, title, costTitle } = plot;
  const [left, right] = [MARGIN + 58, WIDTH - MARGIN];
  const top = MARGIN + 52;
  const bottom = top + HEIGHT;
  const costs = points.map(({ cost }) => Math.log10(cost));
  const across = makeAxis(Math.min(...costs, 0), Math.max(...costs, 1), 8, { whole: true });
  const [low, high] = [Math.min(...costs) - 0.15, Math.max(...costs) + 0.15];
  const x = scale({ min: low, max: Math.max(high, low + 0.3) }, left, right);
  const y = scale({ min: -1.08, max: 1.08 }, bottom, top);
  const parts: string[] = [
    text(
      fitText(title, 16, right - MARGIN),
      MARGIN,
      MARGIN + 15,
      15,
      theme.text,
      'font-weight="bold"',
    ),
    `<rect x="${left}" y="${top}" width="${right - left}" height="${tenth(y(0) - top)}" fill="${theme.colors[2]}" opacity="0.07"/>`,
    text("all satisfied", left + 8, y(0) - 8, 11, theme.muted),
    text("something is violated", left + 8, y(0) + 17, 11, theme.muted),
  ];
  const winner = points.find(({ isWinner }) => isWinner);
  if (winner !== undefined)
    parts.push(
      `<circle cx="${left + 6}" cy="${MARGIN + 34}" r="6" fill="${colorOf(theme, 2)}" stroke="${theme.text}" stroke-width="1.8"/>`,
      text(
        fitText(winner.label, 11.5, right - left - 20),
        left + 20,
        MARGIN + 38,
        11.5,
        theme.text,
      ),
    );
  for (const power of across.ticks) {
    if (power < low || power > high) continue;
    parts.push(
      `<path d="M${tenth(x(power))} ${top}V${bottom}" stroke="${theme.grid}"/>`,
      text(costText(10 ** power), x(power), bottom + 16, 10.5, theme.muted, MIDDLE),
    );
  }
  for (const value of [-1, -0.5, 0, 0.5, 1])
    parts.push(
      `<path d="M${left} ${tenth(y(value))}H${right}" stroke="${value === 0 ? theme.text : theme.grid}" stroke-width="${value === 0 ? 1.4 : 1}"/>`,
      text(String(value).replace("-", "\u2212"), left - 7, y(value) + 4, 10.5, theme.muted, END),
    );
  const front = points.filter(({ isOnFront }) => isOnFront).toSorted((a, b) => a.cost - b.cost);
  const path = front
    .map(({ cost, score }, i) => {
      const at = `${tenth(x(Math.log10(cost)))}`;
      return i === 0 ? `M${at} ${tenth(y(score))}` : `H${at}V${tenth(y(score))}`;
    })
    .join("");
  if (front.length > 0)
    parts.push(
      `<path d="${path}H${right}" fill="none" stroke="${colorOf(theme, 0)}" stroke-width="1.8" stroke-dasharray="5 3"/>`,
    );
  for (const { label, cost, score, isOnFront, isWinner } of points) {
    const fill = score < 0 ? colorOf(theme, 1) : colorOf(theme, 2);
    parts.push(
      `<circle cx="${tenth(x(Math.log10(cost)))}" cy="${tenth(y(score))}" r="${isWinner ? 6.5 : isOnFront ? 5 : 3.6}" fill="${fill}" fill-opacity="${isOnFront ? 1 : 0.55}" stroke="${isWinner ? theme.text : theme.background}" stroke-width="${isWinner ? 1.8 : 1}"><title>${escapeMarkup(label)}</title></circle>`,
    );
  }
  const middle = (top + bottom) / 2;
  parts.push(
    `<rect x="${left}" y="${top}" width="${right - left}" height="${HEIGHT}" fill="none" stroke="${theme.axis}"/>`,
    text(costTitle, (left + right) / 2, bottom + 36, 11.5, theme.text, MIDDLE),
    text(
      "robustness, of the best",
      MARGIN + 9,
      middle,
      11.5,
      theme.text,
      `${MIDDLE} transform="rotate(-90 ${MARGIN + 9} ${middle})"`,
    ),
  );
  return svgDocument(title, WIDTH, Math.ceil(bottom + 36 + MARGIN), theme, parts);
}

function costText(cost: number): string {
  const rounded = Number(cost.toPrecision(2));
  return rounded >= 1e6 ? `${rounded / 1e6} M` : rounded.toLocaleString("en");
}
