/**
 * `node scripts/sa-grammar.mjs`: turns lang/sa/sa.langium into what the parser loads (grammar.ts) and into the types of its
 * syntax tree (ast.ts). With `--check` it writes nothing and fails when the files do not belong to the grammar.
 *
 * Why at build time: reading a grammar needs Langium's own language services, which take a third of a second to start.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EmptyFileSystem, URI } from "langium";
import { collectAst, createLangiumGrammarServices, interpretAstReflection } from "langium/grammar";
import { ROOT, tool } from "./setup.mjs";

const FOLDER = join(ROOT, "packages", "cosimo", "src", "lang", "sa");
const check = process.argv.includes("--check");

const { grammar: services, shared } = createLangiumGrammarServices(EmptyFileSystem);
const document = shared.workspace.LangiumDocumentFactory.fromString(
  readFileSync(join(FOLDER, "sa.langium"), "utf8"),
  URI.parse("memory:/sa.langium"),
);
shared.workspace.LangiumDocuments.addDocument(document);
await shared.workspace.DocumentBuilder.build([document], { validation: true });
for (const { range, message, severity } of document.diagnostics ?? []) {
  if (severity > 2) continue;
  console.error(`sa.langium:${range.start.line + 1}:${range.start.character + 1} ${message}`);
  process.exitCode = 1;
}

const grammar = document.parseResult.value;
emit("grammar.ts", grammarModule());
emit("ast.ts", astModule());

function emit(name, text) {
  const file = join(FOLDER, name);
  const formatted = spawnSync(tool("biome"), ["format", `--stdin-file-path=${file}`], {
    input: text,
    encoding: "utf8",
    cwd: ROOT,
    shell: process.platform === "win32",
  });
  if (formatted.status !== 0) throw new Error(formatted.stderr);
  if (!check) return writeFileSync(file, formatted.stdout);
  if (readFileSync(file, "utf8") === formatted.stdout) return;
  console.error(`${name} is not what sa.langium says: run node scripts/sa-grammar.mjs`);
  process.exitCode = 1;
}

function grammarModule() {
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
 * The grammar of sa.langium as Langium loads it. Made by scripts/sa-grammar.mjs; do not edit.
 */
import type { AstMetaData } from "langium";

export const SA_GRAMMAR: string =
  '${quoted}';

export const SA_TYPES: AstMetaData = ${JSON.stringify(types)};
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
function astModule() {
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
 * The syntax tree of sa.langium. Made by scripts/sa-grammar.mjs; do not edit.
 */
import type { AstNode } from "langium";

${texts.join("\n\n")}
`;
}
