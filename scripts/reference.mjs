/**
 * `npm run reference`: prints the reference pages that are made from code.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeSchemaText } from "./schema-text.mjs";
import { ROOT, setup } from "./setup.mjs";

writeSchemaText(ROOT);
await setup({ fixtures: false });
const folder = join(ROOT, "docs", "reference");
mkdirSync(folder, { recursive: true });
const load = (name) =>
  import(
    pathToFileURL(join(ROOT, "packages", "cosimo", "dist", "cli", "reference", `${name}.js`)).href
  );
const { diagnosticsPage } = await load("diagnostic-tables");
writeFileSync(join(folder, "diagnostics.md"), diagnosticsPage());
const { functionsPage } = await load("adaptation-functions");
writeFileSync(join(folder, "adaptation-functions.md"), functionsPage());
const { statisticsPage } = await load("statistics");
writeFileSync(join(folder, "statistics.md"), statisticsPage());
