import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { transformWithOxc } from "vite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTempFolder, sweepTempFolders } from "./temp-folder.ts";

let root: string;
let module: string;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "temp-folder-test-"));
  // Children run the module itself, so that their endings are real endings.
  const source = new URL("./temp-folder.ts", import.meta.url);
  const { code } = await transformWithOxc(readFileSync(source, "utf8"), source.pathname);
  module = join(root, "temp-folder.mjs");
  writeFileSync(module, code);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

interface Child {
  readonly process: ChildProcess;
  readonly folder: string;
}

/** A process that holds a temporary folder with a file in it and then runs `then`. */
async function childHolding(then: string): Promise<Child> {
  const script = `
    import { writeFileSync } from "node:fs";
    import { createTempFolder } from ${JSON.stringify(module)};
    const { path } = createTempFolder(${JSON.stringify(root)});
    writeFileSync(path + "/held.txt", "x");
    process.stdout.write(path + "\\n");
    ${then}`;
  const file = join(root, `child-${Math.random().toString(36).slice(2)}.mjs`);
  writeFileSync(file, script);
  const child = spawn(process.execPath, [file], { stdio: ["pipe", "pipe", "ignore"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { process: child, folder: line.toString().trim() };
}

const WAIT = "process.stdin.resume();";

async function ended(child: Child): Promise<{ code: number | null; signal: string | null }> {
  const { process: p } = child;
  if (p.exitCode === null && p.signalCode === null) await once(p, "exit");
  return { code: p.exitCode, signal: p.signalCode };
}

describe("a temporary folder", () => {
  it("[AR11] is private, carries its owner in its name, and can be removed early, twice", () => {
    const folder = createTempFolder(root);
    expect(basename(folder.path)).toMatch(new RegExp(`^cosimo-${process.pid}-`));
    folder.remove();
    folder.remove();
    expect(existsSync(folder.path)).toBe(false);
  });

  it("[AR11] is gone after a normal exit", async () => {
    const child = await childHolding("");
    expect(await ended(child)).toEqual({ code: 0, signal: null });
    expect(existsSync(child.folder)).toBe(false);
  });

  it("[AR11] is gone after an exception", async () => {
    const child = await childHolding("throw new Error('on purpose');");
    expect((await ended(child)).code).toBe(1);
    expect(existsSync(child.folder)).toBe(false);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "[AR11] is gone after %s, and the process still ends by it",
    async (signal) => {
      const child = await childHolding(WAIT);
      expect(existsSync(child.folder)).toBe(true);
      child.process.kill(signal);
      expect(await ended(child)).toEqual({ code: null, signal });
      expect(existsSync(child.folder)).toBe(false);
    },
  );

  it("[AR11] stays while the process handles a signal itself and goes on", async () => {
    const child = await childHolding(
      `process.on("SIGINT", () => process.stdout.write("handled")); ${WAIT}`,
    );
    child.process.kill("SIGINT");
    await once(child.process.stdout!, "data");
    expect(existsSync(join(child.folder, "held.txt"))).toBe(true);
    child.process.kill("SIGTERM");
    await ended(child);
    expect(existsSync(child.folder)).toBe(false);
  });

  it("[AR11] of a killed process is swept by the next process that needs one", async () => {
    const killed = await childHolding(WAIT);
    const living = await childHolding(WAIT);
    killed.process.kill("SIGKILL");
    await ended(killed);
    expect(existsSync(killed.folder), "nobody could remove it yet").toBe(true);
    const next = await childHolding(WAIT);
    expect(existsSync(killed.folder)).toBe(false);
    expect(existsSync(living.folder), "folders of living processes stay").toBe(true);
    for (const child of [living, next]) {
      child.process.kill("SIGTERM");
      await ended(child);
    }
  });
});

describe("sweeping", () => {
  /** Name of a folder of this process, with some parts replaced. */
  function nameLike(parts: { pid?: string; start?: string; space?: string }): string {
    const folder = createTempFolder(root);
    const [, pid, start, space] = basename(folder.path).split("-");
    folder.remove();
    return `cosimo-${parts.pid ?? pid}-${parts.start ?? start}-${parts.space ?? space}-abcDEF`;
  }

  function sweptNames(name: string): string[] {
    mkdirSync(join(root, name));
    return sweepTempFolders(root).map((path) => basename(path));
  }

  it("[AR11] leaves a folder of this process alone", () => {
    expect(sweptNames(nameLike({}))).toEqual([]);
  });

  it.runIf(existsSync("/proc/self/stat"))(
    "[AR11] knows a reused process id by its start time",
    () => {
      const name = nameLike({ start: "1" });
      expect(sweptNames(name)).toEqual([name]);
    },
  );

  it("[AR11] leaves folders of another container and of strangers alone", () => {
    expect(sweptNames(nameLike({ pid: "4194399", space: "12345" }))).toEqual([]);
    expect(sweptNames("cosimo-notes")).toEqual([]);
  });

  it("[AR11] follows no link that has such a name", () => {
    const precious = join(root, "precious");
    mkdirSync(precious);
    writeFileSync(join(precious, "file"), "x");
    symlinkSync(precious, join(root, nameLike({ pid: "4194399" })));
    expect(sweepTempFolders(root)).toEqual([]);
    expect(readdirSync(precious)).toEqual(["file"]);
  });
});
