/**
 * `node scripts/studio-page.mjs`: bundles the page of `cosimo studio` (apps/studio) into
 * packages/cosimo/dist/studio, from where the server hands it out. Does nothing when its sources
 * did not change. The licences of the packages inside stand beside it.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundledPackages } from "./licences.mjs";

const ROOT = join(fileURLToPath(import.meta.url), "..", "..");
const APP = join(ROOT, "apps", "studio");
const SOURCES = join(ROOT, "packages", "cosimo", "src");
const OUT = join(ROOT, "packages", "cosimo", "dist", "studio");
const STAMP = join(OUT, ".built");
/** Zones whose code runs in the page. */
const ZONES = ["base", "model", "record", "plot", "lang", "plan", "numerics", "serve"];

/** Also what vitest calls before the tests (vitest.config.ts). */
export { buildStudio as setup };

export async function buildStudio() {
  const stamp = inputsHash();
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === stamp) return;
  const { build } = await import("vite");
  const ids = new Set();
  await build({
    configFile: false,
    root: APP,
    base: "./",
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"production"' },
    resolve: { alias: { "@cosimo": SOURCES } },
    oxc: { jsx: { runtime: "automatic" } },
    plugins: [
      {
        name: "modules",
        generateBundle(_, bundle) {
          for (const chunk of Object.values(bundle))
            for (const id of chunk.moduleIds ?? []) ids.add(id);
        },
      },
    ],
    build: {
      outDir: OUT,
      emptyOutDir: true,
      target: "es2023",
      chunkSizeWarningLimit: 4000,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  });
  const elk = join(ROOT, "node_modules", "elkjs", "lib", "elk-worker.min.js");
  const texts = bundledPackages([...ids, elk]).map(
    ({ name, version, license, text = license }) => `${name} ${version}\n\n${text}\n`,
  );
  writeFileSync(join(OUT, "LICENSES.txt"), texts.join(`\n${"-".repeat(80)}\n\n`));
  writeFileSync(STAMP, stamp);
}

/** Sources of the page, of the zones that run in it, the versions of packages, this file. */
function inputsHash() {
  const hash = createHash("sha256");
  const folders = [APP, ...ZONES.map((zone) => join(SOURCES, zone))];
  const sources = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(tsx?|css|html|svg)$/.test(name) && !/\.test\.tsx?$/.test(name))
      .sort()
      .map((name) => join(folder, name)),
  );
  for (const file of [...sources, join(ROOT, "package-lock.json"), fileURLToPath(import.meta.url)])
    hash.update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildStudio();
