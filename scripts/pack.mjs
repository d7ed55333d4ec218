/**
 * `npm run pack`: the package that users install, as out/cosimo-<version>.tgz.
 *
 * Why not `npm pack` alone: a run needs few of the megabytes that our dependencies bring (fonts for
 * every script, a layout library in four builds, parsers with their sources). So what is JavaScript
 * is bundled into the package, tree-shaken, in chunks that are loaded when they are needed; what
 * pictures need besides (two fonts of many, a renderer) comes along compressed; types are those
 * that the entry points reach. Native code stays a dependency. Decision 22.
 */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { bundledPackages } from "./licences.mjs";
import { buildExamples, ROOT, run, setup } from "./setup.mjs";

const PACKAGE = join(ROOT, "packages", "cosimo");
const DIST = join(PACKAGE, "dist");
const MODULES = join(ROOT, "node_modules");
const manifest = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
/** Native code; and vitest, which those who test their units bring. */
const EXTERNAL = ["koffi", "vitest"];
/** Files of packages, which are not modules. */
const ASSETS = [
  "dejavu-fonts-ttf/ttf/DejaVuSans.ttf",
  "dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf",
  "@resvg/resvg-wasm/index_bg.wasm",
];
/**
 * What is found relative to its own file is two folders deep, as in the build: resources lie in the
 * package's root.
 */
const FOLDER = "modules";

/** @returns the path of the archive. */
export async function pack(destination) {
  const stage = mkdtempSync(join(tmpdir(), "cosimo-pack-"));
  try {
    await stagePackage(stage);
    mkdirSync(destination, { recursive: true });
    run(npm(), ["pack", stage, "--pack-destination", resolve(destination), "--loglevel=error"], {
      stdio: ["ignore", "ignore", "inherit"],
      shell: process.platform === "win32",
    });
    return join(destination, `cosimo-${manifest.version}.tgz`);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** All files of the package, in an empty folder. */
export async function stagePackage(stage) {
  const bundled = await bundle(join(stage, "dist"));
  copyTypes(join(stage, "dist"));
  for (const name of ["adaptations", "c-runtime", "README.md", "LICENSE"])
    cpSync(join(PACKAGE, name), join(stage, name), { recursive: true });
  packStudio(join(stage, "dist", "studio"));
  for (const folder of ["assets", "bin"]) mkdirSync(join(stage, folder));
  for (const asset of ASSETS) {
    const content = brotliCompressSync(readFileSync(join(MODULES, asset)));
    write(stage, `assets/${basename(asset)}.br`, content);
  }
  const command = readFileSync(join(PACKAGE, "bin", "cosimo.js"), "utf8");
  write(
    stage,
    "bin/cosimo.js",
    command.replace("../dist/cli/main.js", `../dist/${FOLDER}/main.js`),
  );
  write(
    stage,
    "THIRD-PARTY-LICENSES",
    licences([...bundled, ...ASSETS.map((asset) => join(MODULES, asset))]),
  );
  write(stage, "package.json", `${JSON.stringify(publishedManifest(), undefined, 2)}\n`);
}

/**
 * The page of the studio, every file compressed: so it takes a third of the disk, and is sent as it
 * is.
 */
function packStudio(target) {
  const source = join(DIST, "studio");
  for (const file of readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!file.isFile() || file.name === ".built") continue;
    const path = join(file.parentPath, file.name);
    const place = join(target, `${relative(source, path)}.br`);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, brotliCompressSync(readFileSync(path)));
  }
}

const npm = () => (process.platform === "win32" ? "npm.cmd" : "npm");
const write = (stage, name, content) => writeFileSync(join(stage, name), content);

/** Entry points by name: `cosimo/unit` is `unit`. */
function entryPoints() {
  return Object.entries(manifest.exports).map(([name, { default: file }]) => ({
    name,
    chunk: name === "." ? "cosimo" : name.slice(2),
    file: join(PACKAGE, file),
  }));
}

/**
 * What is loaded on the way to a result: with every command, by the supervisor of a run, by its
 * worker. Modules that the same of these need lie in one chunk, because opening two hundred files
 * takes longer than running what is in them.
 */
const LOADED_TOGETHER = {
  main: ["cli/main.js"],
  info: ["cli/commands/info.js"],
  run: ["cli/commands/run.js"],
  worker: [
    "cli/worker/run-model.js",
    "platform/native/die-with-parent.js",
    "platform/native/following-unit.js",
  ],
};
/** They wait while they are loaded, so nothing that they wait for may lie in a chunk with them. */
const WAITING = ["cli/main.js", "cli/worker/worker.js"].map((file) => join(DIST, file));

/**
 * Rolldown's names of chunks for the modules of LOADED_TOGETHER, and for all others none: these
 * stay as they are needed.
 */
