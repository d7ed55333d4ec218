/**
 * `npm run api`: holds the public surface to the reports in packages/cosimo/api, one per entry
 * point, so that a change of it shows in review, and the reference pages in docs/reference/api to
 * the comments. `-- --write` accepts what is there now. Every type that an exported function
 * mentions must be exported, from that entry point or from another one.
 *
 * api-extractor brings a compiler of its own, because TypeScript 7 has no JavaScript API.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Extractor, ExtractorConfig } from "@microsoft/api-extractor";
import { apiPage } from "./api-pages.mjs";
import { ROOT } from "./setup.mjs";

const PACKAGE = join(ROOT, "packages", "cosimo");
const REPORTS = join(PACKAGE, "api");
const PAGES = join(ROOT, "docs", "reference", "api");
const isWriting = process.argv.includes("--write");

const { exports } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
for (const folder of [REPORTS, PAGES]) mkdirSync(folder, { recursive: true });
const exported = new Set(
  Object.values(exports).flatMap((entry) =>
    [...readFileSync(join(PACKAGE, entry["@cosimo/source"]), "utf8").matchAll(/\{([^}]*)\} from/g)]
      .flatMap(([, names]) => names.split(","))
      .map((name) => name.trim()),
  ),
);
/** Of a message about a type that is not exported here: whether another entry point exports it. */
const isElsewhere = ({ messageId, text }) =>
  messageId === "ae-forgotten-export" &&
  exported.has(/symbol "(\w+?)(?:_\d+)?" needs/.exec(text)?.[1]);

let problems = 0;
for (const [path, entry] of Object.entries(exports)) {
  const name = /([a-z]+)\.d\.ts$/.exec(entry.types)[1];
  const config = ExtractorConfig.prepare({
    packageJsonFullPath: join(PACKAGE, "package.json"),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: PACKAGE,
      mainEntryPointFilePath: join(PACKAGE, entry.types),
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: "es2022",
            module: "nodenext",
            moduleResolution: "nodenext",
            lib: ["es2023"],
            strict: true,
            skipLibCheck: true,
            types: ["node"],
          },
          files: [join(PACKAGE, entry.types)],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: REPORTS,
        reportTempFolder: join(PACKAGE, "dist", "api"),
      },
      docModel: {
        enabled: true,
        apiJsonFilePath: join(PACKAGE, "dist", "api", `${name}.api.json`),
      },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: "lf",
      messages: {
        compilerMessageReporting: { default: { logLevel: "error" } },
        extractorMessageReporting: {
          default: { logLevel: "none" },
          "ae-forgotten-export": { logLevel: "error" },
        },
        tsdocMessageReporting: { default: { logLevel: "none" } },
      },
    },
  });
  const result = Extractor.invoke(config, {
    localBuild: isWriting,
    messageCallback(message) {
      message.handled = true;
      if (message.logLevel === "error" && !isElsewhere(message)) {
        problems++;
        const where = message.sourceFilePath ? `${message.sourceFilePath}: ` : "";
        console.error(`${name}: ${where}${message.text}`);
      }
    },
  });
  if (result.apiReportChanged && !isWriting) {
    problems++;
    console.error(`${name}: the public surface is not that of packages/cosimo/api/${name}.api.md`);
    console.error("  fix: look at it; if it is meant, 'npm run api -- --write'");
  }
  checkPage(name, path, entry);
}
console.log(
  problems === 0 ? "public surface: as reported" : `public surface: ${problems} problems`,
);
process.exitCode = problems === 0 ? 0 : 1;

/** The reference page of an entry point is what its types and comments say. */
function checkPage(name, path, entry) {
  const model = JSON.parse(readFileSync(join(PACKAGE, "dist", "api", `${name}.api.json`), "utf8"));
  const source = readFileSync(join(PACKAGE, entry["@cosimo/source"]), "utf8");
  const header =
    /^\/\*\*([\s\S]*?)\*\//
      .exec(source)?.[1]
      .replace(/^\s*\* ?/gm, "")
      .trim() ?? "";
  const page = apiPage(model, path.replace(/^\./, "cosimo"), header);
  const file = join(PAGES, `${name}.md`);
  if (isWriting) writeFileSync(file, page);
  else if (!existsSync(file) || readFileSync(file, "utf8") !== page) {
    problems++;
    console.error(`${name}: docs/reference/api/${name}.md is not what the types say`);
    console.error("  fix: npm run api -- --write");
  }
}
