/**
 * `node scripts/grammars.mjs`: turns the grammar of every language (lang/<id>/<id>.langium) into
 * what the parser loads (grammar.ts) and into the types of its syntax tree (ast.ts). With `--check`
 * it writes nothing and fails when the files do not belong to the grammars.
 *
 * Why at build time: reading a grammar needs Langium's own language services, which take a third of
 * a second to start.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EmptyFileSystem, URI } from "langium";
import { collectAst, createLangiumGrammarServices, interpretAstReflection } from "langium/grammar";
import { ROOT, tool } from "./setup.mjs";

const LANGUAGES = join(ROOT, "packages", "cosimo", "src", "lang");
const check = process.argv.includes("--check");
const { grammar: services, shared } = createLangiumGrammarServices(EmptyFileSystem);

for (const id of readdirSync(LANGUAGES).sort())
  if (existsSync(join(LANGUAGES, id, `${id}.langium`))) await translate(id);

async function translate(id) {
  const document = shared.workspace.LangiumDocumentFactory.fromString(
    readFileSync(join(LANGUAGES, id, `${id}.langium`), "utf8"),
    URI.parse(`memory:/${id}.langium`),
  );
  shared.workspace.LangiumDocuments.addDocument(document);
  await shared.workspace.DocumentBuilder.build([document], { validation: true });
  for (const { range, message, severity } of document.diagnostics ?? []) {
    if (severity > 2) continue;
    console.error(`${id}.langium:${range.start.line + 1}:${range.start.character + 1} ${message}`);
    process.exitCode = 1;
  }
  const grammar = document.parseResult.value;
  emit(id, "grammar.ts", grammarModule(id, grammar));
  emit(id, "ast.ts", astModule(id, grammar));
  // Grammars are alone: a name of one means nothing in another.
  shared.workspace.LangiumDocuments.deleteDocument(document.uri);
}

function emit(id, name, text) {
  const file = join(LANGUAGES, id, name);
  const formatted = spawnSync(tool("biome"), ["format", `--stdin-file-path=${file}`], {
    input: text,
    encoding: "utf8",
    cwd: ROOT,
    shell: process.platform === "win32",
  });
  if (formatted.status !== 0) throw new Error(formatted.stderr);
  if (!check) return writeFileSync(file, formatted.stdout);
  if (existsSync(file) && readFileSync(file, "utf8") === formatted.stdout) return;
  console.error(`${id}/${name} is not what ${id}.langium says: run node scripts/grammars.mjs`);
  process.exitCode = 1;
}

function grammarModule(id, grammar) {
  const json = services.serializer.JsonSerializer.serialize(grammar);
  const quoted = json.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
  const types = Object.fromEntries(
    Object.entries(interpretAstReflection(grammar).types)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { properties, superTypes }]) => [
        name,
        { name, properties: propertiesOf(properties), superTypes },
      ]),
  );
  return `/**
 * The grammar of ${id}.langium as Langium loads it. Made by scripts/grammars.mjs; do not edit.
 */
import type { AstMetaData } from "langium";

export const ${id.toUpperCase()}_GRAMMAR: string =
  '${quoted}';

export const ${id.toUpperCase()}_TYPES: AstMetaData = ${JSON.stringify(types)};
`;
}

function propertiesOf(properties) {
  return Object.fromEntries(
    Object.values(properties)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, defaultValue }) => [
        name,
        defaultValue === undefined ? { name } : { name, defaultValue },
      ]),
  );
}

/** Interfaces and unions as Langium infers them, without containers, constants and guards. */
function astModule(id, grammar) {
  const { interfaces, unions } = collectAst(grammar);
  const texts = [
    ...interfaces.map((type) =>
      /^export interface[\s\S]*?^}/m
        .exec(type.toAstTypesString({}))[0]
        .replace(/^ *readonly \$container.*\n/m, "")
        .replaceAll("langium.AstNode", "AstNode"),
    ),
    ...unions.map((type) => /^export type[^;]*;/m.exec(type.toAstTypesString({}))[0]),
  ];
  return `/**
 * The syntax tree of ${id}.langium. Made by scripts/grammars.mjs; do not edit.
 */
import type { AstNode } from "langium";

${texts.join("\n\n")}
`;
}
