/**
 * Interfaces (.mci) and specifications (.mcl) through the protocol, as an editor meets them: the
 * built command in a child process.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  CompletionItem,
  CompletionList,
  Diagnostic,
  Location,
  Position,
  TextEdit,
} from "vscode-languageserver-protocol/node.js";
import { unwrap } from "../src/base/diagnostic.ts";
import { formatMci } from "../src/lang/mci/format-mci.ts";
import { applyEdits, offsetOf } from "../src/lang/text/span.ts";
import { BIN, fixture } from "./cli/cosimo.ts";
import { cursor, Editor, Folder } from "./language-server-client.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const folder = new Folder();
let editor: Editor;

const codes = (diagnostics: readonly Diagnostic[]): unknown[] =>
  diagnostics.map(({ code }) => code);

async function completion(path: string, position: Position): Promise<CompletionItem[]> {
  return (await editor.ask<CompletionList>("completion", path, position)).items;
}

describe("interfaces and specifications", () => {
  const EXAMPLE = join(ROOT, "examples", "cpu-cooling");
  const text = (name: string): string =>
    readFileSync(join(EXAMPLE, name), "utf8").replaceAll("../../fixtures", join(ROOT, "fixtures"));

  beforeAll(async () => {
    copyFileSync(fixture("fmi2/PowerWindowWindow"), folder.at("Window.fmu"));
    for (const name of ["plant.mci", "fan.mci", "over-heat.mci"])
      writeFileSync(folder.at(name), text(name));
    copyFileSync(join(EXAMPLE, "over-heat.machine.yaml"), folder.at("over-heat.machine.yaml"));
    editor = new Editor([BIN, "language-server", "--stdio"], folder.path);
    await editor.initialize();
  }, 60_000);

  afterAll(async () => {
    expect(await editor.shutdown()).toBe(0);
  });

  it("[LS47] finds in a specification what 'cosimo check' finds", async () => {
    const path = folder.at("system.mcl");
    expect(await editor.open(path, text("system.mcl"))).toEqual([]);
    const wrong = text("system.mcl").replace("-> fan.cpuTemperature", "-> fan.fanSpeedCommand");
    writeFileSync(folder.at("wrong.mcl"), wrong);
    const found = await editor.open(folder.at("wrong.mcl"), wrong);
    const done = spawnSync(process.execPath, [BIN, "check", folder.at("wrong.mcl"), "--json"], {
      encoding: "utf8",
    });
    const { findings } = JSON.parse(done.stdout) as { findings: { code: string }[] };
    expect(codes(found)).toEqual(findings.map(({ code }) => code));
    expect(codes(found)).toEqual(["connection-to"]);
  });

  it("[LS44] completes ports of the interfaces that are loaded, in an unfinished text", async () => {
    const marked = `${text("system.mcl").split("Connector")[0]}Connector x do plant.‸`;
    const at = cursor(marked);
    const path = folder.at("unfinished.mcl");
    await editor.open(path, at.text);
    const items = await completion(path, at.position);
    expect(items.map(({ label }) => label)).toEqual(["cpuTemperature", "boxTemperature"]);
    expect(items[0]?.detail).toBe("output, float64, continuous");
  });

  it("[LS45] explains a port with what its FMU says of it", async () => {
    const at = cursor(text("system.mcl").replace("plant.cpuTemperature", "plant.cpu‸Temperature"));
    const path = folder.at("hover.mcl");
    await editor.open(path, at.text);
    const hover = await editor.ask<{ contents: { value: string } }>("hover", path, at.position);
    expect(hover.contents.value).toContain("temperature of the processor");
    expect(hover.contents.value).toContain("degC");
  });

  it("[LS46] goes to the port in the interface", async () => {
    const at = cursor(text("system.mcl").replace("plant.cpuTemperature", "plant.cpu‸Temperature"));
    const path = folder.at("definition.mcl");
    await editor.open(path, at.text);
    const found = await editor.ask<Location>("definition", path, at.position);
    expect(found.uri).toBe(pathToFileURL(folder.at("plant.mci")).href);
    expect(found.range.start.line).toBe(
      text("plant.mci")
        .split("\n")
        .findIndex((line) => line.includes("Port cpuTemperature")),
    );
  });

  it("[LS40] completes ports of the FMU of an interface, and checks it against the FMU", async () => {
    const at = cursor(`Interface A { FMUPath "Window.fmu"\nports { Port ‸`);
    const path = folder.at("window.mci");
    await editor.open(path, at.text);
    const items = await completion(path, at.position);
    expect(items.length).toBeGreaterThan(1);
    expect(items[0]?.textEdit?.newText).toContain("direction");
    const wrong = await editor.open(
      folder.at("window-2.mci"),
      'Interface A { FMUPath "Window.fmu"\nports { Port nothing {} } }',
    );
    expect(codes(wrong)).toEqual(["interface-unknown-port"]);
  });

  it("[LS22] formats interfaces and specifications", async () => {
    const untidy = "Interface A {ports{Port x{nature constant}}}";
    const path = folder.at("untidy.mci");
    await editor.open(path, untidy);
    const edits = await editor.connection.sendRequest<TextEdit[]>("textDocument/formatting", {
      textDocument: { uri: pathToFileURL(path).href },
      options: { tabSize: 2, insertSpaces: true },
    });
    const at = ({ line, character }: Position): number => offsetOf(untidy, line + 1, character + 1);
    const made = edits.map(({ range, newText }) => ({
      span: { offset: at(range.start), end: at(range.end) },
      text: newText,
    }));
    expect(applyEdits(untidy, made)).toBe(unwrap(formatMci(untidy, path)));
  });
});
