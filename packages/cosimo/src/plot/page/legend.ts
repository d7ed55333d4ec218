/**
 * The names above a panel: buttons that switch their series, with a sample of the line and the
 * value under the cursor.
 */
import { create } from "./dom.ts";
import type { PanelMember } from "./grouping.ts";
import { valueWidth } from "./value-text.ts";

export interface LegendEntry {
  readonly button: HTMLButtonElement;
  setOn(on: boolean): void;
  showValue(text: string): void;
}

const SVG = "http://www.w3.org/2000/svg";

/** @param clicked gets whether the reader wants this series alone. */
export function legendEntry(
  { series, color }: PanelMember,
  dash: readonly number[],
  clicked: (alone: boolean) => void,
): LegendEntry {
  const { label } = series;
  const button = create("button");
  button.type = "button";
  const value = create("output");
  // Room for every value from the start: names must not move while the reader points at them.
  value.style.width = `${valueWidth(series)}ch`;
  button.append(sample(color, dash), label, value);
  button.title = `show or hide ${label} (alt: alone)`;
  button.setAttribute("aria-pressed", "true");
  button.addEventListener("click", (event) => clicked(event.altKey));
  return {
    button,
    setOn: (on) => button.setAttribute("aria-pressed", String(on)),
    showValue: (text) => {
      value.textContent = text;
    },
  };
}

/**
 * A short piece of the line; its colour follows the theme through a variable of the style sheet.
 */
function sample(color: number, dash: readonly number[]): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  const line = document.createElementNS(SVG, "path");
  svg.setAttribute("viewBox", "0 0 22 6");
  svg.setAttribute("class", "sample");
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", "M0 3h22");
  line.setAttribute("style", `stroke:var(--color-${color})`);
  if (dash.length > 0) line.setAttribute("stroke-dasharray", dash.join(" "));
  svg.append(line);
  return svg;
}
