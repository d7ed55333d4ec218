/**
 * What the tests of the page share: a folder of their own, `cosimo studio` on it, and Chromium.
 * Whatever a page says on its console, and every request to anywhere but the server, is a failure.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Page,
  type Route,
} from "playwright-core";
import { expect } from "vitest";

export const ROOT = join(import.meta.dirname, "..", "..", "..");
const COMMAND = join(ROOT, "packages", "cosimo", "bin", "cosimo.js");
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
/** How long a machine that does other things too may take for anything that is waited for. */
const PATIENCE_MS = 90_000;
/** Where pictures of the main views go; absent: none are made. */
const SHOTS = process.env["STUDIO_SHOTS"];

export class Lab {
  readonly folder = mkdtempSync(join(tmpdir(), "cosimo-studio-"));
  private server: ChildProcess | undefined;
  private browser: Browser | undefined;
  private link = "";

  copy(from: string, to: string): void {
    const target = join(this.folder, to);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(ROOT, from), target, { recursive: true });
  }

  write(path: string, text: string): void {
    const target = join(this.folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  async start(): Promise<void> {
    const server = spawn(
      process.execPath,
      [COMMAND, "studio", this.folder, "--trust", "--no-open", "--json"],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    this.server = server;
    const [said, browser] = await Promise.all([
      firstJson(server),
      chromium.launch({
        executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
        args: FLAGS,
      }),
    ]);
    this.link = said.link;
    this.browser = browser;
  }

  async stop(): Promise<void> {
    await this.browser?.close();
    const { server } = this;
    if (server && server.exitCode === null) {
      const ended = new Promise((done) => server.once("exit", done));
      server.kill("SIGTERM");
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A page with nothing to complain about. @param open a file to begin with. */
  async open(
    act: (page: StudioPage) => Promise<void>,
    { open, colorScheme = "light" }: { open?: string; colorScheme?: "light" | "dark" } = {},
  ): Promise<void> {
    if (!this.browser) throw new Error("the lab is not started");
    const context = await this.browser.newContext({
      viewport: { width: 1280, height: 800 },
      colorScheme,
      acceptDownloads: true,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    try {
      const studio = await StudioPage.in(context, this.link, open);
      await act(studio).catch(async (error) => {
        await studio.shoot("failed");
        throw error;
      });
      expect(studio.problems).toEqual([]);
    } finally {
      await context.close();
    }
  }
}

async function firstJson(child: ChildProcess): Promise<{ link: string }> {
  let text = "";
  for await (const piece of child.stdout ?? []) {
    text += piece;
    try {
      return JSON.parse(text) as { link: string };
    } catch {
      // Not all of it is there yet.
    }
  }
  throw new Error(`cosimo studio ended: ${text}`);
}

export class StudioPage {
  readonly page: Page;
  readonly problems: string[] = [];

  private constructor(page: Page, origin: string) {
    this.page = page;
    page.on("pageerror", (error) => this.problems.push(error.message));
    page.on("console", (message) => this.problems.push(`console: ${message.text()}`));
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) this.problems.push(`loads ${url}`);
    });
  }

  static async in(context: BrowserContext, link: string, open?: string): Promise<StudioPage> {
    const url = new URL(link);
    const made = new StudioPage(await context.newPage(), url.origin);
    if (open !== undefined) url.searchParams.set("open", open);
    await made.page.goto(url.href);
    await made.page.getByRole("heading", { name: "Cosimo Studio" }).waitFor();
    return made;
  }

  async shoot(name: string): Promise<void> {
    if (SHOTS === undefined) return;
    await this.page.screenshot({ path: join(SHOTS, `${name}.png`) });
  }

  file(path: string) {
    return this.page.locator(`nav[aria-label=files] button.file[title="${path}"]`);
  }

  unit(name: string) {
    return this.page.locator(`[data-unit="${name}"]`);
  }

  port(name: string) {
    return this.page.locator(`[data-port="${name}"]`);
  }

  tab(name: string) {
    return this.page.getByRole("tab", { name });
  }

  button(name: string) {
    return this.page.getByRole("button", { name, exact: true });
  }

  /** Requests to the server wait until they are released. @param url as Playwright's patterns. */
  async hold(url: string): Promise<{ count(): number; release(): Promise<void> }> {
    const waiting: Route[] = [];
    let isHeld = true;
    await this.page.route(url, async (route) => {
      if (isHeld) waiting.push(route);
      else await route.continue();
    });
    return {
      count: () => waiting.length,
      release: async () => {
        isHeld = false;
        await Promise.all(waiting.splice(0).map((route) => route.continue()));
      },
    };
  }

  /** What the editor holds. */
  async text(): Promise<string> {
    const lines = await this.page.locator(".cm-content .cm-line").allTextContents();
    return lines.join("\n");
  }

  async status(pattern: RegExp): Promise<void> {
    await this.page.locator(".status").filter({ hasText: pattern }).waitFor();
  }

  /** Waits until an element has looked the same for half a second: moves and answers have ended. */
  async still(selector: string): Promise<void> {
    const look = (): Promise<string> =>
      this.page
        .locator(selector)
        .first()
        .evaluate((element) => element.outerHTML);
    const end = Date.now() + PATIENCE_MS;
    let last = await look();
    for (let since = Date.now(); Date.now() - since < 500; ) {
      if (Date.now() > end) throw new Error(`${selector} does not come to rest`);
      await this.page.waitForTimeout(50);
      const now = await look();
      if (now !== last) since = Date.now();
      last = now;
    }
  }

  /** Runs what is open until it has ended: another run than the one that was shown. */
  async run(): Promise<void> {
    const state = this.page.locator(".run-state");
    const before = (await state.count()) > 0 ? await state.getAttribute("data-run") : "";
    await this.button("▶ Run").click();
    await this.page.locator(`.run-state[data-state=ended]:not([data-run="${before}"])`).waitFor();
  }

  /** Texts that are drawn into charts from now on. */
  async drawnTexts(): Promise<() => Promise<string[]>> {
    await this.page.evaluate(() => {
      const texts: string[] = [];
      Object.assign(globalThis, { drawnTexts: texts });
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest): void {
        texts.push(text);
        fillText.call(this, text, ...rest);
      };
    });
    return () =>
      this.page.evaluate(() => (globalThis as unknown as { drawnTexts: string[] }).drawnTexts);
  }

  /**
   * Drags from one element to the middle of another, as a person does: slowly enough to be seen.
   */
  async drag(from: string, to: { x: number; y: number }): Promise<void> {
    const box = await this.page.locator(from).boundingBox();
    if (!box) throw new Error(`${from} is not on the page`);
    const { mouse } = this.page;
    await mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await mouse.down();
    await mouse.move(to.x - 12, to.y - 6, { steps: 4 });
    await mouse.move(to.x, to.y, { steps: 3 });
  }

  async middleOf(selector: string): Promise<{ x: number; y: number }> {
    const box = await this.page.locator(selector).first().boundingBox();
    if (!box) throw new Error(`${selector} is not on the page`);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }
}
