/**
 * Plots as PNG. The SVG is rendered by resvg (WebAssembly) with a font from a package, so the
 * picture needs neither installed fonts nor a network and is the same on every machine.
 *
 * Loading takes some megabytes and tens of milliseconds: it happens with the first picture, not
 * with the program.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { brotliDecompressSync } from "node:zlib";
import type { PlotInput, PlotOptions } from "../../plot/figure.ts";
import { plotSvg } from "../../plot/svg.ts";

export interface PngOptions extends PlotOptions {
  /** Pixels of the picture per pixel of the layout; 2 suits print and sharp screens. */
  readonly zoom?: number;
}

type Render = (svg: string, zoom: number) => Uint8Array;

let renderer: Promise<Render> | undefined;

/** The bytes of a PNG that shows what `plotSvg` shows. */
export async function plotPng(input: PlotInput, options: PngOptions = {}): Promise<Uint8Array> {
  return svgToPng(plotSvg(input, options), options.zoom);
}

/** Any picture that was drawn with the fonts of plots. */
export async function svgToPng(svg: string, zoom = 2): Promise<Uint8Array> {
  renderer ??= loadRenderer();
  const render = await renderer;
  return render(svg, zoom);
}

async function loadRenderer(): Promise<Render> {
  const [{ initWasm, Resvg }, wasm, ...fontBuffers] = await Promise.all([
    import("@resvg/resvg-wasm"),
    asset("#resvg/index_bg.wasm"),
    asset("#fonts/DejaVuSans.ttf"),
    asset("#fonts/DejaVuSans-Bold.ttf"),
  ]);
  await initWasm(wasm);
  return (svg, zoom) => {
    const picture = new Resvg(svg, {
      fitTo: { mode: "zoom", value: zoom },
      font: { fontBuffers, defaultFontFamily: "DejaVu Sans", sansSerifFamily: "DejaVu Sans" },
    });
    try {
      const image = picture.render();
      try {
        return image.asPng();
      } finally {
        image.free();
      }
    } finally {
      picture.free();
    }
  };
}

const { resolve } = createRequire(import.meta.url);

/**
 * A file of another package, which the published one carries compressed. @param name in `imports`
 * of package.json.
 */
async function asset(name: string): Promise<Uint8Array> {
  const file = resolve(name);
  const bytes = await readFile(file);
  return file.endsWith(".br") ? brotliDecompressSync(bytes) : bytes;
}
