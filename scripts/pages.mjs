/**
 * `node scripts/pages.mjs`: bundles the scripts and style sheets of the HTML pages
 * (packages/cosimo/src/plot/page) into dist/plot/pages.js, a module of texts that plotHtml and
 * graphHtml put into their pages. Does nothing when they did not change.
 *
 * A page is a copy of the bundle, so the licences of the packages inside stand in its script.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundledPackages } from "./licences.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const PLOT = join(ROOT, "packages", "cosimo", "src", "plot");
const FOLDER = join(PLOT, "page");
const OUT = join(ROOT, "packages", "cosimo", "dist", "plot", "pages.js");
const PAGES = { PLOT_PAGE: "plot-page.ts", GRAPH_PAGE: "graph-page.ts" };

/**
 * Also what vitest calls before the tests (vitest.config.ts), so that they see the pages of the
 * sources.
 */
export { buildPages as setup };

export async function buildPages() {
  const stamp = `// ${inputsHash()}\n`;
  if (existsSync(OUT) && readFileSync(OUT, "utf8").startsWith(stamp)) return;
  const { build } = await import("vite");
  const exported = [];
  for (const [name, entry] of Object.entries(PAGES)) {
    const page = await bundle(build, join(FOLDER, entry));
    exported.push(`export const ${name} = ${JSON.stringify(page)};\n`);
  }
  mkdirSync(dirname(OUT), { recursive: true });
  writeFileSync(OUT, stamp + exported.join(""));
}

/** Sources of the pages, what they import of the zone, the versions of packages, this file. */
function inputsHash() {
  const hash = createHash("sha256");
  const sources = [FOLDER, PLOT].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => /\.(ts|css)$/.test(name) && !name.endsWith(".test.ts"))
      .sort()
      .map((name) => join(folder, name)),
  );
  for (const file of [...sources, join(ROOT, "package-lock.json"), fileURLToPath(import.meta.url)])
    hash.update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

async function bundle(build, entry) {
  const { output } = await build({
    configFile: false,
    root: FOLDER,
    logLevel: "warn",
    build: {
      write: false,
      target: "es2022",
      // Or the style sheet ends up inside the script.
      cssCodeSplit: false,
      rollupOptions: { input: entry, output: { format: "iife" } },
    },
  });
  const [chunk] = output.filter(({ type }) => type === "chunk");
  const [style] = output.filter(({ fileName }) => fileName.endsWith(".css"));
  const script = `${notices(chunk.moduleIds)}${chunk.code.trim()}`;
  // What a page cannot hold between its tags.
  if (/<\/(script|style)|<!--/i.test(script + style.source))
    throw new Error(`${entry}: the bundle contains markup that would end its element`);
  return {
    script,
    style: String(style.source)
      .replace(/\/\*\$vite\$.*?\*\//, "")
      .trim(),
  };
}

/** Licences of the packages whose code is inside, as comments. */
function notices(ids) {
  return bundledPackages(ids)
    .map(({ name, version, text }) => {
      if (text === undefined) throw new Error(`${name} comes without a licence text`);
      return `/*! ${name} ${version}\n${text}\n*/\n`;
    })
    .join("");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPages();
