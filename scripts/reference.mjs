/**
 * `npm run reference`: prints the reference pages that are made from code.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT, setup } from "./setup.mjs";

await setup({ fixtures: false });
const folder = join(ROOT, "docs", "reference");
mkdirSync(folder, { recursive: true });
const tables = join(ROOT, "packages", "cosimo", "dist", "cli", "reference", "diagnostic-tables.js");
const { diagnosticsPage } = await import(pathToFileURL(tables).href);
writeFileSync(join(folder, "diagnostics.md"), diagnosticsPage());
