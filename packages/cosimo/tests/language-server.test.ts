/**
 * The language server through the protocol, as an editor meets it: the built command in a child
 * process.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  CodeAction,
  CompletionItem,
  CompletionList,
  Diagnostic,
  DocumentSymbol,
  Hover,
  Location,
  Position,
  SignatureHelp,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageserver-protocol/node.js";
import { applyEdits, offsetOf } from "../src/lang/text/span.ts";
import { BIN, fixture } from "./cli/cosimo.ts";
import { cursor, Editor, Folder } from "./language-server-client.ts";

const EXAMPLES = join(import.meta.dirname, "..", "..", "..", "examples");
const WINDOW = fixture("fmi2/PowerWindowWindow");
const folder = new Folder();
const HEAD = `semantic adaptation reactive mealy WindowSA window_sa\n\nfor inner fmu Window window\n  at "./Window.fmu"\n`;

/** `line:column severity code message`, as `cosimo adapt --json` has it. */
function fromAdapt(path: string): string[] {
  const done = spawnSync(process.execPath, [BIN, "adapt", path, "--json"], { encoding: "utf8" });
  const { findings } = JSON.parse(done.stdout) as {
    findings: {
      place: { file: string; line: number; column: number };
      severity: string;
      code: string;
      message: string;
      fix: string;
    }[];
  };
  return findings
    .filter(({ place }) => place.file === path)
    .map(({ place, severity, code, message, fix }) =>
      [`${place.line}:${place.column}`, severity, code, `${message}\nfix: ${fix}`].join(" "),
    );
}

const SEVERITIES = ["", "error", "warning", "note"];

const shown = (diagnostics: readonly Diagnostic[]): string[] =>
  diagnostics.map(({ range: { start }, severity, code, message }) =>
    [`${start.line + 1}:${start.character + 1}`, SEVERITIES[severity!], code, message].join(" "),
  );

const codes = (diagnostics: readonly Diagnostic[]): unknown[] =>
  diagnostics.map(({ code }) => code);

function edited(text: string, edits: readonly TextEdit[]): string {
  const at = ({ line, character }: TextEdit["range"]["start"]): number =>
    offsetOf(text, line + 1, character + 1);
  return applyEdits(
    text,
    edits.map(({ range, newText }) => ({
      span: { offset: at(range.start), end: at(range.end) },
      text: newText,
    })),
  );
}

let editor: Editor;

beforeAll(async () => {
  copyFileSync(WINDOW, folder.at("Window.fmu"));
  editor = new Editor([BIN, "language-server", "--stdio"], folder.path);
  await editor.initialize();
}, 60_000);

afterAll(async () => {
  expect(await editor.shutdown()).toBe(0);
});

/** Opens a text with a cursor under a name of its own. */
let count = 0;
async function opened(marked: string) {
  const { text, position } = cursor(marked);
  const path = folder.at(`text-${++count}.sa`);
  const diagnostics = await editor.open(path, text);
  return { path, text, position, diagnostics };
}

async function completion(path: string, position: Position): Promise<CompletionItem[]> {
  return (await editor.ask<CompletionList>("completion", path, position)).items;
}

