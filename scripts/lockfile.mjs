/**
 * `npm run lockfile`: completes package-lock.json after a dependency changed.
 *
 * npm leaves a platform's optional package out of the lockfile when the registry at hand does not
 * hold it, and `npm ci` then refuses the lockfile everywhere. Every optional dependency gets its
 * entry, with the platform that its name tells.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./setup.mjs";

const SYSTEMS = ["android", "darwin", "freebsd", "linux", "openbsd", "openharmony", "win32"];
const PROCESSORS = {
  x64: "x64",
  arm64: "arm64",
  arm: "arm",
  ia32: "ia32",
  ppc64: "ppc64",
  s390x: "s390x",
  riscv64: "riscv64",
  loong64: "loong64",
  wasm32: "wasm32",
};

const file = join(ROOT, "package-lock.json");
const lock = JSON.parse(readFileSync(file, "utf8"));
let added = 0;
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`;
    if (lock.packages[path] !== undefined) continue;
    lock.packages[path] = {
      version,
      ...platformOf(name),
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
    };
    added++;
  }
}
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)),
);
writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
console.log(`package-lock.json: ${added} platform packages added`);

function platformOf(name) {
  const words = name.split(/[/-]/);
  const processor = words.find((word) => PROCESSORS[word]);
  const system = words.find((word) => SYSTEMS.includes(word));
  return {
    ...(processor ? { cpu: [PROCESSORS[processor]] } : {}),
    ...(system ? { os: [system] } : {}),
  };
}
