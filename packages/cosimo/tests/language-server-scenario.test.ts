/**
 * Scenarios through the protocol, as an editor meets them: the built command in a child process.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  CompletionList,
  Hover,
  Location,
  WorkspaceEdit,
} from "vscode-languageserver-protocol/node.js";
import { BIN, fixture } from "./cli/cosimo.ts";
import { cursor, Editor, Folder } from "./language-server-client.ts";

const EXAMPLES = join(import.meta.dirname, "..", "..", "..", "examples");
const folder = new Folder();
let editor: Editor;

beforeAll(async () => {
  for (const name of ["MassSpringDamperLeft", "MassSpringDamperRight"])
    copyFileSync(fixture(`fmi2/${name}`), folder.at(`${name}.fmu`));
  editor = new Editor([BIN, "language-server", "--stdio"], folder.path);
  await editor.initialize();
}, 60_000);

afterAll(async () => {
  expect(await editor.shutdown()).toBe(0);
});

const UNITS = `units:
  left: MassSpringDamperLeft.fmu
  right: MassSpringDamperRight.fmu
`;

/** Opens a text with a cursor under a name of its own. */
let count = 0;
async function opened(marked: string) {
  const { text, position } = cursor(marked);
  const path = folder.at(`system-${++count}.yaml`);
  const diagnostics = await editor.open(path, text);
  return { path, text, position, diagnostics };
}

describe("the language server, for scenarios", () => {
  it("[LS77] finds what 'cosimo check' finds", async () => {
    const text = `${UNITS}connections:\n  - left.x_1 -> right.x_cc\n  - lft.v_1 -> right.v_c\nexperiment: { stop: 1 s, step: 1 ms }\n`;
    const { path, diagnostics } = await opened(`${text}‸`);
    folder.write(path.slice(folder.path.length + 1), text);
    const done = spawnSync(process.execPath, [BIN, "check", path, "--json"], { encoding: "utf8" });
    const report = JSON.parse(done.stdout) as { findings: { code: string }[] };
    expect(diagnostics.map(({ code }) => code)).toEqual(report.findings.map(({ code }) => code));
    expect(diagnostics.length).toBeGreaterThanOrEqual(2);
    expect(diagnostics[0]?.range.start).toEqual({ line: 4, character: 4 });
  });

  it("[LS77] finds no errors in the scenarios of the examples", async () => {
    const names = readdirSync(EXAMPLES, { recursive: true, encoding: "utf8" });
    const scenarios = names.filter((name) => /(^|\/)(scenario|faulty)\.yaml$/.test(name));
    expect(scenarios.length).toBeGreaterThan(8);
    for (const name of scenarios) {
      const path = join(EXAMPLES, name);
      const found = await editor.open(path, readFileSync(path, "utf8"));
      const errors = found.filter(({ severity }) => severity === 1).map(({ message }) => message);
      expect([name, errors]).toEqual([name, []]);
      await editor.close(path);
    }
  }, 120_000);

  it("[LS71] offers ports of FMUs while the text cannot be read", async () => {
    const { path, position } = await opened(`${UNITS}connections:\n  - left.x_1 -> right.‸\n  - [`);
    const list = await editor.ask<CompletionList>("completion", path, position);
    expect(list.items.map(({ label }) => label)).toEqual(expect.arrayContaining(["x_c", "v_c"]));
  });

  it("[LS74] explains ports, [LS75] goes to units and [LS76] renames them", async () => {
    const marked = `${UNITS}connections:\n  - left.‸x_1 -> right.x_c\n`;
    const { path, position } = await opened(marked);
    const hover = await editor.ask<Hover>("hover", path, position);
    expect(JSON.stringify(hover.contents)).toContain("**left.x_1**: output");
    const target = await editor.ask<Location>("definition", path, position);
    expect(target).toMatchObject({
      uri: pathToFileURL(path).href,
      range: { start: { line: 1, character: 2 } },
    });
    const { changes } = await editor.connection.sendRequest<WorkspaceEdit>("textDocument/rename", {
      textDocument: { uri: pathToFileURL(path).href },
      position: { ...position, character: position.character - 2 },
      newName: "first",
    });
    expect(changes?.[pathToFileURL(path).href]).toHaveLength(2);
  });

  it("[LS73] offers files of the folder", async () => {
    const { path, position } = await opened("units:\n  left: ‸\n");
    const list = await editor.ask<CompletionList>("completion", path, position);
    expect(list.items.map(({ label }) => label)).toContain("MassSpringDamperLeft.fmu");
  });

  it("[LS78] says nothing about YAML that is not a scenario", async () => {
    const path = folder.at("workflow.yaml");
    const uri = pathToFileURL(path).href;
    const textDocument = { uri, languageId: "yaml", version: 1, text: "jobs:\n  build: [\n" };
    await editor.connection.sendNotification("textDocument/didOpen", { textDocument });
    const position = { line: 0, character: 0 };
    expect(await editor.ask("completion", path, position)).toBeNull();
    expect(await editor.ask("hover", path, position)).toBeNull();
    // A scenario that was opened later has its findings: those of the other file would have come
    // before.
    await opened(`${UNITS}‸`);
    expect(editor.published.get(uri)?.diagnostics ?? []).toEqual([]);
  });
});
