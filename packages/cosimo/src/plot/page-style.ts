/**
 * The look of an HTML plot, light and dark; colours come from the palette so that page and picture agree.
 */
import { THEMES, type ThemeName } from "./palette.ts";

export function pageStyle(): string {
  return `${variables(":root", "light")}
@media (prefers-color-scheme: dark) { ${variables(':root:not([data-theme="light"])', "dark")} }
${variables(':root[data-theme="dark"]', "dark")}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 20px 24px 28px; max-width: 1400px; background: var(--background);
  color: var(--text); font: 14px/1.45 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
header { display: flex; flex-wrap: wrap; gap: 6px 16px; align-items: center; }
h1 { margin: 0; font-size: 18px; flex: 1 1 auto; overflow-wrap: anywhere; }
#readout { font-variant-numeric: tabular-nums; color: var(--muted); min-width: 9em; text-align: right; }
nav { display: none; gap: 4px; }
.alive nav { display: flex; }
button { font: inherit; color: inherit; background: none; border: 1px solid var(--grid);
  border-radius: 6px; padding: 2px 9px; cursor: pointer; }
button:hover, button:focus-visible { border-color: var(--muted); }
.legend { display: flex; flex-wrap: wrap; gap: 2px 4px; margin: 10px 0 2px calc(var(--left, 78px) - 8px); }
.legend button { border-color: transparent; padding: 1px 8px; text-align: left; overflow-wrap: anywhere; }
.legend button[aria-pressed="false"] { opacity: 0.4; text-decoration: line-through; }
.legend output { margin-left: 8px; color: var(--muted); font-variant-numeric: tabular-nums; }
.swatch { width: 22px; height: 6px; margin-right: 7px; vertical-align: middle; }
section canvas:not(.swatch) { display: block; width: 100%; cursor: crosshair; touch-action: pan-y; }
#time { display: none; text-align: center; margin-left: 64px; }
.alive #time { display: block; }
footer { margin-top: 14px; color: var(--muted); font-size: 12.5px; overflow-wrap: anywhere; }
footer p { margin: 2px 0; }
@media print { nav { display: none !important; } }
`;
}

function variables(selector: string, name: ThemeName): string {
  const { background, text, muted, grid } = THEMES[name];
  const scheme = `color-scheme: ${name};`;
  return `${selector} { ${scheme} --background: ${background}; --text: ${text}; --muted: ${muted}; --grid: ${grid}; }`;
}
