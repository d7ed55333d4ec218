/**
 * How long a person waits in Chromium, against the real server: until the page can be used, until a
 * thousand units and five thousand connections are laid out, for a frame while they are moved, for
 * an edit of them from the event that makes it to the frame that shows it; and how long the server
 * takes to describe such a scenario. Rows for bench/studio.md.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { ROOT } from "../scripts/setup.mjs";
import { median } from "./results.mjs";

const UNITS = 1000;
const INPUTS = ["driver_up", "driver_down", "driver_stop", "passenger_up", "passenger_down"];
const WANTED_EDIT_MS = 100;
const WANTED_LAYOUT_MS = 3000;
const WANTED_FRAMES = 30;
const WANTED_BEGIN_MS = 2000;
const WANTED_BYTES = 1.5e6;
const ROUNDS = 5;

/** Controllers in loops: every one has five inputs that others of the forty before it feed. */
function manyUnits(count) {
  const source = join(ROOT, "fixtures", "build", "fmi2", "PowerWindowController.fmu");
  const units = Array.from({ length: count }, (_, i) => `  unit${i}: ${source}`);
  const wires = Array.from({ length: count }, (_, i) =>
    INPUTS.map((input, k) => {
      const from = (i + 40 * count - 1 - ((7 * k + 3 * i) % 40)) % count;
      return `  - unit${from}.${k % 2 === 0 ? "up" : "down"} -> unit${i}.${input}`;
    }).join("\n"),
  );
  return `name: many\nunits:\n${units.join("\n")}\nconnections:\n${wires.join("\n")}\nexperiment: { stop: 1 s, step: 100 ms }\nmaster: jacobi\n`;
}

