/**
 * Makes a checkout ready to use: packages when the lockfile changed, the build, the fixture FMUs.
 * Every step is skipped when its inputs did not change, so the second start is quick.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
function install() {
  const stamp = join(ROOT, "node_modules", ".cosimo-installed");
  const lock = createHash("sha256")
    .update(readFileSync(join(ROOT, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  console.error("installing packages …");
  run(npmProgram(), ["ci", "--no-audit", "--no-fund", "--loglevel=error"], npmOptions());
  writeFileSync(stamp, lock);
}

const npmProgram = () => (process.platform === "win32" ? "npm.cmd" : "npm");
const npmOptions = () => ({ stdio: ["ignore", 2, 2], shell: process.platform === "win32" });

export function tool(name) {
  return join(ROOT, "node_modules", ".bin", process.platform === "win32" ? `${name}.cmd` : name);
}

async function build() {
  const project = join("packages", "cosimo", "tsconfig.node.json");
  // A dist that lost files looks up to date to the incremental build.
  if (!existsSync(join(ROOT, "packages", "cosimo", "dist", "cli", "main.js"))) {
    rmSync(join(ROOT, "packages", "cosimo", "dist"), { recursive: true, force: true });
  }
  run(tool("tsc"), ["-b", project], { shell: process.platform === "win32" });
  // Loads a bundler, which is there only now.
  const { buildPages } = await import("./pages.mjs");
  await buildPages();
}

/** What examples and benchmarks use of the library's tests, which running the command does not need. */
export function buildExamples() {
  const project = join("packages", "cosimo", "tsconfig.testing.json");
  run(tool("tsc"), ["-b", project], { shell: process.platform === "win32" });
}

/**
 * @returns why there are no fixtures, in one line, or undefined when they are there.
 */
export async function setup({ fixtures = true } = {}) {
  requireNode();
  install();
  await build();
  if (!fixtures) return undefined;
  const { buildFixtures } = await import("./fixtures.mjs");
  try {
    await buildFixtures({ quiet: true });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const missing = await setup();
  if (missing) console.error(missing);
}
