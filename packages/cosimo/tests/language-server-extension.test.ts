/**
 * The extension for VS Code as it is packaged: unpacked into an empty folder, where nothing of this
 * checkout can help it.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { unzipSync } from "fflate";
import { AstUtils, CstUtils, GrammarAST } from "langium";
import { beforeAll, describe, expect, it } from "vitest";
import { COMMANDS, callOf } from "../../../apps/vscode/src/commands.mts";
import { MCI } from "../src/lang/mci/language.ts";
import { MCL } from "../src/lang/mcl/language.ts";
import { SA } from "../src/lang/sa/services.ts";
import { parseScenarioYaml } from "../src/lang/scenario/parse-scenario.ts";
import { SA_FUNCTIONS } from "../src/model/adaptation/functions.ts";
import { BIN, fixture } from "./cli/cosimo.ts";
import { Editor, Folder } from "./language-server-client.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const APP = join(ROOT, "apps", "vscode");
const folder = new Folder();
const inside = (name: string): string => folder.at(join("extension", name));

beforeAll(() => {
  const made = spawnSync(process.execPath, [join(APP, "scripts", "package.mjs")], {
    encoding: "utf8",
  });
  expect(made.status, made.stderr).toBe(0);
  const { name, version } = JSON.parse(readFileSync(join(APP, "package.json"), "utf8"));
  const archive = readFileSync(join(APP, "out", `${name}-${version}.vsix`));
  for (const [path, bytes] of Object.entries(unzipSync(archive))) {
    mkdirSync(dirname(folder.at(path)), { recursive: true });
    writeFileSync(folder.at(path), bytes);
  }
}, 120_000);

interface Pattern {
  readonly name?: string;
  readonly match?: string;
  readonly begin?: string;
  readonly end?: string;
  readonly captures?: Readonly<Record<string, { readonly name: string }>>;
}

/**
 * The scope of every sign of a text, by the rules of TextMate grammars: the earliest match, the
 * first pattern among equals.
 */
function scopesOf(text: string, patterns: readonly Pattern[]): string[] {
  const scopes = new Array<string>(text.length).fill("");
  const expressions = patterns.map(({ match, begin }) => new RegExp((match ?? begin)!, "dgm"));
  let at = 0;
  while (at < text.length) {
    let best: { readonly found: RegExpExecArray; readonly pattern: Pattern } | undefined;
    for (const [i, expression] of expressions.entries()) {
      expression.lastIndex = at;
      const found = expression.exec(text);
      if (found !== null && (best === undefined || found.index < best.found.index))
        best = { found, pattern: patterns[i]! };
    }
    if (best === undefined) break;
    const { found, pattern } = best;
    let end = found.index + found[0].length;
    if (pattern.end !== undefined) {
      const close = new RegExp(pattern.end, "g");
      close.lastIndex = end;
      const closed = close.exec(text);
      end = closed === null ? text.length : closed.index + closed[0].length;
    }
    scopes.fill(pattern.name ?? "", found.index, end);
    for (const [number, { name }] of Object.entries(pattern.captures ?? {})) {
      const [from, to] = found.indices![Number(number)]!;
      scopes.fill(name, from, to);
    }
    at = Math.max(end, at + 1);
  }
  return scopes;
}

/** A snippet as an editor inserts it. */
function filledIn(body: string): string {
  const choice = body.replace(/\$\{\d+\|([^,|]*)[^}]*\}/g, "$1");
  return choice.replace(/\$\{\d+(?::([^}]*))?\}|\$\d+/g, "$1");
}

const KEYWORD = /^(keyword|storage|constant)\./;

