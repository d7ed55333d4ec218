/**
 * `npm run studio`: sets everything up and opens the studio on the examples, whose modules are
 * programs of this repository. Arguments go to `cosimo studio` (`npm run studio -- --port 8123
 * --no-open`).
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { ROOT, setup } from "./setup.mjs";

const noFixtures = await setup({ fixtures: "guide" });
if (noFixtures) console.error(`scenarios with FMUs will not run: ${noFixtures}`);
const command = join(ROOT, "packages", "cosimo", "bin", "cosimo.js");
const given = process.argv.slice(2);
const isNamed = given.length > 0 && !given[0].startsWith("-");
const folder = isNamed ? [] : [join(ROOT, "examples")];
const child = spawn(process.execPath, [command, "studio", ...folder, "--trust", ...given], {
  stdio: "inherit",
});
// Ctrl-C reaches both; the studio ends its runs first.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code) => process.exit(code ?? 1));