export async function measurePage() {
  const folder = mkdtempSync(join(tmpdir(), "cosimo-studio-page-"));
  writeFileSync(join(folder, "many.yaml"), manyUnits(UNITS));
  writeFileSync(join(folder, "two.yaml"), manyUnits(2));
  const command = join(ROOT, "packages", "cosimo", "bin", "cosimo.js");
  const studio = spawn(process.execPath, [command, "studio", folder, "--no-open", "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let browser;
  try {
    const { link } = await new Promise((resolve) => {
      let text = "";
      studio.stdout.on("data", (bytes) => {
        text += bytes;
        if (/\}\s*$/.test(text)) resolve(JSON.parse(text));
      });
    });
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--no-first-run"],
    });
    const begin = await tryBegin(browser, link);
    return [...beginRows(begin), ...rowsOf(await tryEdits(browser, link))];
  } finally {
    await browser?.close();
    studio.kill("SIGINT");
    await new Promise((resolve) => studio.on("exit", resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The page of a folder, until its files are there; and what it loads with a graph. */
async function tryBegin(browser, link) {
  const times = [];
  for (let i = 0; i < ROUNDS; i++) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(link);
    await page.locator("button.file").first().waitFor();
    times.push(await page.evaluate(() => globalThis.performance.now()));
    await page.close();
  }
  const context = await browser.newContext();
  const page = await context.newPage();
  let bytes = 0;
  page.on("requestfinished", async (request) => {
    if (request.url().includes("/api/")) return;
    bytes += (await request.sizes()).responseBodySize;
  });
  const url = new URL(link);
  url.searchParams.set("open", "two.yaml");
  await page.goto(url.href);
  await page.locator(".unit").first().waitFor();
  await page.waitForTimeout(1000);
  await context.close();
  return { times, bytes };
}

async function tryEdits(browser, link) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const url = new URL(link);
  url.searchParams.set("open", "many.yaml");
  const answers = [];
  let asked = 0;
  const isDescribe = (request) => request.url().endsWith("/api/describe");
  page.on("request", (request) => {
    if (isDescribe(request)) asked++;
  });
  page.on("requestfinished", (request) => {
    if (!isDescribe(request)) return;
    const { responseEnd, requestStart } = request.timing();
    answers.push(responseEnd - requestStart);
  });
  await page.goto(url.href);
  await page.waitForFunction(
    (count) => globalThis.document.querySelectorAll(".unit").length === count,
    UNITS,
    {
      timeout: 120_000,
    },
  );
  const layout = await page.evaluate(() =>
    Math.max(...globalThis.performance.getEntriesByName("layout").map(({ duration }) => duration)),
  );
  const edits = { remove: [], undo: [], connect: [] };
  /** The checks have answered, and the page has taken note of it. */
  const settled = async () => {
    do await page.waitForTimeout(700);
    while (answers.length < asked);
  };
  for (let i = 0; i < ROUNDS; i++) {
    await settled();
    edits.remove.push(await timeOf(page, `unit${100 + i}`, "remove"));
    await settled();
    edits.undo.push(await timeOf(page, "", "undo"));
  }
  await settled();
  await timeOf(page, "unit500", "remove");
  for (let i = 0; i < ROUNDS; i++) {
    await settled();
    // What unit 500 fed is open now.
    edits.connect.push(await timeOf(page, `unit${501 + i}`, "connect"));
  }
  // At the end: boxes that are moved out of sight cannot be edited.
  const frames = [];
  for (let i = 0; i < ROUNDS; i++) frames.push(await pan(page));
  return { edits, answers, layout, frames };
}

/** Drags the graph, a bit in every frame. @returns frames per second. */
function pan(page) {
  return page.evaluate(async () => {
    const { document, requestAnimationFrame, MouseEvent } = globalThis;
    const pane = document.querySelector(".react-flow__pane");
    const box = pane.getBoundingClientRect();
    const send = (type, by, target) =>
      target.dispatchEvent(
        new MouseEvent(type, {
          clientX: box.left + box.width / 2 + by,
          clientY: box.bottom - 10 - by / 4,
          bubbles: true,
          buttons: 1,
          view: globalThis,
        }),
      );
    const times = [];
    send("mousedown", 0, pane);
    for (let i = 1; i <= 60; i++) {
      send("mousemove", 2 * i, globalThis);
      times.push(await new Promise((done) => requestAnimationFrame(done)));
    }
    send("mouseup", 120, globalThis);
    return (1000 * (times.length - 1)) / (times.at(-1) - times[0]);
  });
}

/** Makes an edit in the page as its controls do, and waits for the frame that shows it. */
function timeOf(page, unit, kind) {
  return page.evaluate(
    async ({ unit, kind }) => {
      const { document, performance, requestAnimationFrame } = globalThis;
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      const until = async (is) => {
        const end = performance.now() + 60_000;
        while (!is()) {
          if (performance.now() > end) throw new Error(`${kind} ${unit}: nothing happens`);
          await frame();
        }
      };
      const drawn = () =>
        `${document.querySelectorAll(".unit").length} ${[...document.querySelectorAll(".sheet path:not(.selected)")].reduce((n, path) => n + (path.getAttribute("d")?.match(/M/g)?.length ?? 0), 0)}`;
      if (unit !== "") {
        const node = document.querySelector(`.react-flow__node[data-id=${unit}]`);
        node.focus();
        node.dispatchEvent(
          new globalThis.KeyboardEvent("keydown", { key: "Enter", bubbles: true }),
        );
        await until(() => document.querySelector(".inspector h2")?.textContent === unit);
      }
      const button = (text) =>
        [...document.querySelectorAll("button")].find(
          (one) => one.textContent === text || one.ariaLabel === text || one.title.startsWith(text),
        );
      let act;
      if (kind === "remove") act = () => button("Remove unit").click();
      else if (kind === "undo") act = () => button("Undo").click();
      else {
        const chosen = document.querySelector('.inspector select[aria-label^="connect "]');
        chosen.focus();
        await until(() => chosen.options.length > 1);
        act = () => {
          const value = chosen.options[1].value;
          Object.getOwnPropertyDescriptor(globalThis.HTMLSelectElement.prototype, "value").set.call(
            chosen,
            value,
          );
          chosen.dispatchEvent(new Event("change", { bubbles: true }));
        };
      }
      await frame();
      const before = drawn();
      const begin = performance.now();
      act();
      await until(() => drawn() !== before);
      await frame();
      return performance.now() - begin;
    },
    { unit, kind },
  );
}

function beginRows({ times, bytes }) {
  return [
    {
      what: "opening the page, until the files of the folder are shown",
      value: median(times),
      shown: `${Math.round(median(times))} ms`,
      wanted: `≤ ${WANTED_BEGIN_MS} ms`,
      isMissed: median(times) > WANTED_BEGIN_MS,
    },
    {
      what: "what the page loads to show a graph, as it is sent",
      value: bytes,
      shown: `${(bytes / 1e6).toFixed(2)} MB`,
      wanted: `< ${WANTED_BYTES / 1e6} MB`,
      isMissed: bytes >= WANTED_BYTES,
    },
  ];
}

function rowsOf({ edits, answers, layout, frames }) {
  const names = {
    remove: "removing one of 1000 units, until it is drawn",
    undo: "undoing that, until it is drawn",
    connect: "connecting two of 1000 units, until it is drawn",
  };
  const ms = (value) => `${Math.round(value)} ms`;
  const rows = Object.entries(edits).map(([kind, times]) => ({
    what: names[kind],
    value: median(times),
    shown: `${ms(median(times))} (at most ${ms(Math.max(...times))})`,
    wanted: `≤ ${WANTED_EDIT_MS} ms`,
    isMissed: median(times) > WANTED_EDIT_MS,
  }));
  return [
    {
      what: "laying out 1000 units and 5000 connections",
      value: layout,
      shown: ms(layout),
      wanted: `≤ ${WANTED_LAYOUT_MS} ms`,
      isMissed: !(layout >= 0 && layout <= WANTED_LAYOUT_MS),
    },
    {
      what: "frames per second while they are moved",
      value: median(frames),
      shown: median(frames).toFixed(0),
      wanted: `≥ ${WANTED_FRAMES}`,
      isMissed: median(frames) < WANTED_FRAMES,
    },
    ...rows,
    {
      what: "the server's description of the edited text, 1000 units and 5000 connections",
      value: median(answers),
      shown: `${ms(median(answers))} (first ${ms(answers[0])})`,
    },
  ];
}