describe("the extension for VS Code", () => {
  const patterns = (language = "sa"): readonly Pattern[] =>
    JSON.parse(readFileSync(inside(`dist/${language}.tmLanguage.json`), "utf8")).patterns;

  it("[LS30] highlights every word and every function of the language", () => {
    const words = SA.keywords;
    expect(words.length).toBeGreaterThan(30);
    for (const word of words)
      expect([word, scopesOf(`${word} `, patterns())[0]]).toEqual([
        word,
        expect.stringMatching(KEYWORD),
      ]);
    for (const name of SA_FUNCTIONS.keys())
      expect([name, scopesOf(`${name}(x)`, patterns())[0]]).toEqual([name, "support.function.sa"]);
  });

  it.each([MCI, MCL])("[LS30] highlights every word of .$id", ({ id, keywords }) => {
    expect(keywords.length).toBeGreaterThan(20);
    for (const word of keywords)
      expect([word, scopesOf(`${word} `, patterns(id))[0]]).toEqual([
        word,
        expect.stringMatching(KEYWORD),
      ]);
  });

  it("[LS30] highlights the examples as the parser reads them", () => {
    const examples = join(ROOT, "examples");
    const files = readdirSync(examples, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".sa"),
    );
    let seen = 0;
    for (const name of files) {
      const text = readFileSync(join(examples, name), "utf8");
      const scopes = scopesOf(text, patterns());
      const { value } = SA.parseTree(text);
      for (const leaf of CstUtils.flattenCst(value.$cstNode!)) {
        const { grammarSource: source, offset } = leaf;
        const rule = AstUtils.getContainerOfType(source, GrammarAST.isParserRule)?.name;
        const isWord = GrammarAST.isKeyword(source) && /^[a-z]+$/.test(source.value);
        if (leaf.hidden && /^\/[/*]/.test(leaf.text))
          expect([name, leaf.text, scopes[offset]]).toEqual([
            name,
            leaf.text,
            expect.stringMatching(/^comment/),
          ]);
        if (!isWord || rule === "Name" || rule === "UnitPart") continue;
        expect([name, leaf.text, scopes[offset]]).toEqual([
          name,
          leaf.text,
          expect.stringMatching(KEYWORD),
        ]);
        seen++;
      }
    }
    expect(seen).toBeGreaterThan(100);
  });

  it("[LS31] names only files that are there", () => {
    const { main, contributes, icon } = JSON.parse(readFileSync(inside("package.json"), "utf8"));
    const { languages, grammars, snippets } = contributes;
    const paths = [
      main,
      ...languages.map(({ configuration }: { configuration: string }) => configuration),
      ...[...grammars, ...snippets].map(({ path }: { path: string }) => path),
      icon,
    ];
    expect(grammars.map(({ language }: { language: string }) => language)).toEqual(
      languages.map(({ id }: { id: string }) => id),
    );
    for (const path of paths)
      expect(readFileSync(inside(path), "utf8").length).toBeGreaterThan(100);
    const types = readFileSync(folder.at("[Content_Types].xml"), "utf8");
    const manifest = readFileSync(folder.at("extension.vsixmanifest"), "utf8");
    for (const [, path] of manifest.matchAll(/ Path="([^"]+)"/g))
      expect(readFileSync(folder.at(path!)).length).toBeGreaterThan(0);
    for (const name of readdirSync(folder.at("extension"), { recursive: true, encoding: "utf8" }))
      if (/\.\w+$/.test(name)) expect(types).toContain(`Extension=".${name.split(".").at(-1)}"`);
  });

  it("[LS31] has an icon of 128 by 128 pixels", () => {
    const png = readFileSync(inside("dist/icon.png"));
    expect(png.subarray(1, 4).toString("latin1")).toBe("PNG");
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([128, 128]);
  });

  it("[LS32] declares every command that it registers, and no other", () => {
    const { contributes } = JSON.parse(readFileSync(inside("package.json"), "utf8"));
    const declared = contributes.commands.map(
      ({ command, title }: { command: string; title: string }) => [command, title],
    );
    expect(declared).toEqual(COMMANDS.map(({ id, title }) => [id, title]));
    const menus = Object.values<{ command: string }[]>(contributes.menus).flat();
    for (const { command } of menus) expect(COMMANDS.map(({ id }) => id)).toContain(command);
  });

  it.each(COMMANDS)(
    "[LS32] $id calls what the command line takes",
    ({ id }) => {
      const row = COMMANDS.find((one) => one.id === id)!;
      copyFileSync(fixture("fmi2/BouncingBall"), folder.at("ball.fmu"));
      copyFileSync(fixture("fmi2/PowerWindowWindow"), folder.at("Window.fmu"));
      folder.write(
        "ball.yaml",
        "units: { ball: ball.fmu }\nexperiment: { stop: 0.1 s, step: 0.01 s }\n",
      );
      folder.write(
        "window.sa",
        `semantic adaptation reactive mealy W w\nfor inner fmu Window window at "Window.fmu"\noutput ports x (m) <- window.height\n`,
      );
      const file = folder.at(row.endings.includes(".yaml") ? "ball.yaml" : "window.sa");
      const call = callOf(row, file, true)!;
      const done = spawnSync(process.execPath, [BIN, ...call.args], { encoding: "utf8" });
      expect([done.status, done.stderr]).toEqual([0, ""]);
      expect(callOf(row, folder.at("x.txt"), true)).toBeUndefined();
      expect(callOf(row, file, false)!.args).not.toContain("--trust");
      if (call.made !== undefined) expect(readFileSync(call.made).length).toBeGreaterThan(1000);
      if (row.shows !== undefined) expect(done.stdout).toContain("semantic adaptation");
    },
    60_000,
  );

  it("[LS32] matches what commands print as problems", () => {
    const { contributes } = JSON.parse(readFileSync(inside("package.json"), "utf8"));
    const [{ pattern }] = contributes.problemMatchers;
    folder.write("wrong.yaml", "units: { ball: ball.fmu }\nrecrd: [ball.h]\n");
    const file = folder.at("wrong.yaml");
    const done = spawnSync(process.execPath, [BIN, "check", file], { encoding: "utf8" });
    const output = `${done.stdout}\n${done.stderr}`;
    const found = output.split("\n").flatMap((line) => {
      const match = new RegExp(pattern.regexp).exec(line);
      return match === null ? [] : [match];
    });
    const parts = ["file", "line", "column", "severity", "code"].map(
      (part) => found[0]?.[pattern[part]],
    );
    expect(parts).toEqual([file, "2", "1", "error", "scenario-unknown-key"]);
    const whole = new RegExp(pattern.regexp).exec("a b/x.fmu warning fmi-odd: odd");
    expect(whole?.slice(1, 6)).toEqual(["a b/x.fmu", undefined, undefined, "warning", "fmi-odd"]);
  });

  it("[LS33] has snippets that the languages read", () => {
    const bodies = (name: string): string[] => {
      const file = JSON.parse(readFileSync(inside(`snippets/${name}.json`), "utf8"));
      return Object.values<{ body: string[] }>(file).map(({ body }) => filledIn(body.join("\n")));
    };
    const [scenario = "", ...parts] = bodies("scenario");
    expect(parseScenarioYaml(scenario, "x.yaml").diagnostics).toEqual([]);
    for (const part of parts) {
      const isTop = /^(master|events|faults):/.test(part);
      const indented = part.replace(/^/gm, "  ");
      const text = isTop
        ? `${scenario}${part}\n`
        : part.startsWith("-")
          ? `units: { a: a.fmu }\nconnections:\n${indented}\n`
          : `units:\n${indented}\n`;
      expect([part, parseScenarioYaml(text, "x.yaml").diagnostics]).toEqual([part, []]);
    }
    const [adaptation = "", ...rules] = bodies("sa");
    for (const rule of ["", ...rules])
      expect([rule, SA.parseTree(`${adaptation}\n${rule}`).parserErrors]).toEqual([rule, []]);
  });

  it("[LS31] is loaded by VS Code: it exports activate and deactivate, and wants nothing but vscode", () => {
    const program = `
      const { Module } = require("node:module");
      const load = Module._load;
      Module._load = (name, ...rest) => name === "vscode" ? new Proxy(class {}, { get: () => class {} }) : load(name, ...rest);
      const { activate, deactivate } = require(${JSON.stringify(inside("dist/extension.js"))});
      console.log(typeof activate, typeof deactivate);`;
    const done = spawnSync(process.execPath, ["-e", program], {
      cwd: folder.path,
      encoding: "utf8",
    });
    expect(done.stdout, done.stderr).toBe("function function\n");
  });

  it("[LS31] brings a server that works on its own", async () => {
    copyFileSync(fixture("fmi2/PowerWindowWindow"), folder.at("Window.fmu"));
    const editor = new Editor([inside("dist/server/modules/server.js"), "--stdio"], folder.path);
    const { serverInfo } = await editor.initialize();
    expect(serverInfo?.version).toMatch(/^\d+\.\d+\.\d+$/);
    const text = `semantic adaptation reactive mealy W w\nfor inner fmu Window window at "Window.fmu"\noutput ports x (kg) <- window.height`;
    const found = await editor.open(folder.at("w.sa"), text);
    expect(found.map(({ code }) => code)).toEqual(["sa-unit"]);
    expect(await editor.change(folder.at("w.sa"), text.replace("kg", "m"))).toEqual([]);
    folder.write("unit.mjs", `export default (name) => { throw new Error("made " + name); };`);
    const module = text.replace("Window.fmu", "unit.mjs");
    const [ran] = await editor.change(folder.at("w.sa"), module);
    expect(ran!.message).toContain("made window");
    folder.write(
      "inner.yaml",
      `units:\n  w: { fmu: Window.fmu, adapt: "quantize { signal: height, quantum: 0.5 }" }\nexperiment: { stop: 1 s, step: 0.1 s }\n`,
    );
    const scenario = `semantic adaptation reactive mealy W w\nfor inner fmu I i at "inner.yaml"`;
    expect(await editor.change(folder.at("w.sa"), scenario)).toEqual([]);
    expect(await editor.shutdown()).toBe(0);
  });
});
