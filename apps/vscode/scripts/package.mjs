/**
 * Builds the extension into dist/ and packs it as out/cosimo-vscode-<version>.vsix. A .vsix is a
 * zip archive with the extension in a folder, a manifest and a list of content types; the build of
 * packages/cosimo must be there.
 *
 *     node scripts/package.mjs [--no-archive]
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { strToU8, zipSync } from "fflate";
import { build } from "vite";
import { bundledPackages } from "../../../scripts/licences.mjs";
import { textGrammar } from "./tm-grammar.mjs";

const HERE = join(dirname(fileURLToPath(import.meta.url)), "..");
const ROOT = join(HERE, "..", "..");
const BUILT = join(ROOT, "packages", "cosimo", "dist");
const DIST = join(HERE, "dist");
/**
 * Two folders deep, as in the package: so it finds the library of adaptations where it looks for
 * it.
 */
const SERVER = join(DIST, "server", "modules");
const manifest = JSON.parse(readFileSync(join(HERE, "package.json"), "utf8"));
/** The first VS Code with a Node.js that the server runs on. */
const ENGINES = { vscode: manifest.engines.vscode };

if (!existsSync(join(BUILT, "host", "language-server", "server.js"))) {
  process.stderr.write("packages/cosimo is not built\n  fix: npm run build\n");
  process.exit(1);
}
rmSync(DIST, { recursive: true, force: true });

/** Bundles for Node, with everything inside but what Node and VS Code bring. */
async function bundle(input, folder, format) {
  const output = await build({
    configFile: false,
    root: HERE,
    logLevel: "warn",
    define: { __COSIMO_VERSION__: JSON.stringify(manifest.version) },
    ssr: { noExternal: true, external: ["vscode"] },
    resolve: { conditions: ["node", "import", "default"] },
    build: {
      ssr: true,
      target: "node20",
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      rollupOptions: {
        input,
        external: ["vscode"],
        output: {
          format,
          entryFileNames: "[name].js",
          chunkFileNames: "[name]-[hash].js",
          exports: "named",
        },
      },
    },
  });
  return output.output.flatMap((chunk) => chunk.moduleIds ?? []);
}

const modules = [
  ...(await bundle({ extension: join(HERE, "src", "extension.ts") }, DIST, "cjs")),
  ...(await bundle(
    {
      server: join(HERE, "src", "server.ts"),
      "describe-worker": join(BUILT, "host", "language-server", "describe-worker.js"),
    },
    SERVER,
    "es",
  )),
];
// The server is made of modules, the extension is not: VS Code loads it with require.
writeFileSync(join(SERVER, "package.json"), `${JSON.stringify({ type: "module" })}\n`);

const { SA } = await load("lang/sa/services.js");
const { MCI } = await load("lang/mci/language.js");
const { MCL } = await load("lang/mcl/language.js");
const { HINT } = await load("lang/hint/language.js");
const { FUNCTION_NAMES } = await load("lang/requirement/build-formula.js");
const { SA_FUNCTIONS, SA_CLOCK } = await load("model/adaptation/functions.js");
const more = {
  sa: { functions: [...SA_FUNCTIONS.keys()], clocks: [...SA_CLOCK.keys()] },
  hint: { functions: FUNCTION_NAMES },
};
for (const { id, keywords } of [SA, MCI, MCL, HINT]) {
  const grammar = textGrammar({ id, keywords, ...more[id] });
  writeFileSync(join(DIST, `${id}.tmLanguage.json`), `${JSON.stringify(grammar, undefined, 2)}\n`);
}
cpSync(join(ROOT, "packages", "cosimo", "adaptations"), join(DIST, "adaptations"), {
  recursive: true,
});
// Shops take pixels; the drawing is the source.
const { svgToPng } = await load("platform/node/plot-png.js");
writeFileSync(
  join(DIST, "icon.png"),
  await svgToPng(readFileSync(join(HERE, "icon.svg"), "utf8"), 1),
);
writeFileSync(join(DIST, "THIRD-PARTY-NOTICES.txt"), notices(modules));

if (!process.argv.includes("--no-archive")) writeArchive();

function load(path) {
  return import(pathToFileURL(join(BUILT, ...path.split("/"))).href);
}

/** Licences of the packages whose code is inside. */
function notices(ids) {
  const texts = bundledPackages(ids).map(({ name, version, license, text }) =>
    [`${name} ${version} (${license})`, ...(text === undefined ? [] : [text])].join("\n\n"),
  );
  return `${texts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

function writeArchive() {
  const { devDependencies: _, scripts: __, private: ___, ...rest } = manifest;
  const shipped = { ...rest, engines: ENGINES };
  const files = {
    "[Content_Types].xml": strToU8(contentTypes()),
    "extension.vsixmanifest": strToU8(vsixManifest()),
    "extension/package.json": strToU8(`${JSON.stringify(shipped, undefined, 2)}\n`),
    "extension/LICENSE.txt": readFileSync(join(ROOT, "LICENSE")),
    "extension/README.md": strToU8(readme()),
    "extension/language-configuration.json": readFileSync(
      join(HERE, "language-configuration.json"),
    ),
  };
  const listed = [DIST, join(HERE, "snippets")].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true }),
  );
  for (const name of listed) {
    if (!name.isFile()) continue;
    const path = join(name.parentPath, name.name);
    files[`extension/${relative(HERE, path).split(sep).join("/")}`] = readFileSync(path);
  }
  const archive = join(HERE, "out", `${manifest.name}-${manifest.version}.vsix`);
  mkdirSync(dirname(archive), { recursive: true });
  // One date for all: the same sources make the same archive, in every time zone.
  writeFileSync(archive, zipSync(files, { level: 9, mtime: new Date(2000, 0, 1) }));
  const kilobytes = Math.round(readFileSync(archive).length / 1024);
  process.stdout.write(
    `${relative(ROOT, archive)}: ${Object.keys(files).length} files, ${kilobytes} kB\n`,
  );
}

/** Without the picture and the links into this checkout, which are not inside. */
function readme() {
  return readFileSync(join(HERE, "README.md"), "utf8")
    .replace(/^!\[.*\n\n/m, "")
    .replace(/\[([^\]]+)\]\(\.\.[^)]*\)/g, "$1");
}

function contentTypes() {
  const types = {
    json: "application/json",
    js: "application/javascript",
    md: "text/markdown",
    png: "image/png",
    sa: "text/plain",
    txt: "text/plain",
    vsixmanifest: "text/xml",
  };
  const lines = Object.entries(types).map(
    ([extension, type]) => `  <Default Extension=".${extension}" ContentType="${type}"/>`,
  );
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">',
    ...lines,
    "</Types>",
    "",
  ].join("\n");
}

function vsixManifest() {
  const { name, version, publisher, displayName, description, categories, keywords } = manifest;
  const escaped = (text) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${name}" Version="${version}" Publisher="${publisher}"/>
    <DisplayName>${escaped(displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(description)}</Description>
    <Tags>${escaped(keywords.join(","))}</Tags>
    <Categories>${escaped(categories.join(","))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <License>extension/LICENSE.txt</License>
    <Icon>extension/${manifest.icon}</Icon>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${escaped(ENGINES.vscode)}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/>
    </Properties>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Icons.Default" Path="extension/${manifest.icon}" Addressable="true"/>
  </Assets>
</PackageManifest>
`;
}