describe("the language server", () => {
  it("[LS1] says what it can do, and ends as it is asked to", async () => {
    const one = new Editor([BIN, "language-server", "--stdio"], folder.path);
    const { capabilities, serverInfo } = await one.initialize();
    expect(serverInfo?.name).toBe("cosimo");
    for (const ability of [
      "completionProvider",
      "hoverProvider",
      "definitionProvider",
      "renameProvider",
      "documentFormattingProvider",
    ] as const)
      expect(capabilities[ability]).toBeTruthy();
    expect(await one.shutdown()).toBe(0);
  });

  it("[LS1] ends with 1 where nobody said goodbye", async () => {
    const exits = new Editor([BIN, "language-server", "--stdio"], folder.path);
    await exits.initialize();
    await exits.connection.sendNotification("exit");
    expect(await exits.ended).toBe(1);
    const leaves = new Editor([BIN, "language-server", "--stdio"], folder.path);
    await leaves.initialize();
    leaves.process.stdin!.end();
    expect(await leaves.ended).toBe(1);
  });

  it("[LS1] leaves nothing behind", async () => {
    mkdirSync(folder.at("temp"));
    const tidy = new Editor([BIN, "language-server", "--stdio"], folder.path, {
      TMPDIR: folder.at("temp"),
    });
    await tidy.initialize();
    await tidy.open(folder.at("tidy.sa"), HEAD);
    expect(readdirSync(folder.at("temp"))).toHaveLength(1);
    await tidy.shutdown();
    expect(readdirSync(folder.at("temp"))).toEqual([]);
  });

  it("[LS1] tells people that editors start it", () => {
    const done = spawnSync(process.execPath, [BIN, "language-server"], { encoding: "utf8" });
    expect([done.status, done.stderr]).toEqual([2, expect.stringContaining("--stdio")]);
  });

  it("[LS2] finds nothing in the adaptations of the examples", async () => {
    const names = readdirSync(EXAMPLES, { recursive: true, encoding: "utf8" });
    const adaptations = names.filter((name) => name.endsWith(".sa"));
    expect(adaptations.length).toBeGreaterThan(5);
    for (const name of adaptations) {
      const path = join(EXAMPLES, name);
      const found = await editor.open(path, readFileSync(path, "utf8"));
      expect([name, shown(found)]).toEqual([name, []]);
      await editor.close(path);
    }
  });

  it("[LS2] finds what cosimo adapt finds, at the same places", async () => {
    const texts = [
      `${HEAD}output ports disp (kg) <- window.hight, tau <- window.displacement`,
      `${HEAD}control rules {\n  var x := 1\n  return H\n}`,
      `${HEAD}control rules { rollback(window); if 1 { } return true; }`,
      `${HEAD}param a 1;`,
      `semantic adaptation reactive moore A a\nfor inner fmu B b at "nowhere.fmu"\nparam t := 1, x := y;`,
    ];
    for (const text of texts) {
      const path = folder.write(`same-${++count}.sa`, text);
      const found = shown(await editor.open(path, text));
      expect(found.length).toBeGreaterThan(0);
      expect(found).toEqual(fromAdapt(path));
    }
  });

  it("[LS2] shows findings of inner files in those files, and takes them back", async () => {
    const inner = folder.write("inner.sa", `${HEAD}param P := Q;`);
    const text = `semantic adaptation reactive mealy O o\nfor inner fmu I i at "inner.sa"`;
    const outer = folder.write("outer.sa", text);
    await editor.open(outer, text);
    const uri = pathToFileURL(inner).href;
    const found = await editor.until(() => editor.published.get(uri)?.diagnostics);
    expect(shown(found)).toEqual(fromAdapt(inner));
    expect(codes(found)).toEqual(["sa-initial"]);
    await editor.close(outer);
    await editor.until(() => editor.published.get(uri)?.diagnostics.length === 0 || undefined);
  });

  it("[LS3] takes inner adaptations as they are in the editor, not as they are on disk", async () => {
    const path = folder.write("inside.sa", `${HEAD}output ports disp (m) <- window.height`);
    const text = `semantic adaptation reactive mealy O o\nfor inner fmu I i at "inside.sa"\noutput ports x <- i.disp`;
    const outer = folder.write("around.sa", text);
    expect(await editor.open(outer, text)).toEqual([]);
    await editor.open(path, `${HEAD}output ports height (m) <- window.height`);
    const found = await editor.until(() => {
      const { diagnostics = [] } = editor.published.get(pathToFileURL(outer).href) ?? {};
      return diagnostics.length > 0 ? diagnostics : undefined;
    });
    expect(codes(found)).toEqual(["sa-unknown-port"]);
    await editor.change(path, `${HEAD}output ports disp (m) <- window.height`);
    await editor.until(
      () => editor.published.get(pathToFileURL(outer).href)?.diagnostics.length === 0 || undefined,
    );
  });

  it("[LS4] checks again when a file changes on disk", async () => {
    const watches = (): true | undefined =>
      editor.registered.includes("workspace/didChangeWatchedFiles") || undefined;
    await editor.until(watches);
    const text = `semantic adaptation reactive moore A a\nfor inner fmu B b at "late.fmu"\noutput ports o <- b.height`;
    const path = folder.at("late.sa");
    expect(codes(await editor.open(path, text))).toContain("unit-source-broken");
    const changed = async (): Promise<void> => {
      const changes = [{ uri: pathToFileURL(folder.at("late.fmu")).href, type: 2 }];
      await editor.connection.sendNotification("workspace/didChangeWatchedFiles", { changes });
    };
    const published = (count: number): Promise<true> =>
      editor.until(
        () =>
          editor.published.get(pathToFileURL(path).href)?.diagnostics.length === count || undefined,
      );
    copyFileSync(WINDOW, folder.at("late.fmu"));
    await changed();
    await published(0);
    copyFileSync(fixture("fmi2/PowerWindowController"), folder.at("late.fmu"));
    const later = new Date(statSync(folder.at("late.fmu")).mtimeMs + 5000);
    utimesSync(folder.at("late.fmu"), later, later);
    await changed();
    await published(1);
    const { size } = statSync(folder.at("late.fmu"));
    folder.write("late.fmu", new Uint8Array(size));
    utimesSync(folder.at("late.fmu"), later, later);
    expect(codes(await editor.change(path, `${text}\n`))).toEqual(["sa-unknown-port"]);
    const last = new Date(later.getTime() + 5000);
    utimesSync(folder.at("late.fmu"), last, last);
    expect(codes(await editor.change(path, text))).toContain("unit-source-broken");
  });

  it("[LS5] survives broken texts, broken FMUs and missing files", async () => {
    const broken = folder.write("broken.fmu", "this is not an archive");
    const { diagnostics } = await opened(
      `semantic adaptation reactive moore A a\nfor inner fmu B b at "broken.fmu"‸`,
    );
    const [finding] = diagnostics.filter(({ code }) => code === "unit-source-broken");
    expect(finding!.relatedInformation!.map(({ location }) => location.uri)).toContain(
      pathToFileURL(broken).href,
    );
    const whole = readFileSync(join(EXAMPLES, "power-window", "controller.sa"), "utf8");
    const path = folder.at("typing.sa");
    await editor.open(path, "");
    for (let length = 0; length < whole.length; length += 97)
      await editor.type(path, whole.slice(0, length));
    expect((await editor.change(path, "%&/()=\u0000 'x")).length).toBeGreaterThan(0);
    expect(await editor.ask("completion", path, { line: 0, character: 3 })).toBeDefined();
    expect(await editor.ask("hover", path, { line: 99, character: 99 })).toBeNull();
  });

  it("[LS7] publishes what weighs most, and counts the rest", async () => {
    const path = folder.at("many.sa");
    const wrong = "zz := 1;\n".repeat(300);
    const found = await editor.open(
      path,
      `${HEAD}control rules {\n${wrong}return do_step(window, t, H);\n}\n`,
    );
    expect(found).toHaveLength(101);
    expect(codes(found.slice(0, -1))).toEqual(Array(100).fill("sa-unknown-name"));
    expect(found.at(-1)!.message).toMatch(/^200 more findings are omitted/);
    const long = await editor.change(path, HEAD.replace("./Window.fmu", "x".repeat(900)));
    for (const { message } of long) expect(message.length).toBeLessThan(2100);
    await editor.close(path);
  });

  it("[LS8] answers for one file whatever another one is like", async () => {
    const good = folder.at("undisturbed.sa");
    const text = `${HEAD}output ports disp (m) <- window.height\n`;
    expect(await editor.open(good, text)).toEqual([]);
    const position = cursor(text.replace("window.height", "window.he‸ight")).position;
    const before = await editor.ask("hover", good, position);
    expect(before).not.toBeNull();
    const bad = folder.at("disturbing.sa");
    await editor.open(bad, "");
    const nested = (open: string, inner: string, close: string): string =>
      `${open.repeat(2000)}${inner}${close.repeat(2000)}`;
    for (const rules of [
      `return ${nested("(", "H", ")")};`,
      nested("if (true) {", "return H;", "}"),
      `return H${" + H".repeat(5000)};`,
      `var ${"x".repeat(100_000)} := 1.0; return H;`,
    ]) {
      const found = await editor.change(bad, `${HEAD}control rules {\n${rules}\n}\n`);
      expect(codes(found)).toEqual(["sa-too-deep"]);
      expect(found[0]!.range.start.line).toBe(5);
      await editor.ask("hover", bad, { line: 5, character: 12 });
      await editor.ask("documentSymbol", bad, { line: 0, character: 0 });
      expect(await editor.ask("hover", good, position)).toEqual(before);
      expect(await editor.change(good, text)).toEqual([]);
    }
    await editor.close(bad);
  });

  it("[LS5] survives modules that throw, print, and end the process", async () => {
    const modules: Readonly<Record<string, string>> = {
      "throws.mjs": `throw new Error("not today");`,
      "prints.mjs": `console.log("Content-Length: 5"); process.stdout.write("{}{}{}"); export default () => { throw new Error("printed"); };`,
      "ends.mjs": `process.exit(3);`,
      "rejects.mjs": `Promise.reject(new Error("nobody listens")); export default () => { throw new Error("rejected"); };`,
    };
    for (const [name, source] of Object.entries(modules)) {
      folder.write(name, source);
      const { diagnostics } = await opened(
        `semantic adaptation reactive moore A a\nfor inner fmu B b at "${name}"‸`,
      );
      expect([name, codes(diagnostics)]).toEqual([
        name,
        expect.arrayContaining(["module-not-a-unit"]),
      ]);
    }
    expect((await opened(`${HEAD}‸`)).diagnostics).toEqual([]);
  });

  it("[LS5] survives modules that never return, and does not run them twice", async () => {
    const patient = new Editor([BIN, "language-server", "--stdio"], folder.path);
    await patient.initialize({ patienceSeconds: 1 });
    folder.write("hangs.mjs", `export default () => { for (;;); };`);
    const text = `semantic adaptation reactive moore A a\nfor inner fmu B b at "hangs.mjs"\n`;
    const path = folder.at("hangs.sa");
    const found = await patient.open(path, text);
    expect(found.map(({ message }) => message).join()).toContain("it did not end within 1 s");
    expect(codes(await patient.change(path, `${text}\n`))).toContain("module-not-a-unit");
    expect(await patient.change(path, HEAD)).toEqual([]);
    expect(await patient.shutdown()).toBe(0);
  });

  it("[LS6] runs no program where the folder is not trusted, until it is", async () => {
    const careful = new Editor([BIN, "language-server", "--stdio"], folder.path);
    await careful.initialize({ trusted: false });
    folder.write("program.mjs", `throw new Error("it ran");`);
    const path = folder.at("careful.sa");
    const text = `semantic adaptation reactive moore A a\nfor inner fmu B b at "program.mjs"\nfor inner fmu W w at "Window.fmu"\nfor inner fmu S s at "some.yaml"`;
    folder.write("some.yaml", "units: {}");
    const found = await careful.open(path, text);
    expect(codes(found).filter((code) => code !== "sa-output-unset")).toEqual([
      "program-not-run",
      "program-not-run",
    ]);
    await careful.connection.sendNotification("cosimo/trusted");
    const now = await careful.until(() => {
      const { diagnostics } = careful.published.get(pathToFileURL(path).href)!;
      return codes(diagnostics).includes("program-not-run") ? undefined : diagnostics;
    });
    expect(now.map(({ message }) => message).join()).toContain("it ran");
    expect(await careful.shutdown()).toBe(0);
  });

  it("[LS14] offers the ports of an FMU, in a text that was never saved and cannot be read", async () => {
    const { path, position } = await opened(
      `${HEAD}out rules { true -> {} --> { window_sa.x := window.‸`,
    );
    const items = await completion(path, position);
    expect(items.map(({ label }) => label)).toEqual(["height", "reaction_torque"]);
    expect(items[0]!.detail).toMatch(/^real \(cm\), (Mealy|Moore)$/);
  });

  it("[LS14] offers those of thousands of ports that fit what was typed", async () => {
    mkdirSync(folder.at("Many.fmu"));
    const names = Array.from({ length: 2000 }, (_, i) => `port${i}`);
    const variables = names.map(
      (name, i) =>
        `<ScalarVariable name="${name}" valueReference="${i}" causality="output"><Real/></ScalarVariable>`,
    );
    const outputs = names.map((_, i) => `<Unknown index="${i + 1}"/>`);
    folder.write(
      "Many.fmu/modelDescription.xml",
      `<fmiModelDescription fmiVersion="2.0" modelName="Many" guid="1"><CoSimulation modelIdentifier="Many"/>
      <ModelVariables>${variables.join("")}</ModelVariables><ModelStructure><Outputs>${outputs.join("")}</Outputs></ModelStructure></fmiModelDescription>`,
    );
    const { path, position } = await opened(
      `semantic adaptation reactive moore A a\nfor inner fmu M m at "Many.fmu"\noutput ports x <- m.port1999‸`,
    );
    const { items, isIncomplete } = await editor.ask<CompletionList>("completion", path, position);
    expect([items.map(({ label }) => label), isIncomplete]).toEqual([["port1999"], true]);
    const begin = { ...position, character: position.character - "port1999".length };
    const shown = (await completion(path, begin)).length;
    expect(shown).toBeGreaterThan(100);
    expect(shown).toBeLessThan(names.length);
  });

  it("[LS14] knows an inner unit as soon as it is written", async () => {
    const { path } = await opened(`${HEAD}‸`);
    const { text, position } = cursor(
      `semantic adaptation reactive moore A a\nfor inner fmu C c at "${fixture("fmi2/PowerWindowController").replaceAll("\\", "/")}"\ninput ports x -> c.‸`,
    );
    await editor.type(path, text);
    const items = await completion(path, position);
    expect(items.map(({ label }) => label)).toContain("driver_up");
  });

  it("[LS16] offers units of measurement that convert first", async () => {
    const { path, position } = await opened(`${HEAD}output ports disp (‸) <- window.height`);
    const items = await completion(path, position);
    const sorted = items
      .toSorted((a, b) => (a.sortText! < b.sortText! ? -1 : 1))
      .map(({ label }) => label);
    expect(sorted[0]).toBe("cm");
    expect(sorted.indexOf("m")).toBeLessThan(sorted.indexOf("kg"));
  });

  it("[LS18] offers files that can be inner units", async () => {
    folder.write("notes.txt", "");
    folder.write("plain.yaml", "");
    const { path, position } = await opened(
      `semantic adaptation reactive moore A a\nfor inner fmu B b at "./‸"`,
    );
    const labels = (await completion(path, position)).map(({ label }) => label);
    expect(labels).toEqual(expect.arrayContaining(["Window.fmu", "plain.yaml"]));
    expect(labels).not.toContain("notes.txt");
  });

  it("[LS13] explains a port of an FMU", async () => {
    const { path, position } = await opened(`${HEAD}output ports disp (m) <- window.hei‸ght`);
    const { contents } = await editor.ask<Hover>("hover", path, position);
    expect((contents as { value: string }).value).toContain(
      "**window.height**: output of an inner unit, real (cm)",
    );
  });

  it("[LS11] goes into the file of an inner adaptation, and to files", async () => {
    const text = `${HEAD}// a line\noutput ports disp (m) <- window.height`;
    const inner = folder.write("there.sa", text);
    const outer = `semantic adaptation reactive mealy O o\nfor inner fmu I i at "there.sa"\noutput ports x <- i.disp`;
    const path = folder.at("here.sa");
    await editor.open(path, outer);
    const port = await editor.ask<Location>(
      "definition",
      path,
      cursor(outer.replace("i.disp", "i.di‸sp")).position,
    );
    const line = text.split("\n").findIndex((one) => one.startsWith("output"));
    expect(port).toEqual({
      uri: pathToFileURL(inner).href,
      range: { start: { line, character: 13 }, end: { line, character: 17 } },
    });
    const file = await editor.ask<Location>(
      "definition",
      path,
      cursor(outer.replace("there", "th‸ere")).position,
    );
    expect(file.uri).toBe(pathToFileURL(inner).href);
    const own = await editor.ask<Location>(
      "definition",
      path,
      cursor(outer.replace("<- i.", "<- ‸i.")).position,
    );
    expect(own.range.start).toEqual(cursor(outer.replace("I i", "I ‸i")).position);
  });

  it("[LS12] finds uses", async () => {
    const { path, position } = await opened(`${HEAD}param ‸P := 1, Q := P;`);
    const found = await editor.ask<Location[]>("references", path, position, {
      context: { includeDeclaration: false },
    });
    expect(found).toHaveLength(1);
    expect(await editor.ask<unknown[]>("documentHighlight", path, position)).toHaveLength(2);
  });

  it("[LS20] renames everywhere", async () => {
    const { path, text, position } = await opened(
      `${HEAD}output ports x <- ‸window.height\ncontrol rules { return do_step(window, t, H); }`,
    );
    expect(await editor.ask("prepareRename", path, position)).toMatchObject({
      placeholder: "window",
    });
    const { changes } = await editor.ask<WorkspaceEdit>("rename", path, position, {
      newName: "pane",
    });
    const now = edited(text, changes![pathToFileURL(path).href]!);
    expect(now).toBe(
      text
        .replace("Window window", "Window pane")
        .replace("window.height", "pane.height")
        .replace("(window,", "(pane,"),
    );
    expect(await editor.change(path, now)).toEqual([]);
  });

  it("[LS21] says why it does not rename", async () => {
    const { path, position } = await opened(`${HEAD}param ‸P := 1, Q := P;`);
    const refused = editor.ask("rename", path, position, { newName: "Q" });
    await expect(refused).rejects.toThrow("'Q' means something else in this text already.");
    const port = await opened(`${HEAD}output ports x <- window.‸height`);
    await expect(editor.ask("prepareRename", port.path, port.position)).rejects.toThrow(
      "named by the unit inside",
    );
  });

  it("[LS22] formats as cosimo adapt does, and leaves alone what it cannot read", async () => {
    const { path, text } = await opened(
      `${HEAD}// why\nparam   P:=1,Q:=2;\n\ncontrol rules { return   do_step(window,t,H); }‸`,
    );
    const options = { options: { tabSize: 2, insertSpaces: true } };
    const edits = await editor.about<TextEdit[]>("formatting", path, options);
    expect(edits[0]!.range.start.line).toBeGreaterThan(3);
    const file = folder.write("formatted.sa", text);
    spawnSync(process.execPath, [BIN, "adapt", file, "--format"]);
    expect(edited(text, edits)).toBe(readFileSync(file, "utf8"));
    await editor.change(path, edited(text, edits));
    expect(await editor.about<TextEdit[]>("formatting", path, options)).toEqual([]);
    await editor.change(path, `${HEAD}param P :=`);
    expect(await editor.about<TextEdit[]>("formatting", path, options)).toEqual([]);
  });

  it("[LS23] mends what can be mended: afterwards the finding is gone", async () => {
    const slips = [
      `${HEAD}output ports x <- window.hight`,
      `${HEAD}output ports x <- windw.height`,
      `${HEAD}param PI := 3.14;\noutput ports x\nout rules { true -> {} --> { window_sa.x := PII; }; }`,
      `${HEAD}output ports x\nout rules { true -> {} --> { window_sa.x := 1 }; }`,
      `${HEAD}control rules {\n  do_step(window, t, H);\n}`,
    ];
    for (const slip of slips) {
      const { path, text, diagnostics } = await opened(`${slip}‸`);
      const [{ range, code }] = diagnostics as [Diagnostic];
      const [action] = await editor.about<CodeAction[]>("codeAction", path, {
        range,
        context: { diagnostics },
      });
      expect([code, action?.title]).toEqual([code, expect.any(String)]);
      const mended = edited(text, action!.edit!.changes![pathToFileURL(path).href]!);
      expect([mended, codes(await editor.change(path, mended))]).toEqual([mended, []]);
    }
  });

  it("[LS24] [LS25] shows signatures and an outline", async () => {
    const { path, position } = await opened(`${HEAD}control rules { return do_step(window, ‸`);
    const help = await editor.ask<SignatureHelp>("signatureHelp", path, position);
    expect([help.signatures[0]!.label, help.activeParameter]).toEqual([
      "do_step(unit, time, step) → real",
      1,
    ]);
    const [root] = await editor.about<DocumentSymbol[]>("documentSymbol", path);
    expect(root!.children!.map(({ name }) => name)).toEqual(["window", "control rules"]);
  });
});