function chunkNames() {
  const users = new Map();
  const follow = (id, user, getModuleInfo) => {
    const known = users.get(id) ?? [];
    if (known.includes(user) || EXTERNAL.includes(id) || id.startsWith("node:")) return;
    users.set(id, [...known, user]);
    for (const next of getModuleInfo(id)?.importedIds ?? []) follow(next, user, getModuleInfo);
  };
  const plugin = {
    name: "what is loaded together",
    buildEnd() {
      for (const [user, files] of Object.entries(LOADED_TOGETHER))
        for (const file of files) follow(join(DIST, file), user, (id) => this.getModuleInfo(id));
    },
  };
  const name = (id) => {
    const found = WAITING.includes(id) ? undefined : users.get(id);
    return found?.includes("main") ? "main-parts" : (found?.join("-") ?? null);
  };
  return { plugin, name };
}

/** @returns the paths of all modules inside. */
async function bundle(target) {
  const { rolldown } = await import("rolldown");
  const chunks = chunkNames();
  const built = await rolldown({
    plugins: [chunks.plugin],
    input: {
      ...Object.fromEntries(entryPoints().map(({ chunk, file }) => [`${FOLDER}/${chunk}`, file])),
      [`${FOLDER}/main`]: join(DIST, "cli", "main.js"),
      [`${FOLDER}/describe-worker`]: join(DIST, "host", "language-server", "describe-worker.js"),
      [`${FOLDER}/part-worker`]: join(DIST, "host", "parallel", "part-worker.js"),
      [`${FOLDER}/unit-worker`]: join(DIST, "host", "isolation", "unit-worker.js"),
      [`${FOLDER}/session-worker`]: join(DIST, "host", "network", "session-worker.js"),
      [`${FOLDER}/courier-thread`]: join(DIST, "platform", "nats", "courier-thread.js"),
      // Found beside the chunks, as it is beside the supervisor in the build.
      "worker/worker": join(DIST, "cli", "worker", "worker.js"),
      "worker/studio-run": join(DIST, "cli", "worker", "studio-run.js"),
    },
    external: (id) => EXTERNAL.includes(id) || id.startsWith("node:"),
    platform: "node",
    preserveEntrySignatures: "allow-extension",
    resolve: { conditionNames: ["node", "import", "default"] },
    logLevel: "warn",
    // A module that one part of the package loads when it needs it may be loaded with another from
    // the beginning.
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await built.write({
    dir: target,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: `${FOLDER}/[name]-[hash].js`,
    // Names of functions and classes stay, for the traces that people send; comments, blanks and
    // names of variables go.
    minify: {
      compress: false,
      mangle: { toplevel: false, keepNames: true },
      codegen: { removeWhitespace: true },
    },
    comments: false,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: chunks.name, debugName: "loaded together" }],
    },
  });
  await built.close();
  return output.flatMap((chunk) => chunk.moduleIds ?? []);
}

/** Declarations that the entry points reach, and no others. */
function copyTypes(target) {
  const waiting = Object.values(manifest.exports).map(({ types }) => join(PACKAGE, types));
  const seen = new Set(waiting);
  for (const file of waiting) {
    const text = readFileSync(file, "utf8");
    const to = join(target, relative(DIST, file));
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, text.replace(/^\/\/# sourceMappingURL=.*$/m, ""));
    for (const [, path] of text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
      const next = resolve(dirname(file), path.replace(/\.[jt]s$/, ".d.ts"));
      if (seen.has(next)) continue;
      seen.add(next);
      waiting.push(next);
    }
  }
}

function publishedManifest() {
  const {
    private: _,
    exports: __,
    imports: ___,
    devDependencies,
    dependencies,
    ...rest
  } = manifest;
  return {
    ...rest,
    exports: Object.fromEntries(
      entryPoints().map(({ name, chunk }) => [
        name,
        { types: manifest.exports[name].types, default: `./dist/${FOLDER}/${chunk}.js` },
      ]),
    ),
    imports: { "#fonts/*": "./assets/*.br", "#resvg/*": "./assets/*.br" },
    dependencies: Object.fromEntries(
      Object.entries(dependencies).filter(([name]) => EXTERNAL.includes(name)),
    ),
  };
}

/** One text for packages that share it. */
function licences(ids) {
  const byText = new Map();
  for (const { name, version, license, source, text = license } of bundledPackages(
    ids.map((id) => id.split("/").join(sep)),
  )) {
    const names = byText.get(text) ?? [];
    byText.set(text, [...names, `${name} ${version} (${license}), source: ${source}`]);
  }
  const texts = [...byText].map(([text, names]) => `${names.join("\n")}\n\n${text}\n`);
  return `Parts of these packages are inside this one.\n\n${texts.join(`\n${"-".repeat(80)}\n\n`)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await setup({ fixtures: false });
  buildExamples();
  console.log(relative(ROOT, await pack(join(ROOT, "out"))));
}
