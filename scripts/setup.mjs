/**
 * Makes a checkout ready to use: packages when the lockfile changed, the build, the fixture FMUs.
 * Every step is skipped when its inputs did not change, so the second start is quick.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Runs a program in the checkout; ends this process with its exit code when it fails. */
export function run(program, args, options = {}) {
  const result = spawnSync(program, args, { cwd: ROOT, stdio: "inherit", ...options });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}

export function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(
    `Cosimo needs Node 20.19 or newer; this is ${process.versions.node}. Install a current Node.js.`,
  );
  process.exit(1);
}

/** npm ci, unless node_modules was installed from this very lockfile. */
async function install() {
  const stamp = join(ROOT, "node_modules", ".cosimo-installed");
  const lock = createHash("sha256")
    .update(readFileSync(join(ROOT, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  const step = beginStep("installing packages");
  await runBeside(npmProgram(), ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  writeFileSync(stamp, lock);
  step.end();
}

const npmProgram = () => (process.platform === "win32" ? "npm.cmd" : "npm");

/**
 * Runs a program while this process goes on; what it prints is shown when it fails, which ends this
 * process.
 */
async function runBeside(program, args) {
  const child = spawn(program, args, { cwd: ROOT, shell: process.platform === "win32" });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (piece) => {
      printed += piece;
    });
  const code = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (code === 0) return;
  process.stderr.write(`\n${printed}`);
  process.exit(code ?? 1);
}

/**
 * A line on standard error about what takes a while: on a terminal with the time that passes,
 * elsewhere when it is over.
 */
function beginStep(doing) {
  const { stderr } = process;
  const begun = performance.now();
  const seconds = () => ((performance.now() - begun) / 1000).toFixed(1);
  let detail = "";
  const show = () => {
    if (stderr.isTTY) stderr.write(`\r\x1b[2K${doing} … ${detail}${seconds()} s`);
  };
  const timer = setInterval(show, 200);
  show();
  return {
    update(text) {
      detail = `${text}, `;
      show();
    },
    end() {
      clearInterval(timer);
      if (stderr.isTTY) stderr.write("\r\x1b[2K");
      console.error(`${doing} … ${detail}${seconds()} s`);
    },
  };
}

export function tool(name) {
  return join(ROOT, "node_modules", ".bin", process.platform === "win32" ? `${name}.cmd` : name);
}

async function build() {
  const project = join("packages", "cosimo", "tsconfig.node.json");
  const main = join(ROOT, "packages", "cosimo", "dist", "cli", "main.js");
  // A dist that lost files looks up to date to the incremental build.
  const isNew = !existsSync(main);
  if (isNew) rmSync(join(ROOT, "packages", "cosimo", "dist"), { recursive: true, force: true });
  const step = isNew ? beginStep("building Cosimo") : undefined;
  await runBeside(tool("tsc"), ["-b", project]);
  // Loads a bundler, which is there only now.
  const { buildPages } = await import("./pages.mjs");
  const { buildStudio } = await import("./studio-page.mjs");
  await buildPages();
  await buildStudio();
  step?.end();
}

/**
 * What examples and benchmarks use of the library's tests, which running the command does not need.
 */
export function buildExamples() {
  const project = join("packages", "cosimo", "tsconfig.testing.json");
  run(tool("tsc"), ["-b", project], { shell: process.platform === "win32" });
}

/**
 * @param fixtures which FMUs: `true` for all, `false` for none, "guide" for those that README,
 * guide and examples name.
 * @returns why there are no fixtures, in one line, or undefined when they are there.
 */
export async function setup({ fixtures = true } = {}) {
  requireNode();
  await install();
  await build();
  if (!fixtures) return undefined;
  const { buildFixtures } = await import("./fixtures.mjs");
  let step;
  try {
    await buildFixtures({
      quiet: true,
      ...(fixtures === "guide" && { only: namedInGuide() }),
      onBuilt(built, all) {
        step ??= beginStep("building FMUs");
        step.update(`${built} of ${all}`);
      },
    });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    step?.end();
  }
}

/**
 * What people see before they write something of their own: the rest of the fixtures is for tests.
 */
function namedInGuide() {
  const pages = ["docs/guide", "examples"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true }).map((file) => join(folder, file)),
  );
  const named = new Set();
  for (const page of ["README.md", ...pages].filter((file) =>
    /\.(md|yaml|sa|mjs|mcl|mci|ssd)$/.test(file),
  ))
    for (const [, fmu] of readFileSync(join(ROOT, page), "utf8").matchAll(
      /fixtures\/build\/([\w/-]+\.fmu)/g,
    ))
      named.add(fmu);
  return (fmu) => named.has(fmu);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const missing = await setup();
  if (missing) console.error(missing);
}
