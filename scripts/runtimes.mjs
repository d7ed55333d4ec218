/**
 * `node scripts/runtimes.mjs`: installs other runtimes than the one at hand into
 * node_modules/.cache/runtimes, where the test of the package finds them. Where they cannot be
 * installed it says so, and the test does without.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT } from "./setup.mjs";

const FOLDER = join(ROOT, "node_modules", ".cache", "runtimes");
/** Packages that bring a runtime, and where it is. */
const RUNTIMES = {
  "bun@1.4.4": join("bun", "bin", "bun.exe"),
  "node@22.23.3": join("node", "bin", "node"),
};

/** Those that are installed: what to call them, and the program. */
export function installedRuntimes() {
  return Object.entries(RUNTIMES)
    .map(([name, program]) => [name, join(FOLDER, "node_modules", program)])
    .filter(([, program]) => existsSync(program));
}

function install() {
  if (installedRuntimes().length === Object.keys(RUNTIMES).length) return;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, "package.json"), '{ "private": true }\n');
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const done = spawnSync(npm, ["install", ...quiet, ...Object.keys(RUNTIMES)], {
    cwd: FOLDER,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (done.status !== 0)
    console.log(
      `skipped: other runtimes cannot be installed: ${done.stderr.trim().split("\n")[0]}`,
    );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  install();
  console.log(
    installedRuntimes()
      .map(([name]) => name)
      .join(", ") || "no other runtime",
  );
}
